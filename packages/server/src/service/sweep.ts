/**
 * Sweeps: removes expired sessions, tokens, keys and audit entries, and empties the trash. It makes
 * the timed transitions of records whose time in a state has passed. It runs outside of requests,
 * in small steps, in one process at a time of all that share the database.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { timestampOf } from '../base/clock.ts'
import type { Config } from '../config.ts'
import { planMoments } from '../effects/plan-moments.ts'
import { sweepGivenUp } from '../effects/sweep-given-up.ts'
import type { FileRoom } from '../files/file-room.ts'
import { sweepFiles } from '../files/sweep-files.ts'
import type { Log } from '../http/logs/log.ts'
import { sweepJobs } from '../jobs/sweep-jobs.ts'
import { limits } from '../limits.ts'
import type { Engine } from '../perform/engine.ts'
import { type ExpiringRecords, expire, waitingRecords } from '../perform/expire.ts'
import { removeSome } from '../perform/remove-some.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, always, type Condition, equal, type Scalar } from '../resource/condition.ts'
import { trashFields } from '../resource/made/declared-trash.ts'
import { invitationFields } from '../resource/tenancy/invitation-table.ts'
import type { WorkSettings } from '../settings/work-settings.ts'
import { serviceAuthor } from '../storage/changes.ts'
import { areFilesHeld } from '../storage/held-files.ts'
import type { ListRequest, ReadClient } from '../storage/storage.ts'
import { makeNoteSweep, type RecordSweep, type SweepFailure } from './sweep-failures.ts'

/** Its reads take turns with those of callers. */
const readClient: ReadClient = { client: 'sweep', address: '', left: () => false, onLeft: () => () => undefined }

const dayMs = 24 * 60 * 60_000

/** `also`: only the records that match this. */
type SweptField = {
  readonly resource: Resource
  readonly field: string
  readonly keptMs: number
  readonly also?: Condition
}

/** The records in the trash that callers deleted. Those that went with them end with them. */
function trashesOf({ resources }: Engine['catalog']): SweptField[] {
  const also = equal(trashFields.root, true)
  return [...resources.values()].flatMap((resource) => {
    const { made } = resource.traits
    if (made?.kind !== 'trash' || made.days === undefined) return []
    return [{ resource, field: trashFields.at, keptMs: made.days * dayMs, also }]
  })
}

function sweptOf(
  { catalog, catalog: { session, apiKey, oneTimeToken, invitations, resources } }: Engine,
  idleMs: number | undefined,
): SweptField[] {
  const idle = idleMs === undefined ? [] : [idleMs]
  return [
    ...(session ? [{ resource: session.resource, field: session.mark.expiresAt, keptMs: 0 }] : []),
    ...(session ? idle.map((keptMs) => ({ resource: session.resource, field: session.mark.lastUsedAt, keptMs })) : []),
    ...(oneTimeToken ? [{ resource: oneTimeToken.resource, field: oneTimeToken.mark.expiresAt, keptMs: 0 }] : []),
    ...invitations.map(({ resource }) => ({ resource, field: invitationFields.expiresAt, keptMs: 0 })),
    ...(apiKey ? [{ resource: apiKey.resource, field: apiKey.mark.expiresAt, keptMs: limits.expiredKeysKeptMs }] : []),
    ...[...resources.values()].flatMap((resource) => {
      const { keptFor } = resource.traits
      return keptFor ? [{ resource, field: keptFor.field, keptMs: keptFor.days * dayMs }] : []
    }),
    ...trashesOf(catalog),
  ]
}

/**
 * Removes audit entries from the oldest on, so that no search passes the remaining ones. Returns
 * the number removed.
 */
async function stepOldest(engine: Engine, { resource, field, keptMs }: SweptField): Promise<number> {
  const { storage, records, clock } = engine
  const sort = [{ field: resource.idField, descending: false }]
  const oldest = await storage
    .by(readClient)
    .list(resource, { where: always, sort, limit: limits.sweptAtOnce, after: null })
  const least = timestampOf(clock() - keptMs)
  const ids = oldest.filter((row) => (row[field] as string) <= least).map((row) => row[resource.idField] as Scalar)
  if (ids.length === 0) return 0
  const where: Condition = { kind: 'in', field: resource.idField, values: ids }
  await records.transaction(serviceAuthor, (tx) => tx.removeWhere(resource, where))
  return ids.length
}

export type SweepOptions = {
  readonly auditDays?: number
  readonly sessionIdleMs?: number | undefined
  /** Undefined: no work that has ended is removed. */
  readonly work?: WorkSettings
  readonly isStopped?: () => boolean
  /** Receives each failure and its place. */
  readonly report?: Log['error']
  /** Stores the failures of this round, or that there were none. */
  readonly note?: RecordSweep
  readonly again?: boolean
  /** Undefined where no field holds files. */
  readonly files?: FileRoom | undefined
  /** Whether a backup needs the bytes of files as they are. */
  readonly areFilesHeld?: () => Promise<boolean>
}
type SweepProblem = { readonly resource: Resource; readonly error: unknown } & Pick<SweepFailure, 'move' | 'id'>
type SweepRun = Required<Pick<SweepOptions, 'auditDays' | 'isStopped'>> &
  Pick<SweepOptions, 'sessionIdleMs'> & { fail(failure: SweepProblem): void }

