/** The beginnings of lists whose pages have moved while others wrote, in a bounded number of bytes: those that were asked for lately. */
import { LRUCache } from 'lru-cache'
import type { Since, Watch } from '../storage/derived/watch.ts'
import type { PageRequest, Row } from '../storage/storage.ts'
import { type Beginning, type BeginningParts, isNear, makeBeginning } from './beginning.ts'
import type { Entry, KeptAnswer } from './entry.ts'
import type { PagePart, RowBytes } from './page-part.ts'
import type { Recording } from './recording.ts'
import { isSettled, pageIn, type Seen, seeMoved } from './seen.ts'

export type Fronts = {
  /**
   * What a page shows by now; undefined where one of its records is not known, neither from what was shown nor from what was written. From then on what
   * its list shows is noted.
   */
  find(key: string, entry: Entry): Moved | undefined
  /** What of its list is to be read where `find` has said nothing, so that it can say more; undefined where the page is to be made anew. */
  unread(key: string, entry: Entry): Unread | undefined
  /** Notes what an answer shows, where others of its list have moved. Call it when everything is known that was written before the answer was read. */
  note(key: string, answer: KeptAnswer, recording: Pick<Recording, 'seen' | 'page'>): void
  bytes(): number
}

/** A page where other records stand now: these. */
export type Moved = { readonly part: PagePart; readonly rows: RowBytes; readonly seen: Seen }

export type Unread = {
  readonly watch: Watch
  readonly request: PageRequest
  /** Call it when it is known that nothing was written between `since` and the read. */
  note(since: Since, rows: readonly Row[]): void
}

type Options = BeginningParts & { readonly bytesMax: number }

const bytesOfCharacter = 2

export function makeFronts({ bytesMax, ...parts }: Options): Fronts {
  const { form, kept } = parts
  const lists = new LRUCache<string, Beginning>({
    maxSize: bytesMax,
    sizeCalculation: (list, name) => list.bytes() + name.length * bytesOfCharacter,
    dispose(list, _, reason) {
      if (reason !== 'set') list.forget()
    },
  })
  /** It is larger or smaller now, which only another object tells. */
  function weighAgain(name: string, list: Beginning): void {
    lists.set(name, { ...list })
    if (!lists.has(name)) list.forget() // larger than all may be
  }
  /** The answer itself, and the pages beside it, with which it may have changed records. */
  function* keptAround(key: string, entry: Entry, part: PagePart): Generator<Entry> {
    yield entry
    for (const other of form.besideOf(part, key)) {
      const beside = kept.get(other)
      if (beside) yield beside
    }
  }

  return {
    bytes: () => lists.calculatedSize,
    find(key, entry) {
      const { part } = entry
      const page = pageIn(entry.seen)
      if (!part || !page || !isNear(part)) return undefined
      const name = form.listOf(part, key)
      const list = lists.get(name) ?? makeBeginning(parts, page)
      let standing = list.page(part)
      if (!standing) {
        for (const one of keptAround(key, entry, part)) {
          const shown = pageIn(one.seen)
          if (shown) list.noteKept(shown, one)
          standing = list.page(part)
          if (standing) break
        }
        weighAgain(name, list)
      }
      return standing && { part, rows: list.bytesOf(standing), seen: seeMoved(page, standing) }
    },
    unread(key, { part, seen }) {
      const page = pageIn(seen)
      // A page that ends with its list is never known to be all that is there.
      if (!part || !page?.shown.last || !isNear(part)) return undefined
      const name = form.listOf(part, key)
      const stretch = lists.get(name)?.unread(part)
      if (!stretch) return undefined
      const { watch, shown } = page
      return {
        watch,
        request: { where: watch.where, sort: shown.sort, ...stretch },
        note(since, rows) {
          const list = lists.get(name)
          if (!list) return
          list.noteRows(part, { watch, since }, { offset: stretch.offset, rows })
          weighAgain(name, list)
        },
      }
    },
    note(key, { part, body }, { page: read, seen }) {
      // What rests on more than one read shows more than the records of the list, and that is not watched here.
      const page = seen.length === 1 ? pageIn(seen[0] as Seen) : undefined
      if (!part || !page || !isSettled(page) || !isNear(part) || !Buffer.isBuffer(body)) return
      const name = form.listOf(part, key)
      const list = lists.get(name)
      const rows = read()
      if (!list || !rows) return
      list.note({ part, page, body }, rows)
      weighAgain(name, list)
    },
  }
}
