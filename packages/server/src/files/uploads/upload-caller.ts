/** The caller of a request about uploads, counted, and in the tenant that the request names. */
import { identifyRequest } from '../../http/identify-request.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { callerInTenant } from '../../http/named-tenant.ts'
import type { Principal } from '../../resource/principal.ts'
import type { RecordPipeline } from '../../rest/record-journey.ts'

/** Throws `bad-request`, `unauthenticated`, `not-found`, `too-many-requests`. */
export async function uploadCaller({ engine, takeRate }: RecordPipeline, request: HttpRequest): Promise<Principal> {
  const { identity, policy } = engine
  const found = await identifyRequest({ identity, takeRate }, request, { machine: false })
  return callerInTenant(policy, found, request).principal
}
