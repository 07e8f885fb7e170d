/**
 * Parses cells of b-tree pages and their records (sqlite.org/fileformat2, sections 1.6 and 2.1). An
 * invalid cell throws `DamagedError`: each length is checked before its use.
 */
import type { DamagedPages } from './damaged-pages.ts'

export class DamagedError extends Error {}

export type Stored = null | number | bigint | string | Uint8Array

/** The kinds of pages of a b-tree, by their first byte. */
export const pageKinds: Readonly<Record<number, 'index inside' | 'table inside' | 'index leaf' | 'table leaf'>> = {
  2: 'index inside',
  5: 'table inside',
  10: 'index leaf',
  13: 'table leaf',
}

export type BtreeCell = {
  /** Of a row; in interior pages of a table, the largest one below the child. */
  readonly rowid: number
  readonly child: number
  /** Undefined in interior pages of a table. */
  readonly payload: (() => Buffer) | undefined
}
export type BtreePage = {
  readonly kind: (typeof pageKinds)[number]
  readonly cells: readonly BtreeCell[]
  /** The last child of an interior page; 0 for a leaf. */
  readonly right: number
  /** How many cells could not be read. */
  readonly lost: number
}

type Varint = { readonly value: number; readonly next: number }

/** Numbers above 2^53 are no valid length or row number. */
function readVarint(bytes: Buffer, at: number): Varint {
  let value = 0
  for (let i = 0; i < 9; i += 1) {
    const byte = bytes[at + i]
    if (byte === undefined) throw new DamagedError('a number goes beyond its page')
    if (i === 8) {
      value = value * 256 + byte
      return checked({ value, next: at + 9 })
    }
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return checked({ value, next: at + i + 1 })
  }
  throw new DamagedError('a number without an end')
}
function checked(number: Varint): Varint {
  if (!Number.isSafeInteger(number.value)) throw new DamagedError('a number that is too large')
  return number
}

/** How much of a payload is on the page itself. */
function localBytes(length: number, usable: number, isTable: boolean): number {
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (length <= most) return length
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = least + ((length - least) % (usable - 4))
  return fitting <= most ? fitting : least
}

type PayloadPart = { readonly page: Buffer; readonly at: number; readonly length: number; readonly isTable: boolean }

/** Adds the overflow pages to `visited`. */
function payloadOf(
  pages: DamagedPages,
  { page, at, length, isTable }: PayloadPart,
  visited: Set<number>,
): () => Buffer {
  const local = localBytes(length, pages.usable, isTable)
  if (at + local > pages.usable) throw new DamagedError('a cell goes beyond its page')
  if (local < length && at + local + 4 > pages.usable) throw new DamagedError('a cell goes beyond its page')
  if (length / pages.usable > pages.count + 1) throw new DamagedError('a record that is larger than the file')
  const chain: number[] = []
  let next = local < length ? page.readUInt32BE(at + local) : 0
  const perPage = pages.usable - 4
  for (let left = length - local; left > 0; left -= perPage) {
    const more = next > 1 && next <= pages.count && !chain.includes(next) ? pages.read(next) : undefined
    if (!more) return () => failing('a page that a long value goes on in cannot be read')
    chain.push(next)
    visited.add(next)
    next = more.readUInt32BE(0)
  }
  return () => {
    let left = length - local
    const rest = chain.map((number) => {
      const piece = (pages.read(number) as Buffer).subarray(4, 4 + Math.min(left, perPage))
      left -= piece.length
      return piece
    })
    return Buffer.concat([page.subarray(at, at + local), ...rest])
  }
}
function failing(why: string): never {
  throw new DamagedError(why)
}

type RescueContext = { readonly pages: DamagedPages; readonly page: Buffer; readonly visited: Set<number> }

/** Throws `DamagedError`. */
function readCell({ pages, page, visited }: RescueContext, at: number, kind: BtreePage['kind']): BtreeCell {
  const isTable = kind?.startsWith('table') === true
  const isInside = kind?.endsWith('inside') === true
  const child = isInside ? page.readUInt32BE(at) : 0
  const from = at + (isInside ? 4 : 0)
  if (isInside && isTable) return { child, rowid: readVarint(page, from).value, payload: undefined }
  const length = readVarint(page, from)
  const row = isTable ? readVarint(page, length.next) : { value: 0, next: length.next }
  const payload = payloadOf(pages, { page, at: row.next, length: length.value, isTable }, visited)
  return { child, rowid: row.value, payload }
}

/** Whether an error means invalid bytes. */
export function isDamaged(error: unknown): boolean {
  return error instanceof DamagedError || error instanceof RangeError
}

/** Undefined for a page that is part of no b-tree. Counts the cells that cannot be read. */
export function readPage(pages: DamagedPages, number: number, visited: Set<number>): BtreePage | undefined {
  const page = pages.read(number)
  const start = number === 1 ? 100 : 0
  const kind = page && pageKinds[page[start] as number]
  if (!page || !kind) return undefined
  const isInside = kind.endsWith('inside')
  const count = page.readUInt16BE(start + 3)
  const pointers = start + (isInside ? 12 : 8)
  const content = pointers + 2 * count
  if (content > pages.usable) return undefined
  const cells: BtreeCell[] = []
  for (let i = 0; i < count; i += 1)
    try {
      const at = page.readUInt16BE(pointers + 2 * i)
      if (at >= content && at < pages.usable) cells.push(readCell({ pages, page, visited }, at, kind))
    } catch (error) {
      if (!isDamaged(error)) throw error
    }
  return { kind, cells, right: isInside ? page.readUInt32BE(start + 8) : 0, lost: count - cells.length }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const numberBytes = [0, 1, 2, 3, 4, 6, 8]

function readValue(bytes: Buffer, at: number, type: number): Stored {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type === 7) return bytes.readDoubleBE(at)
  if (type <= 6) {
    const length = numberBytes[type] as number
    if (length < 8) return bytes.readIntBE(at, length)
    const value = bytes.readBigInt64BE(at)
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }
  const piece = bytes.subarray(at, at + bytesOf(type))
  if (type % 2 === 0) return new Uint8Array(piece)
  try {
    return utf8.decode(piece)
  } catch {
    throw new DamagedError('a text that is none')
  }
}
function bytesOf(type: number): number {
  if (type === 10 || type === 11) throw new DamagedError('a value of no type')
  if (type >= 12) return Math.floor((type - 12) / 2)
  return type === 7 ? 8 : (numberBytes[type] ?? 0)
}

/** Throws `DamagedError` unless the record has exactly the length in its header. */
export function readRecord(payload: Buffer): Stored[] {
  const head = readVarint(payload, 0)
  const types: number[] = []
  let at = head.next
  while (at < head.value) {
    const type = readVarint(payload, at)
    types.push(type.value)
    at = type.next
  }
  const length = types.reduce((sum, type) => sum + bytesOf(type), head.value)
  if (at !== head.value || length !== payload.length) throw new DamagedError('a record of another length than it says')
  let from = head.value
  return types.map((type) => {
    const value = readValue(payload, from, type)
    from += bytesOf(type)
    return value
  })
}
