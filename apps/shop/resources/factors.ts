/** Second factors: the authenticator apps and passkeys of a user. What they are checked with is sealed, and nobody sees it. */
import {
  choice,
  defineResource,
  either,
  hash,
  id,
  owner,
  reference,
  role,
  sealed,
  text,
  timestamp,
} from 'bindery-server'

const owned = either([owner('userId'), role('ADMIN')])

export const factors = defineResource({
  name: 'factor',
  description: 'What a user shows besides the password: an authenticator app, or a passkey.',
  path: '/factors',
  fields: {
    id: id(),
    userId: reference('user', { readOnly: true, onDelete: 'delete' }),
    type: choice(['totp', 'passkey'], { readOnly: true, description: 'Codes of an app, or a key of a device.' }),
    name: text({ readOnly: true, maxLength: 100, description: 'What its owner calls it.', example: 'My phone' }),
    key: sealed(),
    credential: hash(),
    createdAt: timestamp({ setOn: 'create' }),
    lastUsedAt: timestamp({ readOnly: true, description: 'When it was last used.' }),
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
