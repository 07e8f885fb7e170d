/**
 * Compiles lists and counts with OR (or `in`) into a UNION ALL with one index scan for each
 * alternative. For `a = 1 or b = 1` in the order of c, SQLite reads the indexes (a, c) and (b, c)
 * side by side, and stops at the limit. On PostgreSQL each branch reads up to the limit, and the
 * results are sorted. Each branch excludes rows that an earlier branch matches.
 */
import type { CompiledQuery, RawBuilder, SqlBool } from 'kysely'
import { jsonText } from '../../base/json-text.ts'
import type { Resource, SortKey } from '../../resource/catalog.ts'
import { all, type Condition, equal } from '../../resource/condition.ts'
import { columnOf, foldColumnOf, type ModelIndex } from '../model/model.ts'
import { compileCondition, isCaseless } from './compile-condition.ts'
import type { Compiler, Statement } from './compiler.ts'
import { sql } from './kysely.ts'
import { inOrder, type RowQuery, selection } from './select-rows.ts'
import { type CompileContext, nextSlot, type StatementShape } from './shape.ts'

/** More alternatives are not merged: each is a part of the SQL text. */
const branchesMax = 24
/** Longer lists are usually read to their end, where stopping early saves nothing. */
export const mergedLimitMax = 1000

export type MergedScan = {
  /** The condition besides the alternatives. */
  readonly rest: Condition
  readonly branches: readonly Condition[]
  /** Whether no row can satisfy two of the branches. */
  readonly areApart: boolean
}

function partsOf(condition: Condition, kind: 'and' | 'or'): readonly Condition[] {
  return condition.kind === kind ? condition.of : [condition]
}

/** The columns that have one value in all rows that satisfy these conditions. */
function fixedBy(resource: Resource, conditions: readonly Condition[]): Set<string> {
  const fixed = new Set<string>()
  for (const one of conditions) {
    if (one.kind === 'null' && one.isNull) fixed.add(columnOf(one.field))
    if (one.kind === 'compare' && one.operator === 'eq')
      fixed.add(isCaseless(resource, one.field) ? foldColumnOf(one.field) : columnOf(one.field))
  }
  return fixed
}

type MergeSearch = {
  readonly resource: Resource
  readonly sort: readonly SortKey[]
  /** Fixed columns, and those of them that the alternative itself fixes. */
  readonly fixed: ReadonlySet<string>
  readonly own: ReadonlySet<string>
}

/** Whether the index begins with the fixed columns, and continues with the sort. */
function serves({ columns, unique }: ModelIndex, { resource, sort, fixed, own }: MergeSearch): boolean {
  const start = columns.findIndex((column) => !fixed.has(column))
  const leading = start === -1 ? columns : columns.slice(0, start)
  if (!leading.some((column) => own.has(column))) return false
  const keys = sort.filter(({ field }) => !fixed.has(columnOf(field)))
  if (keys.some(({ descending }) => descending !== keys[0]?.descending)) return false
  // nulls may have another order in it
  if (unique && keys.some(({ field }) => resource.fields[field]?.nullable)) return false
  const following = columns.slice(leading.length).filter((column) => !fixed.has(column))
  return keys.every(({ field }, i) => following[i] === columnOf(field))
}

/**
 * An alternative as branches: `in` has one for each value. Undefined where equal values may be
 * written differently.
 */
function branchesOf(resource: Resource, condition: Condition): readonly Condition[] | undefined {
  if (condition.kind !== 'in') return [condition]
  const { field, values } = condition
  const column = resource.fields[field]?.type.column
  if (
    (column !== 'text' && column !== 'integer' && column !== 'long' && column !== 'boolean') ||
    isCaseless(resource, field)
  )
    return undefined
  return [...new Set(values)].map((value) => equal(field, value))
}

function mergeOf(resource: Resource, alternatives: Condition, rest: Condition): MergedScan | undefined {
  const branches = partsOf(alternatives, 'or').map((one) => branchesOf(resource, one))
  if (branches.includes(undefined)) return undefined
  const distinct = new Map(branches.flatMap((some) => (some ?? []).map((one) => [jsonText(one), one])))
  return { rest, branches: [...distinct.values()], areApart: alternatives.kind === 'in' }
}

/**
 * The alternatives of a list, if each branch has an index in the order of the list. Without a sort,
 * any order will do.
 */
