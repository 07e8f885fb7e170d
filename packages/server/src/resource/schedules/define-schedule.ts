/**
 * `defineSchedule`: work that runs at the moments of a cron expression, once over all processes
 * that share the database. Each run is an effect: durable, retried, one after another.
 */
import type { OutsideCode, UnboundedRecords } from '../code/code-context.ts'
import type { RunStep } from '../effects/effect-step.ts'
import { type Retries, retriesKind, retriesMistake } from '../effects/retries.ts'
import { functionKind, type Members, mistakesIn, oneOf, textKind, timeoutKind, zoneKind } from '../members.ts'
import { type DeclaredPart, type PartCheck, type PartType, partOf } from '../parts/application-part.ts'
import { readCron } from './cron-moments.ts'
import { type MissedRule, missedRules } from './due-moments.ts'

/**
 * The run of a schedule is given this, and the records of every tenant in the name of the system.
 */
export type ScheduleCode = OutsideCode<UnboundedRecords> & {
  /** Its moment, RFC 3339 in UTC. A retry and a run that makes up for missed moments come later. */
  readonly at: string
  /** How many earlier moments this run makes up for, with `missed: 'once'`; 0 otherwise. */
  readonly missed: number
  /** The same at each try, so that a receiver knows a repeat. */
  readonly id: string
  /** This one included. */
  readonly tries: number
  /**
   * `step('charge', () => …)` does a part of the work once, and keeps its result for later tries.
   */
  readonly step: RunStep
}

export type ScheduleDeclaration<N extends string = string> = {
  /**
   * Unique among schedules. The work of the schedule `nightly` is the effect `schedule.nightly`.
   */
  readonly name: N
  /**
   * Five parts: minute, hour, day, month and weekday. `0 3 * * *` is each day at 3:00. With six
   * parts, the first one is the second.
   */
  readonly cron: string
  /**
   * The time zone of the expression, such as `Europe/Berlin`; UTC by default. A local time that the
   * clocks skip comes at the end of the gap, and one that they show twice comes once. With `*` or a
   * step in minutes or hours, the expression skips the gap and comes in both hours.
   */
  readonly zone?: string
  /**
   * Of moments that passed while no server ran, or while an earlier run went on. `once`, the
   * default, runs once for all of them. `skip` runs none. `all` runs each, up to 1,000. A moment is
   * in time for a minute.
   */
  readonly missed?: MissedRule
  /** The work, at least once for each moment that is due. One that throws is tried again. */
  readonly run: (given: ScheduleCode) => Promise<void> | void
  /** How often a run is tried, and when: 4 times over two minutes by default. */
  readonly retries?: Retries
  /** How long one try may take; 300 seconds by default. */
  readonly timeoutSeconds?: number
}

/** A schedule as an application lists it. */
export type DeclaredSchedule<N extends string = string> = DeclaredPart<N> & {
  readonly schedule: ScheduleDeclaration<N>
}

/** The kind of its runs, as operators see it: `schedule.nightly`. */
export function scheduleKindName(name: string): string {
  return `schedule.${name}`
}

const members = {
  name: textKind,
  cron: textKind,
  zone: zoneKind,
  missed: oneOf(missedRules),
  run: functionKind,
  retries: retriesKind,
  timeoutSeconds: timeoutKind,
} satisfies Members<ScheduleDeclaration>

export const scheduleType: PartType<DeclaredSchedule> = {
  kind: 'schedule',
  definedBy: 'defineSchedule',
  findFormMistakes: ({ schedule }) => mistakesIn(schedule, members, ['name', 'cron', 'run']),
  workKind: scheduleKindName,
  check({ partName, schedule: { cron, zone = 'UTC', retries } }: DeclaredSchedule, { byName, report }: PartCheck) {
    const read = readCron(cron, zone)
    if ('mistake' in read) report('cron', read.mistake)
    const wrong = retriesMistake(retries)
    if (wrong !== undefined) report('retries', wrong)
    const twin = byName.get('schedule') as { readonly effects?: object } | undefined
    if (twin && Object.hasOwn(twin.effects ?? {}, partName))
      report('name', `the resource "schedule" has an effect ${partName}, and their kinds have one name`)
  },
}

/**
 * Declares work at the moments of a cron expression: `defineSchedule({ name: 'nightly', cron: '0 3
 * * * *', run: async ({ records }) => … })`. It stands in the list of resources, and needs the
 * package `croner`.
 */
export function defineSchedule<const N extends string>(schedule: ScheduleDeclaration<N>): DeclaredSchedule<N> {
  return { ...partOf(scheduleType, schedule.name), schedule }
}
