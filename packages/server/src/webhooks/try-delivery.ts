/**
 * Makes the body of a delivery by the rights that the owner has now, sends it, and says what
 * follows.
 */
import { consolePrincipal, type Principal } from '../resource/principal.ts'
import { lostEvent, pingEvent } from '../resource/webhooks/webhook-words.ts'
import { chosenOf } from './chosen-fields.ts'
import type { WaitingDelivery } from './delivery-queue.ts'
import type { DeliveryOutcome } from './delivery-rows.ts'
import { outcomeOf } from './outcome-of.ts'
import type { OwnerFeed } from './owner-feed.ts'
import { bodyOf, messageId, openSecrets, sendMessage } from './send-delivery.ts'
import { type Endpoint, resourcesOf, type WebhookRoom } from './webhook-room.ts'

/**
 * The rights of the owner in the tenant of the endpoint; undefined where they have ended. One that
 * the application declares has those of an operator.
 */
export async function ownerOf({ engine }: WebhookRoom, endpoint: Endpoint): Promise<Principal | undefined> {
  const { userId, tenant, declaredAs } = endpoint
  if (declaredAs !== null) return consolePrincipal(engine.catalog)
  if (userId === null) return undefined
  const found = await engine.identity.findCaller(userId)
  if (!found || !tenant) return found
  const isMember = engine.policy.tenants?.reaches(found, tenant.name, tenant.id) === true
  return isMember ? { ...found, tenant } : undefined
}

/** `again`: reads the changes of one transaction. */
type TriedWork = {
  readonly endpoint: Endpoint
  readonly caller: Principal
  readonly delivery: WaitingDelivery
  readonly again: OwnerFeed['again']
}

type Described = { readonly data: object } | { readonly gone: string }

const isAboutNone = (event: string) => event === pingEvent || event === lostEvent

/** The part of it that the owner may see now. */
async function describe(room: WebhookRoom, { endpoint, caller, delivery, again }: TriedWork): Promise<Described> {
  const { event, recordId, before, place, fresh } = delivery
  if (isAboutNone(event) || before === null) return { data: {} }
  if (fresh && fresh.untilMs > room.engine.clock()) return fresh
  const resources = resourcesOf(room, endpoint).filter(({ slug }) => slug === delivery.resource)
  const { filters } = endpoint
  const changes = await again({ caller, after: before, place: place as string, resources, filters })
  if (!changes) return { gone: 'The change log does not have this change any more' }
  const found = changes.find((one) => one.id === recordId && typeOf(one) === event)
  return (
    (found && chosenOf(endpoint, found)) ?? {
      gone: 'Its owner may not see this change any more, or its filter leaves it out',
    }
  )
}

/** The type of the event of a change: `products.change`. */
export function typeOf({ resource, event }: { readonly resource: { readonly slug: string }; readonly event: string }) {
  return `${resource.slug}.${event}`
}

/** Undefined where the secret cannot be decrypted. Throws only when `signal` ends it. */
export async function tryDelivery(
  room: WebhookRoom,
  asked: TriedWork,
  signal: AbortSignal,
): Promise<DeliveryOutcome | undefined> {
  const { engine, tables, counts } = room
  const { endpoint, delivery } = asked
  const secrets = openSecrets(room, endpoint, engine.clock())
  if (secrets.length === 0) return undefined
  const described = await describe(room, asked)
  if ('gone' in described) {
    const tried = { atMs: engine.clock(), tookMs: 0, error: described.gone }
    return { delivery, tried, state: 'failed', later: undefined }
  }
  const { resource, recordId, id } = delivery
  const isThin = endpoint.isThin && !isAboutNone(delivery.event)
  const body = bodyOf(delivery, isThin ? { resource, id: recordId } : described.data)
  const tried = await sendMessage(room, { id: messageId(id), url: endpoint.url, body }, { secrets, signal })
  counts.took(tried.tookMs)
  return outcomeOf(tables.times, { delivery, tried, nowMs: engine.clock() })
}
