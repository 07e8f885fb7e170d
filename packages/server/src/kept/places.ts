/**
 * The places of a list of which it is known who stands there, and how they move. Of those in front of the first known one only the number is kept: a page
 * alone is a few records, however far back it is. It knows nothing of when something was written.
 */
import { compareWithPlace, placeOf } from '../storage/derived/order.ts'
import type { ListRequest, Values } from '../storage/storage.ts'
import type { Standing } from './shelves.ts'

export type Order = {
  readonly sort: ListRequest['sort']
  /** Is called with each that is known no more. */
  readonly release: (standing: Standing) => void
}

/** By place; undefined where nobody has looked. */
export type Known = readonly (Standing | undefined)[]

/** Few turn more pages than this. */
export const placesMax = 1_000
/** What a record takes in memory besides the texts among its values, each of these besides its characters, and a place, known or not. */
const standingBytes = 142
const textBytes = 24
const placeBytes = 8

const bytesOf = ({ place }: Standing) =>
  place.reduce<number>((sum, value) => sum + (typeof value === 'string' ? textBytes + value.length : 0), standingBytes)

const unknown = (count: number) => Array.from<undefined>({ length: count })

/** From the first known place to the last, with those between that are not. What is left out of it is released. */
function makeStretch(release: Order['release']) {
  /** How many stand in front of it. */
  let first = 0
  const known: (Standing | undefined)[] = []
  let bytes = 0

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
  /** The same one, which is about to stand somewhere. */
  function counted(standing: Standing | undefined): Standing | undefined {
    if (standing) bytes += bytesOf(standing)
    return standing
  }
  /** Whether nobody has looked there; -1 is the place in front of it. */
  const isUnknown = (at: number) => (at < 0 ? first > 0 : known[at] === undefined)

  return {
    first: () => first,
    known: known as Known,
    isUnknown,
    bytes: () => bytes + known.length * placeBytes,
    slice(from: number, to: number): Known {
      if (from >= first) return known.slice(from - first, to - first)
      return [...unknown(Math.min(first, to) - from), ...known.slice(0, Math.max(0, to - first))]
    },
    leaveOut(at: number): void {
      if (at < 0) first -= 1
      else leaveOut(at)
    },
    putIn(at: number, standing: Standing | undefined): void {
      if (at === 0 && !standing) first += 1
      else known.splice(at, 0, counted(standing))
    },
    replace(at: number, standing: Standing): void {
      releaseAt(at)
      known[at] = counted(standing)
    },
    /** Has it take in the places from this one up to another, in front of or behind what it has. */
    reach(from: number, to: number): void {
      if (known.length === 0) first = from
      if (from < first) known.unshift(...unknown(first - from))
      first = Math.min(first, from)
      while (first + known.length < to) known.push(undefined)
    },
    /** Leaves out what stands behind so many places, and at both ends what is not known. */
    shorten(length = first + known.length): void {
      while (known.length > 0 && (first + known.length > length || isUnknown(known.length - 1)))
        leaveOut(known.length - 1)
      while (known.length > 0 && isUnknown(0)) {
        leaveOut(0)
        first += 1
      }
      if (known.length === 0) first = 0
    },
  }
}

export type Places = ReturnType<typeof makePlaces>

export function makePlaces({ sort, release }: Order) {
  const { known, isUnknown, ...stretch } = makeStretch(release)

  const compareAt = (record: Values, at: number) => compareWithPlace(sort, record, (known[at] as Standing).place)
  const unshown = (record: Values) => ({ place: placeOf(sort, record), shelf: undefined, from: 0, to: 0 })

  /** Which of the known places is the first at or behind which the record stands; their number where there is none. */
  function find(record: Values): number {
    // Most of what is written to a long list stands behind its beginning.
    if (known.length === 0 || compareAt(record, known.length - 1) > 0) return known.length
    let [low, high] = [0, known.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      let at = middle
      while (at >= low && known[at] === undefined) at -= 1
      if (at < low || compareAt(record, at) > 0) low = middle + 1
      else high = at
    }
    return high
  }

  return {
    /** How many places there are in front of those that are known. */
    first: stretch.first,
    known,
    bytes: stretch.bytes,
    slice: stretch.slice,
    forget: () => stretch.shorten(0),
    put(offset: number, shown: Known): void {
      stretch.reach(offset, offset + shown.length)
      for (const [i, one] of shown.entries()) {
        const at = offset + i - stretch.first()
        // What was written since the other was shown is not shown by this one.
        if (one && (!known[at] || one.shelf)) stretch.replace(at, one)
      }
      stretch.shorten(placesMax)
    },
    /** Like `go`, it says whether what is known agrees with it. */
    come(record: Values): boolean {
      const at = find(record)
      if (at === known.length) return true
      if (compareAt(record, at) === 0) return false
      stretch.putIn(at, isUnknown(at - 1) ? undefined : unshown(record))
      stretch.shorten(placesMax)
      return true
    },
    go(record: Values): boolean {
      const at = find(record)
      if (at === known.length) return true
      if (compareAt(record, at) === 0) stretch.leaveOut(at)
      else if (isUnknown(at - 1)) stretch.leaveOut(at - 1)
      else return false
      stretch.shorten()
      return true
    },
  }
}
