/** Sessions: login, refresh, logout. The answer to a failed log-in does not say why it failed. */
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { Records } from '../../record/records.ts'
import { equal, type Scalar } from '../../resource/condition.ts'
import type { Field } from '../../resource/fields/field.ts'
import { isLonger } from '../../resource/fields/text.ts'
import type { Row, StoredReads } from '../../storage/storage.ts'
import { foldName } from '../../value/fold.ts'
import { makeFailures } from '../audit/failures.ts'
import type { SecondStep } from '../factors/second-step.ts'
import { activeUser, findActing, type Marks } from '../marks.ts'
import type { Passwords, Verify } from '../passwords/password.ts'
import { makeThrottle } from '../throttles/throttle.ts'
import type { AccessTokens } from '../tokens/access-token.ts'
import { makeRotation } from '../tokens/rotation.ts'
import { hashToken } from '../tokens/token.ts'
import { makeDevices } from './devices.ts'
import { endSession } from './end-session.ts'
import { authorAt, type Client, makeEntrance, type Pair, type Proven } from './entrance.ts'

/** `device`: the cookie for the device, should it be one that keeps cookies. */
export type LogIn = Pair & { readonly device: string }

export type Sessions = {
  /** Throws `unauthenticated` (`Invalid credentials`) or `too-many-requests`. */
  login(email: string, password: string, client: Client): Promise<LogIn>
  /** Throws `unauthenticated` (`Invalid refresh token`). */
  refresh(token: string, from?: Origin): Promise<Pair>
  /** Ends the session of the token, if there is one. */
  logout(token: string, from?: Origin): Promise<void>
  /** Begins a session for somebody who has proven who they are. Throws `unauthenticated`. */
  begin(proven: Proven, client: Client): Promise<LogIn>
  /** Forgets the failures of this account, by its log-in name. */
  forgive(login: string): Promise<void>
}

/** Where a request came from. */
export type Origin = Pick<Client, 'address' | 'userAgent' | 'place'>

/** A text that is too long for any account is not folded: it is its own account, which nobody has. */
export function accountOf({ resource, mark }: Marks['login'], email: string): { account: string; exists: boolean } {
  const field = resource.fields[mark.login] as Field
  const exists = !field.type.lengthMax || !isLonger(email, field.type.lengthMax(field))
  return { account: exists ? foldName(email) : email, exists }
}

type Parts = {
  readonly storage: StoredReads
  readonly clock: Clock
  readonly records: Records
  readonly secrets: readonly Buffer[]
  readonly marks: Marks
  readonly accessTokens: AccessTokens
  readonly passwords: Passwords
  readonly sessionIdleMs?: number | undefined
  /** Undefined in an application without second factors. */
  readonly secondStep?: SecondStep | undefined
}

/** What a guess came to: the proof, and whose account it was, if there is one. */
type Guessed = { readonly proven: Proven | undefined; readonly userId: Scalar | null }

/** `email` is undefined where no user can have it. */
type Guess = { readonly email: string | undefined; readonly password: string; readonly verify: Verify }

async function checkPassword(
  storage: StoredReads,
  login: Marks['login'],
  { email, password, verify }: Guess,
): Promise<Guessed> {
  const find = async () =>
    email === undefined ? undefined : (await storage.find(login.resource, equal(login.mark.login, email)))?.row
  const known = await find()
  const stored = known?.[login.mark.secret] as string | undefined
  const right = await verify(password, stored)
  // The row is read again: a hash takes time, and the user may have been suspended or the password changed meanwhile.
  const row = right ? await find() : undefined
  const user = row?.[login.mark.secret] === stored ? activeUser(login, row) : undefined
  // A password that changes meanwhile ends all sessions, so this one must not begin.
  const proven =
    user && stored !== undefined ? { user, holds: (now: Row) => now[login.mark.secret] === stored } : undefined
  return { proven, userId: (known?.[login.resource.idField] as Scalar | undefined) ?? null }
}

export function makeSessions(parts: Parts): Sessions {
  const { storage, records, clock, secrets, marks, accessTokens, passwords, sessionIdleMs, secondStep } = parts
  const { login, session, refreshToken } = marks
  const throttle = makeThrottle(storage, clock)
  const devices = makeDevices(secrets)
  const rotation = makeRotation({ clock, secrets, marks, sessionIdleMs })
  const failures = makeFailures({ storage, records, clock, marks })
  const entrance = makeEntrance({ clock, records, marks, accessTokens, rotation, secondStep })

  async function begin(proven: Proven, client: Client): Promise<LogIn> {
    const { account } = accountOf(login, proven.user.login)
    const counted = proven.counted ?? devices.countedAs(account, client.device) ?? account
    return {
      ...(await entrance.open({ ...proven, counted }, client)),
      device: devices.cookieOf(account, client.device),
    }
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
      const begun = await begin({ ...proven, counted }, client)
      // Not before: whoever knows the password alone would have as many guesses at the second factor as he likes.
      await throttle.forget(counted)
      return begun
    },

    async refresh(token, from) {
      const rotated = await records.transaction(authorAt(from), (writing) => rotation.rotate(writing, token))
      const owner = rotated && (await findActing(storage, login, rotated.record[session.mark.owner] as Scalar))
      if (!rotated || !owner) throw new ApiError('unauthenticated', 'Invalid refresh token')
      return entrance.pairFor(owner.user, rotated.record, rotated.next)
    },

    async logout(token, from) {
      const { resource, mark } = refreshToken
      await records.transaction(authorAt(from), async (writing) => {
        const stored = (await writing.find(resource, equal(mark.hash, hashToken(token))))?.row
        if (!stored) return rotation.endFamily(writing, token, 'log-out')
        await endSession(writing, session, { id: stored[mark.session] as string, why: 'log-out' })
      })
    },
  }
}
