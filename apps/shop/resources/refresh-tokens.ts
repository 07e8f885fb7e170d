/** Every refresh token of a session, as a hash: the one in use and those it replaced. The resource has no operations, so nobody sees it. */
import { defineResource, hash, id, reference, timestamp } from 'bindery-server'

export const refreshTokens = defineResource({
  name: 'refreshToken',
  description: 'What a session is renewed by, stored as a digest.',
  fields: {
    id: id(),
    sessionId: reference('session', { readOnly: true, onDelete: 'delete' }),
    hash: hash(),
    usedAt: timestamp({ readOnly: true }),
  },
  identity: { kind: 'refresh-token', session: 'sessionId', hash: 'hash', usedAt: 'usedAt' },
  access: {},
})
