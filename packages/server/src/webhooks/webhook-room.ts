/** The parts that all of webhooks shares, and its rows as values. */
import type { ServedEngine } from '../accounts/served-engine.ts'
import type { OutgoingFetch } from '../outgoing/outgoing.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { WebhookCatalog } from '../resource/webhooks/find-webhooks.ts'
import type { Row } from '../storage/storage.ts'
import type { OwnerFeed } from './owner-feed.ts'
import type { SharedPlaces } from './places.ts'
import type { WebhookCounts } from './webhook-counts.ts'

/** The kind of work that an endpoint has: one effect for each that is active. */
export const webhookKind = 'webhook'

export type SecretSeal = {
  seal(text: string, bound: string): string
  open(sealed: string, bound: string): { readonly text: string } | undefined
}
/** For what a sealed secret opens. */
export const sealedFor = 'webhook endpoint'

export type WebhookRoom = {
  readonly engine: ServedEngine
  readonly tables: WebhookCatalog
  readonly feed: OwnerFeed
  readonly seal: SecretSeal
  readonly fetch: OutgoingFetch
  readonly counts: WebhookCounts
  /** Endpoint → the resources whose changes decide what its owner sees, as its last run found. */
  readonly deciding: Map<string, ReadonlySet<string>>
  /** Requests of all endpoints, besides the first of each. */
  readonly places: SharedPlaces
  report(message: string, facts: Readonly<Record<string, unknown>>): void
}

/** An endpoint as its row says. */
export type Endpoint = {
  readonly id: string
  /** Null for one that the application declares, under this name. */
  readonly userId: string | null
  readonly declaredAs: string | null
  readonly tenant: { readonly name: string; readonly id: Scalar } | undefined
  readonly url: string
  readonly resources: readonly string[]
  readonly events: readonly string[] | null
  readonly filters: Readonly<Record<string, string>> | null
  readonly recordFields: Readonly<Record<string, readonly string[]>> | null
  readonly isThin: boolean
  readonly inOrder: boolean
  readonly active: boolean
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousUntil: string | null
  readonly failingSince: string | null
  /** Where it begins in the log; null for one that begins when it first runs. */
  readonly begin: string | null
}

export function endpointOf({ endpoints, tenantField }: WebhookCatalog, row: Row): Endpoint {
  const { body, ...values } = row as unknown as Endpoint & { readonly body: string }
  const tenancy = endpoints.tenant?.tenancy
  const id = tenantField === undefined ? null : (row[tenantField] as Scalar | null)
  const tenant = id !== null && tenancy !== undefined ? { name: tenancy, id } : undefined
  return { ...values, tenant, isThin: body === 'thin' }
}

/** The resources that it names, of those that can be told. */
export function resourcesOf(
  { feed }: Pick<WebhookRoom, 'feed'>,
  { resources }: Pick<Endpoint, 'resources'>,
): Resource[] {
  return feed.resources.filter(({ slug }) => resources.includes(slug))
}
