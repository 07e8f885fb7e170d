/**
 * Reads lists in the main thread, as far as the cost is bounded. SQLite plans small tables by
 * itself; large ones get a plan from exact sizes. Any other list is returned as a statement for a
 * read thread.
 */
import type { Resource } from '../../../resource/catalog.ts'
import { hasFarKey } from '../../../resource/relations/far-field.ts'
import { type Costs, cheapRowsMax } from '../../sql/costs.ts'
import { rowReaderOf } from '../../sql/far-sorted.ts'
import type { SqlTools } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import type { ListRequest, Row } from '../../storage.ts'
import type { SqliteConnection } from '../connection.ts'
import type { RangeSizes } from '../rank-index/range-size.ts'
import type { RankIndexes } from '../rank-index/rank-indexes.ts'
import { lateRows } from '../texts/row-order.ts'
import { listByRowOrder } from '../texts/row-order-list.ts'
import { comparedMax, lookedUpMax, type TextSizes } from '../texts/text-sizes.ts'
import type { CostlyRead } from './counts.ts'
import { type ListPlan, mainThreadUsMax, planList } from './list-plan.ts'
import { makePlannedLists } from './planned-list.ts'
import type { TableSizes } from './table-sizes.ts'

export type ListsDeps = {
  readonly reader: SqliteConnection
  readonly tools: SqlTools
  readonly costs: Costs
  readonly rankIndexes: RankIndexes
  readonly sizes: RangeSizes
  readonly tables: TableSizes
  readonly texts: TextSizes
  readonly present: <T>(work: () => T) => T
}

/**
 * How a list is read. `entries`: the limit of index entries that it reads; absent where that is not
 * known.
 */
export type AccessPath = {
  readonly kind: 'small' | 'merged' | 'texts' | 'row order' | ListPlan['kind']
  readonly index?: string | undefined
  readonly entries?: number | undefined
  /** The statement that it runs, or an approximation of it. */
  readonly statementOf: () => Statement
  /** Reads it here; undefined when it turns out to take too long. */
  readonly read?: () => Row[] | undefined
  /** A read thread must run it. */
  readonly costly?: CostlyRead
}

export type ListReads = {
  /** `total`: the number of records that match, where it is known. */
  list(resource: Resource, request: ListRequest, total?: number): Row[] | CostlyRead
  /** How the same would be read. */
  accessPathOf(resource: Resource, request: ListRequest, total?: number): AccessPath
  /** Whether each chunk of the whole list would sort it again. */
  isSortedEachTime(resource: Resource, request: ListRequest): boolean
}

/** Up to this offset a page is read by walking, while the rank index is still being built. */
const unfencedOffsetMax = 10_000

/** Whether this thread may read it. */
function isBounded(
  { rankIndexes }: Pick<ListsDeps, 'rankIndexes'>,
  { kind, range, us }: ListPlan,
  { offset = 0 }: ListRequest,
): boolean {
  const isAhead = kind === 'jump' && offset > unfencedOffsetMax && range && !rankIndexes.of(range.index)
  return us <= mainThreadUsMax && !isAhead
}

/** Sorts all rows: here where they are few. */
function byAllRows(
  { reader, tools, costs }: Pick<ListsDeps, 'reader' | 'tools' | 'costs'>,
  resource: Resource,
  { request, total }: { readonly request: ListRequest; readonly total: number | undefined },
): AccessPath {
  const statement = tools.statements.list(resource, request)
  const way = { kind: 'scan', entries: total, statementOf: () => statement } as const
  const read = () => reader.all(statement).map(rowReaderOf(tools, resource, request.sort))
  if (total !== undefined && total <= cheapRowsMax) return { ...way, read }
  return { ...way, costly: { statement, advice: costs.ofList(resource, request)?.advice } }
}

