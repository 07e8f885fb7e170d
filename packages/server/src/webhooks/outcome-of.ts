/** Decides by the answer of an endpoint: the delivery has arrived, waits, or is given up. */
import type { WebhookTimes } from '../resource/traits.ts'
import type { WaitingDelivery } from './delivery-queue.ts'
import type { DeliveryOutcome } from './delivery-rows.ts'
import { isSuccess, type TriedDelivery } from './send-delivery.ts'

/** A random part of up to a tenth, so that many deliveries do not come back at once. */
const spread = 0.1

/** The answer of an endpoint that wants nothing any more. */
export const isGone = ({ status }: TriedDelivery): boolean => status === 410

const ended = (delivery: WaitingDelivery, tried: TriedDelivery, state: 'delivered' | 'failed'): DeliveryOutcome => ({
  ...{ delivery, tried, state, later: undefined },
})

export function outcomeOf(
  { waits }: WebhookTimes,
  {
    delivery,
    tried,
    nowMs,
  }: { readonly delivery: WaitingDelivery; readonly tried: TriedDelivery; readonly nowMs: number },
  random = Math.random,
): DeliveryOutcome {
  if (isSuccess(tried)) return ended(delivery, tried, 'delivered')
  const wait = waits[delivery.tries]
  if (wait === undefined || isGone(tried)) return ended(delivery, tried, 'failed')
  const dueMs = nowMs + Math.round(wait * 1000 * (1 + random() * spread))
  const nextMs = Math.max(dueMs, tried.retryAfterMs ?? 0)
  return {
    delivery,
    tried,
    state: 'waiting',
    later: { ...delivery, tries: delivery.tries + 1, nextMs, fresh: undefined },
  }
}

/** An endpoint that is overloaded says when it takes deliveries again. */
export function pauseOf({ status, retryAfterMs }: TriedDelivery): number | undefined {
  return status === 429 || status === 503 ? retryAfterMs : undefined
}
