/** Stores the effects of a write in its transaction; they run after the commit. */

import { jsonText } from '../base/json-text.ts'
import type { Author } from '../storage/changes.ts'
import type { EffectOrigin, NewEffect } from '../storage/stored-effects.ts'
import type { EffectRequest, WriteContext } from './write-context.ts'

/** How many effects may cause each other, one after another. */
const depthMax = 8

/** Another try would be refused as well. */
export class ChainTooLongError extends Error {
  constructor(kind: string) {
    super(
      `An effect of ${kind} would be number ${depthMax + 1} in a chain of effects, and ${depthMax} is the most: they cause each other. A write by records.quiet(…) causes none`,
    )
    this.name = 'ChainTooLong'
  }
}

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

export async function leaveEffects(
  { transaction, author, makeId, now }: WriteContext,
  all: readonly EffectRequest[],
): Promise<void> {
  if (all.length === 0) return
  const origin = originOf(author)
  const within = all.find(({ beginsChain }) => !beginsChain)
  if (within && origin.depth > depthMax) throw new ChainTooLongError(within.kind)
  const leftMs = Date.parse(now)
  const own = jsonText(origin)
  const first = jsonText({ ...origin, depth: 1 })
  await transaction.leaveEffects(
    all.map((request): NewEffect => {
      const { id = String(makeId()), kind, key = null, inOrder = false, dueMs = leftMs, beginsChain = false } = request
      const context = beginsChain ? first : own
      return { id, kind, key, inOrder, dueMs, leftMs, payload: jsonText(request.payload), context }
    }),
  )
}
