/**
 * Yields to the event loop when work takes long, so that the server answers other requests in
 * between. The work calls this at each step.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long one request may keep the others waiting. */
const turnMs = 10

/**
 * A promise of the next turn when this one has lasted long enough; undefined, and nothing to wait
 * for, until then.
 */
export type YieldWhenLong = () => Promise<void> | undefined

export function makeYieldWhenLong(): YieldWhenLong {
  let untilMs = performance.now() + turnMs
  return () => {
    if (performance.now() < untilMs) return undefined
    return nextTurn().then(() => {
      untilMs = performance.now() + turnMs
    })
  }
}
