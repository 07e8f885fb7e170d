/** Second factors: the authenticator apps and passkeys of a user. What they are checked with is sealed, and nobody sees it. */
import {
  choice,
  defineResource,
  either,
  hash,
  id,
  operator,
  owner,
  reference,
  sealed,
  text,
  timestamp,
} from 'bindery-server'

const owned = either([owner('userId'), operator])

export const factors = defineResource({
  name: 'factor',
  path: '/factors',
  fields: {
    id: id(),
    userId: reference('user', { readOnly: true, onDelete: 'delete' }),
    type: choice(['totp', 'passkey'], { readOnly: true }),
    name: text({ readOnly: true, maxLength: 100 }),
    key: sealed(),
    credential: hash(),
    createdAt: timestamp({ setOn: 'create' }),
    lastUsedAt: timestamp({ readOnly: true }),
  },
  identity: {
    kind: 'factor',
    owner: 'userId',
    type: 'type',
    name: 'name',
    key: 'key',
    credential: 'credential',
    lastUsedAt: 'lastUsedAt',
  },
  list: { style: 'page', filterable: [] },
  access: { list: owned, get: owned, delete: owned },
})