/** Reports each failure to the log, and groups them by cause. */
function gatherFailures(report: Log['error']) {
  const found = new Map<string, SweepFailure>()
  return {
    found,
    fail({ resource: { name: resource }, move, id, error }: SweepProblem): void {
      if (move === undefined) report('Sweeping failed for a resource; the others go on', error, { resource })
      else report(`${move} of an expired ${resource} failed`, error, { id })
      const key = `${resource} ${move ?? ''}`
      const count = (found.get(key)?.count ?? 0) + 1
      found.set(key, { resource, move, id, count, why: error instanceof Error ? error.message : String(error) })
    },
  }
}

/**
 * Makes timed transitions. A record whose transition fails is skipped until the next
 * round, and delays no other.
 */
async function expireAll(engine: Engine, waiting: ExpiringRecords, { isStopped, fail }: SweepRun): Promise<void> {
  const { resource, transition, where } = waiting
  const sort = [{ field: resource.idField, descending: false }]
  for (let after: { readonly values: readonly Scalar[] } | null = null; !isStopped(); ) {
    const request: ListRequest = { where: where(), sort, limit: limits.sweptAtOnce, after }
    const ids = (await engine.storage.by(readClient).list(resource, request)).map(
      (row) => row[resource.idField] as Scalar,
    )
    for (const id of ids) {
      if (isStopped()) return
      await expire(engine, waiting, id).catch((error) => fail({ resource, move: transition, id, error }))
      await breathe()
    }
    if (ids.length < limits.sweptAtOnce) return
    after = { values: ids.slice(-1) }
  }
}

/** The parts of a round, each for one resource. */
function* partsOf(engine: Engine, sweeping: SweepRun): Generator<readonly [Resource, () => Promise<void>]> {
  const { isStopped, auditDays, sessionIdleMs } = sweeping
  for (const { resource, field, keptMs, also = always } of sweptOf(engine, sessionIdleMs))
    yield [
      resource,
      async () => {
        const value = timestampOf(engine.clock() - keptMs)
        const where = all({ kind: 'compare', field, operator: 'lte', value }, also)
        const removal = { resource, where, author: serviceAuthor, storage: engine.storage.by(readClient) }
        while (!isStopped() && !(await removeSome(engine, removal)).isLast) await breathe()
      },
    ]
  const { audit } = engine.catalog
  if (audit && auditDays !== Number.POSITIVE_INFINITY) {
    const events = { resource: audit.resource, field: audit.mark.at, keptMs: auditDays * dayMs }
    yield [
      audit.resource,
      async () => {
        while (!isStopped() && (await stepOldest(engine, events)) === limits.sweptAtOnce) await breathe()
      },
    ]
  }
  for (const waiting of waitingRecords(engine)) yield [waiting.resource, () => expireAll(engine, waiting, sweeping)]
}

/**
 * Does all removals and transitions that are due. Resolves at once where another sweep ran within
 * half of `limits.sweepEveryMs`, unless `again` is set.
 */
export async function sweep(
  engine: Engine,
  {
    auditDays = Number.POSITIVE_INFINITY,
    sessionIdleMs,
    work,
    isStopped = () => false,
    report = () => undefined,
    note,
    again = false,
    files,
    areFilesHeld: areHeld = async () => false,
  }: SweepOptions = {},
): Promise<void> {
  // The counter is a lease: the process that creates it has the window to itself. Counting also
  // removes expired counters.
  const { count } = await engine.storage.countUp('sweep', limits.sweepEveryMs / 2, engine.clock())
  if (count > 1 && !again) return
  const { found, fail } = gatherFailures(report)
  for (const [resource, work] of partsOf(engine, { auditDays, sessionIdleMs, isStopped, fail }))
    await work().catch((error) => fail({ resource, error }))
  if (files) await sweepFiles(files, { isStopped, areHeld }).catch((error) => fail({ resource: files.files, error }))
  if (work) {
    await sweepJobs(engine, work, isStopped).catch((error) => report('Sweeping failed for jobs', error))
    const { failedEffectsKeptMs } = work
    await sweepGivenUp(engine, failedEffectsKeptMs, isStopped).catch((error) =>
      report('Sweeping failed for effects', error),
    )
  }
  await planMoments(engine, isStopped).catch((error) => report('The moments of older records are not planned', error))
  if (!isStopped()) await note?.([...found.values()], engine.clock())
}

export type SweepScheduler = {
  /** Sweeps at once, after a running round. */
  now(): Promise<void>
  stop(): Promise<void>
}

/** Sweeps periodically until it is stopped. Failures are logged, and tried again the next time. */
export function startSweeps(
  engine: Engine,
  { accounts: { auditDays, sessionIdleMs }, work, database }: Pick<Config, 'accounts' | 'work' | 'database'>,
  { log, files }: { readonly log: Log; readonly files: FileRoom | undefined },
): SweepScheduler {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  const report: Log['error'] = (...failure) => stopped || log.error(...failure)
  const note = makeNoteSweep(database)
  const held = () => areFilesHeld(database)
  const isStopped = () => stopped
  const options = { auditDays, sessionIdleMs, work, isStopped, report, note, files, areFilesHeld: held }
  function begin(again: boolean): Promise<void> {
    running = running
      .then(() => sweep(engine, { ...options, again }))
      .catch((error) => report('A round of sweeping did not begin', error))
    return running
  }
  const timer = setInterval(() => void begin(false), limits.sweepEveryMs)
  timer.unref()
  return {
    now: () => begin(true),
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}
