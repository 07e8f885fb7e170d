/**
 * Reads on behalf of a caller: bounded reads run at once in the main thread, the others in read
 * threads. Without a caller, as at the console, all reads run here without a limit.
 */
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition } from '../../../resource/condition.ts'
import type { ConditionWatches } from '../../derived/condition-watch.ts'
import { type CountedTotal, makeTotalsCache } from '../../derived/totals-cache.ts'
import { rowReaderOf } from '../../sql/far-sorted.ts'
import { inOrderOfEach } from '../../sql/list-each.ts'
import type { SqlTools } from '../../sql/reader.ts'
import type { Statement } from '../../sql/statements.ts'
import { readSummary } from '../../sql/summary-statement.ts'
import type { ClientReads, EachRequest, ListRequest, PageRequest, ReadClient, Row, Storage } from '../../storage.ts'
import { walkByKeys } from '../../walk.ts'
import type { SqliteConnection } from '../connection.ts'
import type { SqliteChangeLog } from '../write/change-log.ts'
import { type CostlyRead, type CountRecords, isCostly } from './counts.ts'
import type { ListEach } from './each-lists.ts'
import type { ListReads } from './list-reads.ts'
import type { ReadThreads } from './read-threads.ts'
import type { ScheduleStream } from './stream-scheduler.ts'
import type { TableSizes } from './table-sizes.ts'
import { makeWalks } from './walk-by-numbers.ts'

type ClientReadsDeps = {
  readonly reader: SqliteConnection
  readonly tools: SqlTools
  readonly counts: CountRecords
  readonly lists: ListReads & { readonly listEach: ListEach }
  readonly tables: TableSizes
  readonly present: <T>(work: () => T) => T
  readonly log: SqliteChangeLog
  readonly watches: ConditionWatches
  readonly totalsBytesMax: number
  readonly threads: ReadThreads | undefined
  readonly pace: ScheduleStream
}
const summaryAdvice = 'narrow the list by a filter, or group by fewer fields'

type ClientRead = { readonly rows: unknown[][]; readonly position: number }

export function makeClientReads(
  deps: ClientReadsDeps,
): Pick<Storage, 'knownTotal'> & { readonly by: (readClient: ReadClient | undefined) => ClientReads } {
  const { reader, tools, counts, lists, tables, present, log, watches, totalsBytesMax, threads, pace } = deps
  const { statements, readerOf } = tools
  const totals = makeTotalsCache({ watches, bytesMax: totalsBytesMax })
  const walks = threads && makeWalks({ reader, threads, tools })

  const by = (readClient: ReadClient | undefined): ClientReads => {
    /** Outside of the main thread, if there are threads and a caller. */
    async function run({ statement, advice }: CostlyRead): Promise<ClientRead> {
      if (threads && readClient) return threads.all(statement, { readClient, advice })
      return { rows: reader.all(statement), position: log.lastSeen() }
    }
    function finish(counted: CountedTotal | CostlyRead): CountedTotal | Promise<CountedTotal> {
      if (!isCostly(counted)) return counted
      return run(counted).then(({ rows, position }): CountedTotal => {
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
      return isCostly(found) ? (await run(found)).rows.map(rowReaderOf(tools, resource, request.sort)) : found
    }
    async function listEach(resource: Resource, request: EachRequest): Promise<Row[]> {
      const found = lists.listEach(resource, request)
      if (!isCostly(found)) return found
      return inOrderOfEach(request, (await run(found)).rows.map(readerOf(resource)))
    }
    /** The total and the rows of one snapshot, despite concurrent writes. */
    async function pageAtOnce(resource: Resource, request: PageRequest, costly: CostlyRead) {
      const both: readonly Statement[] = [statements.count(resource, request.where), costly.statement]
      const read = rowReaderOf(tools, resource, request.sort)
      if (!threads || !readClient) {
        const [counted, rows] = both.map((statement) => reader.all(statement))
        return { total: counted?.[0]?.[0] as number, rows: (rows ?? []).map(read) }
      }
      const { results } = await threads.together(both, { readClient, advice: costly.advice })
      return { total: results[0]?.[0]?.[0] as number, rows: (results[1] ?? []).map(read) }
    }

    return {
      list,
      listEach,
      count,
      async page(resource, request) {
        const watch = watches.of(resource, request.where)
        const position = watch.now()
        const total = await count(resource, request.where)
        if (request.offset >= total) return { total, rows: [] }
        const found = lists.list(resource, request, total)
        if (!isCostly(found)) return { total, rows: found }
        const { rows } = await run(found)
        log.catchUp()
        const isOfOneMoment = watch.since(position)?.length === 0
        if (!isOfOneMoment) return pageAtOnce(resource, request, found)
        return { total, rows: rows.map(rowReaderOf(tools, resource, request.sort)) }
      },
      async summarize(resource, request) {
        const statement = statements.summary(resource, request)
        const small = present(() => (tables.isSmall(resource, request.where) ? reader.all(statement) : undefined))
        const rows = small ?? (await run({ statement, advice: summaryAdvice })).rows
        return readSummary(tools.dialect, { resource, request }, rows)
      },
      walk(resource, request) {
        if (!walks || !readClient || !lists.isSortedEachTime(resource, request))
          return pace(walkByKeys({ list }, resource, request))
        return pace(
          walks(resource, request, { readClient, advice: 'sort by one field, or narrow the list by a filter' }),
        )
      },
    }
  }
  return { by, knownTotal: totals.known }
}
