/** Codes for whoever has lost a second factor, as hashes. The resource has no operations, so nobody sees them. */
import { defineResource, hash, id, reference } from 'bindery-server'

export const recoveryCodes = defineResource({
  name: 'recoveryCode',
  description: 'What stands in for a lost second factor, once, stored as a digest.',
  fields: { id: id(), userId: reference('user', { readOnly: true, onDelete: 'delete' }), hash: hash() },
  identity: { kind: 'recovery-code', owner: 'userId', hash: 'hash' },
  access: {},
})
