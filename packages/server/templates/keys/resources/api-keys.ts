/** API keys: each is shown once and stored as a hash. An ADMIN makes them, here or by `bindery key create`. */
import { boolean, defineResource, id, reference, role, text, textList, timestamp, token } from 'bindery-server'

const admins = role('ADMIN')

export const apiKeys = defineResource({
  name: 'apiKey',
  path: '/api-keys',
  fields: {
    id: id(),
    userId: reference('user', { setBy: 'principal', onDelete: 'delete' }),
    name: text({ required: true }),
    key: token({ prefix: 'key_' }),
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
  list: { style: 'page', sortable: ['name', 'createdAt'], defaultSort: '-createdAt' },
  access: { list: admins, get: admins, create: admins, update: admins, delete: admins },
})
