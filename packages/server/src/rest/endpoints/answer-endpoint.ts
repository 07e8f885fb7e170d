/**
 * Answers a request to an endpoint: identify, admit, count, parse, verify, find the record, run the
 * code once, and represent its value. A caller who may not send it learns nothing of the rest.
 */
import { nowOf } from '../../base/clock.ts'
import { errorOf } from '../../base/outcomes/thrown-error.ts'
import type { PlacedEndpoint } from '../../endpoint/declared/endpoint-places.ts'
import { ApiError } from '../../errors.ts'
import { checkAccept } from '../../http/accept-header.ts'
import type { EdgeEngine } from '../../http/edge-engine.ts'
import type { TakeRate } from '../../http/identify-request.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { isHandledAgain, passLateBody } from '../../http/messages/late-body.ts'
import { refuseDryRun } from '../../http/messages/preferences.ts'
import { byCaller, byCallerAndTenant, joinVary } from '../../http/messages/vary.ts'
import { endStage } from '../../observe/request-measurements.ts'
import { type Engine, engineFor } from '../../perform/engine.ts'
import { callerKey } from '../../resource/caller-facts.ts'
import { isBytesOutput, isLinesOutput } from '../../resource/endpoints/endpoint-output.ts'
import type { DefaultContext } from '../../resource/fields/field.ts'
import { parseKey, printOf } from '../writes/idempotency-key.ts'
import type { KeysInProgress } from '../writes/once.ts'
import { type AdmittedEndpoint, admitEndpoint, findRecord } from './admit-endpoint.ts'
import { doOnce, type OfferAnswer, type OnceRequest } from './done-once.ts'
import { begun, isStream, responseOf, typesOf, validated } from './endpoint-answer.ts'
import { codeOf, type MakeEndpointCode, shownRequest } from './endpoint-code.ts'
import { readBody, readQuery, type SentBody, unverified } from './read-endpoint.ts'
import { faultOf, startRun } from './run-endpoint.ts'

/** Counts a request towards the limit that the endpoint declares. Throws `too-many-requests`. */
export type TakeEndpointRate = (placed: PlacedEndpoint, client: string, tell: HttpRequest['tell']) => Promise<void>

export type EndpointDeps = {
  readonly engine: EdgeEngine
  readonly takeRate: TakeRate | undefined
  readonly takeOwnRate: TakeEndpointRate
  readonly inWork: KeysInProgress
  readonly makeCode: MakeEndpointCode
}

/** All that is known of a request before the code runs. */
type ReadRequest = {
  readonly placed: PlacedEndpoint
  readonly request: HttpRequest
  readonly admitted: AdmittedEndpoint
  readonly sent: SentBody
  readonly query: Readonly<Record<string, unknown>>
  readonly verified: unknown
}

/** Throws `unauthenticated` where `verify` does not take the body. */
async function verifiedBody(
  engine: Engine,
  { declared }: PlacedEndpoint,
  { request, bytes }: { request: HttpRequest; bytes: Buffer | undefined },
) {
  const { verify } = declared.endpoint
  if (!verify) return undefined
  const { settings } = engine
  const raw = { body: bytes ?? Buffer.alloc(0), request: shownRequest(request), settings, now: nowOf(engine)() }
  const run = startRun(declared, request)
  let verified: unknown
  try {
    verified = await run.within(async () => verify(raw))
  } catch (thrown) {
    // One that takes too long has not refused its sender, who tries again.
    throw thrown === run.signal.reason ? thrown : unverified(thrown)
  } finally {
    run.end()
  }
  if (verified === false) throw unverified()
  return verified
}

