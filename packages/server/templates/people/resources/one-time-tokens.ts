/** Tokens that mails carry, as hashes: each is good for one purpose, once, for half an hour. The resource has no operations, so nobody sees it. */
import { defineResource, hash, id, reference, text, timestamp } from 'bindery-server'

export const oneTimeTokens = defineResource({
  name: 'oneTimeToken',
  description: 'What a link in a mail proves: good once, for a short time.',
  fields: {
    id: id(),
    userId: reference('user', { readOnly: true, onDelete: 'delete' }),
    purpose: text({ readOnly: true, required: true, maxLength: 20 }),
    hash: hash(),
    address: text({ readOnly: true }),
    expiresAt: timestamp({ readOnly: true, required: true }),
  },
  identity: {
    kind: 'one-time-token',
    owner: 'userId',
    purpose: 'purpose',
    hash: 'hash',
    address: 'address',
    expiresAt: 'expiresAt',
  },
  access: {},
})
