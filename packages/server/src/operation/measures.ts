/**
 * The parts of a summary: the fields that it groups records by, and the measures of each group,
 * such as sums, averages, minimum and maximum.
 */

import type { InTime } from '../resource/fields/times/in-time.ts'
import type { measureKinds } from '../resource/list-style.ts'
import type { FarField } from '../resource/relations/far-field.ts'

export type TimeUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

const dayUnits = ['day', 'week', 'month', 'quarter', 'year'] as const

/** The parts by which values that lie in time are grouped. */
export const timeUnits: Readonly<Record<InTime['kind'], readonly TimeUnit[]>> = {
  moment: ['hour', ...dayUnits],
  day: dayUnits,
  clock: ['hour'],
}

/**
 * `createdAt.month` has a unit; other fields are grouped by their values. `far`: set for a field
 * behind references, whose path `field` is.
 */
export type GroupKey = {
  readonly name: string
  readonly field: string
  readonly unit?: TimeUnit
  readonly far?: FarField
}

export type MeasureKind = (typeof measureKinds)[number]
export type Measure = { readonly name: string; readonly kind: MeasureKind; readonly field: string }

/** By the name of a group, `count`, or a measure: `sum.price`. */
export type SummaryKey = { readonly name: string; readonly descending: boolean }