export function findMergedScan(
  indexes: readonly ModelIndex[],
  resource: Resource,
  { where, sort }: { readonly where: Condition; readonly sort: readonly SortKey[] },
): MergedScan | undefined {
  if (where.kind !== 'and' && where.kind !== 'or' && where.kind !== 'in') return undefined
  // The rows of all branches are sorted by the selected columns, and a long one is selected as
  // text.
  if (sort.some(({ field }) => resource.fields[field]?.type.column === 'long')) return undefined
  const parts = partsOf(where, 'and')
  for (const part of parts) {
    if (part.kind !== 'or' && part.kind !== 'in') continue
    const others = parts.filter((one) => one !== part)
    const merge = mergeOf(resource, part, all(...others))
    if (!merge || merge.branches.length === 0 || merge.branches.length > branchesMax) continue
    const isWalked = (branch: Condition) => {
      const own = fixedBy(resource, partsOf(branch, 'and'))
      const fixed = new Set([...own, ...fixedBy(resource, others)])
      return indexes.some((index) => serves(index, { resource, sort, fixed, own }))
    }
    if (merge.branches.every(isWalked)) return merge
  }
  return undefined
}

function describeMerge(
  compiler: Compiler,
  resource: Resource,
  { rest, branches, areApart }: MergedScan,
): StatementShape {
  const shape = compiler.shapeOf(`merged ${areApart}`, resource, rest)
  for (const branch of branches) {
    shape.key += ' | '
    compiler.addTest(shape, resource, branch)
  }
  return shape
}

/** The condition of each branch. They share the slots of their common part. */
function compileBranches(resource: Resource, merge: MergedScan, compiling: CompileContext): RawBuilder<SqlBool>[] {
  const rest = compileCondition(resource, merge.rest, compiling)
  const own = merge.branches.map((branch) => compileCondition(resource, branch, compiling))
  return own.map((branch, i) => {
    const earlier = merge.areApart ? [] : own.slice(0, i).map((one) => sql<SqlBool>`(${one}) is not true`)
    return sql<SqlBool>`${sql.join([branch, ...(merge.rest.kind === 'true' ? [] : [rest]), ...earlier], sql` and `)}`
  })
}

type MergedList = {
  readonly merge: MergedScan
  readonly sort: readonly SortKey[]
  readonly limit: number
  readonly offset: number
}

/**
 * For databases that do not merge by themselves: each branch reads up to the whole limit, and the
 * results are sorted.
 */
export function listMerged(
  compiler: Compiler,
  resource: Resource,
  { merge, sort, limit, offset }: MergedList,
): Statement {
  const { dialect } = compiler
  const shape = describeMerge(compiler, resource, merge)
  shape.key += ` by ${sort.map((key) => `${key.descending ? '-' : ''}${key.field}`).join()}`
  if (!dialect.mergesUnions) shape.add(limit + offset)
  shape.add(limit)
  shape.add(offset)
  return compiler.fill(shape, (compiling): CompiledQuery => {
    const conditions = compileBranches(resource, merge, compiling)
    const most = dialect.mergesUnions ? undefined : nextSlot(compiling)
    const arms = conditions.map((where): RowQuery => {
      const arm = selection(dialect, resource).where(where)
      if (!most) return arm
      const nameOf = (column: string) => `${resource.table}.${column}`
      const first = inOrder(dialect, arm, { resource, sort, nameOf }).limit(dialect.limit(most))
      return dialect.builder.selectFrom(first.as('branch')).selectAll()
    })
    const [rows, skip] = [nextSlot(compiling), nextSlot(compiling)]
    const united = arms.reduce((one, other) => one.unionAll(other))
    return inOrder(dialect, united, { resource, sort, nameOf: (column) => column })
      .limit(dialect.limit(rows))
      .offset(sql<number>`${skip}`)
      .compile()
  })
}

/** The sum of the branches' counts, each without the rows of earlier ones. */
export function countMerged(
  compiler: Compiler,
  resource: Resource,
  merge: MergedScan,
): Statement & { readonly resources: readonly Resource[] } {
  const shape = describeMerge(compiler, resource, merge)
  shape.key = `count ${shape.key}`
  const { builder } = compiler.dialect
  const statement = compiler.fill(shape, (compiling) => {
    const counts = compileBranches(resource, merge, compiling).map(
      (where) => sql`${builder.selectFrom(resource.table).select(sql`count(*)`.as('count')).where(where)}`,
    )
    return builder.selectNoFrom(sql<number>`${sql.join(counts, sql` + `)}`.as('count')).compile()
  })
  return { ...statement, resources: shape.resources }
}
