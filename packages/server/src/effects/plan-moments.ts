/**
 * Plans the moments of records that are older than the declaration of their effect, or than its
 * span. Writes plan all others. It goes through the records once for each declaration, in small
 * steps. It may begin again: planning a record twice changes nothing.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { type Clock, timestampOf } from '../base/clock.ts'
import type { RecordStore } from '../record/record-store.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../resource/condition.ts'
import { type EffectMoment, momentMs, spanMs } from '../resource/effects/effect-moment.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Reader, Storage } from '../storage/storage.ts'
import { leaveTimed, type TimedEffect, takeBackTimed, timedEffectsOf } from './timed-effects.ts'

/** How many records one transaction plans. */
const stepRecords = 100
const dayMs = 24 * 60 * 60_000
/** The note that a declaration is planned has no end. */
const keptMs = 100 * 366 * dayMs

type PlanningDeps = {
  readonly catalog: Pick<Catalog, 'resources'>
  readonly storage: Pick<Reader, 'list'> & Pick<Storage, 'readCounter' | 'countUp'>
  readonly records: RecordStore
  readonly clock: Clock
}

const noteOf = ({ kind, moment: { side, field, span, zone = 'UTC' } }: TimedEffect) =>
  `moments ${kind} ${side} ${field} ${span} ${zone}`

/** Among these are all whose moment is still to come. A date begins within a day of its UTC. */
function mayCome({ fields }: Resource, { side, field, span }: EffectMoment, nowMs: number): Condition {
  const bySpan = spanMs(span) ?? 0
  const fromMs = nowMs + (side === 'before' ? bySpan : -bySpan)
  const by = fields[field]
  const isDate = by?.type.schema(by).format === 'date'
  const value = isDate ? timestampOf(fromMs - 2 * dayMs).slice(0, 10) : timestampOf(fromMs)
  return { kind: 'compare', field, operator: 'gte', value }
}

type Planning = PlanningDeps & { readonly resource: Resource; readonly timed: TimedEffect }

/** Its record is locked, so no write moves the moment meanwhile. */
async function planRecords({ records, resource, timed }: Planning, ids: readonly Scalar[]): Promise<void> {
  const { moment } = timed
  await records.transaction(serviceAuthor, async (tx) => {
    const nowMs = Date.parse(tx.defaults.now)
    for (const id of ids) {
      const row = (await tx.lock(resource, equal(resource.idField, id)))?.row
      const value = row?.[moment.field]
      // One whose moment has passed may have run
      if (!row || typeof value !== 'string' || momentMs(moment, value) <= nowMs) continue
      await takeBackTimed({ tx, resource, timed: [timed] }, [row])
      await leaveTimed({ tx, resource, timed: [timed] }, [row])
    }
  })
}

async function planAll(planning: Planning, isStopped: () => boolean): Promise<boolean> {
  const { storage, resource, timed, clock } = planning
  const sort = [{ field: resource.idField, descending: false }]
  for (let after: { readonly values: readonly Scalar[] } | null = null; !isStopped(); ) {
    const where = all(mayCome(resource, timed.moment, clock()))
    const rows = await storage.list(resource, { where, sort, limit: stepRecords, after })
    const ids = rows.map((row) => row[resource.idField] as Scalar)
    if (ids.length > 0) await planRecords(planning, ids)
    if (ids.length < stepRecords) return true
    after = { values: ids.slice(-1) }
    await breathe()
  }
  return false
}

/** Nothing where no declaration has a moment, or all are planned. */
export async function planMoments(deps: PlanningDeps, isStopped: () => boolean): Promise<void> {
  const { catalog, storage, clock } = deps
  for (const resource of catalog.resources.values())
    for (const timed of timedEffectsOf(resource)) {
      const note = noteOf(timed)
      if ((await storage.readCounter(note, clock())).count > 0) continue
      if (await planAll({ ...deps, resource, timed }, isStopped)) await storage.countUp(note, keptMs, clock())
    }
}
