/**
 * How much of done requests is kept, for each caller and in all. This process counts the answers
 * that it keeps, and checks bounds when they have become many: to add up all that a caller has kept
 * takes longer than a write.
 */
import { LRUCache } from 'lru-cache'
import type { RequestLimits } from './storage.ts'

type RetentionDeps = {
  /** Removes the oldest of the caller's where there is too much. */
  trim(owner: string): Promise<unknown>
  /**
   * The same for all callers, from the one that has most. Returns whether there may be more to
   * remove.
   */
  sweep(): Promise<boolean>
}

export type RetentionLimits = {
  /** Call it when the bytes have been written, in a transaction that may still fail. */
  kept(owner: string, bytes: number): void
}

/**
 * Callers that are counted; of one that is forgotten what it has kept is looked at with all
 * others'.
 */
const ownersMax = 10_000
/** A share of a bound, after which it is looked at. */
const share = 16

export function makeRetentionLimits(
  { trim, sweep }: RetentionDeps,
  limits: Pick<RequestLimits, 'bytesMax' | 'ownerBytesMax'>,
) {
  const owners = new LRUCache<string, number>({ max: ownersMax })
  let all = 0
  let sweeping = false

  async function sweepAll(): Promise<void> {
    if (sweeping) return
    sweeping = true
    try {
      while (await sweep());
    } catch {
      // callers that need the database report that it is gone or busy
    } finally {
      sweeping = false
    }
  }
  return {
    kept(owner: string, bytes: number): void {
      const own = (owners.get(owner) ?? 0) + bytes
      all += bytes
      const isMuch = own > limits.ownerBytesMax / share
      owners.set(owner, isMuch ? 0 : own)
      if (isMuch) trim(owner).catch(() => undefined)
      if (all <= limits.bytesMax / share) return
      all = 0
      void sweepAll()
    },
  }
}
