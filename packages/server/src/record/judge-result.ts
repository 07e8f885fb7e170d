/**
 * Checks written records against the rule for results, before references and unique keys are looked
 * at. So these tell nothing to a caller who may not write there. PostgreSQL checks its WITH CHECK
 * in the same order.
 */
import type { ResultRule } from '../operation/result-rule.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, type Condition, not, type Scalar } from '../resource/condition.ts'
import { fieldsOf, relatedIn } from '../storage/derived/match.ts'
import type { Values } from '../storage/storage.ts'
import { rowHolds, withPrevious } from './row-holds.ts'
import type { WriteContext } from './write-context.ts'

const idsAtOnce = 500

/**
 * Whether the rule may lead from one record of the resource to another one, which the same
 * operation may write too.
 */
function leadsBack({ resource, where }: ResultRule): boolean {
  return relatedIn(where).some((one) => one.resource === resource.name)
}

/** The condition of the rule for one record; `before` is undefined for a new one. */
function conditionFor({ where, namesPrevious }: ResultRule, before: Values | undefined): Condition {
  return namesPrevious ? withPrevious(where, before ?? {}) : where
}

type WrittenResult = {
  readonly resource: Resource
  readonly row: Values
  /** The record before; absent for a new one. */
  readonly before?: Values
  /** The fields that differ; absent for a new record. */
  readonly changed?: readonly string[]
}

/** Before a row is written. Throws what the rule says. */
export async function judgeResult(context: WriteContext, written: WrittenResult): Promise<void> {
  const { result } = context
  const { resource, row, before, changed } = written
  if (result?.resource !== resource) return
  const { where, heldBefore, refusal } = result
  if (heldBefore && changed && !leadsBack(result)) {
    const read = fieldsOf(resource, where)
    if (!changed.some((name) => read.has(name))) return
  }
  const judge = { ...context, reader: context.transaction }
  if (!(await rowHolds(judge, { resource, where: conditionFor(result, before), row }))) throw refusal()
}

type JudgedRow = { readonly row: Values; readonly before?: Values }

/** After a row was written. */
export function noteForRejudging(
  { result, judgedAgain }: WriteContext,
  resource: Resource,
  { row, before }: JudgedRow,
): void {
  if (result?.resource !== resource || !leadsBack(result)) return
  const id = row[resource.idField] as Scalar
  // A record that is written twice is compared with what it was before the operation.
  judgedAgain.set(id, judgedAgain.get(id) ?? conditionFor(result, before))
}

/** Ids by the condition that their records must satisfy. Most share one. */
function idsByCondition(judged: ReadonlyMap<Scalar, Condition>): ReadonlyMap<Condition, Scalar[]> {
  const ids = new Map<Condition, Scalar[]>()
  for (const [id, where] of judged) {
    const known = ids.get(where)
    if (known) known.push(id)
    else ids.set(where, [id])
  }
  return ids
}

/**
 * At the end of the operation: records whose rule leads to others of their kind are judged as all
 * of them have become.
 */
export async function judgeAgain({ result, judgedAgain, transaction }: WriteContext): Promise<void> {
  if (!result || judgedAgain.size === 0) return
  const { resource, refusal } = result
  const judged = idsByCondition(judgedAgain)
  judgedAgain.clear()
  for (const [where, ids] of judged) {
    for (let at = 0; at < ids.length; at += idsAtOnce) {
      const among: Condition = { kind: 'in', field: resource.idField, values: ids.slice(at, at + idsAtOnce) }
      const [wrong] = await transaction.list(resource, { where: all(among, not(where)), sort: [], limit: 1 })
      if (wrong) throw refusal()
    }
  }
}
