/** The refresh tokens of a visit, as hashes. They have no operations, so nobody sees them. */
import { defineResource, hash, id, reference, timestamp } from 'bindery-server'

export const renewals = defineResource({
  name: 'renewal',
  fields: {
    id: id(),
    visitId: reference('visit', { readOnly: true, onDelete: 'delete' }),
    hash: hash(),
    usedAt: timestamp({ readOnly: true }),
  },
  identity: { kind: 'refresh-token', session: 'visitId', hash: 'hash', usedAt: 'usedAt' },
  access: {},
})
