/**
 * The position in the queue of effects at which the next query for due effects begins. It moves
 * past finished effects, so a query does not read them again. A full query comes from time to time,
 * and less often where it takes long.
 */
import type { Clock } from '../base/clock.ts'

/** Full looks take no more than this part of the time. */
const fullLookShare = 20

/** Makes the position. An effect that is announced during a query is not lost. */
export function makeClaimMark(clock: Clock) {
  let fromMs = 0
  let toldMs = Number.POSITIVE_INFINITY
  let fullAtMs = 0
  return {
    told: (dueMs: number) => {
      toldMs = Math.min(toldMs, dueMs)
    },
    isTold: () => toldMs < Number.POSITIVE_INFINITY,
    /** `look` returns when the next is due. */
    async look(checkMs: number, look: (fromMs: number) => Promise<number | undefined>): Promise<number | undefined> {
      const beganMs = performance.now()
      const isFull = beganMs >= fullAtMs
      const nowMs = clock()
      const from = isFull ? 0 : Math.min(fromMs, toldMs)
      toldMs = Number.POSITIVE_INFINITY
      try {
        const next = await look(from)
        const tookMs = performance.now() - beganMs
        if (isFull) fullAtMs = performance.now() + Math.max(checkMs, tookMs * fullLookShare)
        fromMs = next ?? nowMs
        return next
      } catch (error) {
        toldMs = 0
        throw error
      }
    },
  }
}
