/** The caller of a REST request in the tenant that the path or the header of the request names. */
import type { HttpRequest } from '../http/messages/exchange.ts'
import { namedTenant } from '../http/named-tenant.ts'
import type { Policy } from '../policy/policy.ts'
import type { Principal } from '../resource/principal.ts'
import { type Route, stepsOf } from './route.ts'

type RoutedRequest = { readonly route: Route; readonly request: Pick<HttpRequest, 'headers' | 'parameters'> }

/** Throws `bad-request`, `unauthenticated` and `not-found`. */
export function callerWithin({ tenants }: Policy, caller: Principal, { route, request }: RoutedRequest): Principal {
  if (!tenants) return caller
  const above = route.steps.length === 0 ? undefined : stepsOf(route, request.parameters)
  return tenants.within(caller, { header: namedTenant(request), above, target: route.target })
}
