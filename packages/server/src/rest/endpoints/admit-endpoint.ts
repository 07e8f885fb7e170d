/**
 * Finds the caller of a request to an endpoint, judges the caller by its rule, and finds the record
 * that it is on. The steps are those of other routes, in their order.
 */
import type { PlacedEndpoint } from '../../endpoint/declared/endpoint-places.ts'
import { ApiError } from '../../errors.ts'
import type { EdgeEngine } from '../../http/edge-engine.ts'
import {
  type IdentifiedRequest,
  identifyRequest,
  type TakeRate,
  withoutCredentials,
} from '../../http/identify-request.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { namedTenant } from '../../http/named-tenant.ts'
import { notFound } from '../../operation/not-found.ts'
import type { ActOperation } from '../../operation/operation.ts'
import type { Engine } from '../../perform/engine.ts'
import { parseId } from '../../perform/read/find.ts'
import { completeRecords } from '../../perform/read/read.ts'
import { judgeEndpointCaller } from '../../policy/endpoints/caller-endpoint.ts'
import { forbidden } from '../../policy/judge.ts'
import type { Admission } from '../../policy/policy.ts'
import { all, equal, matchesNothing } from '../../resource/condition.ts'
import type { Principal } from '../../resource/principal.ts'
import type { Row } from '../../storage/storage.ts'

type AdmitDeps = { readonly engine: EdgeEngine; readonly takeRate: TakeRate | undefined }

function identified({ engine, takeRate }: AdmitDeps, { declared }: PlacedEndpoint, request: HttpRequest) {
  const { identity, settings } = engine
  const { rule, verify } = declared.endpoint
  const sent = verify ? withoutCredentials(request) : request
  return identifyRequest({ identity, takeRate }, sent, { machine: rule.type.needsKey(rule, settings) })
}

export type AdmittedEndpoint = {
  readonly caller: IdentifiedRequest
  /** With all scopes: records are judged by their own. */
  readonly asking: Principal
  /** The caller that the rule has judged: a key without the scope counts as none. */
  readonly principal: Principal
  /** Undefined where it is on no resource. */
  readonly admission: Admission | undefined
}

/** Throws `too-many-requests`, `bad-request`, `unauthenticated`, `forbidden` and `not-found`. */
export async function admitEndpoint(
  deps: AdmitDeps,
  placed: PlacedEndpoint,
  request: HttpRequest,
): Promise<AdmittedEndpoint> {
  const { resource, declared } = placed
  const { policy, catalog, settings } = deps.engine
  const caller = await identified(deps, placed, request)
  const target = resource && { resource, operation: declared.partName }
  const header = declared.endpoint.verify ? undefined : namedTenant(request)
  const asking = policy.tenants ? policy.tenants.within(caller.principal, { header, target }) : caller.principal
  if (target) {
    const admission = policy.admit(asking, target)
    // On a collection a rule about records holds where it holds on some, such as those of a tenant.
    const isOnMany = declared.endpoint.on?.collection !== undefined
    if (isOnMany && matchesNothing(admission.where)) throw refused(asking)
    return { caller, asking, principal: admission.principal, admission }
  }
  const { rule, method } = declared.endpoint
  const asked = { name: declared.partName, rule, reads: method === 'GET' }
  const principal = judgeEndpointCaller({ catalog, settings }, asking, asked)
  return { caller, asking, principal, admission: undefined }
}

function refused({ kind }: Principal): ApiError {
  return kind === 'user' ? forbidden() : new ApiError('unauthenticated', 'Token required')
}

type RecordRequest = { readonly admission: Admission; readonly name: string; readonly id: string | undefined }

/**
 * The record of the path. It must exist for the caller, by the rule of `get` and in its tenants. It
 * must satisfy the rule of the endpoint. Throws `not-found` and `forbidden`.
 */
export async function findRecord(engine: Engine, { admission, name, id }: RecordRequest): Promise<Row> {
  const { resource } = admission.target
  const own = { kind: 'act', resource, action: name, id, input: {}, under: undefined, select: null } as const
  const operation: ActOperation = { ...own, ifVersion: undefined }
  const permitted = engine.policy.permit(admission, operation)
  const parsed = id === undefined ? undefined : parseId(resource, id)
  if (id !== undefined && parsed === undefined) throw notFound(resource, 'get')
  const named = parsed === undefined ? [] : [equal(resource.idField, parsed)]
  const test = permitted.write.kind === 'true' ? undefined : permitted.write
  const found = await engine.storage.find(resource, all(...named, permitted.read), test)
  if (!found) throw notFound(resource, 'get')
  if (test && !found.passes) throw permitted.refusal()
  const [shown] = await completeRecords({ engine, reader: engine.storage, permitted }, resource, [found.row])
  return shown as Row
}
