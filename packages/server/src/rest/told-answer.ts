/**
 * Answers a request for facts about the caller, in the tenant that the request names, with an ETag
 * of the answer. Anonymous callers get an answer too.
 */
import { checkAccept } from '../http/accept-header.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { identifyRequest, type TakeRate } from '../http/identify-request.ts'
import { etagOfBytes, unlessKnown } from '../http/messages/conditional.ts'
import { type HttpRequest, type HttpResponse, jsonType } from '../http/messages/exchange.ts'
import { byCaller, byCallerAndTenant } from '../http/messages/vary.ts'
import { callerInTenant } from '../http/named-tenant.ts'
import { checkParameters, parseParameters } from '../operation/parameters.ts'
import type { Principal } from '../resource/principal.ts'

export type ToldRouteDeps = { readonly engine: EdgeEngine; readonly takeRate: TakeRate | undefined }

export async function answerTold(
  { engine, takeRate }: ToldRouteDeps,
  request: HttpRequest,
  bodyFor: (principal: Principal) => unknown,
): Promise<HttpResponse> {
  const { identity, policy } = engine
  const identified = await identifyRequest({ identity, takeRate }, request, { machine: false })
  const { principal, cacheControl } = callerInTenant(policy, identified, request)
  checkAccept(request.headers.accept, ['application/json'])
  checkParameters(parseParameters(request.query), [])
  const body = JSON.stringify(bodyFor(principal))
  const headers = {
    'content-type': jsonType,
    'cache-control': cacheControl,
    vary: policy.tenants ? byCallerAndTenant : byCaller,
    etag: etagOfBytes(body),
  }
  return unlessKnown(request, { status: 200, headers, body })
}
