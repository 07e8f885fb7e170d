/** The tenant that a request names by its header, for requests of every protocol. */
import type { Policy } from '../policy/policy.ts'
import { tenantHeader } from '../policy/tenants/request-tenants.ts'
import type { IdentifiedRequest } from './identify-request.ts'
import type { HttpRequest } from './messages/exchange.ts'

/** The text of the header; undefined where the request names no tenant by it. */
export function namedTenant({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const sent = headers[tenantHeader]
  return sent === undefined ? undefined : String(sent)
}

/** The caller in that tenant. Throws `bad-request`, `unauthenticated` and `not-found`. */
export function callerInTenant(
  { tenants }: Pick<Policy, 'tenants'>,
  caller: IdentifiedRequest,
  request: HttpRequest,
): IdentifiedRequest {
  if (!tenants) return caller
  return { ...caller, principal: tenants.within(caller.principal, { header: namedTenant(request) }) }
}

/** The same for a request with several targets, each of which decides whether it is open. */
export function callerOfTargets(
  { tenants }: Pick<Policy, 'tenants'>,
  caller: IdentifiedRequest,
  request: HttpRequest,
): IdentifiedRequest {
  if (!tenants) return caller
  const named = { header: namedTenant(request), hasTargets: true }
  return { ...caller, principal: tenants.within(caller.principal, named) }
}
