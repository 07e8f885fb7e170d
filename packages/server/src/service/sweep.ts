/**
 * Removes what nobody can use any more: sessions that have expired, with their refresh tokens, keys long after their end, and audit events
 * that are old enough. No request does this work; it goes in small steps, and in one process at a time of all that share the database.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { timestampOf } from '../clock.ts'
import { type Config, limits } from '../config.ts'
import type { Engine } from '../perform/engine.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, always, type Condition, type Scalar } from '../resource/condition.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Asker } from '../storage/storage.ts'

/** Its reads take turns with those of callers. */
const asker: Asker = { client: 'sweep', address: '', left: () => false, onLeft: () => () => undefined }

type Swept = { readonly resource: Resource; readonly field: string; readonly keptMs: number }

function sweptOf({ catalog: { session, apiKey } }: Engine): Swept[] {
  return [
    ...(session ? [{ resource: session.resource, field: session.mark.expiresAt, keptMs: 0 }] : []),
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

/** Audit events are removed from the oldest on, so that no look for them ever goes past those that stay. Returns how many there were. */
async function stepOldest(engine: Engine, { resource, field, keptMs }: Swept): Promise<number> {
  const { storage, records, clock } = engine
  const sort = [{ field: resource.idField, descending: false }]
  const oldest = await storage.by(asker).list(resource, { where: always, sort, limit: limits.sweptAtOnce, after: null })
  const least = timestampOf(clock() - keptMs)
  const ids = oldest.filter((row) => (row[field] as string) <= least).map((row) => row[resource.idField] as Scalar)
  if (ids.length === 0) return 0
  const where: Condition = { kind: 'in', field: resource.idField, values: ids }
  await records.transaction(serviceAuthor, (writing) => writing.removeWhere(resource, where))
  return ids.length
}

const dayMs = 24 * 60 * 60_000

export type SweepOptions = { readonly auditDays?: number; readonly isStopped?: () => boolean }

/** Everything that can go now. Resolves at once where another process has swept within half of `limits.sweepEveryMs`. */
export async function sweep(
  engine: Engine,
  { auditDays = Number.POSITIVE_INFINITY, isStopped = () => false }: SweepOptions = {},
): Promise<void> {
  const { storage, clock } = engine
  // The counter is a lease: whoever counts it from none has the window to itself. Counting also removes counters that have ended.
  if ((await storage.countUp('sweep', limits.sweepEveryMs / 2, clock())).count > 1) return
  for (const { resource, field, keptMs } of sweptOf(engine)) {
    const value = timestampOf(clock() - keptMs)
    const where = { kind: 'compare', field, operator: 'lte', value } as const
    while (!isStopped() && (await step(engine, resource, where)) === limits.sweptAtOnce) await breathe()
  }
  const { audit } = engine.catalog
  if (!audit || auditDays === Number.POSITIVE_INFINITY) return
  const events = { resource: audit.resource, field: audit.mark.at, keptMs: auditDays * dayMs }
  while (!isStopped() && (await stepOldest(engine, events)) === limits.sweptAtOnce) await breathe()
}

/** Sweeps from time to time until it is stopped. What fails is tried again the next time: callers report a database that is gone. */
export function startSweeps(engine: Engine, { auditDays }: Pick<Config, 'auditDays'>): { stop(): Promise<void> } {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(() => sweep(engine, { auditDays, isStopped: () => stopped })).catch(() => undefined)
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
