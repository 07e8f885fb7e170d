/**
 * `GET /things?_live`: decides whether the client follows a set, which the log decides record by
 * record, or a page, which is read again.
 */
import { ApiError } from '../../errors.ts'
import { checkAccept } from '../../http/accept-header.ts'
import type { CallerIdentification, EdgeEngine } from '../../http/edge-engine.ts'
import { type IdentifiedRequest, identifyRequest } from '../../http/identify-request.ts'
import { bytesOf, type HttpRequest, type HttpResponse, isWholeBody } from '../../http/messages/exchange.ts'
import { namedTenant } from '../../http/named-tenant.ts'
import { limits } from '../../limits.ts'
import { type Parameters, parameterError, parseParameters, unknownParameter } from '../../operation/parameters.ts'
import type { Resource } from '../../resource/catalog.ts'
import { listParameters } from '../../resource/list-style.ts'
import { trashParameter } from '../../resource/made/declared-trash.ts'
import type { Principal } from '../../resource/principal.ts'
import { asksWhy, explainParameter } from '../../rest/explain-request.ts'
import { handleRequest, type RequestPipeline } from '../../rest/handle-request.ts'
import { isValidated, keyOf, showsNoOthers } from '../../rest/lists/cache-response.ts'
import { liveParameter } from '../../rest/live-routes.ts'
import { callerWithin } from '../../rest/request-tenant.ts'
import type { Route } from '../../rest/route.ts'
import { routesFor } from '../../rest/trash-routes.ts'
import type { RateClass } from '../../settings/network-settings.ts'
import type { LogPlace } from '../../storage/derived/kept-log.ts'
import { follow, lookedIntoBy } from '../followed.ts'
import type { LiveRoom } from './live-room.ts'
import { type AskedPage, type AskedSet, openStream } from './open-stream.ts'
import { type PageState, pageStateOf, summaryStateOf } from './page-state.ts'
import { plainForm } from './print-live.ts'

const { filter, q, credential } = listParameters
/** All others ask for a page: for its order, its figures, or for more than the record. */
const ofPages: ReadonlySet<string> = new Set(
  Object.values(listParameters)
    .map(({ name }) => name)
    .filter((name) => ![filter.name, q.name, credential.name].includes(name as never)),
)

export type LiveAsked = {
  readonly pipeline: RequestPipeline
  readonly route: Route
  readonly request: HttpRequest
  /** Undefined where the stream has one subscription. */
  readonly name?: string
}

export type BegunRequest = {
  readonly caller: IdentifiedRequest
  readonly place: LogPlace
  readonly tokenAsOfMs: number
}

/**
 * The caller, with all changes of rights before the place. Its access token must be good now; its
 * session for as long as the stream lasts.
 */
export async function beginRequest(
  { room, pipeline }: { readonly room: LiveRoom['room']; readonly pipeline: RequestPipeline },
  request: HttpRequest,
  rateClass: RateClass = 'read',
): Promise<BegunRequest> {
  const { engine, takeRate } = pipeline
  checkAccept(request.headers.accept, ['text/event-stream'])
  const place = await room.log.end()
  await engine.storage.changes.catchUp()
  const tokenAsOfMs = engine.clock()
  const { identity } = engine
  const caller = await identifyRequest({ identity, takeRate }, request, {
    machine: false,
    rateClass,
    tokenAsOfMs,
  })
  return { caller, place, tokenAsOfMs }
}

function readQuery(query: string): { readonly query: string; readonly parameters: Parameters } {
  const isOwn = (pair: string) => parseParameters(pair).has(liveParameter)
  const value = parseParameters(query).get(liveParameter)
  if (value !== undefined && value !== '' && value !== 'true')
    throw parameterError(liveParameter, `${liveParameter} takes no value`)
  const rest = query
    .split('&')
    .filter((pair) => !isOwn(pair))
    .join('&')
  const parameters = new Map(parseParameters(rest))
  parameters.delete(credential.name)
  return { query: rest, parameters }
}

/** Time alone changes such an answer, and no change says so. */
function refuseClock({ policy, catalog }: EdgeEngine, resource: Resource, isAlone: boolean): void {
  const shown = isAlone ? [resource] : [...catalog.resources.values()]
  const timed = shown.find((one) => policy.readsClock(one) || one.timedNames.length > 0)
  if (!timed) return
  throw new ApiError(
    'bad-request',
    `This cannot be live: what is shown of ${timed.plural} depends on the time, and no change says when that comes`,
  )
}

