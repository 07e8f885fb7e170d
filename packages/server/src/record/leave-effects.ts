/** Stores the effects of a write in its transaction; they run after the commit. */

import { jsonText } from '../base/json-text.ts'
import type { Author } from '../storage/changes.ts'
import type { EffectOrigin, NewEffect } from '../storage/stored-effects.ts'
import type { EffectRequest, WriteContext } from './write-context.ts'

function originOf({ userId, role, credential, tenant, requestId, cause }: Author): EffectOrigin {
  return {
    userId,
    role,
    credential,
    tenant,
    requestId,
    ...(cause && { causedBy: cause.id }),
    depth: (cause?.depth ?? 0) + 1,
  }
}

export function leaveEffects(
  { transaction, author, makeId, now }: WriteContext,
  all: readonly EffectRequest[],
): Promise<void> {
  const leftMs = Date.parse(now)
  const context = jsonText(originOf(author))
  return transaction.leaveEffects(
    all.map(({ kind, key = null, inOrder = false, dueMs = leftMs, payload }): NewEffect => {
      return { id: String(makeId()), kind, key, inOrder, dueMs, leftMs, payload: jsonText(payload), context }
    }),
  )
}
