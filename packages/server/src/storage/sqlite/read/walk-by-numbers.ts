/**
 * Streams a list that no index has in order. Sorting it for each chunk would take quadratic time.
 * So a read thread sorts it once and keeps only the row numbers. Each chunk then reads the current
 * rows with those numbers, if they still match.
 */
import type { Resource } from '../../../resource/catalog.ts'
import { type CostlyRequest, tookTooLong, tooManyReads } from '../../costly-reads.ts'
import type { SqlTools } from '../../sql/reader.ts'
import type { Row, RowCursor, RowCursorRequest } from '../../storage.ts'
import type { SqliteConnection } from '../connection.ts'
import { rowNumbers, rowsAt } from '../texts/row-order.ts'
import type { ReadThreads } from './read-threads.ts'

/** Eight bytes a row. */
const rowsMax = 4_000_000
/** For all streams of a process, and for those of one client. */
const keptBytesMax = 64_000_000
const keptBytesOfClientMax = 32_000_000

const nothing = new Float64Array()

type WalkByNumbersDeps = { readonly reader: SqliteConnection; readonly threads: ReadThreads; readonly tools: SqlTools }

/** Limits the memory of streams, by client. */
function makeKept() {
  const byClient = new Map<string, number>()
  let bytes = 0
  return {
    take(client: string, more: number): void {
      const own = (byClient.get(client) ?? 0) + more
      if (bytes + more > keptBytesMax || own > keptBytesOfClientMax) throw tooManyReads()
      bytes += more
      byClient.set(client, own)
    },
    giveBack(client: string, less: number): void {
      bytes -= less
      const own = (byClient.get(client) ?? 0) - less
      if (own > 0) byClient.set(client, own)
      else byClient.delete(client)
    },
  }
}

export function makeWalks({ reader, threads, tools }: WalkByNumbersDeps) {
  const { statements, readerOf } = tools
  const kept = makeKept()

  return (resource: Resource, { where, sort, limit }: RowCursorRequest, asking: CostlyRequest): RowCursor => {
    const { client } = asking.readClient
    let numbers: Float64Array | undefined
    let place = 0
    let giveBack = () => {}

    async function sortAll(): Promise<Float64Array> {
      const statement = statements.list(resource, { where, sort, limit: rowsMax + 1 }, { plainly: true })
      const found = (await threads.numbers(rowNumbers(statement), asking)).numbers
      if (found.length > rowsMax) throw tookTooLong(asking.advice)
      kept.take(client, found.byteLength)
      const forget = asking.readClient.onLeft(() => giveBack())
      giveBack = () => {
        giveBack = () => {}
        forget()
        kept.giveBack(client, found.byteLength)
        numbers = nothing
      }
      if (asking.readClient.left()) giveBack()
      return asking.readClient.left() ? nothing : found
    }
    function rowsOf(piece: readonly number[]): Row[] {
      const statement = statements.list(resource, { where, sort: [], limit }, { plainly: true })
      return reader.all(rowsAt(statement, piece)).map(readerOf(resource))
    }
    return {
      async next() {
        numbers ??= await sortAll()
        while (place < numbers.length) {
          const rows = rowsOf([...numbers.subarray(place, place + limit)])
          place += limit
          if (rows.length > 0) return rows
        }
        return []
      },
      close() {
        giveBack()
      },
    }
  }
}
