/**
 * The SQL of the parts of times by which summaries group: `2026-01`, `2026-Q1`, a week. Each
 * database writes local times in its own way; texts are cut the same.
 */
import type { Expression, RawBuilder } from 'kysely'
import type { TimeUnit } from '../../operation/measures.ts'
import type { InTime } from '../../resource/fields/times/in-time.ts'
import { sql } from './kysely.ts'

type TextUnit = Exclude<TimeUnit, 'week'>

export type TimePart = {
  readonly kind: InTime['kind']
  readonly unit: TimeUnit
  /** The seconds from UTC to local time of the row, as SQL; absent in UTC. */
  readonly offset?: RawBuilder<unknown> | undefined
}

/** How much of `2026-01-31T12:30:00.000Z` a part is. */
export const partLengths = { hour: 13, day: 10, month: 7, year: 4 } as const

/** The part of a text that begins as RFC 3339 has it; a time of day has hours alone. */
export function textPart(text: Expression<unknown>, kind: InTime['kind'], unit: TextUnit): RawBuilder<unknown> {
  if (kind === 'clock') return sql`substr(${text}, 1, 2)`
  if (unit !== 'quarter') return sql`substr(${text}, 1, ${sql.lit(partLengths[unit])})`
  const quarter = sql`cast((cast(substr(${text}, 6, 2) as integer) + 2) / 3 as text)`
  return sql`substr(${text}, 1, 4) || '-Q' || ${quarter}`
}

/** Days from 0000-01-01 to 1970-01-01. */
export const daysBefore1970 = 719_528
export const secondsBefore1970 = daysBefore1970 * 86_400

/** From 0000-01-01, a Saturday, in week 0; each week begins on a Monday. */
export function weekOf(days: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${days} + 5) / 7`
}

/** The ISO 8601 name of such a week: `2026-W05`. Its Thursday decides the year. */
export function weekName(week: number): string {
  const thursday = new Date((week * 7 - 2 - daysBefore1970) * 86_400_000)
  const year = thursday.getUTCFullYear()
  const weeks = Math.floor((thursday.getTime() - new Date(thursday).setUTCMonth(0, 1)) / (7 * 86_400_000)) + 1
  const shown = `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}`
  return `${shown}-W${String(weeks).padStart(2, '0')}`
}
