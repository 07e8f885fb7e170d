/**
 * `Vary` of reads: names the credentials where other callers may get another response (RFC 9110,
 * section 12.5.5).
 */
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { byCaller, joinVary } from '../../http/messages/vary.ts'
import type { Policy } from '../../policy/policy.ts'
import { mayRelate } from '../represent-result.ts'
import type { Route } from '../route.ts'

const known = new WeakMap<Route, boolean>()

/**
 * Whether the rules of the route, or those of the records above it in the path, judge any fact
 * about the caller.
 */
function differs(route: Route, { facts }: Policy): boolean {
  const found = known.get(route)
  if (found !== undefined) return found
  const { target, steps } = route
  const asked = [target, ...steps.map(({ resource }) => ({ resource, operation: 'get' }))]
  const is = route.isSelf === true || asked.some((one) => facts.of(one).length > 0)
  known.set(route, is)
  return is
}

/**
 * Related records have rules of their own, so a response that may show some is treated as different
 * for each caller.
 */
export function varied(
  response: HttpResponse,
  { route, request, policy }: { readonly route: Route; readonly request: HttpRequest; readonly policy: Policy },
): HttpResponse {
  if (differs(route, policy) || (request.query !== '' && mayRelate(request.query)))
    response.headers.vary = joinVary(response.headers.vary, byCaller)
  return response
}
