/**
 * Handles a REST request in these steps, with the statuses in which each may end:
 *
 *  - identify the caller: 401;
 *  - admit the caller by the access rule: 401 403;
 *  - explain the access, where that is asked for (`_explain`): 200 400 404;
 *  - find a cached response: 200 304;
 *  - parse the request into an operation: 400 406 413 415;
 *  - permit the operation, which ties it to the rule;
 *  - perform it in storage: 403 404 409 412;
 *  - represent the result as bytes: 200 201 204 304.
 *
 * A caller who may not perform the operation is refused before the rest of the request is read.
 * GraphQL's root fields take the same steps.
 */

import { nowOf } from '../base/clock.ts'
import { checkAccept } from '../http/accept-header.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { type IdentifiedRequest, identifyRequest, type TakeRate } from '../http/identify-request.ts'
import type { LogFault } from '../http/logs/fault-log.ts'
import { etagOfBytes, unlessKnown } from '../http/messages/conditional.ts'
import type { HttpRequest, HttpResponse } from '../http/messages/exchange.ts'
import { endStage } from '../observe/request-measurements.ts'
import { atOneTime, engineFor } from '../perform/engine.ts'
import { perform } from '../perform/perform.ts'
import type { OperationResult } from '../perform/result.ts'
import { mayExplain } from '../policy/may-explain.ts'
import { factsOf } from '../resource/operation-kind.ts'
import type { CacheHit } from '../response-cache/cache-entry.ts'
import type { CacheRecorder, ResponseCache } from '../response-cache/response-cache.ts'
import { asksWhy, explainRequest } from './explain-request.ts'
import { answerCached, type BuiltResponse, buildAndCache, isValidated, keyOf } from './lists/cache-response.ts'
import { cachedPageOf } from './lists/page-ending.ts'
import { asQuery } from './lists/query-method.ts'
import { wholeIfSmall } from './lists/small-stream.ts'
import { csvType } from './lists/summary-csv.ts'
import { varied } from './lists/vary-by-caller.ts'
import { type ParseContext, parseOperation } from './parse-operation.ts'
import { type ResponseContext, representResult } from './represent-result.ts'
import { callerWithin } from './request-tenant.ts'
import type { Route } from './route.ts'
import { firstFound, routesFor } from './trash-routes.ts'
import type { KeysInProgress } from './writes/once.ts'
import { type AdmittedRequest, performWrite } from './writes/single-write.ts'

export type RequestPipeline = {
  readonly engine: EdgeEngine
  readonly takeRate: TakeRate | undefined
  /** Undefined where responses are not cached. */
  readonly cache: ResponseCache | undefined
  readonly inWork: KeysInProgress
  /** Logs a fault that a write has survived, such as of one line of an import. */
  readonly logFault: LogFault
}

/** The response; returned at once where no step has to wait. */
export function handleRequest(
  pipeline: RequestPipeline,
  route: Route,
  sent: HttpRequest,
): HttpResponse | Promise<HttpResponse> {
  const others = routesFor(route, sent.query)
  if (others) return firstFound(others, (one) => handleOne(pipeline, one, sent))
  return handleOne(pipeline, route, sent)
}

function handleOne(pipeline: RequestPipeline, route: Route, sent: HttpRequest): HttpResponse | Promise<HttpResponse> {
  const caller = identified(pipeline, route, sent)
  if (caller instanceof Promise) return caller.then((known) => admitted(pipeline, { route, sent }, known))
  return admitted(pipeline, { route, sent }, caller)
}

export function identified(
  { engine, takeRate }: Pick<RequestPipeline, 'engine' | 'takeRate'>,
  route: Route,
  sent: HttpRequest,
) {
  const { identity, settings } = engine
  const rule = route.target.resource.access[route.target.operation]
  const machine = rule?.type.needsKey(rule, settings) ?? false
  return identifyRequest({ identity, takeRate }, sent, { machine })
}

/**
 * Finds the caller of a request that may last for minutes, with its present rights. Undefined for
 * all others.
 */
function callerFinder(
  { engine }: RequestPipeline,
  { route, sent }: { readonly route: Route; readonly sent: HttpRequest },
  { callerNow }: IdentifiedRequest,
): ParseContext['findCaller'] {
  const { operation, resource } = route.target
  const isWholeList = operation === 'list' && resource.list.style === 'all'
  if (operation !== 'import' && operation !== 'export' && !isWholeList) return undefined
  return async () => callerWithin(engine.policy, await callerNow(), { route, request: sent })
}

