/**
 * The family of a session's refresh tokens: one row says whose they are, so that the rows of tokens that were used can go. A token that comes
 * back after its row has gone is still known for one that was used, and ends the session.
 */
import { type Clock, timestampOf } from '../../base/clock.ts'
import type { Writing } from '../../record/records.ts'
import { all, equal, type Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import type { Marks } from '../marks.ts'
import { type Ending, endSession } from '../sessions/end-session.ts'
import { familyMark } from './token.ts'

export type Families = {
  /** Notes whose this token and its successors are. */
  add(writing: Writing, sessionId: Scalar, token: string): Promise<void>
  /** Ends the session whose family the token is of. Does nothing for an invented one, or where the session noted none. */
  end(writing: Writing, token: string, why: Ending): Promise<void>
  /** Removes the session's tokens that were used longer ago than a used one still counts. */
  forgetUsed(writing: Writing, sessionId: Scalar, token: string): Promise<void>
}

type Parts = {
  readonly clock: Clock
  /** The first one is today's. */
  readonly chains: readonly Buffer[]
  readonly marks: Marks
  readonly usedKeptMs: number
}

export function makeFamilies({ clock, chains, marks, usedKeptMs }: Parts): Families {
  const { session, refreshToken } = marks
  const { resource, mark } = refreshToken

  /** Sessions of earlier versions have none. */
  async function find(writing: Writing, token: string): Promise<Row | undefined> {
    for (const chain of chains) {
      const found = await writing.find(resource, equal(mark.hash, familyMark(token, chain)))
      if (found) return found.row
    }
    return undefined
  }

  return {
    async add(writing, sessionId, token) {
      const hash = familyMark(token, chains[0] as Buffer)
      const values = { [mark.session]: sessionId, [mark.hash]: hash, [mark.usedAt]: null }
      await writing.insert(await writing.prepare(resource, values))
    },

    async end(writing, token, why) {
      const family = await find(writing, token)
      if (!family) return
      await endSession(writing, session, { id: family[mark.session] as string, why })
    },

    async forgetUsed(writing, sessionId, token) {
      if (!(await find(writing, token))) return
      const value = timestampOf(clock() - usedKeptMs)
      const isOver = { kind: 'compare', field: mark.usedAt, operator: 'lt', value } as const
      await writing.removeWhere(resource, all(equal(mark.session, sessionId), isOver))
    },
  }
}
