/**
 * The family of a session's refresh tokens: one row says whose they are, so rows of used tokens can
 * be deleted. A used token that comes back is still recognised after its row has gone, and ends the
 * session.
 */
import { type Clock, timestampOf } from '../../base/clock.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import type { IdentityTables } from '../identity-tables.ts'
import { endSession, type SessionEndReason } from '../sessions/end-session.ts'
import { familyMark } from './token.ts'

export type TokenFamilies = {
  /** Notes whose this token and its successors are. */
  add(tx: RecordTransaction, sessionId: Scalar, token: string): Promise<void>
  /**
   * Ends the session whose family the token is of. Does nothing for an invented one, or where the
   * session noted none.
   */
  end(tx: RecordTransaction, token: string, why: SessionEndReason): Promise<void>
  /** Removes the session's tokens that were used longer ago than a used one still counts. */
  forgetUsed(tx: RecordTransaction, sessionId: Scalar, token: string): Promise<void>
}

type TokenFamiliesDeps = {
  readonly clock: Clock
  /** The first one is today's. */
  readonly chains: readonly Buffer[]
  readonly marks: IdentityTables
  readonly usedKeptMs: number
}

export function makeTokenFamilies({ clock, chains, marks, usedKeptMs }: TokenFamiliesDeps): TokenFamilies {
  const { session, refreshToken } = marks
  const { resource, mark } = refreshToken

  /** Sessions of earlier versions have none. */
  async function find(tx: RecordTransaction, token: string): Promise<Row | undefined> {
    for (const chain of chains) {
      const found = await tx.find(resource, equal(mark.hash, familyMark(token, chain)))
      if (found) return found.row
    }
    return undefined
  }

  return {
    async add(tx, sessionId, token) {
      const hash = familyMark(token, chains[0] as Buffer)
      const values = { [mark.session]: sessionId, [mark.hash]: hash, [mark.usedAt]: null }
      await tx.insert(await tx.prepare(resource, values))
    },

    async end(tx, token, why) {
      const family = await find(tx, token)
      if (!family) return
      await endSession(tx, session, { id: family[mark.session] as string, why })
    },

    async forgetUsed(tx, sessionId, token) {
      if (!(await find(tx, token))) return
      const value = timestampOf(clock() - usedKeptMs)
      const isOver = { kind: 'compare', field: mark.usedAt, operator: 'lt', value } as const
      await tx.removeWhere(resource, all(equal(mark.session, sessionId), isOver))
    },
  }
}
