/** Sessions: login, refresh, logout. The answer to a failed log-in does not say why it failed. */
import { type Clock, timestampOf } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { Records, Writing } from '../record/records.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, type Condition, equal } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { isLonger } from '../resource/fields/text.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Row, StoredReads } from '../storage/storage.ts'
import { foldName } from '../value/fold.ts'
import { type AccessTokens, accessTokenSeconds } from './access-token.ts'
import { makeDevices } from './devices.ts'
import { activeUser, type Marks } from './marks.ts'
import type { Passwords, Verify } from './password.ts'
import { makeRotation } from './rotation.ts'
import { makeThrottle } from './throttle.ts'
import { hashToken, makeRefreshToken } from './token.ts'

export const refreshTokenSeconds = 7 * 24 * 60 * 60

export type Client = {
  readonly address: string
  readonly userAgent: string | undefined
  /** The cookie of a device that has logged in before. */
  readonly device?: string | undefined
}
export type Pair = {
  readonly accessToken: string
  readonly accessTokenSeconds: number
  readonly refreshToken: string
  /** The rest of the session's seven days. */
  readonly refreshTokenSeconds: number
}
/** `device`: the cookie for the device, should it be one that keeps cookies. */
export type LogIn = Pair & { readonly device: string }

export type Sessions = {
  /** Throws `unauthenticated` (`Invalid credentials`) or `too-many-requests`. */
  login(email: string, password: string, client: Client): Promise<LogIn>
  /** Throws `unauthenticated` (`Invalid refresh token`). */
  refresh(token: string): Promise<Pair>
  /** Ends the session of the token, if there is one. */
  logout(token: string): Promise<void>
}

/** A text that is too long for any account is not folded: it is its own account, which nobody has. */
export function accountOf({ resource, mark }: Marks['login'], email: string): { account: string; exists: boolean } {
  const field = resource.fields[mark.login] as Field
  const exists = !field.type.lengthMax || !isLonger(email, field.type.lengthMax(field))
  return { account: exists ? foldName(email) : email, exists }
}

/** The user whose password was right, and the hash that it matched. */
type Checked = { readonly user: NonNullable<ReturnType<typeof activeUser>>; readonly stored: string }

type Parts = {
  readonly storage: StoredReads
  readonly clock: Clock
  readonly records: Records
  readonly secrets: readonly Buffer[]
  readonly marks: Marks
  readonly accessTokens: AccessTokens
  readonly passwords: Passwords
}

const userAgentLengthMax = 300

/** A further log-in ends the oldest. */
export const sessionsOfUserMax = 100

/** `email` is undefined where no user can have it. */
type Guess = { readonly email: string | undefined; readonly password: string; readonly verify: Verify }

async function checkPassword(
  storage: StoredReads,
  login: Marks['login'],
  { email, password, verify }: Guess,
): Promise<Checked | undefined> {
  const find = async () =>
    email === undefined ? undefined : (await storage.find(login.resource, equal(login.mark.login, email)))?.row
  const stored = (await find())?.[login.mark.secret] as string | undefined
  const right = await verify(password, stored)
  // The row is read again: a hash takes time, and the user may have been suspended or the password changed meanwhile.
  const row = right ? await find() : undefined
  const user = row?.[login.mark.secret] === stored ? activeUser(login, row) : undefined
  return user && stored !== undefined ? { user, stored } : undefined
}

/** Makes room for one more session of the user: whoever logs in without end has only so many. */
async function endOldest(writing: Writing, resource: Resource, ofUser: Condition): Promise<void> {
  const over = (await writing.count(resource, ofUser)) - sessionsOfUserMax + 1
  if (over <= 0) return
  const sort = [{ field: resource.idField, descending: false }]
  const oldest = await writing.lockAll(resource, { where: ofUser, sort, limit: over, after: null }, { toDelete: true })
  for (const row of oldest) await writing.remove(resource, row)
}

