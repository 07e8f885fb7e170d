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
  path: '/api-keys',
  fields: {
    id: id(),
    userId: reference('user', { setBy: 'principal', onDelete: 'delete' }),
    name: text({ required: true }),
    key: token({ prefix: 'bk_' }),
    scopes: textList({ maxLength: 100, default: null }),
    active: boolean({ default: true }),
    expiresAt: timestamp(),
    lastUsedAt: timestamp({ readOnly: true }),
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
