/**
 * The texts of records that pages of one list have shown, page by page as they were, in the file of kept answers: a thousand records of a list are 330 KB.
 * Records that stood side by side are read side by side. A page that none of them is a part of any more leaves the file.
 */
import type { Place } from '../storage/derived/order.ts'
import type { AnswerFile, Place as FilePlace } from './answer-file.ts'
import { type RowBytes, type Span, spansOf } from './page-part.ts'
import { asText, putInto } from './stored-body.ts'

/** A page that was shown, and how many records are still read from it. */
export type Shelf = { readonly stored: FilePlace | string; uses: number }

/** A record in its place, and where its text is. `shelf`: undefined where the record was written after it was shown. One object, because there are thousands. */
export type Standing = { readonly place: Place; shelf: Shelf | undefined; from: number; to: number }

export type Shelves = {
  /** The records of a page, each with its place and where in the bytes it is. Commas are between them, as between those of the answers. */
  put(page: Buffer, records: readonly (Span & Pick<Standing, 'place'>)[]): Standing[]
  /** The text of a record that was written after it was shown. */
  putOne(standing: Standing, text: Buffer): void
  /** The text of this record will not be read again. */
  release(standing: Standing): void
  /** These, side by side. */
  bytesOf(standing: readonly Standing[]): RowBytes
  /** What they take in memory, where there is no file. */
  bytes(): number
}

/** A page of more pieces than this is put down again in one: each is a read of 1 to 2 µs. */
const piecesMax = 4
const comma = 0x2c

const isNextTo = (one: Standing, next: Standing | undefined) => next?.shelf === one.shelf && next?.from === one.to + 1

/** The first and the last of each row of neighbours. */
function* piecesOf(standing: readonly Standing[]): Generator<readonly [Standing, Standing]> {
  let first = 0
  for (const [i, one] of standing.entries()) {
    if (isNextTo(one, standing[i + 1])) continue
    yield [standing[first] as Standing, one]
    first = i + 1
  }
}

export function makeShelves(file: AnswerFile): Shelves {
  let bytesInMemory = 0

  function shelve(page: Buffer, uses: number): Shelf {
    const place = putInto(file, page)?.place
    if (!place) bytesInMemory += page.length
    return { stored: place ?? asText(page), uses }
  }
  function release(standing: Standing): void {
    const { shelf } = standing
    standing.shelf = undefined
    if (!shelf) return
    shelf.uses -= 1
    if (shelf.uses > 0) return
    if (typeof shelf.stored === 'string') bytesInMemory -= shelf.stored.length
    else file.leave(shelf.stored)
  }
  function copy({ shelf, from }: Standing, to: Buffer): boolean {
    if (!shelf) return false
    if (typeof shelf.stored !== 'string') return file.readFrom(shelf.stored, from, to)
    to.write(shelf.stored.slice(from, from + to.length), 'latin1')
    return true
  }
  /** All of them on one shelf. */
  function gather(standing: readonly Standing[], page: Buffer): void {
    const shelf = shelve(page, standing.length)
    const spans = spansOf(standing.map(({ from, to }) => to - from))
    for (const [i, one] of standing.entries()) {
      release(one)
      Object.assign(one, { shelf, ...spans[i] })
    }
  }

  return {
    release,
    bytes: () => bytesInMemory,
    put(page, records) {
      const shelf = shelve(page, records.length)
      return records.map(({ place, from, to }) => ({ place, shelf, from, to }))
    },
    putOne: (standing, text) => void Object.assign(standing, { shelf: shelve(text, 1), from: 0, to: text.length }),
    bytesOf(standing) {
      const length = standing.reduce((sum, { from, to }) => sum + to - from + 1, -1)
      return {
        length,
        write(to, at) {
          let [pieces, next] = [0, at]
          for (const [first, last] of piecesOf(standing)) {
            if (pieces > 0) to[next++] = comma
            const end = next + last.to - first.from
            if (!copy(first, to.subarray(next, end))) return false
            next = end
            pieces += 1
          }
          if (pieces > piecesMax) gather(standing, to.subarray(at, next))
          return true
        },
      }
    },
  }
}
