/**
 * The schedules of a service for its operator: those that the application declares, and those that
 * an earlier version left in the database.
 */
import { timestampOf } from '../base/clock.ts'
import type { Catalog } from '../resource/catalog.ts'
import { momentsOf } from '../resource/schedules/cron-moments.ts'
import {
  type DeclaredSchedule,
  type ScheduleDeclaration,
  scheduleKindName,
  scheduleType,
} from '../resource/schedules/define-schedule.ts'
import type { Storage, StoredSchedule } from '../storage/storage.ts'
import type { EffectDepth } from '../storage/stored-effects.ts'

export type ScheduleSource = {
  readonly catalog: Pick<Catalog, 'parts'>
  readonly storage: Pick<Storage, 'schedules' | 'effects'>
  readonly clock: () => number
}

export type ListedSchedule = {
  readonly name: string
  readonly cron: string
  readonly zone: string
  /** Its rule about missed moments. Null for one that this version does not declare. */
  readonly missed: NonNullable<ScheduleDeclaration['missed']> | null
  readonly isDeclared: boolean
  readonly nextAt: string | null
  /** When a run last ended well. */
  readonly endedAt: string | null
  /** When moments were last found to have passed without a run, and how many. */
  readonly missedAt: string | null
  readonly missedMoments: number
  /** Runs that wait or go on, and runs given up. */
  readonly waiting: number
  readonly givenUp: number
}

const textOf = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : timestampOf(ms))

export function declaredSchedules({ catalog }: Pick<ScheduleSource, 'catalog'>): readonly DeclaredSchedule[] {
  return catalog.parts.of(scheduleType)
}

/** The moments of a schedule from now on. */
export function nextMoments({ schedule }: DeclaredSchedule, nowMs: number, count: number): readonly string[] {
  const moments = momentsOf(schedule.cron, schedule.zone ?? 'UTC')
  const found: string[] = []
  for (let ms = moments.after(nowMs); ms !== undefined && found.length < count; ms = moments.after(ms))
    found.push(timestampOf(ms))
  return found
}

function listed(
  name: string,
  {
    declared,
    row,
    depths,
    nowMs,
  }: { declared?: DeclaredSchedule; row?: StoredSchedule; depths: readonly EffectDepth[]; nowMs: number },
): ListedSchedule {
  const own = depths.filter(({ kind }) => kind === scheduleKindName(name))
  const sum = (isGivenUp: boolean) =>
    own.filter(({ state }) => (state === 'given-up') === isGivenUp).reduce((all, { count }) => all + count, 0)
  const { cron, zone = 'UTC', missed = 'once' } = declared?.schedule ?? (row as StoredSchedule)
  return {
    name,
    cron,
    zone,
    missed: declared ? (missed as ListedSchedule['missed']) : null,
    isDeclared: declared !== undefined,
    nextAt: declared ? (nextMoments(declared, nowMs, 1)[0] ?? null) : null,
    endedAt: textOf(row?.endedMs),
    missedAt: textOf(row?.missedAtMs),
    missedMoments: row?.missed ?? 0,
    waiting: sum(false),
    givenUp: sum(true),
  }
}

/** In the order of their names. */
export async function listSchedules(source: ScheduleSource): Promise<readonly ListedSchedule[]> {
  const { storage, clock } = source
  const nowMs = clock()
  const declared = new Map(declaredSchedules(source).map((one) => [one.partName, one]))
  const [rows, depths] = await Promise.all([storage.schedules.list(), storage.effects.depths(nowMs)])
  const stored = new Map(rows.map((row) => [row.name, row]))
  return [...new Set([...declared.keys(), ...stored.keys()])]
    .toSorted()
    .map((name) => listed(name, { declared: declared.get(name), row: stored.get(name), depths, nowMs }))
}