/** Callers are identified by their sessions, also when their access tokens have ended. */
function lasting(identity: CallerIdentification, tokenAsOfMs: number): CallerIdentification {
  return { ...identity, identify: (sent, options) => identity.identify(sent, { ...options, tokenAsOfMs }) }
}

async function textOf(body: HttpResponse['body']): Promise<string> {
  let text = ''
  for await (const piece of isWholeBody(body) ? [bytesOf(body)] : (body ?? [])) {
    text += String(piece)
    if (text.length > limits.live.pageBytesMax)
      throw new ApiError('bad-request', 'The list is too long to be live: set limit, or filter it')
  }
  return text
}

/** The record of a resource that has one is a page of one. */
function stateOf({ summarizes, target }: Route, text: string, total: string | undefined): PageState {
  if (summarizes) return summaryStateOf(text)
  return pageStateOf(target.operation === 'get' ? `[${text}]` : text, { idField: target.resource.idField, total })
}

function pageOf({ pipeline, route, request, name }: LiveAsked, begun: BegunRequest): AskedPage {
  const { engine, cache } = pipeline
  const { resource } = route.target
  const { 'if-none-match': _, 'if-modified-since': __, accept: ___, ...headers } = request.headers
  const { query } = readQuery(request.query)
  const plain: HttpRequest = { ...request, method: 'GET', query, headers: { ...headers, accept: 'application/json' } }
  const identity = lasting(engine.identity, begun.tokenAsOfMs)
  const reading: RequestPipeline = { ...pipeline, takeRate: undefined, engine: { ...engine, identity } }
  const isAlone = showsNoOthers(route, query)
  refuseClock(engine, resource, isAlone)
  // Not the id of the request, which a client may choose: another caller could name the same.
  const alone = engine.makeId()
  /** Most reads find that nothing differs, and an equal tag says so. */
  let last: { readonly tag: unknown; readonly state: PageState } | undefined
  const admit = (principal: Principal) =>
    engine.policy.admit(callerWithin(engine.policy, principal, { route, request }), route.target)
  return {
    kind: 'page',
    name,
    restsOn(principal) {
      if (!isAlone) return undefined
      const admission = admit(principal)
      const seen = { where: engine.policy.reach(admission), shown: admission.visibleWhere }
      return lookedIntoBy(seen, new Set([resource.name]))
    },
    key(principal) {
      const admission = admit(principal)
      return (cache && keyOf(route, plain, { admission, scopes: cache.scopes })) ?? alone
    },
    async read() {
      const { headers: told, body } = await handleRequest(reading, route, { ...plain, tell: () => undefined })
      const tag = isValidated(route, plain) ? told.etag : undefined
      if (tag !== undefined && tag === last?.tag) return last.state
      const total = told['x-total-count']
      const state = stateOf(route, await textOf(body), total === undefined ? undefined : String(total))
      last = { tag, state }
      return state
    },
  }
}

/** These lead to other answers than the list, and that of the trash has a rule of its own. */
function refuseOthers(route: Route, query: string): void {
  if (asksWhy(query)) throw unknownParameter(explainParameter)
  if (routesFor(route, query))
    throw parameterError(trashParameter, `Leave ${trashParameter} out here: the trash cannot be live`)
}

/** One subscription. Throws `bad-request`. */
export function askedOf({ room }: LiveRoom, asked: LiveAsked, begun: BegunRequest): AskedSet | AskedPage {
  const { route, request, name } = asked
  refuseOthers(route, request.query)
  const { resource } = route.target
  const { parameters } = readQuery(request.query)
  const isPage = route.summarizes || route.steps.length > 0 || route.branch || route.isSelf
  if (!isPage && ![...parameters.keys()].some((one) => ofPages.has(one)))
    return { kind: 'set', name, followed: follow(room.engine, { resource, parameters, tenant: namedTenant(request) }) }
  return pageOf(asked, begun)
}

/** Throws as the list does, and `too-many-requests` or `unavailable` for too many streams. */
export async function answerLive(live: LiveRoom, asked: LiveAsked): Promise<HttpResponse> {
  const begun = await beginRequest({ room: live.room, pipeline: asked.pipeline }, asked.request)
  const { caller, place } = begun
  return openStream(live, {
    ...{ request: asked.request, caller, place, form: plainForm },
    asked: [askedOf(live, asked, begun)],
  })
}
