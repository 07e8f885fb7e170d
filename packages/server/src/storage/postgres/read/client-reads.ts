/**
 * Reads on behalf of a caller. Limits apply to reads that may take long, judged by their shape and
 * the size of the table. All callers share the caches; a caller that disconnects does not affect
 * the others.
 */
import type { Catalog, Resource } from '../../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../../resource/condition.ts'
import { type CostlyQuery, cheapRowsMax, makeCosts, relatedTo } from '../../sql/costs.ts'
import { type Executor, makeReader, type SqlTools } from '../../sql/reader.ts'
import type { ClientReads, ListRequest, ReadClient } from '../../storage.ts'
import { walkByKeys } from '../../walk.ts'
import type { ConnectionPools } from '../connect/pool.ts'
import type { PageReads } from './page-reads.ts'

type ClientReadsDeps = {
  readonly catalog: Catalog
  readonly pools: ConnectionPools
  readonly executor: Executor
  /** Reads statistics, which must not wait for locks of other sessions. */
  readonly urgently: Executor
  readonly pages: PageReads
  readonly tools: SqlTools
}
const summary: CostlyQuery = { advice: 'narrow the list by a filter, or group by fewer fields', sorts: true }

const sizeKeptMs = 10_000
/**
 * The row count by the last ANALYZE and the writes since. The size of the file would need a lock of
 * the table.
 */
const rowsSql = 'SELECT greatest(reltuples, pg_stat_get_live_tuples(oid)) FROM pg_class WHERE oid = to_regclass($1)'

/** Whether tables are small, by statistics that are read now and then. */
function makeSizes(executor: Executor) {
  const known = new Map<string, { readonly atMs: number; readonly isSmall: Promise<boolean> }>()
  async function look(table: string): Promise<boolean> {
    const cells = await executor.first({ sql: rowsSql, parameters: [`"${table}"`] })
    return Number(cells?.[0] ?? 0) <= cheapRowsMax
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

export function makeClientReads({
  catalog,
  pools,
  executor,
  urgently,
  pages,
  tools,
}: ClientReadsDeps): (readClient: ReadClient) => ClientReads {
  const costs = makeCosts(catalog)
  const isSmall = makeSizes(urgently)

  async function unlessSmall(
    cost: CostlyQuery | undefined,
    resource: Resource,
    where: Condition,
  ): Promise<CostlyQuery | undefined> {
    if (!cost) return undefined
    const small = await Promise.all([resource, ...relatedTo(catalog, where)].map(isSmall))
    return small.every(Boolean) ? undefined : cost
  }
  /** An index finds related records, by their own ids or by the ids that they refer to. */
  const costOf = (resource: Resource, request: ListRequest) =>
    request.limit > cheapRowsMax && costs.isTied(resource, request.where)
      ? undefined
      : unlessSmall(costs.ofList(resource, request), resource, request.where)

  return (readClient) => {
    const executorFor = (cost: CostlyQuery | undefined) =>
      cost ? pools.boundedFor({ readClient, advice: cost.advice }) : executor
    const reading = {
      readClient,
      async ofList(resource: Resource, request: ListRequest) {
        return executorFor(await costOf(resource, request))
      },
      async ofCount(resource: Resource, where: Condition) {
        return executorFor(await unlessSmall(costs.ofCount(resource, where), resource, where))
      },
    }
    const list = async (resource: Resource, request: ListRequest) =>
      makeReader(await reading.ofList(resource, request), tools).list(resource, request)
    return {
      list,
      async listEach(resource, request) {
        const { by, ids, sort } = request
        const where = all(equal(by, ids[0] as Scalar), request.where)
        const cost = await unlessSmall(costs.ofList(resource, { where, sort }), resource, where)
        return makeReader(executorFor(cost), tools).listEach(resource, request)
      },
      count: (resource, where) => pages.count(resource, where, reading),
      page: (resource, request) => pages.page(resource, request, reading),
      async summarize(resource, request) {
        const cost = await unlessSmall(summary, resource, request.where)
        return makeReader(executorFor(cost), tools).summarize(resource, request)
      },
      walk: (resource, request) => walkByKeys({ list }, resource, request),
    }
  }
}
