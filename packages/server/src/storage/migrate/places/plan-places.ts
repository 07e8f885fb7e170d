/**
 * Plans the column of a manual order. A step places the rows where the column is new, or was of
 * another type. It places them again where one order has other records than before.
 */
import { type ModelColumn, nextColumnOf } from '../../model/model.ts'
import type { ColumnChange } from '../plan.ts'
import { besideRefusal, placeOf } from '../plan.ts'

/** Every database sorts such values alike. */
const sortedTypes: readonly string[] = ['text', 'integer', 'long', 'boolean', 'timestamp']

/** Whether the rows get places in the order of their stored values. */
export function isPlacedAnew(before: ModelColumn, after: ModelColumn): boolean {
  const [was, is] = [before.means, after.means]
  if (is?.places === undefined || was?.places === is.places) return false
  return sortedTypes.includes(before.type)
}

/** A column without values. An instance of the version before would place no record. */
export function planPlaces({ resource, planning, into }: ColumnChange, column: ModelColumn): void {
  const step = { table: resource.table, column: column.name }
  into.numbers.push({ kind: 'place', ...step }, { kind: 'require', ...step })
  if (planning.beside) into.refusals.push(besideRefusal(placeOf(resource, column), 'orders the records'))
}

/** The places come into a column of their own, which then replaces the stored one. */
export function planPlacedAnew(change: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  const { resource, stored, planning, into } = change
  const { table } = resource
  if (planning.beside)
    return void into.refusals.push(besideRefusal(placeOf(resource, after), 'orders the records anew'))
  const next = nextColumnOf(after.name)
  const { references: _, fill: __, ...bare } = after
  const known = stored.columns.find(({ name }) => name === next)
  const isKnown = known?.means?.places === after.means?.places && known?.means?.kind === after.means?.kind
  if (known && !isKnown) into.shape.push({ kind: 'drop-column', table, column: next })
  if (!known || !isKnown)
    into.shape.push({ kind: 'add-column', table, column: { ...bare, name: next, notNull: false, unfilled: true } })
  into.mirrored.add(next)
  into.anew.add(before.name)
  into.settle.push(
    { kind: 'place', table, column: next, from: before.name },
    { kind: 'drop-column', table, column: before.name, heir: next },
    { kind: 'rename-column', table, column: next, to: after.name },
    { kind: 'require', table, column: after.name },
  )
}
