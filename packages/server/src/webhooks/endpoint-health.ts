/**
 * The health of an endpoint, by tries that have ended: it works, it fails since a time, or it is
 * switched off.
 */
import { timestampOf } from '../base/clock.ts'
import type { DeliveryOutcome } from './delivery-rows.ts'
import { isGone } from './outcome-of.ts'
import { isSuccess } from './send-delivery.ts'
import { noteFailing, switchOff } from './switch-off.ts'
import type { Endpoint, WebhookRoom } from './webhook-room.ts'

const dayMs = 24 * 60 * 60_000

/**
 * The endpoint with its health; undefined where it is switched off. A try at an address that it had
 * before says nothing of the one that it has now.
 */
export async function noteHealth(
  room: WebhookRoom,
  endpoint: Endpoint,
  outcomes: readonly DeliveryOutcome[],
): Promise<Endpoint | undefined> {
  const { failingSince, url } = endpoint
  const sent = outcomes.filter(({ tried }) => tried.url === url)
  const [first] = sent
  if (!first) return endpoint
  if (sent.some(({ tried }) => isGone(tried)))
    return void (await switchOff(room, endpoint, 'It answered 410: it wants no deliveries any more'))
  if (sent.some(({ tried }) => isSuccess(tried))) {
    if (failingSince !== null) await noteFailing(room, endpoint, null)
    return { ...endpoint, failingSince: null }
  }
  if (failingSince === null) {
    const since = timestampOf(first.tried.atMs)
    await noteFailing(room, endpoint, since)
    return { ...endpoint, failingSince: since }
  }
  const { offAfterDays } = room.tables.times
  if (room.engine.clock() - Date.parse(failingSince) < offAfterDays * dayMs) return endpoint
  return void (await switchOff(room, endpoint, `No delivery has arrived for ${offAfterDays} days`))
}
