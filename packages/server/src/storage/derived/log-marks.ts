/**
 * Marks of the kept log. Each is a random value with the place at which it was drawn, and holds for
 * the places behind it. A copy of a database draws its own when it starts. So its places behind the
 * copy differ from those of the original, and all earlier ones stay the same.
 */
import { randomBytes } from 'node:crypto'
import { comparePlaces, type LogPlace } from './kept-log.ts'

type LogMark = readonly [place: LogPlace, mark: string]
/** In the order of their places. */
export type LogMarks = readonly LogMark[]

/** Of the oldest ones, positions are refused. */
const marksMax = 1_000

export const parseMarks = (text: string | undefined): LogMarks => (text === undefined ? [] : JSON.parse(text))

/** The mark that holds at a place; empty before the first one. */
export function markAt(marks: LogMarks, place: LogPlace): string {
  return marks.findLast(([from]) => comparePlaces(from, place) < 0)?.[1] ?? ''
}

/**
 * The marks with a new one at the end of the log. It takes the place of one that was drawn there,
 * behind which nothing was written. Places below the floor need no mark.
 */
export function withNewMark(
  marks: LogMarks,
  { end, floor }: { readonly end: LogPlace; readonly floor: LogPlace },
): LogMarks {
  const before = marks.filter(([from]) => comparePlaces(from, end) < 0)
  const first = before.findLastIndex(([from]) => comparePlaces(from, floor) <= 0)
  const drawn: LogMark = [end, randomBytes(8).toString('hex')]
  return [...before.slice(Math.max(first, 0)), drawn].slice(-marksMax)
}
