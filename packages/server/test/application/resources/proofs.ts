/** The second factors of members: what they are called, and when they were used. */
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

const owned = either([owner('memberId'), role('ADMIN')])

export const proofs = defineResource({
  name: 'proof',
  path: '/proofs',
  fields: {
    id: id(),
    memberId: reference('member', { readOnly: true, onDelete: 'delete' }),
    way: choice(['totp', 'passkey'], { readOnly: true }),
    label: text({ maxLength: 100 }),
    secret: sealed(),
    hash: hash(),
    createdAt: timestamp({ setOn: 'create' }),
    lastUsedAt: timestamp({ readOnly: true }),
  },
  identity: {
    kind: 'factor',
    owner: 'memberId',
    type: 'way',
    name: 'label',
    key: 'secret',
    credential: 'hash',
    lastUsedAt: 'lastUsedAt',
  },
  list: { style: 'page', filterable: [] },
  access: { list: owned, get: owned, update: owned, delete: owned },
})

/** Codes for whoever has lost one, as hashes. */
export const spareCodes = defineResource({
  name: 'spareCode',
  fields: { id: id(), memberId: reference('member', { readOnly: true, onDelete: 'delete' }), hash: hash() },
  identity: { kind: 'recovery-code', owner: 'memberId', hash: 'hash' },
  access: {},
})
