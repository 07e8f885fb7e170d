/**
 * Long lists, piece by piece: each piece is read and written without a pause, and a client on a
 * fast connection takes it at once, so that nobody else would be answered before the end. One piece
 * is read in one turn of the event loop, however many lists there are.
 */
import type { RowCursor } from '../../storage.ts'

export type ScheduleStream = (walk: RowCursor) => RowCursor

export function makeStreamScheduler(): ScheduleStream {
  const waiting: (() => void)[] = []
  function step(): void {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(step)
  }
  function turn(): Promise<void> {
    return new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(step)
    })
  }
  return ({ next, close }) => ({
    async next() {
      await turn()
      return next()
    },
    close,
  })
}
