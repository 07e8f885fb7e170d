/** The offsets of a time zone as values of a statement, and the SQL that finds the one of a row. */
import type { Expression, RawBuilder } from 'kysely'
import type { Dialect } from './dialect.ts'
import { sql } from './kysely.ts'
import { type CompileContext, nextSlot, type ParameterSlot, type StatementShape } from './shape.ts'

/** From a moment on, local time is UTC and so many seconds; the first holds also before it. */
type OffsetChange = { readonly from: string; readonly seconds: number }
type OffsetSlots = readonly { readonly from: ParameterSlot; readonly seconds: ParameterSlot }[]

/** Adds the values of the changes, behind those that the shape has. */
export function describeOffsets(dialect: Dialect, shape: StatementShape, changes: readonly OffsetChange[]): void {
  shape.key += ` offsets ${changes.length}`
  for (const { from, seconds } of changes) {
    shape.add(dialect.encode('timestamp', from))
    shape.add(seconds)
  }
}

export function offsetSlots(compiling: CompileContext, { length }: readonly OffsetChange[]): OffsetSlots {
  return Array.from({ length }, () => ({ from: nextSlot(compiling), seconds: nextSlot(compiling) }))
}

/** A tree of comparisons, so that a row meets few of them. */
export function offsetOf(column: Expression<unknown>, slots: OffsetSlots): RawBuilder<unknown> {
  if (slots.length === 1) return sql`cast(${slots[0]?.seconds} as integer)`
  const middle = Math.floor(slots.length / 2)
  const [before, after] = [slots.slice(0, middle), slots.slice(middle)]
  return sql`case when ${column} < ${after[0]?.from} then ${offsetOf(column, before)} else ${offsetOf(column, after)} end`
}
