/** API keys: each is shown once and stored as a hash. An ADMIN makes them, here or by `bindery key create`. */
import {
  boolean,
  defineResource,
  id,
  owner,
  reference,
  role,
  rotateKey,
  text,
  textList,
  timestamp,
  token,
} from 'bindery-server'

const admins = role('ADMIN')

export const apiKeys = defineResource({
  name: 'apiKey',
  description: 'A key for programs. It acts for its owner, cut down to its scopes, and is shown once.',
  path: '/api-keys',
  fields: {
    id: id(),
    userId: reference('user', { setBy: 'principal', onDelete: 'delete' }),
    name: text({ required: true }),
    key: token({ prefix: 'key_' }),
    prefix: text({ readOnly: true, maxLength: 40 }),
    scopes: textList({ maxLength: 100, default: null }),
    active: boolean({ default: true }),
    expiresAt: timestamp(),
    lastUsedAt: timestamp({ readOnly: true }),
    lastUsedFrom: text({ readOnly: true, maxLength: 100 }),
    addresses: textList({ maxLength: 50, default: null }),
    rotatedAt: timestamp({ readOnly: true }),
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
    prefix: 'prefix',
    lastUsedFrom: 'lastUsedFrom',
    addresses: 'addresses',
    rotatedAt: 'rotatedAt',
  },
  list: { style: 'page', sortable: ['name', 'createdAt'], defaultSort: '-createdAt' },
  access: { list: admins, get: admins, create: admins, update: admins, delete: admins, rotate: owner('userId') },
  actions: { rotate: rotateKey },
})