/** The steps from `admit` on. */
function admitted(
  pipeline: RequestPipeline,
  { route, sent }: { readonly route: Route; readonly sent: HttpRequest },
  caller: IdentifiedRequest,
): HttpResponse | Promise<HttpResponse> {
  const { engine, inWork } = pipeline
  const { cacheControl } = caller
  const principal = callerWithin(engine.policy, caller.principal, { route, request: sent })
  const within = principal === caller.principal ? caller : { ...caller, principal }
  if (asksWhy(sent.query) && mayExplain(engine, principal, route.target.resource))
    return explainRequest(engineFor(engine, caller), route, { request: sent, principal })
  const admission = engine.policy.admit(principal, route.target)
  checkAccept(sent.headers.accept, acceptable(route))
  const findCaller = callerFinder(pipeline, { route, sent }, caller)
  if (!factsOf(route.target.operation).reads) {
    endStage(sent.note, 'admit')
    const writing = performWrite(
      { engine: engineFor(engine, caller), inWork },
      { route, request: sent, admission, findCaller },
      principal,
    )
    return writing.then((written) => {
      for (const fault of written.faults ?? []) pipeline.logFault(fault, sent.id)
      return withCaching(written, cacheControl)
    })
  }
  if (sent.method === 'QUERY')
    return asQuery(route, sent).then((request) => read(pipeline, { route, request, admission, findCaller }, within))
  return read(pipeline, { route, request: sent, admission, findCaller }, within)
}

/** Whether a rule of the records, or of those above them in the path, depends on the time. */
function readsClock({ policy }: EdgeEngine, { target, steps }: Route): boolean {
  return policy.readsClock(target.resource) || steps.some(({ resource }) => policy.readsClock(resource))
}

/** The cached response, or a new one. */
function read(
  { engine, cache }: RequestPipeline,
  asked: AdmittedRequest,
  caller: IdentifiedRequest,
): HttpResponse | Promise<HttpResponse> {
  const { cacheControl } = caller
  const { route, request, admission } = asked
  // A response to a request with a credential in its address is not cached.
  const isCached = cacheControl !== 'no-store' && !readsClock(engine, route)
  const key = isCached ? cache && keyOf(route, request, { admission, scopes: cache.scopes }) : undefined
  const answer = (found: CacheHit | undefined) => {
    endStage(request.note, 'admit')
    if (found) return withCaching(answerCached(route, request, found), cacheControl)
    const eager = route.target.operation === 'list'
    const making = make(engineFor(engine, caller), asked, (engine) =>
      key === undefined ? undefined : cache?.record(key, engine, { eager }),
    )
    return making.then((made) => withCaching(made, cacheControl))
  }
  const finding = key === undefined ? undefined : cache?.find(key, caller)
  return finding instanceof Promise ? finding.then(answer) : answer(finding)
}

function withCaching(response: HttpResponse, cacheControl: string): HttpResponse {
  response.headers['cache-control'] = cacheControl
  return response
}

/** The steps of a read from `parseOperation` on. The recorder caches the response. */
async function make(
  engine: EdgeEngine,
  { route, request, admission, findCaller }: AdmittedRequest,
  record: (engine: EdgeEngine) => CacheRecorder | undefined,
): Promise<HttpResponse> {
  const recorder = record(engine)
  try {
    const tracked = recorder?.engine ?? engine
    const own = route.target.resource.timedNames.length > 0 ? atOneTime(tracked) : tracked
    // The recorder notes also which views the filters of the request reach.
    const operation = await parseOperation(route, request, {
      admission,
      policy: own.policy,
      findCaller,
      now: nowOf(own),
    })
    endStage(request.note, 'parse')
    const permitted = own.policy.permit(admission, operation)
    const result = await perform(own, permitted)
    endStage(request.note, 'perform')
    const made = await validated({ route, request, permitted, policy: own.policy, result })
    const response = recorder ? buildAndCache(recorder, made) : made.response
    recorder?.end()
    endStage(request.note, 'represent')
    return isValidated(route, request) ? unlessKnown(request, response) : response
  } catch (error) {
    recorder?.end(error)
    throw error
  }
}

type ResponseInput = ResponseContext & { readonly result: OperationResult }

/** Prints a list that is not long once, as bytes with their validator, for all later steps. */
async function validated(making: ResponseInput): Promise<BuiltResponse> {
  const { route, request, result } = making
  const { target } = route
  const response = varied(representResult(making, result), making)
  if (target.operation !== 'list') return { response, part: undefined }
  const whole = await wholeIfSmall(response, { isHead: request.method === 'HEAD' })
  if (typeof whole.body !== 'string') return { response: whole, part: undefined }
  // Where the body has no total, the headers do.
  const total = target.resource.list.style === 'all' ? (whole.headers['x-total-count'] ?? '') : ''
  const body = Buffer.from(whole.body)
  const page = cachedPageOf(request, result, body)
  whole.headers.etag = page?.etag ?? etagOfBytes(total === '' ? body : Buffer.from(whole.body + total))
  return { response: { ...whole, body }, part: page?.part }
}

function acceptable(route: Route): readonly string[] {
  if (route.summarizes) return ['application/json', csvType]
  return route.target.operation === 'export' ? ['application/x-ndjson', 'application/json'] : ['application/json']
}
