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

/**
 * Makes UUIDv7 that never go backwards in one process. Within a millisecond the 12 bits after the
 * time count up (RFC 9562, section 6.2, method 1). When they run out, or the clock goes back, the
 * time part runs ahead.
 */
export function makeIds(clock: Clock): MakeId {
  const pool = Buffer.alloc(8 * 512)
  let used = pool.length
  let lastMs = 0
  let counter = 0
  return () => {
    const now = clock()
    if (now > lastMs) {
      lastMs = now
      counter = 0
    } else if (++counter > 0xfff) {
      lastMs += 1
      counter = 0
    }
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const random = pool.toString('hex', used, used + 8)
    used += 8
    const time = lastMs.toString(16).padStart(12, '0')
    const variant = '89ab'[Number.parseInt(random[0] as string, 16) & 3]
    const count = counter.toString(16).padStart(3, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`
  }
}
