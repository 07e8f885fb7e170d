/**
 * The beginning of one list: what stands at its first places, each with its text. It is put together of what pages have shown, of what was written since,
 * and of what other pages of the list showed that are kept.
 */
import type { Scalar } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import type { History } from '../storage/derived/history.ts'
import { type Place, placeOf } from '../storage/derived/order.ts'
import type { Row } from '../storage/storage.ts'
import { type Represented, restoreValue } from '../value/represent.ts'
import type { AnswerFile } from './answer-file.ts'
import type { AnswerMemory } from './answer-memory.ts'
import type { Entry } from './entry.ts'
import { type AsOf, makeFront } from './front.ts'
import { type PageForm, type PagePart, spansOf } from './page-part.ts'
import { placesMax } from './places.ts'
import type { ReadPage } from './recording.ts'
import { isSettled, type SeenPage } from './seen.ts'
import { makeShelves, type Standing } from './shelves.ts'

/** A page, what it rests on, and its bytes. */
export type Shown = { readonly part: PagePart; readonly page: SeenPage; readonly body: Buffer }

/** Places of a list, one after the other. */
export type Stretch = { readonly offset: number; readonly limit: number }

export type Beginning = {
  /** What stands on the page now; undefined where one of its records is not known. */
  page(part: PagePart): readonly Standing[] | undefined
  /** Which places are to be read, so that the page is known, and what will move into it next; undefined where it can only be made anew. */
  unread(part: PagePart): Stretch | undefined
  /** Notes what stands from this place on. */
  noteRows(part: PagePart, asOf: AsOf, read: { readonly offset: number; readonly rows: readonly Row[] }): void
  /** Notes what a page showed, of which these records were read. */
  note(shown: Shown, read: Pick<ReadPage, 'rows'>): void
  /** The same of a page that is kept. */
  noteKept(page: SeenPage, entry: Entry): void
  /** Nothing is known any more. */
  forget(): void
  /** About how much memory it takes, with the texts that are in memory. */
  bytes(): number
} & Pick<ReturnType<typeof makeShelves>, 'bytesOf'>

export type BeginningParts = {
  readonly form: PageForm
  /** For the texts of records. */
  readonly file: AnswerFile
  /** Kept answers, which say where the records of their pages stood. */
  readonly kept: Pick<AnswerMemory<Entry>, 'get' | 'beginningOf'>
  readonly history: History
}

const ownBytes = 1_000
/** Of the places before those that are missing so many are read with them: mostly all between two pages that are asked for. */
const beforeMax = 40

const offsetOf = ({ page, limit }: PagePart) => (page - 1) * limit

/** Whether all of the page is among the first places. */
export const isNear = (part: PagePart) => offsetOf(part) + part.limit <= placesMax

export function makeBeginning(
  { form, file, kept, history }: BeginningParts,
  { watch, shown: { sort } }: SeenPage,
): Beginning {
  const { resource } = watch
  const shelves = makeShelves(file)
  const front = makeFront({ watch, sort, release: shelves.release })

  /** The record as it was written last. */
  function printed({ place }: Standing, { print }: PagePart): Buffer | undefined {
    const image = print && history.of(resource).latest(place.at(-1) as Scalar)?.after
    return image ? Buffer.from(print(image)) : undefined
  }
  /** Where a record stands that was shown; undefined where that cannot be told from what was shown of it. */
  function placeShown(record: Represented): Place | undefined {
    const place = sort.map(({ field }) => restoreValue(resource.fields[field] as Field, record[field]))
    return place.includes(undefined) ? undefined : place
  }
  /** `rows`: its records, where they are at hand. */
  function note({ part, page, body }: Shown, rows?: readonly Row[]): void {
    const records = form.rowsOf(part, body) ?? []
    if (rows && rows.length !== records.length) return
    const placed = records.flatMap(({ from, to, record }, i) => {
      const place = rows ? placeOf(sort, rows[i] as Row) : placeShown(record)
      return place ? [{ from, to, place }] : []
    })
    if (placed.length === 0 || placed.length < records.length) return
    front.put(page, offsetOf(part), shelves.put(body, placed))
  }

  /** Whether its text is known: that of a record which was written since it was shown is printed now. */
  function hasText(one: Standing, part: PagePart): boolean {
    if (one.shelf) return true
    const text = printed(one, part)
    if (text) shelves.putOne(one, text)
    return text !== undefined
  }
  /** What stands on the page; undefined where the record or its text is not known, and fewer where nobody has looked that far. */
  function knownOn(part: PagePart): (Standing | undefined)[] {
    return front.page(offsetOf(part), part.limit).map((one) => (one && hasText(one, part) ? one : undefined))
  }
  /** How many of the places right before this one nobody has looked at. */
  function unknownBefore(place: number): number {
    const count = Math.min(place, beforeMax)
    return count - 1 - front.page(place - count, count).findLastIndex((one) => one !== undefined)
  }

  return {
    unread(part) {
      if (!part.print) return undefined
      const known = knownOn(part)
      const missing = Array.from({ length: part.limit }, (_, i) => offsetOf(part) + i).filter((_, i) => !known[i])
      const [first, last] = [missing[0], missing.at(-1)]
      if (first === undefined || last === undefined) return undefined
      const from = first - unknownBefore(first)
      return { offset: from, limit: last + 1 - from }
    },
    noteRows({ print }, asOf, { offset, rows }) {
      if (!print || rows.length === 0) return
      const texts = rows.map(print)
      const spans = spansOf(texts.map((text) => Buffer.byteLength(text)))
      const placed = spans.map((span, i) => ({ ...span, place: placeOf(sort, rows[i] as Row) }))
      front.put(asOf, offset, shelves.put(Buffer.from(texts.join(',')), placed))
    },
    note(shown, { rows }) {
      front.follow(shown.page.watch)
      note(shown, rows)
    },
    noteKept(page, entry) {
      const { part } = entry
      const body = part && isSettled(page) ? kept.beginningOf(entry, part.at) : undefined
      if (part && body) note({ part, page, body })
    },
    page(part) {
      const known = knownOn(part)
      return known.length < part.limit || known.includes(undefined) ? undefined : (known as Standing[])
    },
    bytesOf: shelves.bytesOf,
    forget: front.forget,
    bytes: () => ownBytes + front.bytes() + shelves.bytes(),
  }
}
