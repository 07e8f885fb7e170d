/**
 * Reads on behalf of a caller: cheap ones here and at once, costly ones in the reading threads. Few rows are cheap whatever their order, so
 * small tables never leave the main thread.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Asking } from '../costly-reads.ts'
import { type Cost, cheapRowsMax, makeCosts, relatedTo } from '../sql/costs.ts'
import type { Tools } from '../sql/reader.ts'
import type { Asker, ListRequest, PageRequest, Storage } from '../storage.ts'
import { walkByKeys } from '../walk.ts'
import type { Connection } from './connection.ts'
import type { Pace } from './pace.ts'
import type { Pages } from './pages.ts'
import type { ReadThreads } from './read-threads.ts'
import { lateRows } from './row-order.ts'
import { makeWalks } from './walk-by-numbers.ts'

type Parts = {
  readonly catalog: Catalog
  /** Reads in the current snapshot. */
  readonly reader: Connection
  /** What is read here. */
  readonly reads: Pick<Storage, 'list' | 'page'>
  readonly pages: Pages
  readonly threads: ReadThreads
  readonly tools: Tools
  readonly pace: Pace
}
export type AskedReads = Pick<Storage, 'list' | 'count' | 'page' | 'walk'>

export function makeAskedReads({
  catalog,
  reader,
  reads,
  pages,
  threads,
  tools,
  pace,
}: Parts): (asker: Asker) => AskedReads {
  const costs = makeCosts(catalog)
  const { statements, readerOf } = tools
  const walks = makeWalks({ reader, threads, tools })

  /** At most so many: rows get rising numbers, and those of deleted rows stay free. */
  function isSmall({ table }: Resource): boolean {
    const cells = reader.first({ sql: `SELECT max(rowid) FROM "${table}"`, parameters: [] })
    return Number(cells?.[0] ?? 0) <= cheapRowsMax
  }
  function unlessSmall(cost: Cost | undefined, resource: Resource, where: Condition): Cost | undefined {
    return cost && [resource, ...relatedTo(catalog, where)].every(isSmall) ? undefined : cost
  }

  /** Related records come without a limit of their own: a look at an index says whether they are few. */
  function areFew(resource: Resource, where: Condition): boolean {
    if (!costs.isTied(resource, where)) return false
    return !reader.first(statements.list(resource, { where, sort: [], limit: 1, offset: cheapRowsMax }))
  }
  function costOf(resource: Resource, request: ListRequest): Cost | undefined {
    const { where, limit } = request
    if (limit > cheapRowsMax && areFew(resource, where)) return undefined
    return unlessSmall(costs.ofList(resource, request), resource, where)
  }

  function costOfCount(resource: Resource, where: Condition): Cost | undefined {
    return unlessSmall(costs.ofCount(resource, where), resource, where)
  }

  function statementOf(resource: Resource, request: ListRequest, { sorts }: Cost) {
    const statement = statements.list(resource, request)
    return sorts ? lateRows(statement) : statement
  }

  return (asker) => {
    const askingWith = ({ advice }: Cost): Asking => ({ asker, advice })

    async function list(resource: Resource, request: ListRequest) {
      const cost = costOf(resource, request)
      if (!cost) return reads.list(resource, request)
      const { rows } = await threads.all(statementOf(resource, request, cost), askingWith(cost))
      return rows.map(readerOf(resource))
    }
    function count(resource: Resource, where: Condition) {
      const cost = costOfCount(resource, where)
      if (!cost) return pages.count(resource, where)
      return pages.count(resource, where, async (statement) => {
        const { rows } = await threads.all(statement, askingWith(cost))
        return rows[0]?.[0] as number
      })
    }
    /** The total and the rows of one moment, however many write meanwhile. */
    async function pageAtOnce(resource: Resource, request: PageRequest) {
      const cost = costs.ofList(resource, request)
      const counting = statements.count(resource, request.where)
      const listing = cost ? statementOf(resource, request, cost) : statements.list(resource, request)
      const { results } = await threads.together([counting, listing], { asker, advice: cost?.advice })
      return { total: results[0]?.[0]?.[0] as number, rows: (results[1] ?? []).map(readerOf(resource)) }
    }
    return {
      list,
      count,
      async page(resource, request) {
        if (!costOfCount(resource, request.where) && !costOf(resource, request)) return reads.page(resource, request)
        const before = pages.generationOf(resource, request.where)
        const total = await count(resource, request.where)
        const rows = request.offset >= total ? [] : await list(resource, request)
        const isOfOneMoment = before === pages.generationOf(resource, request.where)
        return isOfOneMoment ? { total, rows } : pageAtOnce(resource, request)
      },
      walk(resource, request) {
        const cost = unlessSmall(costs.ofList(resource, request), resource, request.where)
        if (!cost?.sorts) return pace(walkByKeys({ list }, resource, request))
        return pace(walks(resource, request, askingWith(cost)))
      },
    }
  }
}
