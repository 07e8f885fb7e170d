/**
 * Reads the rows that refer to many records, in pieces of bounded size. A thousand orders with a
 * thousand lines each delay no other request. A small number of rows, the usual case, takes one
 * query.
 */
import type { Resource, SortKey } from '../../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../../resource/condition.ts'
import type { Reader, Row } from '../../storage/storage.ts'
import type { YieldWhenLong } from '../imports/yield-when-long.ts'

/** Rows of one query. It takes some milliseconds. */
const pieceRows = 1_000
/** A page with more related records than this is a mistake in the declaration, not a need. */
const relatedMax = 100_000

export type TiedRows = {
  readonly resource: Resource
  /** The field that names the records at hand. */
  readonly by: string
  readonly ids: readonly Scalar[]
  readonly where: Condition
  /** By id if absent. */
  readonly sort: readonly SortKey[] | undefined
  /** The most rows that are needed of all together. */
  readonly most?: number | undefined
}

type TiedReading = { readonly reader: Reader; readonly yieldWhenLong: YieldWhenLong }

/** The order of the rows of one id. */
function orderOf({ resource, sort = [] }: TiedRows): readonly SortKey[] {
  const isUnique = sort.some(({ field }) => field === resource.idField)
  return isUnique ? sort : [...sort, { field: resource.idField, descending: false }]
}

/** The rows of one id, one piece after another. */
async function readOne({ reader, yieldWhenLong }: TiedReading, tied: TiedRows, id: Scalar): Promise<Row[]> {
  const { resource, by, where, most = relatedMax } = tied
  const sort = orderOf(tied)
  const rows: Row[] = []
  for (;;) {
    const last = rows.at(-1)
    const after = last ? { values: sort.map(({ field }) => last[field] as Scalar | null) } : null
    const piece = await reader.list(resource, { where: all(equal(by, id), where), sort, limit: pieceRows, after })
    for (const row of piece) rows.push(row)
    if (piece.length < pieceRows || rows.length >= most) return rows
    await yieldWhenLong()
  }
}

/** Rows that are read by their ids alone come in the database's own order. */
function sortById(rows: Row[], { idField }: Resource): Row[] {
  return rows.sort((a, b) => ((a[idField] as Scalar) < (b[idField] as Scalar) ? -1 : 1))
}

/**
 * In order within each id. The database sorts only where it must: it would have to read all rows
 * before it gave any.
 */
export async function readTied(reading: TiedReading, tied: TiedRows): Promise<Row[]> {
  const { reader, yieldWhenLong } = reading
  const { resource, by, ids, where, sort, most = relatedMax } = tied
  const rows: Row[] = []
  let size = pieceRows
  for (let at = 0; at < ids.length && rows.length < most; ) {
    const group = ids.slice(at, at + size)
    const among: Condition = { kind: 'in', field: by, values: group }
    const request = { where: all(among, where), sort: sort ?? [], limit: pieceRows + 1 }
    const found = await reader.list(resource, request)
    if (found.length <= pieceRows) {
      for (const row of sort ? found : sortById(found, resource)) rows.push(row)
      at += group.length
      size = Math.max(1, Math.min(pieceRows, Math.floor((group.length * pieceRows) / (found.length + 1))))
    } else if (group.length === 1) {
      for (const row of await readOne(reading, tied, group[0] as Scalar)) rows.push(row)
      at += 1
    } else {
      // All ids but the last that were seen are known to fit.
      size = Math.max(1, Math.min(group.length - 1, new Set(found.map((row) => row[by])).size - 1))
    }
    await yieldWhenLong()
  }
  return rows
}

/**
 * The first rows of each id, in order within each, usually by one query. A query stops after a
 * thousand rows, and the next begins at the id whose rows it may have cut.
 */
export async function readEach(
  { reader, yieldWhenLong }: TiedReading,
  tied: TiedRows & { readonly limitEach: number },
): Promise<readonly Row[]> {
  const { resource, by, where, limitEach, most = relatedMax } = tied
  const piece = { by, where, sort: orderOf(tied), limit: limitEach, most: Math.max(pieceRows, limitEach) + 1 }
  const rows: Row[] = []
  for (let at = 0; at < tied.ids.length && rows.length < most; ) {
    const ids = tied.ids.slice(at, at + pieceRows)
    const found = await reader.listEach(resource, { ...piece, ids })
    const cut = found.length < piece.most ? undefined : found.at(-1)?.[by]
    for (const row of found) if (row[by] !== cut) rows.push(row)
    at += cut === undefined ? ids.length : ids.indexOf(cut as Scalar)
    await yieldWhenLong()
  }
  return rows
}
