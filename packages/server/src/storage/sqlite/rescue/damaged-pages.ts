/**
 * Reads the pages of a damaged file as bytes, with newer copies of them from its log. It writes
 * nothing and trusts no value unchecked.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isMagic } from '../file/database-head.ts'
import { hasLog, logMatchOf } from '../file/log-match.ts'
import { pagesIn, parseHeader, readFrames, type WalPosition } from '../log/wal-frames.ts'

export type DamagedPages = {
  /** The size of a page, less the space reserved at its end. */
  readonly usable: number
  readonly count: number
  /** Undefined for a page that is missing or incomplete. */
  read(number: number): Buffer | undefined
  close(): void
}

const usualPageBytes = 4_096
const logPieceBytes = 32_000_000

type PageHead = { readonly pageBytes: number; readonly usable: number }

/** The values of the header, or SQLite's defaults where it is damaged. */
function headOf(file: number): PageHead {
  const head = Buffer.alloc(100)
  readSync(file, head, 0, 100, 0)
  const said = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16)
  const isGood = isMagic(head) && said >= 512 && (said & (said - 1)) === 0
  const reserved = isGood ? (head[20] as number) : 0
  const pageBytes = isGood ? said : usualPageBytes
  return { pageBytes, usable: pageBytes - reserved }
}

/** The newest copy of each page in whole transactions of the log. */
function readLog(path: string, { pageBytes }: PageHead): ReadonlyMap<number, Buffer> {
  const pages = new Map<number, Buffer>()
  const log = openSync(`${path}-wal`, 'r')
  try {
    const { size } = fstatSync(log)
    const head = Buffer.alloc(32)
    readSync(log, head, 0, 32, 0)
    let place: WalPosition | undefined = parseHeader(head)
    if (place?.pageBytes !== pageBytes) return pages
    for (let bytes = logPieceBytes; place && place.offset < size; ) {
      const piece = Buffer.alloc(Math.min(bytes, size - place.offset))
      readSync(log, piece, 0, piece.length, place.offset)
      const read = readFrames(piece, place)
      for (const page of pagesIn(read.bytes, pageBytes)) pages.set(page.number, Buffer.from(page.content))
      const isEnd = !read.isCut || place.offset + piece.length >= size
      if (isEnd) break
      if (read.bytes.length === 0) bytes *= 2
      place = read.place
    }
    return pages
  } finally {
    closeSync(log)
  }
}

/** Ignores a log that does not belong to the file. */
export function openDamagedPages(path: string): DamagedPages {
  const isOfFile = hasLog(path) && typeof logMatchOf(path) === 'string'
  const file = openSync(path, 'r')
  const head = headOf(file)
  const { pageBytes, usable } = head
  const ofLog = isOfFile ? readLog(path, head) : new Map<number, Buffer>()
  const inFile = Math.ceil(fstatSync(file).size / pageBytes)
  return {
    usable,
    count: Math.max(inFile, ...ofLog.keys()),
    read(number) {
      const newer = ofLog.get(number)
      if (newer) return newer
      if (number < 1 || number > inFile) return undefined
      const page = Buffer.alloc(pageBytes)
      return readSync(file, page, 0, pageBytes, (number - 1) * pageBytes) === pageBytes ? page : undefined
    },
    close: () => closeSync(file),
  }
}
