/** The beginnings of lists whose pages have moved while others wrote, in a bounded number of bytes: those that were asked for lately. */
import { LRUCache } from 'lru-cache'
import { placeOf } from '../storage/derived/order.ts'
import type { Row } from '../storage/storage.ts'
import type { AnswerFile } from './answer-file.ts'
import type { Entry, KeptAnswer } from './entry.ts'
import { type Front, makeFront, placesMax } from './front.ts'
import type { PageForm, PagePart, RowBytes } from './page-part.ts'
import type { Recording } from './recording.ts'
import { pageIn, type Seen, type SeenPage, seeMoved } from './seen.ts'
import { makeShelves, type Shelves } from './shelves.ts'

export type Fronts = {
  /** What a page shows by now; undefined where one of its records is not known. From then on what its list shows is noted. */
  find(key: string, entry: Entry): Moved | undefined
  /**
   * Notes what an answer shows, where others of its list have moved; undefined where there is nothing to note. Call what it returns when everything is
   * known that was written before the answer was read.
   */
  noting(key: string, answer: KeptAnswer, recording: Recording): (() => void) | undefined
  bytes(): number
}

/** A page where other records stand now: these. */
export type Moved = { readonly part: PagePart; readonly rows: RowBytes; readonly seen: Seen }

type Options = {
  readonly form: PageForm
  readonly bytesMax: number
  /** For the texts of records. */
  readonly file: AnswerFile
}
/** One list. */
type Beginning = { readonly front: Front; readonly shelves: Shelves }

const beginningBytes = 1_000
const bytesOfCharacter = 2

const offsetOf = ({ page, limit }: PagePart) => (page - 1) * limit
const isNear = (part: PagePart) => offsetOf(part) + part.limit <= placesMax

export function makeFronts({ form, bytesMax, file }: Options): Fronts {
  const lists = new LRUCache<string, Beginning>({
    maxSize: bytesMax,
    sizeCalculation: ({ front, shelves }, name) =>
      beginningBytes + front.bytes() + shelves.bytes() + name.length * bytesOfCharacter,
    dispose({ front }, _, reason) {
      if (reason !== 'set') front.forget()
    },
  })
  function begin({ watch, shown: { sort } }: SeenPage): Beginning {
    const shelves = makeShelves(file)
    return { front: makeFront({ watch, sort, release: shelves.release }), shelves }
  }
  /** It is larger or smaller now, which only another object tells. */
  function weighAgain(name: string, list: Beginning): void {
    lists.set(name, { ...list })
    if (!lists.has(name)) list.front.forget() // larger than all may be
  }

  return {
    bytes: () => lists.calculatedSize,
    find(key, { part, seen }) {
      const page = pageIn(seen)
      if (!part || !page || !isNear(part)) return undefined
      const name = form.listOf(part, key)
      const list = lists.get(name)
      if (!list) lists.set(name, begin(page))
      const standing = list?.front.page(offsetOf(part), part.limit)
      return list && standing && { part, rows: list.shelves.bytesOf(standing), seen: seeMoved(page, standing) }
    },
    noting(key, { part, body }, { page: read, seen }) {
      const page = read()
      // What rests on more than one read shows more than the records of the list, and that is not watched here.
      if (!part || !page || seen.length > 1 || !isNear(part) || !Buffer.isBuffer(body)) return undefined
      const name = form.listOf(part, key)
      const list = lists.get(name)
      if (!list) return undefined
      return () => {
        const spans = form.rowsOf(part, body)
        if (spans?.length !== page.rows.length || lists.peek(name)?.front !== list.front) return
        const placed = spans.map((span, i) => ({ ...span, place: placeOf(page.sort, page.rows[i] as Row) }))
        if (placed.length > 0) list.front.put(page, offsetOf(part), list.shelves.put(body, placed))
        weighAgain(name, list)
      }
    },
  }
}
