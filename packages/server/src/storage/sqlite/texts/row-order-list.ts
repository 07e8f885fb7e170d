/**
 * Reads the newest records that have some words. The text index lists rows in the order of inserts,
 * which is nearly that of their times. `rank-index/row-lag.ts` bounds the difference, so a page
 * reads few rows besides its own.
 */
import type { Resource } from '../../../resource/catalog.ts'
import { compareRecords } from '../../derived/sort-order.ts'
import type { SqlTools } from '../../sql/reader.ts'
import type { ListRequest, Row } from '../../storage.ts'
import type { SqliteConnection } from '../connection.ts'

const extraRows = 16
/** A page that ends behind this many rows is read in another way. */
const rowsMax = 1_000

/**
 * Undefined where too many rows would have to be read. The first key of the sort is a time that is
 * never null.
 */
export function listByRowOrder(
  { reader, tools }: { readonly reader: SqliteConnection; readonly tools: SqlTools },
  resource: Resource,
  { request, lagMs }: { readonly request: ListRequest; readonly lagMs: number },
): Row[] | undefined {
  const { sort, limit, offset = 0 } = request
  const wanted = offset + limit
  const first = sort[0]
  if (!first || request.after || lagMs === Infinity) return undefined
  const timeOf = (row: Row) => Date.parse(row[first.field] as string)
  const sign = first.descending ? -1 : 1
  for (let read = wanted + extraRows; read <= rowsMax; read *= 2) {
    const statement = tools.statements.list(resource, { ...request, limit: read, offset: 0 }, { byRowOrder: true })
    const rows = reader.all(statement).map(tools.readerOf(resource))
    const sorted = rows.toSorted((a, b) => compareRecords(sort, a, b))
    const [last, nth] = [rows.at(-1), sorted[wanted - 1]]
    // No row behind the last one is earlier in the order by more than the lag.
    const isEnough = !last || rows.length < read || (nth && sign * (timeOf(last) - timeOf(nth)) > lagMs)
    if (isEnough) return sorted.slice(offset, wanted)
  }
  return undefined
}
