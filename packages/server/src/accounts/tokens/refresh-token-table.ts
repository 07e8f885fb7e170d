/**
 * The table of refresh tokens, as hashes: the current one of each session, and those it replaced.
 * It has no operations, so no caller sees it.
 */

import { engineTable } from '../../resource/accounts/engine-table.ts'
import { defineResource } from '../../resource/define.ts'
import { id } from '../../resource/fields/id.ts'
import { reference } from '../../resource/fields/reference.ts'
import { hash } from '../../resource/fields/secret.ts'
import { timestamp } from '../../resource/fields/times/timestamp.ts'

/** `sessions`: the name of the resource of sessions. */
export function refreshTokenTable<const N extends string>(sessions: N) {
  const declared = defineResource({
    name: 'refreshToken',
    description: 'The token that renews a session, stored as a digest.',
    fields: {
      id: id(),
      sessionId: reference(sessions, { readOnly: true, onDelete: 'delete' }),
      hash: hash(),
      usedAt: timestamp({ readOnly: true }),
    },
    access: {},
  })
  return engineTable(declared, { kind: 'refresh-token', session: 'sessionId', hash: 'hash', usedAt: 'usedAt' })
}
