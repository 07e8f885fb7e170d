/** The tables of webhooks in a catalog, found by their traits. */
import type { Resource } from '../resolved-resource.ts'
import type { WebhookTimes } from '../traits.ts'
import type { WebhookEndpointDeclaration } from './declare-endpoint.ts'

export type WebhookCatalog = {
  readonly endpoints: Resource
  readonly deliveries: Resource
  readonly attempts: Resource
  readonly readers: Resource
  readonly times: WebhookTimes
  /** Those that the application declares. */
  readonly declared: ReadonlyMap<string, WebhookEndpointDeclaration>
  /** The reference of each to its tenant; undefined where there are no tenants. */
  readonly tenantField: string | undefined
}

/** Undefined in an application without webhooks. */
export function findWebhooks({
  resources,
}: {
  readonly resources: ReadonlyMap<string, Resource>
}): WebhookCatalog | undefined {
  const found = new Map<string, Resource>()
  for (const one of resources.values()) if (one.traits.webhooks) found.set(one.traits.webhooks.part, one)
  const endpoints = found.get('endpoints')
  const trait = endpoints?.traits.webhooks
  if (!endpoints || trait?.part !== 'endpoints') return undefined
  const of = (part: string) => found.get(part) as Resource
  return {
    endpoints,
    deliveries: of('deliveries'),
    attempts: of('attempts'),
    readers: of('readers'),
    times: trait.said,
    declared: new Map(Object.entries(trait.declared)),
    tenantField: endpoints.tenant?.path[0],
  }
}
