/** Stores the effects of a write in its transaction; they run after the commit. */

import { jsonText } from '../base/json-text.ts'
import type { NewEffect } from '../storage/stored-effects.ts'
import type { EffectRequest, WriteContext } from './write-context.ts'

export function leaveEffects({ transaction, makeId, now }: WriteContext, all: readonly EffectRequest[]): Promise<void> {
  const leftMs = Date.parse(now)
  return transaction.leaveEffects(
    all.map(({ kind, key = null, inOrder = false, dueMs = leftMs, payload }): NewEffect => {
      return { id: String(makeId()), kind, key, inOrder, dueMs, leftMs, payload: jsonText(payload) }
    }),
  )
}
