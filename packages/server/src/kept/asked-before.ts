/**
 * Which keys were asked for a short while ago. Where memory is full, an answer is kept when it is asked for the second time, so that what is asked
 * for once drops nothing.
 * It holds a fixed number of fingerprints: two keys may share one, and then an answer is kept a little too early.
 */

export type AskedBefore = {
  /** Notes the key. Returns whether it was noted not long ago. */
  note(key: string): boolean
}

const slots = 65_536
/** Rounds up to two of these. */
const shortWhileMs = 60_000

/** FNV-1a, 32 bits. */
function fingerprintOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

export function makeAskedBefore(clock: () => number = () => performance.now()): AskedBefore {
  const prints = new Uint32Array(slots)
  const times = new Uint32Array(slots)
  return {
    note(key) {
      const print = fingerprintOf(key)
      const slot = print % slots
      const now = Math.floor(clock() / shortWhileMs) + 1
      const isKnown = prints[slot] === print && now - (times[slot] as number) <= 1
      prints[slot] = print
      times[slot] = now
      return isKnown
    },
  }
}
