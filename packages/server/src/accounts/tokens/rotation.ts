/**
 * Rotates refresh tokens. Each token is used once. For a minute a used token yields the same
 * successor (tabs, lost responses). A later use reveals a theft and ends the session (RFC 9700,
 * section 4.14).
 */
import { hkdfSync } from 'node:crypto'
import { type Clock, timestampOf } from '../../base/clock.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { Row } from '../../storage/storage.ts'
import { expiryOf, findActing, type IdentityTables } from '../identity-tables.ts'
import { endSession } from '../sessions/end-session.ts'
import { hashToken, nextRefreshToken } from './token.ts'
import { makeTokenFamilies, type TokenFamilies } from './token-families.ts'

/** How long a used refresh token still yields its successor. */
const reuseGraceMs = 60_000

export type Rotation = {
  /** Stores the first or the next token of a session, as a hash. */
  addToken(tx: RecordTransaction, sessionId: Scalar, token: string): Promise<Row>
  readonly addFamily: TokenFamilies['add']
  readonly endFamily: TokenFamilies['end']
  /**
   * The session and the next token; undefined for a dead token. Ends the session of a stolen token.
   */
  rotate(tx: RecordTransaction, token: string): Promise<{ record: Row; next: string } | undefined>
}

type RotationDeps = {
  readonly clock: Clock
  readonly secrets: readonly Buffer[]
  readonly marks: IdentityTables
  readonly sessionIdleMs?: number | undefined
}

export function makeRotation({ clock, secrets, marks, sessionIdleMs }: RotationDeps): Rotation {
  const { login, session, refreshToken } = marks
  // The secret that signs access tokens is used for nothing else: successors are derived with a
  // secret of their own, derived from it.
  const chains = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'bindery refresh tokens', 32)))
  const families = makeTokenFamilies({ clock, chains, marks, usedKeptMs: reuseGraceMs })

  async function addToken(tx: RecordTransaction, sessionId: Scalar, token: string): Promise<Row> {
    const { resource, mark } = refreshToken
    const values = { [mark.session]: sessionId, [mark.hash]: hashToken(token), [mark.usedAt]: null }
    return tx.insert(await tx.prepare(resource, values))
  }

  /**
   * The successor that was handed out for this token; undefined when the secret that derived it is
   * gone.
   */
  async function knownSuccessor(tx: RecordTransaction, token: string): Promise<string | undefined> {
    for (const chain of chains) {
      const successor = nextRefreshToken(token, chain)
      const found = await tx.find(refreshToken.resource, equal(refreshToken.mark.hash, hashToken(successor)))
      if (found) return successor
    }
    return undefined
  }

  /**
   * This runs inside the transaction, so that the second of two refreshes with one token sees what
   * the first did.
   */
  async function rotate(tx: RecordTransaction, token: string): Promise<{ record: Row; next: string } | undefined> {
    const { resource, mark } = refreshToken
    const stored = (await tx.lock(resource, equal(mark.hash, hashToken(token))))?.row
    if (!stored) {
      await families.end(tx, token, 'refresh-reused')
      return undefined
    }
    const sessionId = equal(session.resource.idField, stored[mark.session] as string)
    const record = (await tx.lock(session.resource, sessionId))?.row
    if (!record || expiryOf(marks, record, sessionIdleMs) <= clock()) return undefined
    const usedAt = stored[mark.usedAt] as string | null
    if (usedAt !== null) {
      if (clock() - Date.parse(usedAt) <= reuseGraceMs) {
        const successor = await knownSuccessor(tx, token)
        return successor === undefined ? undefined : { record, next: successor }
      }
      await endSession(tx, session, { id: record[session.resource.idField] as string, why: 'refresh-reused' })
      return undefined
    }
    if (!(await findActing(tx, login, record[session.mark.owner] as string))) return undefined
    const next = nextRefreshToken(token, chains[0] as Buffer)
    await tx.change(resource, stored, { [mark.usedAt]: timestampOf(clock()) })
    await addToken(tx, record[session.resource.idField] as string, next)
    await families.forgetUsed(tx, record[session.resource.idField] as string, token)
    await tx.change(session.resource, record, { [session.mark.lastUsedAt]: timestampOf(clock()) })
    return { record, next }
  }

  return { addToken, addFamily: families.add, endFamily: families.end, rotate }
}
