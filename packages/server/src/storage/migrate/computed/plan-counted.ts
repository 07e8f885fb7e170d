/**
 * Plans the columns whose values the engine counts: counted fields, and the numbers of a series.
 */
import type { ModelColumn } from '../../model/model.ts'
import { besideRefusal, type ColumnChange, placeOf } from '../plan.ts'

/**
 * Numbers the rows without a number, or counts the records that a field counts. An instance of the
 * version before would do neither.
 */
export function planCounted({ resource, planning, into }: ColumnChange, column: ModelColumn): void {
  const isCount = column.means?.counts !== undefined
  const step = { table: resource.table, column: column.name }
  const steps = isCount ? into.counts : into.numbers
  steps.push({ kind: isCount ? 'count' : 'number', ...step })
  if (column.notNull) steps.push({ kind: 'require', ...step })
  const what = isCount ? 'counts other records' : 'counts the records'
  if (planning.beside) into.refusals.push(besideRefusal(placeOf(resource, column), what))
}

/** Numbers that the engine counts from now on, in a column of another type. */
export function isCountedAnew(before: ModelColumn, after: ModelColumn): boolean {
  const isNumber = ({ type }: ModelColumn) => type === 'integer' || type === 'long'
  const isOther = before.type !== after.type || before.unfilled === true
  return after.means?.counts !== undefined && isOther && isNumber(before) && isNumber(after)
}

export function planCountedAnew(change: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  const { resource, into } = change
  into.anew.add(before.name)
  into.shape.push({ kind: 'drop-column', table: resource.table, column: before.name, heir: after.name })
  into.shape.push({ kind: 'add-column', table: resource.table, column: { ...after, unfilled: true } })
  planCounted(change, after)
}
