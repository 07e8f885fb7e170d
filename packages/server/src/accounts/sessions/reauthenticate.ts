/**
 * Confirms the identity of a user before they change factors or log-ins by other issuers. The user
 * shows the current password or a factor. Without a password, a log-in just now is enough. A token
 * left on a screen is not. Guesses count like those of log-ins.
 */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { RecordStore } from '../../record/record-store.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import { equal } from '../../resource/condition.ts'
import { noPassword } from '../../resource/fields/secret.ts'
import type { UserPrincipal } from '../../resource/principal.ts'
import type { ReadStorage } from '../../storage/storage.ts'
import { makeFailureAudit } from '../audit/failures.ts'
import type { SentProof } from '../factors/factor-log-in.ts'
import type { FactorCore } from '../factors/factor-service.ts'
import type { Proof } from '../factors/factors.ts'
import { noteFactor } from '../factors/note-factor.ts'
import type { IdentityTables } from '../identity-tables.ts'
import { makeThrottle } from '../throttles/throttle.ts'
import type { ConfirmPassword } from './confirm-password.ts'
import type { ClientOrigin } from './session.ts'
import { refreshTokenSeconds, sessionAuthor } from './start-session.ts'

/** A user without a password changes how they log in within this time after a log-in. */
const freshMs = 10 * 60_000

/** `undefined`: nothing was sent. */
export type ReauthenticationProof = { readonly kind: 'password'; readonly password: string } | SentProof | undefined

/** The user; a key has no session, which could be a new one. */
type ReauthenticatingUser = Pick<UserPrincipal, 'userId' | 'sessionId'>

/**
 * Throws `forbidden`, which names what is missing or wrong (`currentPassword is required`, `code is
 * wrong`), `too-many-requests`, and `unauthenticated` for a bad ticket.
 */
export type Reauthenticate = (
  asker: ReauthenticatingUser,
  sent: ReauthenticationProof,
  from: ClientOrigin,
) => Promise<void>

type ReauthenticateDeps = {
  readonly storage: ReadStorage
  readonly clock: Clock
  readonly records: RecordStore
  readonly marks: IdentityTables
  readonly confirm: ConfirmPassword
  /** Undefined in an application without second factors. */
  readonly factorBase: FactorCore | undefined
}

export function makeReauthenticate(deps: ReauthenticateDeps): Reauthenticate {
  const { storage, clock, records, marks, confirm, factorBase } = deps
  const { login, session } = marks
  const throttle = makeThrottle(storage, clock)
  const failures = makeFailureAudit(deps)

  /** A session is as old as it has left to live. */
  async function isFresh(sessionId: string | undefined): Promise<boolean> {
    const { resource, mark } = session
    const row = sessionId && (await storage.find(resource, equal(resource.idField, sessionId)))?.row
    if (!row) return false
    return clock() - (Date.parse(row[mark.expiresAt] as string) - refreshTokenSeconds * 1000) < freshMs
  }

  async function proofOf({ tickets, partyAt }: FactorCore, sent: SentProof): Promise<Proof> {
    if (sent.kind !== 'passkey') return sent
    const party = partyAt(sent.place)
    const ticket = tickets.open('passkey', sent.ticket)
    await tickets.spend(ticket)
    return { kind: 'passkey', party, response: sent.response, challenge: ticket.challenge, alone: false }
  }

  return async ({ userId, sessionId }, sent, from) => {
    const row = (await storage.find(login.resource, equal(login.resource.idField, userId)))?.row
    const stored = row?.[login.mark.secret] as string | undefined
    const name = (row?.[login.mark.login] as string | undefined) ?? ''
    if (!sent) {
      if (stored !== noPassword) throw new ApiError('forbidden', `${currentPassword} is required`)
      if (await isFresh(sessionId)) return
      throw new ApiError('forbidden', 'Log in anew, and confirm within ten minutes')
    }
    if (sent.kind === 'password') return confirm({ userId, login: name, stored, password: sent.password, ...from })
    if (!factorBase) throw new ApiError('forbidden', `${sent.kind} is wrong`)
    const proof = await proofOf(factorBase, sent)
    await throttle.reserve(userId, from.address)
    const { stored: factors } = factorBase
    const isGood = await records.transaction(sessionAuthor(from), async (tx) => {
      const isTaken = await factors.take(tx, userId, proof)
      if (isTaken) await noteFactor(tx, session, sessionId)
      return isTaken
    })
    if (isGood) return throttle.forgetGuesses(userId)
    await throttle.wrong(from.address)
    await failures.note({ ...from, event: 'factor-failed', userId, proof: sent.kind })
    throw new ApiError('forbidden', `${sent.kind} is wrong`)
  }
}
