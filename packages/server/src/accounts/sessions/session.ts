/**
 * Sessions: log-in, refresh, log-out. The response to a failed log-in does not say why it failed.
 */
import type { Clock } from '../../base/clock.ts'
import { foldName } from '../../base/fold.ts'
import { ApiError } from '../../errors.ts'
import type { Guard } from '../../record/guard/guarded-code.ts'
import type { RecordStore } from '../../record/record-store.ts'
import { refusedLogInEvent } from '../../resource/accounts/audit-events.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { isLonger } from '../../resource/fields/text.ts'
import type { ReadStorage, Row } from '../../storage/storage.ts'
import { makeFailureAudit } from '../audit/failures.ts'
import { LogInRefusedError, whenProven } from '../code/run-account-hooks.ts'
import type { SecondStep } from '../factors/second-step.ts'
import { activeUser, findActing, type IdentityTables } from '../identity-tables.ts'
import type { Passwords, VerifyPassword } from '../passwords/password.ts'
import { makeThrottle } from '../throttles/throttle.ts'
import type { AccessTokens } from '../tokens/access-token.ts'
import { makeRotation } from '../tokens/rotation.ts'
import { hashToken } from '../tokens/token.ts'
import { makeDevices } from './devices.ts'
import { endSession } from './end-session.ts'
import { type LogInClient, makeSessionStart, type ProvenUser, sessionAuthor, type TokenPair } from './start-session.ts'

/** `device`: the device cookie, for clients that keep cookies. */
export type LogInResult = TokenPair & { readonly device: string }

export type SessionService = {
  /**
   * Throws `unauthenticated` (`Invalid credentials`), `too-many-requests`, or
   * `LogInRefusedError`.
   */
  login(email: string, password: string, client: LogInClient): Promise<LogInResult>
  /** Throws `unauthenticated` (`Invalid refresh token`). */
  refresh(token: string, from?: ClientOrigin): Promise<TokenPair>
  /** Ends the session of the token, if there is one. */
  logout(token: string, from?: ClientOrigin): Promise<void>
  /**
   * Begins a session for a user who has proven their identity. Throws `unauthenticated`, and
   * `LogInRefusedError`, which the audit has then.
   */
  begin(proven: ProvenUser, client: LogInClient): Promise<LogInResult>
  /** Forgets the failures of this account, by its log-in name. */
  forgive(login: string): Promise<void>
}

/** Where a request came from. */
export type ClientOrigin = Pick<LogInClient, 'address' | 'userAgent' | 'place'>

/** A text that is too long for any account is not folded: it names an account that cannot exist. */
export function accountOf(
  { resource, mark }: IdentityTables['login'],
  email: string,
): { account: string; exists: boolean } {
  const field = resource.fields[mark.login] as Field
  const exists = !field.type.lengthMax || !isLonger(email, field.type.lengthMax(field))
  return { account: exists ? foldName(email) : email, exists }
}

type SessionDeps = {
  readonly storage: ReadStorage
  readonly clock: Clock
  readonly records: RecordStore
  readonly guard: Guard
  readonly secrets: readonly Buffer[]
  readonly marks: IdentityTables
  readonly accessTokens: AccessTokens
  readonly passwords: Passwords
  readonly sessionIdleMs?: number | undefined
  /** Undefined in an application without second factors. */
  readonly secondStep?: SecondStep | undefined
}

/** The outcome of a guess: the proof, and the user of the account, if there is one. */
type GuessResult = { readonly proven: ProvenUser | undefined; readonly userId: Scalar | null }

/** `email` is undefined where no user can have it. */
type PasswordGuess = { readonly email: string | undefined; readonly password: string; readonly verify: VerifyPassword }

async function checkPassword(
  storage: ReadStorage,
  login: IdentityTables['login'],
  { email, password, verify }: PasswordGuess,
): Promise<GuessResult> {
  const find = async () =>
    email === undefined ? undefined : (await storage.find(login.resource, equal(login.mark.login, email)))?.row
  const known = await find()
  const stored = known?.[login.mark.secret] as string | undefined
  const right = await verify(password, stored)
  // The row is read again: a hash takes time, and the user may have been suspended or the password
  // changed meanwhile.
  const row = right ? await find() : undefined
  const user = row?.[login.mark.secret] === stored ? activeUser(login, row) : undefined
  // A password that changes meanwhile ends all sessions, so this one must not begin.
  const proven =
    user && stored !== undefined
      ? { user, way: 'password' as const, holds: (now: Row) => now[login.mark.secret] === stored }
      : undefined
  return { proven, userId: (known?.[login.resource.idField] as Scalar | undefined) ?? null }
}

export function makeSessions(deps: SessionDeps): SessionService {
  const { storage, records, clock, secrets, marks, passwords, sessionIdleMs } = deps
  const { login, session, refreshToken } = marks
  const throttle = makeThrottle(storage, clock)
  const devices = makeDevices(secrets)
  const rotation = makeRotation({ clock, secrets, marks, sessionIdleMs })
  const failures = makeFailureAudit({ storage, records, clock, marks })
  const sessionStart = makeSessionStart({ ...deps, rotation })

  async function begin(proven: ProvenUser, client: LogInClient): Promise<LogInResult> {
    const { account } = accountOf(login, proven.user.login)
    const counted = proven.counted ?? devices.countedAs(account, client.device) ?? account
    const pair = await sessionStart.open({ ...proven, counted }, client).catch(async (error) => {
      if (error instanceof LogInRefusedError) {
        const { way, user } = proven
        await failures.note({ ...client, event: refusedLogInEvent, userId: user.userId, way })
      }
      throw error
    })
    return { ...pair, device: devices.cookieOf(account, client.device) }
  }

  return {
    begin,

    forgive: (name) => throttle.forget(accountOf(login, name).account),

    async login(email, password, client) {
      const { account, exists } = accountOf(login, email)
      const counted = devices.countedAs(account, client.device) ?? account
      await throttle.check(counted, client.address)
      const { proven, userId } = await passwords.inTurn(async (verify) => {
        await throttle.check(counted, client.address)
        const found = await checkPassword(storage, login, { email: exists ? email : undefined, password, verify })
        if (found.proven) await throttle.check(counted, client.address)
        else await throttle.failed(counted, client.address)
        return found
      })
      if (!proven) {
        await failures.note({ ...client, userId })
        throw new ApiError('unauthenticated', 'Invalid credentials')
      }
      // Not before: a client that knows the password alone would have unlimited guesses at the
      // second factor.
      return whenProven(begin({ ...proven, counted }, client), () => throttle.forget(counted))
    },

    async refresh(token, from) {
      const rotated = await records.transaction(sessionAuthor(from), (tx) => rotation.rotate(tx, token))
      const owner = rotated && (await findActing(storage, login, rotated.record[session.mark.owner] as Scalar))
      if (!rotated || !owner) throw new ApiError('unauthenticated', 'Invalid refresh token')
      return sessionStart.pairFor(owner.user, rotated.record, rotated.next)
    },

    async logout(token, from) {
      const { resource, mark } = refreshToken
      await records.transaction(sessionAuthor(from), async (tx) => {
        const stored = (await tx.find(resource, equal(mark.hash, hashToken(token))))?.row
        if (!stored) return rotation.endFamily(tx, token, 'log-out')
        await endSession(tx, session, { id: stored[mark.session] as string, why: 'log-out' })
      })
    },
  }
}
