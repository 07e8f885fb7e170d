/**
 * Removes what nobody can use any more: sessions and tokens that have expired, and keys long after their end; and moves records on that have
 * waited too long. No request does this work; it goes in small steps, and in one process at a time of all that share the database.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { timestampOf } from '../clock.ts'
import { limits } from '../config.ts'
import type { Log } from '../http/log.ts'
import type { Engine } from '../perform/engine.ts'
import { expire, type Waiting, waitingRecords } from '../perform/expire.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, type Condition, type Scalar } from '../resource/condition.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Asker } from '../storage/storage.ts'

/** Its reads take turns with those of callers. */
const asker: Asker = { client: 'sweep', address: '', left: () => false, onLeft: () => () => undefined }

type Swept = { readonly resource: Resource; readonly field: string; readonly keptMs: number }

function sweptOf({ catalog: { session, apiKey, oneTimeToken } }: Engine): Swept[] {
  return [
    ...(session ? [{ resource: session.resource, field: session.mark.expiresAt, keptMs: 0 }] : []),
    ...(oneTimeToken ? [{ resource: oneTimeToken.resource, field: oneTimeToken.mark.expiresAt, keptMs: 0 }] : []),
    ...(apiKey ? [{ resource: apiKey.resource, field: apiKey.mark.expiresAt, keptMs: limits.expiredKeysKeptMs }] : []),
  ]
}

/** Removes the next few. Returns how many there were. */
async function step(engine: Engine, resource: Resource, where: Condition): Promise<number> {
  const { storage, records } = engine
  const sort = [{ field: resource.idField, descending: false }]
  const found = await storage.by(asker).list(resource, { where, sort, limit: limits.sweptAtOnce, after: null })
  if (found.length === 0) return 0
  const ids = found.map((row) => row[resource.idField] as Scalar)
  const still = all({ kind: 'in', field: resource.idField, values: ids }, where)
  await records.transaction(serviceAuthor, (writing) => writing.removeWhere(resource, still))
  return found.length
}

/** Moves on what has waited too long. A record whose move fails is passed over until the next round, and holds up no other. */
async function expireAll(engine: Engine, waiting: Waiting, { isStopped, report }: Sweeping): Promise<void> {
  const { resource, move, where } = waiting
  const sort = [{ field: resource.idField, descending: false }]
  let after: { readonly values: readonly Scalar[] } | null = null
  while (!isStopped()) {
    const request = { where: where(), sort, limit: limits.sweptAtOnce, after }
    const rows = await engine.storage.by(asker).list(resource, request)
    for (const row of rows) {
      const id = row[resource.idField] as Scalar
      if (isStopped()) return
      await expire(engine, waiting, id).catch((error) =>
        report(`${move} of an expired ${resource.name} failed`, error, { id }),
      )
      await breathe()
    }
    const last = rows.at(-1)?.[resource.idField]
    if (rows.length < limits.sweptAtOnce || last === undefined) return
    after = { values: [last as Scalar] }
  }
}

/** `report` receives what failed, and where. */
export type Sweeping = { readonly isStopped: () => boolean; readonly report: Log['error'] }

/** Everything that can go now. Resolves at once where another process has swept within half of `limits.sweepEveryMs`. */
export async function sweep(
  engine: Engine,
  { isStopped = () => false, report = () => undefined }: Partial<Sweeping> = {},
): Promise<void> {
  const { storage, clock } = engine
  // The counter is a lease: whoever counts it from none has the window to itself. Counting also removes counters that have ended.
  if ((await storage.countUp('sweep', limits.sweepEveryMs / 2, clock())).count > 1) return
  const trying = (resource: Resource, work: () => Promise<void>) =>
    work().catch(
      (error) =>
        isStopped() ||
        report('A round of sweeping failed for a resource, and goes on', error, { resource: resource.name }),
    )
  for (const { resource, field, keptMs } of sweptOf(engine))
    await trying(resource, async () => {
      const value = timestampOf(clock() - keptMs)
      const where = { kind: 'compare', field, operator: 'lte', value } as const
      while (!isStopped() && (await step(engine, resource, where)) === limits.sweptAtOnce) await breathe()
    })
  for (const waiting of waitingRecords(engine))
    await trying(waiting.resource, () => expireAll(engine, waiting, { isStopped, report }))
}

/** Sweeps from time to time until it is stopped. What fails is logged, and tried again the next time. */
export function startSweeps(engine: Engine, log: Log): { stop(): Promise<void> } {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  const sweeping: Sweeping = { isStopped: () => stopped, report: log.error }
  const timer = setInterval(() => {
    running = running
      .then(() => sweep(engine, sweeping))
      .catch((error) => log.error('A round of sweeping did not begin', error))
  }, limits.sweepEveryMs)
  timer.unref()
  return {
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}
