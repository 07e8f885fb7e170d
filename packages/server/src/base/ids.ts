/**
 * Identifiers. UUIDv7 (RFC 9562, section 5.7) sorts by the time of creation, so the newest record
 * has the largest id.
 */
import { randomFillSync } from 'node:crypto'
import type { Clock } from './clock.ts'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether the text is a UUID in its canonical, lower-case form. `isUuid('01926e0f-…')` */
export function isUuid(text: string): boolean {
  return text.length === 36 && uuidPattern.test(text)
}

export type MakeId = () => string

/** A count has 26 bits. It begins below the half, so that the steps of a millisecond fit. */
const countMax = 0x3ff_ffff
const beginMask = 0x1ff_ffff
const stepMask = 0x3ff
const bytesOfId = 10

/**
 * Makes UUIDv7 that never go backwards in one process. Within a millisecond the 26 bits after the
 * time rise (RFC 9562, section 6.2, method 1). They begin at random and rise by random steps of up
 * to 1,024. So an id does not tell its reader how many others got one beside it: those belong to
 * other tenants. When the count runs out, or the clock goes back, the time part runs ahead.
 */
export function makeIds(clock: Clock): MakeId {
  const pool = Buffer.alloc(bytesOfId * 512)
  let used = pool.length
  let lastMs = 0
  let count = 0
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const random = pool.readUInt32BE(used)
    const now = clock()
    if (now > lastMs) {
      lastMs = now
      count = random & beginMask
    } else {
      count += 1 + (random & stepMask)
      if (count > countMax) {
        lastMs += 1
        count = random & beginMask
      }
    }
    const rest = pool.toString('hex', used + 4, used + bytesOfId)
    used += bytesOfId
    const time = lastMs.toString(16).padStart(12, '0')
    const high = (count >>> 14).toString(16).padStart(3, '0')
    const low = ((count & 0x3fff) | 0x8000).toString(16)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${low}-${rest}`
  }
}
