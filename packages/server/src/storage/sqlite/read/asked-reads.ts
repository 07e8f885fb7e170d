/**
 * Reads on behalf of a caller: what is bounded at once in the main thread, the rest in the reading threads. Without a caller, as for the
 * console, everything is read here and may take as long as it likes.
 */
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition } from '../../../resource/condition.ts'
import { type Counted, makeKeptTotals } from '../../derived/totals.ts'
import type { Watches } from '../../derived/watch.ts'
import { inOrderOfEach } from '../../sql/list-each.ts'
import type { Tools } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import { readSummary } from '../../sql/summary-statement.ts'
import type { Asker, EachRequest, ListRequest, PageRequest, Row, Storage } from '../../storage.ts'
import { walkByKeys } from '../../walk.ts'
import type { Connection } from '../connection.ts'
import type { ChangeLog } from '../write/change-log.ts'
import { type Costly, type CountRecords, isCostly } from './counts.ts'
import type { ListEach } from './each-lists.ts'
import type { Lists } from './lists.ts'
import type { Pace } from './pace.ts'
import type { ReadThreads } from './read-threads.ts'
import type { TableSizes } from './table-sizes.ts'
import { makeWalks } from './walk-by-numbers.ts'

type Parts = {
  readonly reader: Connection
  readonly tools: Tools
  readonly counts: CountRecords
  readonly lists: Lists & { readonly listEach: ListEach }
  readonly tables: TableSizes
  readonly present: <T>(work: () => T) => T
  readonly log: ChangeLog
  readonly watches: Watches
  readonly totalsBytesMax: number
  readonly threads: ReadThreads | undefined
  readonly pace: Pace
}
export type AskedReads = Pick<Storage, 'list' | 'listEach' | 'count' | 'page' | 'walk' | 'summarize'>

const summaryAdvice = 'narrow the list by a filter, or group by fewer fields'

type Read = { readonly rows: unknown[][]; readonly position: number }

export function makeAskedReads(
  parts: Parts,
): Pick<Storage, 'knownTotal'> & { readonly by: (asker: Asker | undefined) => AskedReads } {
  const { reader, tools, counts, lists, tables, present, log, watches, totalsBytesMax, threads, pace } = parts
  const { statements, readerOf } = tools
  const totals = makeKeptTotals({ watches, bytesMax: totalsBytesMax })
  const walks = threads && makeWalks({ reader, threads, tools })

  const by = (asker: Asker | undefined): AskedReads => {
    /** Outside of the main thread, where there are threads and somebody to whom the cost belongs. */
    async function run({ statement, advice }: Costly): Promise<Read> {
      if (threads && asker) return threads.all(statement, { asker, advice })
      return { rows: reader.all(statement), position: log.lastSeen() }
    }
    function finish(counted: Counted | Costly): Counted | Promise<Counted> {
      if (!isCostly(counted)) return counted
      return run(counted).then(({ rows, position }): Counted => {
        return { total: rows[0]?.[0] as number, includes: ({ sequence }) => sequence <= position }
      })
    }
    function count(resource: Resource, where: Condition): number | Promise<number> {
      log.catchUp()
      return totals.total(resource, where, () => {
        const counted = counts(resource, where)
        if (counted instanceof Promise) return counted.then(finish)
        return finish(counted)
      })
    }
    async function list(resource: Resource, request: ListRequest): Promise<Row[]> {
      const found = lists.list(resource, request)
      return isCostly(found) ? (await run(found)).rows.map(readerOf(resource)) : found
    }
    async function listEach(resource: Resource, request: EachRequest): Promise<Row[]> {
      const found = lists.listEach(resource, request)
      if (!isCostly(found)) return found
      return inOrderOfEach(request, (await run(found)).rows.map(readerOf(resource)))
    }
    /** The total and the rows of one moment, however many write meanwhile. */
    async function pageAtOnce(resource: Resource, request: PageRequest, costly: Costly) {
      const both: readonly Statement[] = [statements.count(resource, request.where), costly.statement]
      if (!threads || !asker) {
        const [counted, rows] = both.map((statement) => reader.all(statement))
        return { total: counted?.[0]?.[0] as number, rows: (rows ?? []).map(readerOf(resource)) }
      }
      const { results } = await threads.together(both, { asker, advice: costly.advice })
      return { total: results[0]?.[0]?.[0] as number, rows: (results[1] ?? []).map(readerOf(resource)) }
    }

    return {
      list,
      listEach,
      count,
      async page(resource, request) {
        const watch = watches.of(resource, request.where)
        const since = watch.now()
        const total = await count(resource, request.where)
        if (request.offset >= total) return { total, rows: [] }
        const found = lists.list(resource, request, total)
        if (!isCostly(found)) return { total, rows: found }
        const { rows } = await run(found)
        log.catchUp()
        const isOfOneMoment = watch.since(since)?.length === 0
        return isOfOneMoment ? { total, rows: rows.map(readerOf(resource)) } : pageAtOnce(resource, request, found)
      },
      async summarize(resource, request) {
        const statement = statements.summary(resource, request)
        const small = present(() => (tables.isSmall(resource, request.where) ? reader.all(statement) : undefined))
        const rows = small ?? (await run({ statement, advice: summaryAdvice })).rows
        return readSummary(tools.dialect, { resource, request }, rows)
      },
      walk(resource, request) {
        if (!walks || !asker || !lists.isSortedEachTime(resource, request))
          return pace(walkByKeys({ list }, resource, request))
        return pace(walks(resource, request, { asker, advice: 'sort by one field, or narrow the list by a filter' }))
      },
    }
  }
  return { by, knownTotal: totals.known }
}
