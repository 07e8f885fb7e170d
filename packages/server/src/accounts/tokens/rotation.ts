/**
 * Refresh tokens and their successors. Each token is used once. For a minute a used token yields the same successor (tabs, lost answers);
 * after that it reveals a theft and ends the session (RFC 9700, section 4.14).
 */
import { hkdfSync } from 'node:crypto'
import { type Clock, timestampOf } from '../../base/clock.ts'
import type { Writing } from '../../record/records.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import { endOf, findActing, type Marks } from '../marks.ts'
import { endSession } from '../sessions/end-session.ts'
import { type Families, makeFamilies } from './families.ts'
import { hashToken, successorOf } from './token.ts'

/** How long a used refresh token still yields its successor. */
const reuseGraceMs = 60_000

export type Rotation = {
  /** Stores the first or the next token of a session, as a hash. */
  addToken(writing: Writing, sessionId: Scalar, token: string): Promise<Row>
  readonly addFamily: Families['add']
  readonly endFamily: Families['end']
  /** The session and the next token; undefined for a dead token. Ends the session of a stolen token. */
  rotate(writing: Writing, token: string): Promise<{ record: Row; next: string } | undefined>
}

type Parts = {
  readonly clock: Clock
  readonly secrets: readonly Buffer[]
  readonly marks: Marks
  readonly sessionIdleMs?: number | undefined
}

export function makeRotation({ clock, secrets, marks, sessionIdleMs }: Parts): Rotation {
  const { login, session, refreshToken } = marks
  // The secret that signs access tokens is used for nothing else: successors are derived with a secret of their own, derived from it.
  const chains = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'bindery refresh tokens', 32)))
  const families = makeFamilies({ clock, chains, marks, usedKeptMs: reuseGraceMs })

  async function addToken(writing: Writing, sessionId: Scalar, token: string): Promise<Row> {
    const { resource, mark } = refreshToken
    const values = { [mark.session]: sessionId, [mark.hash]: hashToken(token), [mark.usedAt]: null }
    return writing.insert(await writing.prepare(resource, values))
  }

  /** The successor that was handed out for this token; undefined when the secret that derived it is gone. */
  async function knownSuccessor(writing: Writing, token: string): Promise<string | undefined> {
    for (const chain of chains) {
      const successor = successorOf(token, chain)
      const found = await writing.find(refreshToken.resource, equal(refreshToken.mark.hash, hashToken(successor)))
      if (found) return successor
    }
    return undefined
  }

  /** This runs inside the transaction, so that the second of two refreshes with one token sees what the first did. */
  async function rotate(writing: Writing, token: string): Promise<{ record: Row; next: string } | undefined> {
    const { resource, mark } = refreshToken
    const stored = (await writing.lock(resource, equal(mark.hash, hashToken(token))))?.row
    if (!stored) {
      await families.end(writing, token, 'refresh-reused')
      return undefined
    }
    const sessionId = equal(session.resource.idField, stored[mark.session] as string)
    const record = (await writing.lock(session.resource, sessionId))?.row
    if (!record || endOf(marks, record, sessionIdleMs) <= clock()) return undefined
    const usedAt = stored[mark.usedAt] as string | null
    if (usedAt !== null) {
      if (clock() - Date.parse(usedAt) <= reuseGraceMs) {
        const successor = await knownSuccessor(writing, token)
        return successor === undefined ? undefined : { record, next: successor }
      }
      await endSession(writing, session, { id: record[session.resource.idField] as string, why: 'refresh-reused' })
      return undefined
    }
    if (!(await findActing(writing, login, record[session.mark.owner] as string))) return undefined
    const next = successorOf(token, chains[0] as Buffer)
    await writing.change(resource, stored, { [mark.usedAt]: timestampOf(clock()) })
    await addToken(writing, record[session.resource.idField] as string, next)
    await families.forgetUsed(writing, record[session.resource.idField] as string, token)
    await writing.change(session.resource, record, { [session.mark.lastUsedAt]: timestampOf(clock()) })
    return { record, next }
  }

  return { addToken, addFamily: families.add, endFamily: families.end, rotate }
}
