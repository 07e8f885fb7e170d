/**
 * The beginning of a list, place by place: which record stands there and how it is shown, as far as pages have told. A record that comes or goes moves
 * those behind it and changes none of them, so what a page shows that has moved is known without a read.
 */
import { compareWithPlace, type Place, placeOf } from '../storage/derived/order.ts'
import type { Since, Touch, Watch } from '../storage/derived/watch.ts'
import type { ListRequest, Values } from '../storage/storage.ts'

/** A record in its place, and the text of the bytes that show it. */
export type Shown = { readonly place: Place; readonly text: string }
/** `text`: undefined where the record was written after it was shown. */
type Standing = { readonly place: Place; readonly text: string | undefined }

export type Front = {
  /** Notes what a page showed from this place on. It counts only where nothing was written to the list since it was read. */
  put(asOf: Since, offset: number, shown: readonly Shown[]): void
  /** What a page shows now; undefined where one of its records is not known. */
  page(offset: number, limit: number): readonly Shown[] | undefined
  /** About how much memory it takes. */
  bytes(): number
}

/** Few turn more pages than this. */
export const placesMax = 1_000
/** What a record takes besides its text, as measured. */
const standingBytes = 240

const isShown = (standing: Standing | undefined): standing is Shown => standing?.text !== undefined

export function makeFront(watch: Watch, sort: ListRequest['sort']): Front {
  /** By place; undefined where nobody has looked. The last is never undefined. */
  let known: (Standing | undefined)[] = []
  let since = watch.now()
  let characters = 0

  const compareAt = (record: Values, at: number) => compareWithPlace(sort, record, (known[at] as Standing).place)
  const isUnknown = (at: number) => at >= 0 && known[at] === undefined

  /** The first known place at or behind which the record stands; behind all where there is none. */
  function find(record: Values): number {
    let [low, high] = [0, known.length]
    while (low < high) {
      const middle = (low + high) >> 1
      let at = middle
      while (at >= low && known[at] === undefined) at -= 1
      if (at < low || compareAt(record, at) > 0) low = middle + 1
      else high = at
    }
    return high
  }
  const charactersAt = (at: number) => known[at]?.text?.length ?? 0
  function leaveOut(at: number): void {
    characters -= charactersAt(at)
    known.splice(at, 1)
  }
  function shorten(length: number): void {
    while (known.length > length || isUnknown(known.length - 1)) leaveOut(known.length - 1)
  }
  function forget(): void {
    known = []
    characters = 0
  }

  /** These say whether what is known agrees with it. */
  function come(record: Values): boolean {
    const at = find(record)
    if (at === known.length) return true
    if (compareAt(record, at) === 0) return false
    known.splice(at, 0, isUnknown(at - 1) ? undefined : { place: placeOf(sort, record), text: undefined })
    shorten(placesMax)
    return true
  }
  function go(record: Values): boolean {
    const at = find(record)
    if (at === known.length) return true
    if (compareAt(record, at) === 0) leaveOut(at)
    else if (isUnknown(at - 1)) leaveOut(at - 1)
    else return false
    shorten(known.length)
    return true
  }
  function take({ moved, before, after }: Touch): boolean {
    if (before === undefined || after === undefined) return false
    const [was, is] = [before ? moved.before : null, after ? moved.after : null]
    if (was === undefined || is === undefined) return false
    return (was === null || go(was)) && (is === null || come(is))
  }
  function catchUp(): void {
    const touches = watch.since(since)
    since = watch.now()
    if (!touches?.toReversed().every(take)) forget()
  }

  return {
    put(asOf, offset, shown) {
      catchUp()
      if (watch.since(asOf)?.length !== 0) return
      while (known.length < offset) known.push(undefined)
      for (const [i, one] of shown.entries()) {
        characters += one.text.length - charactersAt(offset + i)
        known[offset + i] = one
      }
      shorten(placesMax)
    },
    page(offset, limit) {
      catchUp()
      const shown = known.slice(offset, offset + limit)
      return shown.length === limit && shown.every(isShown) ? shown : undefined
    },
    bytes: () => known.length * standingBytes + characters,
  }
}
