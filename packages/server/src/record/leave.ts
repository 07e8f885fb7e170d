/** Work that a write leaves behind: it is stored in the transaction of the write, and runs when that has committed. */
import type { LeftEffect } from '../storage/stored-effects.ts'
import type { Door } from './records.ts'

export type Leaving = {
  /** The kind that runs it. */
  readonly kind: string
  /** What it is about: by kind and key it is taken back. */
  readonly key?: string | undefined
  /** Whether those of one kind and key run one at a time, the oldest first. */
  readonly inOrder?: boolean
  /** By default at once. */
  readonly dueMs?: number
  /** What JSON can say: it is what the work is given, with the values of this moment. */
  readonly payload: unknown
}

export function leave({ transaction, makeId, now }: Door, all: readonly Leaving[]): Promise<void> {
  const leftMs = Date.parse(now)
  return transaction.leaveEffects(
    all.map(({ kind, key = null, inOrder = false, dueMs = leftMs, payload }): LeftEffect => {
      return { id: String(makeId()), kind, key, inOrder, dueMs, leftMs, payload: JSON.stringify(payload) }
    }),
  )
}
