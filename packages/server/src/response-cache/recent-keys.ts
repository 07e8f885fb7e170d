/**
 * How long ago keys were last requested. A full cache replaces only entries that were not requested
 * in that time. So neither single requests nor a cycle of requests larger than the memory evicts
 * entries in use. It has a fixed number of fingerprints. Two keys may share one; then a response is
 * cached a little too early.
 */

export type RecentKeys = {
  /**
   * Notes the key. Returns the milliseconds since it was last noted; undefined where that is long
   * ago.
   */
  note(key: string): number | undefined
}

const slots = 65_536
/**
 * The number of adjacent slots that a key may use. With one slot each, keys that share it replace
 * each other for ever. Of 20,000 keys requested in turn, a quarter was then never recognized.
 */
const choices = 8
const longMs = 120_000
/** Times are kept as 32 bits, and 0 says that there is none. */
const timeAfter = (now: number) => (Math.floor(now) >>> 0) + 1

/** FNV-1a, 32 bits. */
function fingerprintOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

export function makeRecentKeys(): RecentKeys {
  const prints = new Uint32Array(slots)
  const times = new Uint32Array(slots)

  /** The slot with the fingerprint, or else the one of its slots that was noted longest ago. */
  function slotOf(print: number, now: number): number {
    const first = (print % (slots / choices)) * choices
    let oldest = first
    let oldestMs = -1
    for (let slot = first; slot < first + choices; slot += 1) {
      const time = times[slot] as number
      if (time !== 0 && prints[slot] === print) return slot
      const ms = time === 0 ? Number.POSITIVE_INFINITY : (now - time) >>> 0
      if (ms > oldestMs) {
        oldest = slot
        oldestMs = ms
      }
    }
    return oldest
  }

  return {
    note(key) {
      const print = fingerprintOf(key)
      const now = timeAfter(performance.now())
      const slot = slotOf(print, now)
      const ms = (now - (times[slot] as number)) >>> 0
      const isKnown = prints[slot] === print && times[slot] !== 0 && ms <= longMs
      prints[slot] = print
      times[slot] = now
      return isKnown ? ms : undefined
    },
  }
}
