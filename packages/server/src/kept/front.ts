/**
 * The beginning of a list, place by place: which record stands there and how it is shown, as far as pages have told. A record that comes or goes moves
 * those behind it and changes none of them, so what a page shows that has moved is known without a read.
 */
import { compareWithPlace, placeOf } from '../storage/derived/order.ts'
import type { Since, Touch, Watch } from '../storage/derived/watch.ts'
import type { ListRequest, Values } from '../storage/storage.ts'
import type { Standing } from './shelves.ts'

export type Front = {
  /** Notes what a page showed from this place on, and where that stands now. */
  put(asOf: AsOf, offset: number, shown: readonly Standing[]): void
  /** What stands there now, as far as it is known; fewer than `limit` where nobody has looked that far. */
  page(offset: number, limit: number): Known
  /** Of the watches of one condition, which replace each other where there are too many, this one is the latest. */
  follow(watch: Watch): void
  /** Nothing is known any more. */
  forget(): void
  /** About how much memory it takes, without the texts. */
  bytes(): number
}

/** When the list was as a page showed it, with everything known that had been written by then. */
type AsOf = { readonly watch: Watch; readonly since: Since }

type Options = {
  readonly watch: Watch
  readonly sort: ListRequest['sort']
  /** Is called with each that is known no more. */
  readonly release: (standing: Standing) => void
}

/** Few turn more pages than this. */
export const placesMax = 1_000
/** After more than this a list has changed so much that to look at it again costs less. */
const touchesMax = 200
/** What a record takes in memory besides the texts among its values, each of these besides its characters, and a place, known or not. */
const standingBytes = 142
const textBytes = 24
const placeBytes = 8

const bytesOf = ({ place }: Standing) =>
  place.reduce<number>((sum, value) => sum + (typeof value === 'string' ? textBytes + value.length : 0), standingBytes)

/** By place; undefined where nobody has looked. */
export type Known = readonly (Standing | undefined)[]

/** Places, and how they move. */
function makePlaces({ sort, release }: Omit<Options, 'watch'>) {
  /** The last is never undefined. */
  const known: (Standing | undefined)[] = []
  let bytes = 0

  const compareAt = (record: Values, at: number) => compareWithPlace(sort, record, (known[at] as Standing).place)
  const isUnknown = (at: number) => at >= 0 && known[at] === undefined
  const unshown = (record: Values) => ({ place: placeOf(sort, record), shelf: undefined, from: 0, to: 0 })

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
  /** The same one, which is about to stand somewhere. */
  function counted(standing: Standing): Standing {
    bytes += bytesOf(standing)
    return standing
  }
  function releaseAt(at: number): void {
    const standing = known[at]
    if (!standing) return
    bytes -= bytesOf(standing)
    release(standing)
  }
  function leaveOut(at: number): void {
    releaseAt(at)
    known.splice(at, 1)
  }
  function shorten(length: number): void {
    while (known.length > length || isUnknown(known.length - 1)) leaveOut(known.length - 1)
  }

  return {
    bytes: () => bytes + known.length * placeBytes,
    slice: (from: number, to: number): Known => known.slice(from, to),
    forget: () => shorten(0),
    put(offset: number, shown: Known): void {
      while (known.length < offset) known.push(undefined)
      for (const [i, one] of shown.entries()) {
        const at = offset + i
        if (at === known.length) known.push(undefined)
        // What was written since the other was shown is not shown by this one.
        if (!one || (known[at] && !one.shelf)) continue
        releaseAt(at)
        known[at] = counted(one)
      }
      shorten(placesMax)
    },
    /** Like `go`, it says whether what is known agrees with it. */
    come(record: Values): boolean {
      const at = find(record)
      if (at === known.length) return true
      if (compareAt(record, at) === 0) return false
      known.splice(at, 0, isUnknown(at - 1) ? undefined : counted(unshown(record)))
      shorten(placesMax)
      return true
    },
    go(record: Values): boolean {
      const at = find(record)
      if (at === known.length) return true
      if (compareAt(record, at) === 0) leaveOut(at)
      else if (isUnknown(at - 1)) leaveOut(at - 1)
      else return false
      shorten(known.length)
      return true
    },
  }
}

type Places = ReturnType<typeof makePlaces>

/** Whether what is known agrees with the change. */
function take(places: Places, { moved, before, after }: Touch): boolean {
  if (before === undefined || after === undefined) return false
  const [was, is] = [before ? moved.before : null, after ? moved.after : null]
  if (was === undefined || is === undefined) return false
  return (was === null || places.go(was)) && (is === null || places.come(is))
}

/** Takes what has happened since; false where that is not known, too much, or not what can have happened. */
function takeAll(places: Places, touches: readonly Touch[] | undefined): boolean {
  return touches !== undefined && touches.length <= touchesMax && touches.toReversed().every((one) => take(places, one))
}

export function makeFront({ watch: first, sort, release }: Options): Front {
  const places = makePlaces({ sort, release })
  let watch = first
  let since = watch.now()

  function catchUp(): void {
    const touches = watch.since(since)
    since = watch.now()
    if (!takeAll(places, touches)) places.forget()
  }

  return {
    put(asOf, offset, shown) {
      catchUp()
      const page = makePlaces({ sort, release })
      page.put(offset, shown)
      if (takeAll(page, asOf.watch.since(asOf.since))) places.put(0, page.slice(0, placesMax))
      else page.forget()
    },
    page(offset, limit) {
      catchUp()
      return places.slice(offset, offset + limit)
    },
    follow(latest) {
      if (latest === watch) return
      catchUp()
      watch = latest
      since = watch.now()
    },
    forget: places.forget,
    bytes: places.bytes,
  }
}
