/**
 * Plans the columns of computed fields. A fill computes their values where the field is new, where
 * its function has changed, and where another value of the rows changes.
 */
import type { ModelColumn } from '../../model/model.ts'
import type { ColumnChange } from '../plan.ts'
import { besideRefusal, placeOf } from '../plan.ts'
import type { ColumnFiller } from '../steps.ts'

/** Whether the stored values are not those of the declared function, or some rows lack them. */
export function isComputedAnew(before: ModelColumn, after: ModelColumn): boolean {
  const [was, is] = [before.means, after.means]
  if (is?.computed === undefined) return false
  return before.unfilled === true || before.type !== after.type || was?.kind !== is.kind || was.computed !== is.computed
}

/** A fill computes its values. An instance of the version before would not compute them. */
export function planComputed({ resource, planning, into }: ColumnChange, column: ModelColumn): void {
  into.fillers.push({ column: column.name, by: 'compute', meaning: column.means?.computed })
  if (planning.beside) into.refusals.push(besideRefusal(placeOf(resource, column), 'is computed'))
}

/**
 * A stored column that is computed from now on, or by another function. Values that were given are
 * lost by it, so the operator allows that.
 */
export function planRecomputed(change: ColumnChange, before: ModelColumn, after: ModelColumn): void {
  const { resource, stored, planning, into } = change
  const { table } = resource
  const allow = `${resource.name}.${after.means?.field}`
  if (before.means?.computed === undefined && !planning.allowed.has(allow))
    into.checks.push({
      kind: 'no-values',
      ...{ table: stored, column: before.name, allow },
      line: `${placeOf(resource, after)} is computed from now on: its values would be lost`,
      advice: `to compute them instead: bindery migrate --allow-loss ${allow}`,
    })
  const wasComputed = before.means?.computed !== undefined
  if (before.type !== after.type || !wasComputed) {
    into.anew.add(before.name)
    into.shape.push({ kind: 'drop-column', table, column: before.name, ...(wasComputed && { heir: after.name }) })
    into.shape.push({ kind: 'add-column', table, column: { ...after, notNull: false, unfilled: true } })
  } else {
    if (before.name !== after.name)
      into.shape.push({ kind: 'rename-column', table, column: before.name, to: after.name })
    into.shape.push({ kind: 'recompute', table, column: after })
  }
  planComputed(change, after)
}

/**
 * Puts computed columns behind what they read. Where another value of the rows changes, they are
 * all computed again.
 */
export function orderComputed({ declared, into }: ColumnChange): void {
  const isOther = into.fillers.some(({ by }) => by !== 'copy' && by !== 'compute')
  const isRenamed = into.settle.some(({ kind }) => kind === 'rename-words')
  const due = into.fillers.filter(({ by }) => by === 'compute').map(({ column }) => column)
  if (due.length === 0 && !isOther && !isRenamed) return
  const others = into.fillers.filter(({ by }) => by !== 'compute')
  const computed = declared.columns.flatMap(({ name, means }): ColumnFiller[] =>
    means?.computed === undefined ? [] : [{ column: name, by: 'compute', meaning: means.computed }],
  )
  into.fillers.splice(0, into.fillers.length, ...others, ...computed)
}
