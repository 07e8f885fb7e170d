/**
 * `Vary` of reads: names the credentials where other callers may get another response (RFC 9110,
 * section 12.5.5).
 */
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { byCaller, byCallerAndTenant, joinVary } from '../../http/messages/vary.ts'
import type { Policy } from '../../policy/policy.ts'
import { mayRelate } from '../represent-result.ts'
import type { Route } from '../route.ts'

type VaryHeaders = typeof byCaller | typeof byCallerAndTenant | ''
/** Of requests without a query, which name no field, and of the others. */
const known = { unasked: new WeakMap<Route, VaryHeaders>(), asked: new WeakMap<Route, VaryHeaders>() }

/**
 * Named where the rules of the route, or those of the records above it in the path, judge any fact
 * about the caller.
 */
function headersOf(route: Route, { facts }: Policy, asking: keyof typeof known): VaryHeaders {
  const found = known[asking].get(route)
  if (found !== undefined) return found
  const { target, steps } = route
  const asked = [target, ...steps.map(({ resource }) => ({ resource, operation: 'get' }))]
  const judged = asked.flatMap((one) => (asking === 'asked' ? facts.of(one) : facts.ofUnasked(one)))
  const isByCaller = route.isSelf === true || judged.length > 0
  const headers = judged.includes('tenant') ? byCallerAndTenant : isByCaller ? byCaller : ''
  known[asking].set(route, headers)
  return headers
}

/**
 * Related records have rules of their own, so a response that may show some is treated as different
 * for each caller.
 */
export function varied(
  response: HttpResponse,
  { route, request, policy }: { readonly route: Route; readonly request: HttpRequest; readonly policy: Policy },
): HttpResponse {
  const isRelated = request.query !== '' && mayRelate(request.query)
  const related = policy.tenants ? byCallerAndTenant : byCaller
  const headers = isRelated ? related : headersOf(route, policy, request.query === '' ? 'unasked' : 'asked')
  if (headers !== '') response.headers.vary = joinVary(response.headers.vary, headers)
  return response
}