/** The id under which the work is done once; undefined where it is done each time. */
function onceOf(engine: Engine, read: ReadRequest): OnceRequest | undefined {
  const { placed, request, admitted, sent, verified } = read
  const { endpoint, partName } = placed.declared
  const place = `endpoint ${partName}`
  const principal = admitted.asking
  if (endpoint.once) {
    const id = endpoint.once({ input: sent.input, verified, request: shownRequest(request) })
    if (typeof id !== 'string' || id === '') throw new Error('once must return a text, the id of the request')
    return { id, place, principal, print: '', sight: '', isOfSender: true }
  }
  if (endpoint.method === 'GET' || endpoint.body === 'raw') return undefined
  const key = parseKey(request.headers['idempotency-key'])
  if (key === undefined) return undefined
  if (isLinesOutput(endpoint.output) || isBytesOutput(endpoint.output))
    throw new ApiError('bad-request', 'This takes no Idempotency-Key: its answer is a stream')
  const print = printOf({ request, bytes: sent.bytes }, { key, isSecret: false })
  return { id: key, place, principal, print, sight: callerKey(principal, engine.policy.facts.ofAll), isOfSender: false }
}

/** Runs the code with this engine, and represents what it returns. */
async function runCode(
  { engine, makeCode }: Pick<EndpointDeps, 'makeCode'> & { readonly engine: Engine },
  read: ReadRequest,
  offer?: OfferAnswer,
): Promise<HttpResponse> {
  const { placed, request, admitted } = read
  const { declared, idParameter } = placed
  const { endpoint, partName } = declared
  const { admission } = admitted
  const isOnRecord = endpoint.on?.record !== undefined
  const id = idParameter === undefined ? undefined : request.parameters[idParameter]
  const row = isOnRecord && admission ? await findRecord(engine, { admission, name: partName, id }) : undefined
  const run = startRun(declared, request)
  try {
    const response = await run.within(async () => {
      const code = codeOf(makeCode, engine, { ...read, row, signal: run.signal, offer })
      const made = responseOf(endpoint, await endpoint.run(code as never))
      if (!isStream(made.body) || request.method === 'HEAD') return made
      return { ...made, body: await begun(made.body, { ...run, failed: failedIn(partName) }) }
    })
    if (!isStream(response.body) || request.method === 'HEAD') run.end()
    return response
  } catch (error) {
    run.end()
    throw error
  }
}

/** The answer has begun, so its client gets a part of it: the log alone has the error. */
function failedIn(name: string) {
  return (cause: unknown) => new Error(`The endpoint ${name} failed in its stream`, { cause: errorOf(cause) })
}

function defaultContext(engine: Engine, { principal }: AdmittedEndpoint): DefaultContext {
  const role = principal.kind === 'user' ? principal.role : null
  return { now: nowOf(engine)(), settings: engine.settings, role }
}

/** Answers differ by the caller, unless every caller is the same to the endpoint. */
function withCaching(engine: Engine, { caller }: AdmittedEndpoint, response: HttpResponse): HttpResponse {
  response.headers['cache-control'] = caller.cacheControl
  const by = engine.policy.tenants ? byCallerAndTenant : byCaller
  response.headers.vary = joinVary(response.headers.vary, by)
  return response
}

/** Throws `ApiError`. */
export async function answerEndpoint(
  deps: EndpointDeps,
  placed: PlacedEndpoint,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { endpoint } = placed.declared
  const admitted = await admitEndpoint(deps, placed, request)
  const engine = engineFor(deps.engine, admitted.caller)
  if (!isHandledAgain(request)) await deps.takeOwnRate(placed, admitted.caller.readClient.client, request.tell)
  if (endpoint.method === 'POST') refuseDryRun(request)
  checkAccept(request.headers.accept, typesOf(endpoint))
  endStage(request.note, 'admit')
  const context = defaultContext(engine, admitted)
  const query = readQuery(endpoint, request.query, context)
  const sent = await readBody(endpoint, request, context)
  const verified = await verifiedBody(engine, placed, { request, bytes: sent.bytes })
  endStage(request.note, 'parse')
  const read: ReadRequest = { placed, request, admitted, sent, query, verified }
  try {
    const once = onceOf(engine, read)
    const { inWork, makeCode } = deps
    const response = once
      ? await doOnce({ engine, inWork }, once, (one, offer) => runCode({ engine: one, makeCode }, read, offer))
      : await runCode({ engine, makeCode }, read)
    endStage(request.note, 'perform')
    return withCaching(engine, admitted, validated(request, response))
  } catch (thrown) {
    passLateBody(thrown)
    throw faultOf(placed.declared, thrown)
  }
}
