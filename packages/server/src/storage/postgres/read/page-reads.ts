/**
 * Reads pages with their totals. The database counts a total once; later changes of any instance
 * then adjust it. Before each use, the cache reads the change log up to the latest commit.
 */
import type { Resource } from '../../../resource/catalog.ts'
import type { Condition } from '../../../resource/condition.ts'
import type { Changes } from '../../changes.ts'
import { clientHasLeft } from '../../costly-reads.ts'
import type { ConditionWatches } from '../../derived/condition-watch.ts'
import { type CountedTotal, makeTotalsCache } from '../../derived/totals-cache.ts'
import { rowReaderOf } from '../../sql/far-sorted.ts'
import type { Executor, SqlTools } from '../../sql/reader.ts'
import type { ListRequest, PageRequest, ReadClient, Row, RowPage, Storage } from '../../storage.ts'
import { makeShareInFlight } from './share-in-flight.ts'

/** Up to this offset, reading past the rows costs less than first counting them. */
const offsetReadThrough = 1000

/**
 * `'10:20:10,14'` (pg_snapshot) → the transactions that it sees: those below 20 except 10 and 14,
 * which were open.
 */
function seenIn(snapshot: string): (transaction: bigint) => boolean {
  const [, end = '0', open = ''] = snapshot.split(':')
  const bound = BigInt(end)
  const unseen = new Set(open === '' ? [] : open.split(',').map(BigInt))
  return (transaction) => transaction < bound && !unseen.has(transaction)
}

type PageReadsDeps = {
  readonly executor: Executor
  readonly changes: Changes
  readonly tools: SqlTools
  readonly watches: ConditionWatches
  readonly totalsBytesMax: number
}

/** The executors of one caller, by the cost of a statement. */
export type StatementRunners = {
  readonly readClient?: ReadClient
  ofList(resource: Resource, request: ListRequest): Executor | Promise<Executor>
  ofCount(resource: Resource, where: Condition): Executor | Promise<Executor>
}

/** All callers share the cache; a caller that disconnects does not affect the others. */
export type PageReads = Pick<Storage, 'knownTotal'> & {
  count(resource: Resource, where: Condition, reading?: StatementRunners): Promise<number>
  page(resource: Resource, request: PageRequest, reading?: StatementRunners): Promise<RowPage>
}

export function makePageReads(deps: PageReadsDeps): PageReads {
  const { executor, changes, tools, watches, totalsBytesMax } = deps
  const { statements } = tools
  const share = makeShareInFlight()
  const plain: StatementRunners = { ofList: () => executor, ofCount: () => executor }

  async function countNow(resource: Resource, where: Condition, reading: StatementRunners): Promise<CountedTotal> {
    const { sql, parameters } = statements.count(resource, where)
    const cells = await (await reading.ofCount(resource, where)).first({
      sql: `SELECT (${sql}), pg_current_snapshot()::text`,
      parameters,
    })
    const [total, snapshot] = cells as [number, string]
    const isSeen = seenIn(snapshot)
    return { total, includes: ({ transaction }) => transaction !== undefined && isSeen(transaction) }
  }
  const totals = makeTotalsCache({ watches, bytesMax: totalsBytesMax })
  const totalOf = (resource: Resource, where: Condition, reading: StatementRunners) =>
    totals.total(resource, where, () => countNow(resource, where, reading))

  /** Concurrent requests for one page share one read. */
  async function list(resource: Resource, request: PageRequest, reading: StatementRunners): Promise<Row[]> {
    const { where, sort, limit, offset } = request
    const key = `${watches.keyOf(resource, where)} ${JSON.stringify([sort, limit, offset])}`
    const read = async () => {
      const cells = await (await reading.ofList(resource, request)).all(statements.list(resource, request))
      return cells.map(rowReaderOf(tools, resource, sort))
    }
    try {
      return await share(key, read)
    } catch (error) {
      if (error !== clientHasLeft || !reading.readClient || reading.readClient.left()) throw error
      return read() // another caller's read: that caller has disconnected
    }
  }

  /** Without a cached total, a page that is not full ends the list, so no count is needed. */
  async function readPage(resource: Resource, request: PageRequest, reading: StatementRunners): Promise<RowPage> {
    const { where, limit, offset } = request
    const known =
      totals.known(resource, where) ??
      (offset > offsetReadThrough ? await totalOf(resource, where, reading) : undefined)
    if (known !== undefined && offset >= known) return { rows: [], total: known }
    const rows = await list(resource, request, reading)
    if (rows.length > 0 && rows.length < limit) return { rows, total: offset + rows.length }
    return { rows, total: await totalOf(resource, where, reading) }
  }

  return {
    knownTotal: totals.known,
    async count(resource, where, reading = plain) {
      await changes.catchUp()
      return totalOf(resource, where, reading)
    },
    async page(resource, request, reading = plain) {
      await changes.catchUp()
      return readPage(resource, request, reading)
    },
  }
}
