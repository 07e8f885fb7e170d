/**
 * Schedules the chunks of streamed lists: one chunk per turn of the event loop, for all streams
 * together. A client on a fast connection takes each chunk at once, so an unscheduled stream would
 * block other requests until its end.
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
