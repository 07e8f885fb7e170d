/**
 * The steps of a request about one record, for routes that read or write a part of it. They admit
 * the caller by the rule of the record's operation, and find the record. They read no body.
 */
import { nowOf } from '../base/clock.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import type { IdentifiedRequest } from '../http/identify-request.ts'
import type { HttpRequest } from '../http/messages/exchange.ts'
import type { ChangeOperation } from '../operation/operation.ts'
import { checkChangedFields } from '../perform/changed-fields.ts'
import { type Engine, engineFor } from '../perform/engine.ts'
import { perform } from '../perform/perform.ts'
import { makeSingles } from '../perform/single.ts'
import { defaultContext, resolveDefaults } from '../perform/values.ts'
import { judgeBeforeTransaction } from '../perform/write.ts'
import type { Admission, Permitted } from '../policy/policy.ts'
import type { Principal } from '../resource/principal.ts'
import type { Row } from '../storage/storage.ts'
import { identified, type RequestPipeline } from './handle-request.ts'
import { parseOperation } from './parse-operation.ts'
import { callerWithin } from './request-tenant.ts'
import { type Route, underOf } from './route.ts'

export type RecordPipeline = Pick<RequestPipeline, 'engine' | 'takeRate'>

export type AdmittedCaller = {
  readonly caller: IdentifiedRequest
  readonly admission: Admission
  /** The engine of this caller. */
  readonly engine: EdgeEngine
}

/** Throws `unauthenticated`, `forbidden`, `too-many-requests`, `not-found`, `bad-request`. */
export async function admitCaller(
  pipeline: RecordPipeline,
  { route, as }: { readonly route: Route; readonly as?: Principal | undefined },
  request: HttpRequest,
): Promise<AdmittedCaller> {
  const found = await identified(pipeline, route, request)
  const { policy } = pipeline.engine
  const principal = callerWithin(policy, as ?? found.principal, { route, request })
  const caller = { ...found, principal }
  return { caller, admission: policy.admit(principal, route.target), engine: engineFor(pipeline.engine, caller) }
}

/**
 * The record as the caller sees it, with these fields alone. `as`: the caller in place of the
 * sender. Throws `not-found`.
 */
export async function readRecord(
  pipeline: RecordPipeline,
  {
    route,
    names,
    as,
  }: { readonly route: Route; readonly names: readonly string[]; readonly as?: Principal | undefined },
  request: HttpRequest,
): Promise<AdmittedCaller & { readonly record: Row; readonly permitted: Permitted }> {
  const admitted = await admitCaller(pipeline, { route, as }, request)
  const { engine, admission } = admitted
  const { idParameter, target } = route
  const permitted = engine.policy.permit(admission, {
    kind: 'get',
    resource: target.resource,
    under: underOf(route, request.parameters),
    select: names.filter((name) => admission.visible.has(name)),
    id: idParameter && request.parameters[idParameter],
  })
  const result = await perform(engine, permitted)
  if (result.kind !== 'record') throw new Error('a record was asked for')
  return { ...admitted, record: result.record, permitted }
}

/** The record of a single resource may have to be made first. */
async function findBefore(engine: Engine, permitted: Permitted<ChangeOperation>): Promise<Row> {
  if (permitted.operation.id === undefined) await makeSingles(engine, permitted)
  return judgeBeforeTransaction(engine, permitted)
}

/** The record that a write of this route is about, found and judged by the rule of the route. */
export async function judgeRecord(pipeline: RecordPipeline, route: Route, request: HttpRequest): Promise<JudgedUpdate> {
  const admitted = await admitCaller(pipeline, { route }, request)
  const { engine, admission } = admitted
  const { idParameter, target } = route
  const permitted = engine.policy.permit(admission, {
    kind: target.operation as ChangeOperation['kind'],
    resource: target.resource,
    under: underOf(route, request.parameters),
    select: null,
    id: idParameter && request.parameters[idParameter],
    body: { values: new Map(), fixed: new Map() },
    ifVersion: undefined,
  } as ChangeOperation)
  return { ...admitted, before: await findBefore(engine, permitted) }
}

export type JudgedUpdate = AdmittedCaller & { readonly before: Row }

/**
 * The record that an update of these values would change, found and judged. Throws what the update
 * would refuse before it looks at other records.
 */
export async function judgeUpdate(
  pipeline: RecordPipeline,
  { route, value }: { readonly route: Route; readonly value: Readonly<Record<string, unknown>> },
  request: HttpRequest,
): Promise<JudgedUpdate> {
  const admitted = await admitCaller(pipeline, { route }, request)
  const { engine, admission } = admitted
  const { policy } = engine
  const operation = await parseOperation(
    route,
    { ...request, body: undefined, value },
    { admission, policy, now: nowOf(engine) },
  )
  const permitted = policy.permit(admission, operation as ChangeOperation)
  const before = await findBefore(engine, permitted)
  await checkValues(engine, permitted, before)
  return { ...admitted, before }
}

async function checkValues(engine: Engine, permitted: Permitted<ChangeOperation>, before: Row): Promise<void> {
  const { resource, body } = permitted.operation
  const values = resolveDefaults(resource, body, defaultContext(engine, permitted))
  await checkChangedFields({ engine, reader: engine.storage }, permitted, { before, values })
}