export function makeListReads(deps: ListsDeps): ListReads {
  const { reader, tools, costs, rankIndexes, sizes, tables, texts, present } = deps
  const { statements } = tools
  const readPlanned = makePlannedLists({ reader, tools, rankIndexes })

  function planOf(resource: Resource, request: ListRequest, total: number | undefined) {
    const ranges = tables.rangesOf(resource, request.where)
    return planList(ranges, { request, total, sizes, rowsMax: tables.rowsMax(resource) })
  }
  function plainly(resource: Resource, request: ListRequest, about: Pick<AccessPath, 'kind' | 'entries'>): AccessPath {
    const statement = statements.list(resource, request)
    const read = () => reader.all(statement).map(rowReaderOf(tools, resource, request.sort))
    return { ...about, statementOf: () => statement, read }
  }

  /** By the text index alone, if a condition uses it; undefined where another way is better. */
  function byTexts(resource: Resource, request: ListRequest): AccessPath | undefined {
    const { where, sort } = request
    const most = texts.isInOrder(resource, request) ? texts.atMost(resource, where) : undefined
    if (most !== undefined && most <= comparedMax) return plainly(resource, request, { kind: 'texts', entries: most })
    const candidates = texts.candidates(resource, where)
    if (candidates === undefined) return undefined
    const lookup = { ...request, where: texts.byWords(resource, where) }
    const found = plainly(resource, lookup, { kind: 'texts', entries: candidates })
    if (candidates <= request.limit) return found
    const index = texts.isDecided(resource, where) ? tables.indexOf(resource, sort) : undefined
    if (index) rankIndexes.of(index) // starts its build, which measures the lag
    const lagMs = index ? rankIndexes.lagOf(index) : Infinity
    if (lagMs === Infinity) return candidates <= lookedUpMax ? found : undefined
    return {
      kind: 'row order',
      statementOf: () => statements.list(resource, request, { byRowOrder: true }),
      read: () =>
        listByRowOrder({ reader, tools }, resource, { request, lagMs }) ??
        (candidates <= lookedUpMax ? found.read?.() : undefined),
    }
  }

  function byPlan(resource: Resource, request: ListRequest, total: number | undefined): AccessPath {
    const plan = planOf(resource, request, total)
    const about = { kind: plan.kind, index: plan.range?.index.name, entries: plan.entries }
    const planned = () => statements.list(resource, request, { index: about.index })
    if (isBounded(deps, plan, request))
      return { ...about, statementOf: planned, read: () => readPlanned(resource, request, plan) }
    const advice = (costs.ofList(resource, request) ?? costs.ofCount(resource, request.where))?.advice
    const statement = plan.kind === 'walk' ? planned() : lateRows(planned())
    return { ...about, statementOf: () => statement, costly: { statement, advice } }
  }

  /** The ways to read a list, the best first. Only the last one always succeeds. */
  function* waysOf(resource: Resource, request: ListRequest, total: number | undefined): Generator<AccessPath> {
    const { where } = request
    if (tables.isSmall(resource, where))
      return yield plainly(resource, request, { kind: 'small', entries: tables.rowsMax(resource) })
    if (hasFarKey(request.sort)) return yield byAllRows(deps, resource, { request, total })
    if (tables.isMerged(resource, request)) return yield plainly(resource, request, { kind: 'merged' })
    const found = byTexts(resource, request)
    if (found) yield found
    yield byPlan(resource, request, total)
  }

  function listPresent(resource: Resource, request: ListRequest, total: number | undefined) {
    for (const way of waysOf(resource, request, total)) {
      const rows = way.costly ?? way.read?.()
      if (rows) return { way, rows }
    }
    throw new Error('a list without a way to read it')
  }

  function isSortedEachTime(resource: Resource, request: ListRequest): boolean {
    if (tables.isSmall(resource, request.where) || texts.isInOrder(resource, request)) return false
    const plan = planOf(resource, request, undefined)
    return !isBounded(deps, plan, request) && (plan.kind === 'scan' || plan.kind === 'gather')
  }

  return {
    list: (resource, request, total) => present(() => listPresent(resource, request, total).rows),
    accessPathOf: (resource, request, total) => present(() => listPresent(resource, request, total).way),
    isSortedEachTime: (resource, request) =>
      !hasFarKey(request.sort) && present(() => isSortedEachTime(resource, request)),
  }
}
