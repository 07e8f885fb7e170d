/**
 * Applies copied segments of a log to an older copy of the file, page by page, as a checkpoint
 * does.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { StartError } from '../../../errors.ts'
import { pagesIn, readFrames, type WalPosition } from './wal-frames.ts'

/** The line before the frames is shorter. */
const lineBytesMax = 1_000
/** The size of a read, or one transaction that is larger. */
const piecesBytes = 8_000_000

/** SQLite's page sizes in bytes. */
const pageSizes: readonly number[] = [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536]

/**
 * Whether frames that begin here can follow those that ended there: later ones of the same log, or
 * a log that has restarted.
 */
function isAfter(place: WalPosition, before: WalPosition | undefined): boolean {
  if (!before) return true
  return place.salts === before.salts ? place.offset <= before.offset : place.offset === 32
}

const damaged = () => new StartError('A copy of the log is damaged')

/** The position at which a segment begins; undefined while its line is incomplete. */
function placeIn(bytes: Buffer): { readonly place: WalPosition; readonly rest: Buffer } | undefined {
  const end = bytes.subarray(0, lineBytesMax).indexOf(10)
  if (end === -1 && bytes.length < lineBytesMax) return undefined
  let place: Partial<WalPosition>
  try {
    place = JSON.parse(bytes.toString('utf8', 0, end)) as Partial<WalPosition>
  } catch {
    throw damaged()
  }
  if (!pageSizes.includes(place.pageBytes ?? 0)) throw damaged()
  return { place: place as WalPosition, rest: bytes.subarray(end + 1) }
}

type FrameBytes = { readonly bytes: Buffer; readonly pageBytes: number }
type OnFrame = (place: WalPosition) => void

/**
 * Yields whole transactions as they come, so that at most one of them, or one read, is in memory.
 * Returns the position of the segment's end.
 */
async function* framesOf(segment: AsyncIterable<Buffer>, begun: OnFrame): AsyncGenerator<FrameBytes, WalPosition> {
  let place: WalPosition | undefined
  let waiting: Buffer[] = []
  let [length, wanted] = [0, lineBytesMax]

  function* look(isEnd: boolean): Generator<FrameBytes> {
    let bytes: Buffer = Buffer.concat(waiting)
    if (!place) {
      const found = placeIn(bytes)
      if (!found && !isEnd) return
      if (!found) throw damaged()
      bytes = found.rest
      place = found.place
      begun(place)
    }
    const read = readFrames(bytes, place)
    const rest = bytes.subarray(read.bytes.length)
    if (!read.isCut || (isEnd && rest.length > 0)) throw damaged()
    place = read.place
    waiting = [rest]
    length = rest.length
    wanted = 2 * length + piecesBytes
    if (read.bytes.length > 0) yield { bytes: read.bytes, pageBytes: place.pageBytes }
  }
  for await (const chunk of segment) {
    waiting.push(chunk)
    length += chunk.length
    if (length >= wanted) yield* look(false)
  }
  yield* look(true)
  return place as WalPosition
}

/** Returns the size of the file after the last of these commits; 0 where there is none. */
async function writePages(target: FileHandle, { bytes, pageBytes }: FrameBytes): Promise<number> {
  let size = 0
  for (const page of pagesIn(bytes, pageBytes)) {
    await target.write(page.content, 0, pageBytes, (page.number - 1) * pageBytes)
    if (page.size > 0) size = page.size * pageBytes
  }
  return size
}

/** Throws `StartError` for a segment that is damaged, or does not continue the one before. */
export async function applyFrames(file: string, segments: AsyncIterable<AsyncIterable<Buffer>>): Promise<void> {
  const target = await open(file, 'r+')
  let before: WalPosition | undefined
  let size = 0
  try {
    for await (const segment of segments) {
      const frames = framesOf(segment, (place) => {
        if (!isAfter(place, before)) throw new StartError('A copy of the log does not continue the one before')
      })
      let next = await frames.next()
      for (; !next.done; next = await frames.next()) size = (await writePages(target, next.value)) || size
      before = next.value
    }
    if (size > 0) await target.truncate(size)
    await target.sync()
  } finally {
    await target.close()
  }
}
