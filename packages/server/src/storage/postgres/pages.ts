/**
 * Pages with their totals. A total is counted once, and kept right by the changes that follow, on any number of instances: before one is used,
 * the change log is asked what was committed since.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition } from '../../resource/condition.ts'
import type { Changes } from '../changes.ts'
import { type Counted, makeKeptTotals } from '../derived/totals.ts'
import type { Watches } from '../derived/watch.ts'
import type { Executor, Tools } from '../sql/reader.ts'
import type { Page, PageRequest, Row, Storage } from '../storage.ts'
import { makeShare } from './share.ts'

/** Up to this offset, reading past the rows costs less than counting first whether there are so many. */
const offsetReadThrough = 1000

/** `'10:20:10,14'` (pg_snapshot) → which transactions it has seen: those below 20 that were not open, 10 and 14. */
function seenIn(snapshot: string): (transaction: bigint) => boolean {
  const [, end = '0', open = ''] = snapshot.split(':')
  const bound = BigInt(end)
  const unseen = new Set(open === '' ? [] : open.split(',').map(BigInt))
  return (transaction) => transaction < bound && !unseen.has(transaction)
}

type Parts = {
  readonly executor: Executor
  readonly changes: Changes
  readonly tools: Tools
  readonly watches: Watches
  readonly totalsBytesMax: number
}

export function makePages(parts: Parts): Pick<Storage, 'count' | 'page'> {
  const { executor, changes, tools, watches, totalsBytesMax } = parts
  const { statements, readerOf } = tools
  const share = makeShare()

  async function countNow(resource: Resource, where: Condition): Promise<Counted> {
    const { sql, parameters } = statements.count(resource, where)
    const cells = await executor.first({ sql: `SELECT (${sql}), pg_current_snapshot()::text`, parameters })
    const [total, snapshot] = cells as [number, string]
    const isSeen = seenIn(snapshot)
    return { total, includes: ({ transaction }) => transaction !== undefined && isSeen(transaction) }
  }
  const totals = makeKeptTotals({ watches, count: countNow, bytesMax: totalsBytesMax })

  /** Many who ask for one page at once share one read. */
  function list(resource: Resource, request: PageRequest): Promise<Row[]> {
    const { where, sort, limit, offset } = request
    return share(`${watches.keyOf(resource, where)} ${JSON.stringify([sort, limit, offset])}`, async () =>
      (await executor.all(statements.list(resource, request))).map(readerOf(resource)),
    )
  }

  /** Where the total is not known, a page that is not full ends the list, so nothing needs counting. */
  async function readPage(resource: Resource, request: PageRequest): Promise<Page> {
    const { where, limit, offset } = request
    const known =
      totals.known(resource, where) ?? (offset > offsetReadThrough ? await totals.total(resource, where) : undefined)
    if (known !== undefined && offset >= known) return { rows: [], total: known }
    const rows = await list(resource, request)
    if (rows.length > 0 && rows.length < limit) return { rows, total: offset + rows.length }
    return { rows, total: await totals.total(resource, where) }
  }

  return {
    async count(resource, where) {
      await changes.catchUp()
      return totals.total(resource, where)
    },
    async page(resource, request) {
      await changes.catchUp()
      return readPage(resource, request)
    },
  }
}
