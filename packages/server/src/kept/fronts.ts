/** The beginnings of lists whose pages have moved while others wrote, in a bounded number of bytes: those that were asked for lately. */
import { LRUCache } from 'lru-cache'
import { placeOf } from '../storage/derived/order.ts'
import type { Entry, KeptAnswer } from './entry.ts'
import { type Front, makeFront, placesMax } from './front.ts'
import type { PageForm, PagePart } from './page-part.ts'
import type { Recording } from './recording.ts'
import { pageIn, type Seen, seeMoved } from './seen.ts'

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
export type Moved = { readonly part: PagePart; readonly rows: readonly string[]; readonly seen: Seen }

type Options = { readonly form: PageForm; readonly bytesMax: number }

const frontBytes = 500
const bytesOfCharacter = 2

const offsetOf = ({ page, limit }: PagePart) => (page - 1) * limit
const isNear = (part: PagePart) => offsetOf(part) + part.limit <= placesMax

export function makeFronts({ form, bytesMax }: Options): Fronts {
  const fronts = new LRUCache<string, Front>({
    maxSize: bytesMax,
    sizeCalculation: (front, list) => frontBytes + front.bytes() + list.length * bytesOfCharacter,
  })

  return {
    bytes: () => fronts.calculatedSize,
    find(key, { part, seen }) {
      const page = pageIn(seen)
      if (!part || !page || !isNear(part)) return undefined
      const name = form.listOf(part, key)
      const front = fronts.get(name)
      if (!front) fronts.set(name, makeFront(page.watch, page.shown.sort))
      const shown = front?.page(offsetOf(part), part.limit)
      return shown && { part, rows: shown.map(({ text }) => text), seen: seeMoved(page, shown) }
    },
    noting(key, { part, body }, { page: read }) {
      const page = read()
      if (!part || !page || !isNear(part) || !Buffer.isBuffer(body)) return undefined
      const name = form.listOf(part, key)
      const front = fronts.get(name)
      if (!front) return undefined
      return () => {
        const texts = form.rowsOf(part, body)
        if (texts?.length !== page.rows.length) return
        const shown = page.rows.map((row, i) => ({ place: placeOf(page.sort, row), text: texts[i] as string }))
        front.put(page.since, offsetOf(part), shown)
        fronts.set(name, front) // it is larger now
      }
    },
  }
}
