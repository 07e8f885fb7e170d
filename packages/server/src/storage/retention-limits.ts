/**
 * Limits the storage of done requests (idempotency keys), for each caller and in all. This process
 * counts the bytes of the responses that it stores, and checks the limits after many of them.
 * Summing up all of a caller's rows takes longer than a write.
 */
import { boundedCache } from '../base/bounded-cache.ts'
import type { RequestLimits } from './storage.ts'

type RetentionDeps = {
  /** Removes the oldest of the caller's rows above the limit. */
  trim(owner: string): Promise<unknown>
  /** The same for all callers, largest first. Returns whether there may be more to remove. */
  sweep(): Promise<boolean>
}

export type RetentionLimits = {
  /** Call it when the bytes are written, in a transaction that may still fail. */
  kept(owner: string, bytes: number): void
}

/** The number of callers to count. Rows of a forgotten caller count in the check of all callers. */
const ownersMax = 10_000
/** The check runs after each such part of a limit. */
const share = 16

export function makeRetentionLimits(
  { trim, sweep }: RetentionDeps,
  limits: Pick<RequestLimits, 'bytesMax' | 'ownerBytesMax'>,
) {
  const owners = boundedCache<string, number>({ entriesMax: ownersMax })
  let all = 0
  let sweeping = false

  async function sweepAll(): Promise<void> {
    if (sweeping) return
    sweeping = true
    try {
      while (await sweep());
    } catch {
      // requests that need the database report that it is gone or busy
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
