/**
 * The journey of a REST request, from top to bottom:
 *
 *   identify   who asks                        401
 *   admit      whether the rule lets them in   401 403
 *   parse      what they ask for               400 406 413 415
 *   permit     the operation, tied to the rule
 *   perform    in storage                      403 404 409 412
 *   represent  as bytes                        200 201 204 304
 *
 * Whoever may not do a thing is told so before anything of the request is read. GraphQL fields walk the same middle.
 */
import type { Engine } from './perform/engine.ts'
import { perform } from './perform/perform.ts'
import type { RestRequest, RestResponse } from './rest/exchange.ts'
import { credentialsOf } from './rest/credentials.ts'
import { checkAccept, parse } from './rest/parse.ts'
import { represent } from './rest/represent.ts'
import type { Route } from './rest/route.ts'

/** Counts a request against its client. Throws `too-many-requests`. */
export type TakeRate = (client: string) => Promise<void>

export type Journey = { readonly engine: Engine; readonly takeRate: TakeRate | undefined }

export async function travel({ engine, takeRate }: Journey, route: Route, request: RestRequest): Promise<RestResponse> {
  const rule = route.target.resource.access[route.target.operation]
  const credentials = credentialsOf(request)
  const principal = await engine.identity.identify(credentials, { machine: rule?.kind === 'machine' }).catch(async (refused) => {
    await takeRate?.(request.address) // whose credential is bad is an address
    throw refused
  })
  if (takeRate) await takeRate(principal.kind === 'user' ? (principal.keyId ?? principal.userId) : request.address)

  const admission = engine.policy.admit(principal, route.target)
  checkAccept(request.headers.accept, acceptable(route))
  const operation = await parse(route, request, admission)
  const permitted = engine.policy.permit(admission, operation)
  const result = await perform(engine, permitted)
  const response = represent(route, request, permitted, result)
  return { ...response, headers: { ...response.headers, 'cache-control': cacheControl(principal.kind, credentials.keyParameter) } }
}

function acceptable(route: Route): readonly string[] {
  return route.target.operation === 'export' ? ['application/x-ndjson', 'application/json'] : ['application/json']
}

/** What one caller sees is not for another's cache; what everybody sees may be kept as long as it is asked about. */
function cacheControl(kind: 'anonymous' | 'user', keyParameter: string | undefined): string {
  if (keyParameter) return 'no-store'
  return kind === 'user' ? 'private, no-cache' : 'no-cache'
}
