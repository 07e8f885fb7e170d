/**
 * The parts of a summary: the fields that it groups records by, and the measures of each group,
 * such as sums, averages, minimum and maximum.
 */

import type { measureKinds } from '../resource/list-style.ts'

export const timeUnits = ['day', 'month', 'year'] as const
export type TimeUnit = (typeof timeUnits)[number]

/** `createdAt.month` has a unit; other fields are grouped by their values. */
export type GroupKey = { readonly name: string; readonly field: string; readonly unit?: TimeUnit }

export type MeasureKind = (typeof measureKinds)[number]
export type Measure = { readonly name: string; readonly kind: MeasureKind; readonly field: string }

/** By the name of a group, `count`, or a measure: `sum.price`. */
export type SummaryKey = { readonly name: string; readonly descending: boolean }
