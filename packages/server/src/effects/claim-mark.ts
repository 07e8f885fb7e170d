/**
 * The position in the queue of effects at which the next query for due effects begins. It moves
 * past finished effects, so a query does not read them again. A full query comes from time to time,
 * and less often where it takes long.
 */
import type { Clock } from '../base/clock.ts'

/** Full looks take no more than this part of the time. */
const fullLookShare = 20

/** The earliest due time, and on a full look the earliest end of a lease; undefined without any. */
type Found = { readonly dueMs: number | undefined; readonly lostMs?: number | undefined }
/** `isFull`: it begins at the first one, and looks at leases too. */
export type ClaimLook = { readonly fromMs: number; readonly isFull: boolean }

/** Makes the position. An effect that is announced during a query is not lost. */
export function makeClaimMark(clock: Clock) {
  let fromMs = 0
  let toldMs = Number.POSITIVE_INFINITY
  let fullAtMs = 0
  /** When the first lease ends that the last full look saw. */
  let lostMs = Number.POSITIVE_INFINITY
  return {
    told: (dueMs: number) => {
      toldMs = Math.min(toldMs, dueMs)
    },
    /** The next look is a full one. */
    forget() {
      fullAtMs = 0
    },
    /** Returns when the next is due, or its lease ends. */
    async look(
      checkMs: number,
      look: (at: ClaimLook) => Promise<Found>,
    ): Promise<ClaimLook & { readonly next: number | undefined }> {
      const beganMs = performance.now()
      const nowMs = clock()
      const isFull = beganMs >= fullAtMs || nowMs >= lostMs
      const from = isFull ? 0 : Math.min(fromMs, toldMs)
      toldMs = Number.POSITIVE_INFINITY
      try {
        const found = await look({ fromMs: from, isFull })
        const tookMs = performance.now() - beganMs
        if (isFull) {
          fullAtMs = performance.now() + Math.max(checkMs, tookMs * fullLookShare)
          lostMs = found.lostMs ?? Number.POSITIVE_INFINITY
        }
        fromMs = found.dueMs ?? nowMs
        const next = Math.min(found.dueMs ?? Number.POSITIVE_INFINITY, lostMs)
        return { next: next === Number.POSITIVE_INFINITY ? undefined : next, fromMs, isFull }
      } catch (error) {
        toldMs = 0
        throw error
      }
    },
  }
}
