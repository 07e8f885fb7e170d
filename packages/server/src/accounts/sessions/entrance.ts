/**
 * The one place where sessions begin, whatever the user was known by: the rest of what logs in proves who somebody is, and comes here with it.
 * It alone asks whether a second factor is due.
 */
import { type Clock, timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { Records, Writing } from '../../record/records.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import { type Author, serviceAuthor } from '../../storage/changes.ts'
import type { Row } from '../../storage/storage.ts'
import { tellAudit } from '../audit/audit.ts'
import type { Due, SecondStep } from '../factors/second-step.ts'
import { type ActiveUser, lockActing, type Marks } from '../marks.ts'
import { type AccessTokens, accessTokenSeconds } from '../tokens/access-token.ts'
import type { Rotation } from '../tokens/rotation.ts'
import { makeRefreshToken } from '../tokens/token.ts'

export const refreshTokenSeconds = 7 * 24 * 60 * 60

/** A further log-in ends the oldest. */
const sessionsOfUserMax = 100

const userAgentLengthMax = 300

export type Client = {
  readonly address: string
  readonly userAgent: string | undefined
  /** Where the address is, as a trusted proxy says. */
  readonly place?: string | undefined
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
/** Somebody who has proven who they are. */
export type Proven = {
  readonly user: ActiveUser
  /**
   * Whether the proof still holds, asked with the user's row locked where the session begins: what it rests on, such as a password, may have
   * changed since it was checked.
   */
  holds(row: Row): boolean
  /** The name under which guesses at the second factor are counted; that of the account on this device, unless given. */
  readonly counted?: string
  /**
   * Shows a second factor, or enrols the first one, in the transaction that begins the session; it may run several times. Throws
   * `unauthenticated` for a bad one.
   */
  readonly second?: (writing: Writing) => Promise<void>
}

/** The same, with the name under which its guesses are counted. */
type Counted = Proven & { readonly counted: string }

export type Entrance = {
  /**
   * Begins a session. Throws `unauthenticated`: `Invalid credentials` when the proof no longer holds, and with a ticket (`more`) where a second
   * factor is due. Callers pass that on.
   */
  open(proven: Counted, client: Client): Promise<Pair>
  /** An access token for a session, beside its refresh token. */
  pairFor(user: ActiveUser, record: Row, refreshToken: string): Promise<Pair>
}

type Begun = { readonly record: Row; readonly due?: undefined } | { readonly record?: undefined; readonly due: Due }

type Parts = {
  readonly clock: Clock
  readonly records: Records
  readonly marks: Marks
  readonly accessTokens: AccessTokens
  readonly rotation: Rotation
  /** Undefined in an application without second factors. */
  readonly secondStep?: SecondStep | undefined
}

/** Makes room for one more session of the user: whoever logs in without end has only so many. */
async function endOldest(writing: Writing, resource: Resource, ofUser: Condition): Promise<void> {
  const over = (await writing.count(resource, ofUser)) - sessionsOfUserMax + 1
  if (over <= 0) return
  const sort = [{ field: resource.idField, descending: false }]
  const oldest = await writing.lockAll(resource, { where: ofUser, sort, limit: over, after: null }, { toDelete: true })
  for (const row of oldest) await writing.remove(resource, row)
}

/** The service, on behalf of somebody at this address. */
export function authorAt({ address, userAgent }: Partial<Pick<Client, 'address' | 'userAgent'>> = {}): Author {
  return { ...serviceAuthor, address, userAgent }
}

/** What the audit says of an event in a session that its user caused. */
function inSession({ session }: Pick<Marks, 'session'>, record: Row) {
  const userId = record[session.mark.owner] as Scalar
  return { userId, actorId: userId, credential: `session:${record[session.resource.idField]}` }
}

function printable(text: string | undefined, lengthMax?: number): string | null {
  return text?.slice(0, lengthMax).toWellFormed().replaceAll('\0', '') ?? null
}

function shownAgent({ userAgent }: Client): string | null {
  return printable(userAgent, userAgentLengthMax)
}

export function makeEntrance({ clock, records, marks, accessTokens, rotation, secondStep }: Parts): Entrance {
  const { login, session } = marks

  async function pairFor(user: ActiveUser, record: Row, token: string): Promise<Pair> {
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

  async function begin({ user, holds, second }: Proven, token: string, client: Client): Promise<Begun> {
    const { resource, mark } = session
    return records.transaction(authorAt(client), async (writing) => {
      const { now } = writing.defaults
      const expired = { kind: 'compare', field: mark.expiresAt, operator: 'lte', value: now } as const
      const current = await lockActing(writing, login, user.userId)
      if (!current || !holds(current.row)) throw new ApiError('unauthenticated', 'Invalid credentials')
      const due = second ? await second(writing) : await secondStep?.due(writing, current.user, current.row)
      if (due) return { due }
      await writing.removeWhere(resource, all(equal(mark.owner, user.userId), expired))
      await endOldest(writing, resource, equal(mark.owner, user.userId))
      const values = {
        [mark.owner]: user.userId,
        [mark.address]: client.address,
        [mark.userAgent]: shownAgent(client),
        ...(mark.place !== undefined && { [mark.place]: printable(client.place) }),
        ...(mark.factorAt !== undefined && second && { [mark.factorAt]: now }),
        [mark.lastUsedAt]: now,
        [mark.expiresAt]: timestampOf(Date.parse(now) + refreshTokenSeconds * 1000),
      }
      const record = await writing.insert(await writing.prepare(resource, values))
      await rotation.addToken(writing, record[resource.idField] as string, token)
      await rotation.addFamily(writing, record[resource.idField] as string, token)
      await tellAudit(writing, { event: 'log-in', ...inSession(marks, record) })
      return { record }
    })
  }

  return {
    pairFor,
    async open(proven, client) {
      const token = makeRefreshToken()
      const begun = await begin(proven, token, client)
      if (begun.record) return pairFor(proven.user, begun.record, token)
      const { user, counted } = proven
      throw (secondStep as SecondStep).refusal(user, begun.due, { counted, device: client.device })
    },
  }
}
