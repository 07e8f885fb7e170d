/**
 * Work that a write leaves behind: it is stored in the transaction of the write, and runs when that
 * has committed.
 */
import type { LeftEffect } from '../storage/stored-effects.ts'
import type { Door, Leaving } from './write-context.ts'

export function leave({ transaction, makeId, now }: Door, all: readonly Leaving[]): Promise<void> {
  const leftMs = Date.parse(now)
  return transaction.leaveEffects(
    all.map(({ kind, key = null, inOrder = false, dueMs = leftMs, payload }): LeftEffect => {
      return { id: String(makeId()), kind, key, inOrder, dueMs, leftMs, payload: JSON.stringify(payload) }
    }),
  )
}