function shownAgent({ userAgent }: Client): string | null {
  return userAgent?.slice(0, userAgentLengthMax).toWellFormed().replaceAll('\0', '') ?? null
}

export function makeSessions({ storage, records, clock, secrets, marks, accessTokens, passwords }: Parts): Sessions {
  const { login, session, refreshToken } = marks
  const throttle = makeThrottle(storage, clock)
  const devices = makeDevices(secrets)
  const { addToken, addFamily, endFamily, rotate } = makeRotation({ clock, secrets, marks })

  async function pairFor(user: Checked['user'], record: Row, token: string): Promise<Pair> {
    const sid = record[session.resource.idField] as string
    const accessToken = await accessTokens.sign({ userId: user.userId, role: user.role, email: user.login, sid })
    const leftMs = Date.parse(record[session.mark.expiresAt] as string) - clock()
    return {
      accessToken,
      accessTokenSeconds,
      refreshToken: token,
      refreshTokenSeconds: Math.max(0, Math.ceil(leftMs / 1000)),
    }
  }

  /** Checks the hash once more in the transaction: a password that changes meanwhile ends all sessions, so this one must not begin. */
  async function openSession({ user, stored }: Checked, token: string, client: Client): Promise<Row> {
    const { resource, mark } = session
    return records.transaction(serviceAuthor, async (writing) => {
      const { now } = writing.defaults
      const expired = { kind: 'compare', field: mark.expiresAt, operator: 'lte', value: now } as const
      const row = (await writing.lock(login.resource, equal(login.resource.idField, user.userId)))?.row
      if (row?.[login.mark.secret] !== stored || !activeUser(login, row))
        throw new ApiError('unauthenticated', 'Invalid credentials')
      await writing.removeWhere(resource, all(equal(mark.owner, user.userId), expired))
      await endOldest(writing, resource, equal(mark.owner, user.userId))
      const values = {
        [mark.owner]: user.userId,
        [mark.address]: client.address,
        [mark.userAgent]: shownAgent(client),
        [mark.lastUsedAt]: now,
        [mark.expiresAt]: timestampOf(Date.parse(now) + refreshTokenSeconds * 1000),
      }
      const record = await writing.insert(await writing.prepare(resource, values))
      await addToken(writing, record[resource.idField] as string, token)
      await addFamily(writing, record[resource.idField] as string, token)
      return record
    })
  }

  return {
    async login(email, password, client) {
      const { account, exists } = accountOf(login, email)
      const counted = devices.countedAs(account, client.device) ?? account
      await throttle.check(counted, client.address)
      const checked = await passwords.inTurn(async (verify) => {
        await throttle.check(counted, client.address)
        const found = await checkPassword(storage, login, { email: exists ? email : undefined, password, verify })
        if (!found) {
          await throttle.failed(counted, client.address)
          throw new ApiError('unauthenticated', 'Invalid credentials')
        }
        await throttle.succeeded(counted, client.address)
        return found
      })
      const token = makeRefreshToken()
      const pair = await pairFor(checked.user, await openSession(checked, token, client), token)
      return { ...pair, device: devices.cookieOf(account, client.device) }
    },

    async refresh(token) {
      const rotated = await records.transaction(serviceAuthor, (writing) => rotate(writing, token))
      const ownerId = rotated?.record[session.mark.owner] as string
      const owner = rotated && (await storage.find(login.resource, equal(login.resource.idField, ownerId)))
      const user = activeUser(login, owner?.row)
      if (!rotated || !user) throw new ApiError('unauthenticated', 'Invalid refresh token')
      return pairFor(user, rotated.record, rotated.next)
    },

    async logout(token) {
      const { resource, mark } = refreshToken
      await records.transaction(serviceAuthor, async (writing) => {
        const stored = (await writing.find(resource, equal(mark.hash, hashToken(token))))?.row
        if (!stored) return endFamily(writing, token)
        await writing.removeWhere(session.resource, equal(session.resource.idField, stored[mark.session] as string))
      })
    },
  }
}
