/**
 * The one place where sessions begin, for every way to log in. Other code proves the user's
 * identity and passes the proof here. Only this file asks whether a second factor is due.
 */
import { type Clock, timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { Guard } from '../../record/guard/guarded-code.ts'
import type { RecordStore, RecordTransaction } from '../../record/record-store.ts'
import type { LogInWay } from '../../resource/accounts/account-code.ts'
import type { Resource } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import { type Author, serviceAuthor } from '../../storage/changes.ts'
import type { Row } from '../../storage/storage.ts'
import { recordAudit } from '../audit/audit.ts'
import { makeLeaveLoggedIn } from '../code/account-effects.ts'
import { makeBeforeLogIn } from '../code/run-account-hooks.ts'
import type { DueFactor, SecondStep } from '../factors/second-step.ts'
import { type ActiveUser, type IdentityTables, lockActing } from '../identity-tables.ts'
import { type AccessTokens, accessTokenSeconds } from '../tokens/access-token.ts'
import type { Rotation } from '../tokens/rotation.ts'
import { makeRefreshToken } from '../tokens/token.ts'

export const refreshTokenSeconds = 7 * 24 * 60 * 60

/** A further log-in ends the oldest. */
const sessionsOfUserMax = 100

const userAgentLengthMax = 300

export type LogInClient = {
  readonly address: string
  readonly userAgent: string | undefined
  /** Where the address is, as a trusted proxy says. */
  readonly place?: string | undefined
  /** The cookie of a device that has logged in before. */
  readonly device?: string | undefined
}
export type TokenPair = {
  readonly accessToken: string
  readonly accessTokenSeconds: number
  readonly refreshToken: string
  /** The rest of the session's seven days. */
  readonly refreshTokenSeconds: number
}
/** A user who has proven their identity. */
export type ProvenUser = {
  readonly user: ActiveUser
  /** The first proof. */
  readonly way: LogInWay
  /** The name of the provider that gave it. */
  readonly provider?: string | undefined
  /**
   * Whether the proof still holds. Called with the user's row locked where the session begins: its
   * basis, such as a password, may have changed since the check.
   */
  holds(row: Row): boolean
  /**
   * The name under which guesses at the second factor are counted; that of the account on this
   * device, unless given.
   */
  readonly counted?: string
  /**
   * Shows a second factor, or enrols the first one, in the transaction that begins the session; it
   * may run several times. Throws `unauthenticated` for a bad one.
   */
  readonly second?: (tx: RecordTransaction) => Promise<void>
}

/** The same, with the name under which its guesses are counted. */
type CountedUser = ProvenUser & { readonly counted: string }

export type SessionStart = {
  /**
   * Begins a session. Throws `unauthenticated`: `Invalid credentials` when the proof no longer
   * holds, and with a ticket (`more`) where a second factor is due. Callers pass that on. Throws
   * `LogInRefusedError` where the application refuses a user who has shown all proofs.
   */
  open(proven: CountedUser, client: LogInClient): Promise<TokenPair>
  /** An access token for a session, beside its refresh token. */
  pairFor(user: ActiveUser, record: Row, refreshToken: string): Promise<TokenPair>
}

type SessionStartResult =
  | { readonly record: Row; readonly due?: undefined }
  | { readonly record?: undefined; readonly due: DueFactor }

type StartSessionDeps = {
  readonly clock: Clock
  readonly records: RecordStore
  readonly guard: Guard
  readonly marks: IdentityTables
  readonly accessTokens: AccessTokens
  readonly rotation: Rotation
  /** Undefined in an application without second factors. */
  readonly secondStep?: SecondStep | undefined
}

/** Makes room for one more session of the user, so that repeated log-ins do not add up. */
async function endOldest(tx: RecordTransaction, resource: Resource, ofUser: Condition): Promise<void> {
  const over = (await tx.count(resource, ofUser)) - sessionsOfUserMax + 1
  if (over <= 0) return
  const sort = [{ field: resource.idField, descending: false }]
  const oldest = await tx.lockAll(resource, { where: ofUser, sort, limit: over, after: null }, { toDelete: true })
  for (const row of oldest) await tx.remove(resource, row)
}

/** The author of writes by the service on behalf of a client at this address. */
export function sessionAuthor({
  address,
  userAgent,
}: Partial<Pick<LogInClient, 'address' | 'userAgent'>> = {}): Author {
  return { ...serviceAuthor, address, userAgent }
}

/** The audit entry of an event in a session that its user caused. */
function inSession({ session }: Pick<IdentityTables, 'session'>, record: Row) {
  const userId = record[session.mark.owner] as Scalar
  return { userId, actorId: userId, credential: `session:${record[session.resource.idField]}` }
}

function printable(text: string | undefined, lengthMax?: number): string | null {
  return text?.slice(0, lengthMax).toWellFormed().replaceAll('\0', '') ?? null
}

function shownAgent({ userAgent }: LogInClient): string | null {
  return printable(userAgent, userAgentLengthMax)
}

export function makeSessionStart({
  clock,
  records,
  guard,
  marks,
  accessTokens,
  rotation,
  secondStep,
}: StartSessionDeps): SessionStart {
  const { login, session } = marks
  const beforeLogIn = makeBeforeLogIn(login, guard)
  const leaveLoggedIn = makeLeaveLoggedIn(login)

  async function pairFor(user: ActiveUser, record: Row, token: string): Promise<TokenPair> {
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

  async function begin(
    { user, holds, second, way, provider }: ProvenUser,
    token: string,
    client: LogInClient,
  ): Promise<SessionStartResult> {
    const { resource, mark } = session
    return records.transaction(sessionAuthor(client), async (tx) => {
      const { now } = tx.defaults
      const expired = { kind: 'compare', field: mark.expiresAt, operator: 'lte', value: now } as const
      const current = await lockActing(tx, login, user.userId)
      if (!current || !holds(current.row)) throw new ApiError('unauthenticated', 'Invalid credentials')
      const due = second ? await second(tx) : await secondStep?.due(tx, current.user, current.row)
      if (due) return { due }
      const logIn = { way, provider: provider ?? null, row: current.row }
      await beforeLogIn?.(tx, { ...logIn, hasFactor: second !== undefined })
      await tx.removeWhere(resource, all(equal(mark.owner, user.userId), expired))
      await endOldest(tx, resource, equal(mark.owner, user.userId))
      const values = {
        [mark.owner]: user.userId,
        [mark.address]: client.address,
        [mark.userAgent]: shownAgent(client),
        ...(mark.place !== undefined && { [mark.place]: printable(client.place) }),
        ...(mark.factorAt !== undefined && second && { [mark.factorAt]: now }),
        [mark.lastUsedAt]: now,
        [mark.expiresAt]: timestampOf(Date.parse(now) + refreshTokenSeconds * 1000),
      }
      const record = await tx.insert(await tx.prepare(resource, values))
      await rotation.addToken(tx, record[resource.idField] as string, token)
      await rotation.addFamily(tx, record[resource.idField] as string, token)
      const told = inSession(marks, record)
      await recordAudit(tx, { event: 'log-in', ...told })
      await leaveLoggedIn?.(tx, { ...logIn, credential: told.credential })
      return { record }
    })
  }

  return {
    pairFor,
    async open(proven, client) {
      const token = makeRefreshToken()
      const begun = await begin(proven, token, client)
      if (begun.record) return pairFor(proven.user, begun.record, token)
      const { user, counted, way, provider } = proven
      throw (secondStep as SecondStep).refusal(user, begun.due, { counted, device: client.device, way, provider })
    },
  }
}
