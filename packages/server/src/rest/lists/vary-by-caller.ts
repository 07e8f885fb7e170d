/**
 * `Vary` of answers to reads: the credentials, where another caller may get another answer to the
 * same request (RFC 9110, section 12.5.5).
 */
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { byCaller, joinVary } from '../../http/messages/vary.ts'
import type { Policy } from '../../policy/policy.ts'
import { mayRelate } from '../represent-result.ts'
import type { Route } from '../route.ts'

const known = new WeakMap<Route, boolean>()

/**
 * Whether the rules of the route judge by anything of the caller, or those of the records above it
 * in the path.
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
 * Records that are related to these have rules of their own, so an answer that asks for some is
 * taken to differ.
 */
export function varied(
  response: HttpResponse,
  { route, request, policy }: { readonly route: Route; readonly request: HttpRequest; readonly policy: Policy },
): HttpResponse {
  if (differs(route, policy) || (request.query !== '' && mayRelate(request.query)))
    response.headers.vary = joinVary(response.headers.vary, byCaller)
  return response
}
