/**
 * Decides whether one row matches a condition, also a row that is not stored. The database is asked
 * about other records alone.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import { all, any, type Condition, equal, never, not, type Scalar } from '../resource/condition.ts'
import type { Matcher } from '../storage/derived/match.ts'
import type { Reader, Values } from '../storage/storage.ts'

export type RowJudge = { readonly catalog: Catalog; readonly reader: Reader; readonly matching: Matcher }
type JudgedRow = { readonly resource: Resource; readonly where: Condition; readonly row: Values }

async function holdsForAll(
  context: RowJudge,
  { resource, row }: JudgedRow,
  conditions: readonly Condition[],
): Promise<boolean> {
  for (const where of conditions) if (!(await rowHolds(context, { resource, where, row }))) return false
  return true
}

/**
 * Whether a row that is not stored yet matches. The database is asked about the records that it
 * refers to.
 */
export async function rowHolds(context: RowJudge, judging: JudgedRow): Promise<boolean> {
  const { resource, where, row } = judging
  switch (where.kind) {
    case 'and':
      return holdsForAll(context, judging, where.of)
    case 'or':
      return !(await holdsForAll(context, judging, where.of.map(not)))
    case 'not':
      return !(await rowHolds(context, { ...judging, where: where.of }))
    case 'related': {
      const value = (row[where.field] ?? null) as Scalar | null
      const target = context.catalog.get(where.resource)
      const at = where.at ?? target.idField
      if (value === null) return false
      const isItself = target === resource && at === resource.idField && value === row[resource.idField]
      if (isItself) return rowHolds(context, { ...judging, where: where.where })
      return (await context.reader.find(target, all(equal(at, value), where.where))) !== undefined
    }
    case 'within': {
      const value = (row[where.field] ?? null) as Scalar | null
      const { idField } = context.catalog.get(where.tree)
      const named = all(equal(idField, value as Scalar), { ...where, field: idField })
      return value !== null && (await context.reader.find(context.catalog.get(where.tree), named)) !== undefined
    }
    case 'true':
    case 'false':
    case 'compare':
    case 'compareFields':
    case 'comparePrevious':
    case 'in':
    case 'null':
    case 'has':
    case 'contains':
    case 'startsWith':
    case 'member':
    case 'search':
      return context.matching.compile(resource, where)(row) === true
  }
}

/** The condition with the values that the record had before. A null satisfies no comparison. */
export function withPrevious(where: Condition, before: Values): Condition {
  if (where.kind === 'and') return all(...where.of.map((one) => withPrevious(one, before)))
  if (where.kind === 'or') return any(...where.of.map((one) => withPrevious(one, before)))
  if (where.kind === 'not') return not(withPrevious(where.of, before))
  if (where.kind !== 'comparePrevious') return where
  const { field, operator, previous } = where
  const value = (before[previous] ?? null) as Scalar | null
  return value === null ? never : { kind: 'compare', field, operator, value }
}
