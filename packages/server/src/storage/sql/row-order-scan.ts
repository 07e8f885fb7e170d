/**
 * Reads search results in the order of row numbers. A text index lists its rows in that order.
 * Where row numbers follow the sort, a page therefore reads only its own rows.
 */
import type { Resource, SortKey } from '../../resource/catalog.ts'
import { all, always, type Condition } from '../../resource/condition.ts'
import type { ListRequest } from '../storage.ts'
import { compileCondition } from './compile-condition.ts'
import { compileTextParts, type TextCondition, textMatchOf } from './compile-texts.ts'
import type { Compiler, Statement } from './compiler.ts'
import type { Dialect, TextIndexScan } from './dialect.ts'
import { afterCursor } from './keyset.ts'
import { sql } from './kysely.ts'
import { partsOf } from './scoped-search.ts'
import { columnsOf, inOrder } from './select-rows.ts'
import { nextSlot } from './shape.ts'

/** A condition that the text index finds, and the rest of the list's condition. */
export type RowOrderScan = {
  readonly texts: TextCondition
  readonly rest: Condition
  readonly walk: TextIndexScan
  /** Whether the index alone decides which rows have the texts. */
  readonly isDecided: boolean
}

function isOfTexts(condition: Condition): condition is TextCondition {
  return condition.kind === 'search' || condition.kind === 'contains'
}

/** Whether a text index is used: it finds few rows, so no other index need be walked. */
export function asksTexts(dialect: Dialect, resource: Resource, where: Condition): boolean {
  const parts = partsOf(resource, where)
  return parts.some((one) => isOfTexts(one) && textMatchOf(dialect, resource, one) !== undefined)
}

/** Undefined where no text index is used, or the database has no row numbers. */
export function findRowOrderScan(dialect: Dialect, resource: Resource, where: Condition): RowOrderScan | undefined {
  const parts = partsOf(resource, where)
  for (const texts of parts) {
    if (!isOfTexts(texts)) continue
    const match = textMatchOf(dialect, resource, texts)
    if (!match?.walk) continue
    const scope = texts.kind === 'search' ? texts.scope : undefined
    const rest = all(...parts.filter((one) => one !== texts && one !== scope?.by))
    return { texts, rest, walk: match.walk, isDecided: match.undecided.length === 0 }
  }
  return undefined
}

/** Whether row numbers follow the sort by themselves: they are the generated ids. */
export function isByNumber(resource: Resource, sort: readonly SortKey[]): boolean {
  return resource.hasCountedId && sort.length === 1 && sort[0]?.field === resource.idField
}

/**
 * The first key gives the direction of all. After a cursor, the walk begins at the number of the
 * first row behind it.
 */
export function listByRow(
  compiler: Compiler,
  resource: Resource,
  { texts, rest, walk, request }: RowOrderScan & { readonly request: ListRequest },
): Statement {
  const { sort, after, limit, offset = 0 } = request
  const behind = after ? afterCursor(resource, sort, after) : always
  const descending = sort[0]?.descending === true
  const shape = compiler.shapeOf(`rows ${descending}`, resource, texts)
  shape.key += ' and '
  compiler.addTest(shape, resource, rest)
  shape.key += ` by ${sort.map((key) => `${key.descending ? '-' : ''}${key.field}`).join()} after `
  compiler.addTest(shape, resource, behind)
  shape.add(limit)
  shape.add(offset)
  const { dialect } = compiler
  return compiler.fill(shape, (compiling) => {
    const { table, numbers, rowNumber } = walk
    const { slots, compared } = compileTextParts(resource, texts, compiling)
    const conditions = [walk.matches(slots), ...compared, compileCondition(resource, rest, compiling)]
    let query = dialect.builder
      .selectFrom(table)
      .crossJoin(resource.table) // SQLite never changes the order of a cross join
      .select(columnsOf(resource))
      .whereRef(rowNumber, '=', numbers)
    for (const condition of conditions) query = query.where(condition)
    if (after) {
      const where = compileCondition(resource, behind, compiling)
      const first = inOrder(dialect, dialect.builder.selectFrom(resource.table).select(rowNumber).where(where), {
        resource,
        sort,
        nameOf: (column) => `${resource.table}.${column}`,
      })
      query = query.where(numbers, descending ? '<=' : '>=', first.limit(sql.lit(1)))
    }
    const [rows, skip] = [nextSlot(compiling), nextSlot(compiling)]
    return query
      .orderBy(numbers, descending ? 'desc' : 'asc')
      .limit(dialect.limit(rows))
      .offset(sql<number>`${skip}`)
      .compile()
  })
}

/**
 * The number of rows, from the text index alone; undefined where other conditions or an exact
 * comparison must hold.
 */
export function countByIndex(
  compiler: Compiler,
  resource: Resource,
  { texts, rest, walk, isDecided }: RowOrderScan,
): Statement | undefined {
  if (rest.kind !== 'true' || !isDecided) return undefined
  return compiler.fill(compiler.shapeOf('count rows', resource, texts), (compiling) => {
    const { slots } = compileTextParts(resource, texts, compiling)
    const { builder } = compiler.dialect
    return builder
      .selectFrom(walk.table)
      .select((eb) => eb.fn.countAll().as('count'))
      .where(walk.matches(slots))
      .compile()
  })
}

/** The number of rows that the text index finds, candidates included, counted up to a limit. */
export function candidatesByIndex(
  compiler: Compiler,
  resource: Resource,
  { walk: { texts, walk }, limit }: { readonly walk: RowOrderScan; readonly limit: number },
): Statement {
  const shape = compiler.shapeOf('candidates', resource, texts)
  shape.add(limit)
  return compiler.fill(shape, (compiling) => {
    const { slots } = compileTextParts(resource, texts, compiling)
    const most = nextSlot(compiling)
    const found = sql`select 1 from ${sql.table(walk.table)} where ${walk.matches(slots)} limit ${compiler.dialect.limit(most)}`
    return sql`select count(*) from (${found})`.compile(compiler.dialect.builder)
  })
}
