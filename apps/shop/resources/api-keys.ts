/** API keys: an owner may have many. Each is shown once and stored as a hash. */
import {
  boolean,
  defineResource,
  either,
  id,
  owner,
  reference,
  role,
  text,
  textList,
  timestamp,
  token,
  user,
} from 'bindery-server'

const owned = either([owner('userId'), role('ADMIN')])

export const apiKeys = defineResource({
  name: 'apiKey',
  description: 'A key for programs. It acts for its owner, cut down to its scopes, and is shown once.',
  path: '/api-keys',
  fields: {
    id: id(),
    userId: reference('user', { setBy: 'principal', onDelete: 'delete' }),
    name: text({ required: true, description: 'What it is for.', example: 'Nightly import' }),
    key: token({ prefix: 'bk_', description: 'The key itself, for the header X-API-Key.' }),
    scopes: textList({
      maxLength: 100,
      default: null,
      description: 'What it may do at most; null means whatever its owner may.',
      example: ['products:read'],
    }),
    active: boolean({ default: true, description: 'Whether it works.' }),
    expiresAt: timestamp({ description: 'When it ends; null means never.' }),
    lastUsedAt: timestamp({ readOnly: true, description: 'When it was last used, to the minute or so.' }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  identity: {
    kind: 'api-key',
    owner: 'userId',
    token: 'key',
    scopes: 'scopes',
    active: 'active',
    expiresAt: 'expiresAt',
    lastUsedAt: 'lastUsedAt',
  },
  list: { style: 'page', sortable: ['id', 'name', 'active', 'createdAt', 'expiresAt'], defaultSort: '-createdAt' },
  access: { list: owned, get: owned, create: user, replace: owned, update: owned, delete: owned },
})
