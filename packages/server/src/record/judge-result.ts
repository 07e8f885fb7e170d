/**
 * Checks written records against the rule for results, before references and unique keys are looked
 * at. So these tell nothing to a caller who may not write there. PostgreSQL checks its WITH CHECK
 * in the same order.
 */
import type { ResultRule } from '../operation/result-rule.ts'
import type { Resource } from '../resource/catalog.ts'
import { all, type Condition, equal, not, type Scalar } from '../resource/condition.ts'
import { fieldsOf, relatedIn } from '../storage/derived/match.ts'
import type { Values } from '../storage/storage.ts'
import type { WriteContext } from './write-context.ts'

type ResultToJudge = { readonly resource: Resource; readonly where: Condition; readonly row: Values }

const idsAtOnce = 500

async function holdsForAll(
  context: WriteContext,
  { resource, row }: ResultToJudge,
  conditions: readonly Condition[],
): Promise<boolean> {
  for (const where of conditions) if (!(await holds(context, { resource, where, row }))) return false
  return true
}

/**
 * Whether a row that is not stored yet matches. The database is asked about the records that it
 * refers to.
 */
async function holds(context: WriteContext, judging: ResultToJudge): Promise<boolean> {
  const { resource, where, row } = judging
  switch (where.kind) {
    case 'and':
      return holdsForAll(context, judging, where.of)
    case 'or':
      return !(await holdsForAll(context, judging, where.of.map(not)))
    case 'not':
      return !(await holds(context, { ...judging, where: where.of }))
    case 'related': {
      const id = (row[where.field] ?? null) as Scalar | null
      const target = context.catalog.get(where.resource)
      if (id === null) return false
      if (target === resource && id === row[resource.idField]) return holds(context, { ...judging, where: where.where })
      return (await context.transaction.find(target, all(equal(target.idField, id), where.where))) !== undefined
    }
    case 'true':
    case 'false':
    case 'compare':
    case 'in':
    case 'null':
    case 'contains':
    case 'startsWith':
    case 'search':
      return context.matching.compile(resource, where)(row) === true
  }
}

/**
 * Whether the rule may lead from one record of the resource to another one, which the same
 * operation may write too.
 */
function leadsBack({ resource, where }: ResultRule): boolean {
  return relatedIn(where).some((one) => one.resource === resource.name)
}

type WrittenResult = {
  readonly resource: Resource
  readonly row: Values
  /** The fields that differ; absent for a new record. */
  readonly changed?: readonly string[]
}

/** Before a row is written. Throws what the rule says. */
export async function judgeResult(context: WriteContext, { resource, row, changed }: WrittenResult): Promise<void> {
  const { result } = context
  if (result?.resource !== resource) return
  const { where, heldBefore, refusal } = result
  if (heldBefore && changed && !leadsBack(result)) {
    const read = fieldsOf(resource, where)
    if (!changed.some((name) => read.has(name))) return
  }
  if (!(await holds(context, { resource, where, row }))) throw refusal()
}

/** After a row was written. */
export function noteForRejudging({ result, judgedAgain }: WriteContext, resource: Resource, row: Values): void {
  if (result?.resource === resource && leadsBack(result)) judgedAgain.add(row[resource.idField] as Scalar)
}

/**
 * At the end of the operation: records whose rule leads to others of their kind are judged as all
 * of them have become.
 */
export async function judgeAgain({ result, judgedAgain, transaction }: WriteContext): Promise<void> {
  if (!result || judgedAgain.size === 0) return
  const { resource, where, refusal } = result
  const ids = [...judgedAgain]
  judgedAgain.clear()
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const among: Condition = { kind: 'in', field: resource.idField, values: ids.slice(at, at + idsAtOnce) }
    const [wrong] = await transaction.list(resource, { where: all(among, not(where)), sort: [], limit: 1 })
    if (wrong) throw refusal()
  }
}
