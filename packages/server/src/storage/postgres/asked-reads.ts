/**
 * Reads on behalf of a caller: those that may take long, told by their shape and the size of the table, are bounded. What is kept is shared
 * by all callers, and one who leaves takes nothing from the others.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import { type Cost, cheapRowsMax, makeCosts, relatedTo } from '../sql/costs.ts'
import { type Executor, makeReader, type Tools } from '../sql/reader.ts'
import type { Asker, ListRequest, Storage } from '../storage.ts'
import { walkByKeys } from '../walk.ts'
import type { Exact } from './exact.ts'
import type { Pools } from './pool.ts'

type Parts = {
  readonly catalog: Catalog
  readonly pools: Pools
  readonly executor: Executor
  readonly exact: Exact
  /** What is read without bounds. */
  readonly reads: Pick<Storage, 'list' | 'page'>
  readonly tools: Tools
}
export type AskedReads = Pick<Storage, 'list' | 'count' | 'page' | 'walk'>

const sizeKeptMs = 10_000
/** A row with its header is hardly smaller. */
const rowBytesMin = 60

/** Whether tables are small, by the size of their files, which is looked at now and then. */
function makeSizes(executor: Executor) {
  const known = new Map<string, { readonly atMs: number; readonly isSmall: Promise<boolean> }>()
  async function look(table: string): Promise<boolean> {
    const cells = await executor.first({ sql: 'SELECT pg_relation_size($1::regclass)', parameters: [`"${table}"`] })
    return Number(cells?.[0]) <= cheapRowsMax * rowBytesMin
  }
  return ({ table }: Resource): Promise<boolean> => {
    const found = known.get(table)
    if (found && performance.now() - found.atMs < sizeKeptMs) return found.isSmall
    const isSmall = look(table)
    known.set(table, { atMs: performance.now(), isSmall })
    isSmall.catch(() => known.delete(table))
    return isSmall
  }
}

export function makeAskedReads({ catalog, pools, executor, exact, reads, tools }: Parts): (asker: Asker) => AskedReads {
  const costs = makeCosts(catalog)
  const isSmall = makeSizes(executor)

  async function unlessSmall(cost: Cost | undefined, resource: Resource, where: Condition): Promise<Cost | undefined> {
    if (!cost) return undefined
    const small = await Promise.all([resource, ...relatedTo(catalog, where)].map(isSmall))
    return small.every(Boolean) ? undefined : cost
  }
  /** Related records come with their own ids or those that they refer to, by an index. */
  const costOf = (resource: Resource, request: ListRequest) =>
    request.limit > cheapRowsMax && costs.isTied(resource, request.where)
      ? undefined
      : unlessSmall(costs.ofList(resource, request), resource, request.where)
  const costOfCount = (resource: Resource, where: Condition) =>
    unlessSmall(costs.ofCount(resource, where), resource, where)

  return (asker) => {
    const executorFor = (cost: Cost | undefined) => (cost ? pools.boundedFor({ asker, advice: cost.advice }) : executor)
    const reading = {
      asker,
      async ofList(resource: Resource, request: ListRequest) {
        return executorFor(await costOf(resource, request))
      },
      async ofCount(resource: Resource, where: Condition) {
        return executorFor(await costOfCount(resource, where))
      },
    }
    const list = async (resource: Resource, request: ListRequest) => {
      const cost = await costOf(resource, request)
      return (cost ? makeReader(executorFor(cost), tools) : reads).list(resource, request)
    }
    return {
      list,
      count: (resource, where) => exact.count(resource, where, reading),
      async page(resource, request) {
        const isCheap = !(await costOfCount(resource, request.where)) && !(await costOf(resource, request))
        return isCheap ? reads.page(resource, request) : exact.page(resource, request, reading)
      },
      walk: (resource, request) => walkByKeys({ list }, resource, request),
    }
  }
}
