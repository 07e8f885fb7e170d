/**
 * Makes handlers from route definitions. A handler counts the request, identifies the caller,
 * judges the access rule, validates query and body, calls `run`, and prints the result.
 */

import { countedAddress } from '../base/counted-address.ts'
import { checkShape, isShape, shapeOf } from '../endpoint/body-shape.ts'
import { type DefinedRoute, type DescribedRoute, pathsOf } from '../endpoint/define-route.ts'
import { isMediaBody } from '../endpoint/documented-response.ts'
import { judgeCaller, type RouteContext } from '../endpoint/route-access.ts'
import { checkParameters, parseParameters } from '../operation/parameters.ts'
import type { Fields } from '../resource/fields/field.ts'
import { anonymous, type Principal } from '../resource/principal.ts'
import { checkAccept } from './accept-header.ts'
import type { CallerIdentification } from './edge-engine.ts'
import { identifyRequest, type TakeRate } from './identify-request.ts'
import { type HttpRequest, type HttpResponse, isWholeBody, json } from './messages/exchange.ts'
import { isHandledAgain } from './messages/late-body.ts'
import { refuseDryRun } from './messages/preferences.ts'
import { readSafeJson } from './messages/read-body.ts'
import type { HttpRoute } from './server.ts'

export type ServeRouteDeps = RouteContext & {
  readonly identity: CallerIdentification
  readonly takeRate: TakeRate | undefined
}

/** A route of the server with the definition that it was made from. */
export type ServedRoute<D = DescribedRoute> = HttpRoute & { readonly of: D }

/**
 * Counts, identifies and judges. Throws `too-many-requests`, `bad-request`, `unauthenticated`,
 * `forbidden`.
 */
async function admitCaller(route: DescribedRoute, serving: ServeRouteDeps, request: HttpRequest): Promise<Principal> {
  const { rule, limits, isOfCredentials, ignoresDryRun, isRaw, method } = route
  const isAsked = !('access' in rule) || rule.access === 'inside'
  if (!isAsked && limits && !isHandledAgain(request))
    await serving.takeRate?.(countedAddress(request.address), limits.rate, request.tell)
  if (method === 'POST' && !isRaw && !ignoresDryRun) refuseDryRun(request)
  if (!isAsked) return anonymous
  const { principal } = await identifyRequest(serving, request, {
    machine: false,
    ...(limits && { rateClass: limits.rate }),
  })
  if (!('access' in rule)) judgeCaller(serving, rule, { principal, isOfCredentials: isOfCredentials === true })
  return principal
}

/** Throws `bad-request`. */
function readQuery(fields: Fields, query: string): Readonly<Record<string, unknown>> {
  const sent = parseParameters(query)
  checkParameters(sent, Object.keys(fields))
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const text = sent.get(name)
      return [name, text === undefined ? (field.default ?? null) : field.type.parse(text, name, field)]
    }),
  )
}

type ReadCall = { readonly input: never; readonly query: never }
const nothing = {} as never
const unread: ReadCall = { input: nothing, query: nothing }

async function read(
  { query = {}, input, isRaw, ignoresAccept }: DescribedRoute,
  request: HttpRequest,
): Promise<ReadCall> {
  if (isRaw) return unread
  if (!ignoresAccept) checkAccept(request.headers.accept, ['application/json'])
  const asked = readQuery(query, request.query) as never
  if (!input || isMediaBody(input)) return { query: asked, input: nothing }
  return { query: asked, input: checkShape(shapeOf(input), await readSafeJson(request)) as never }
}

/**
 * A body that is not yet bytes is printed by the declared shape. Later steps add to the headers,
 * which belong to this response alone.
 */
function printed({ output }: DescribedRoute, reply: HttpResponse & { readonly body: unknown }): HttpResponse {
  const { status, headers = {}, body } = reply
  if (isWholeBody(body)) return reply
  const said = output[status]?.body
  if (isShape(said)) return json(status, body, headers)
  return said === undefined ? { ...reply, headers: { ...headers }, body: null } : reply
}

/** Makes one server route for each path of the definition. */
export function serveRoute<N>(route: DefinedRoute<N>, needs: N, serving: ServeRouteDeps): ServedRoute[] {
  const { method, isHealth, isRaw, rule, optionHeaders } = route
  const run = (request: HttpRequest, { caller, sent }: { readonly caller: Principal; readonly sent: ReadCall }) => {
    const said = route.run({ ...sent, parameters: request.parameters, caller, request }, needs)
    return said instanceof Promise ? said.then((reply) => printed(route, reply)) : printed(route, said as never)
  }
  /** The route does all of these steps itself. */
  const isOnItsOwn = isRaw && 'access' in rule && (rule.access === 'inside' || !route.limits)
  const answer: HttpRoute['answer'] = isOnItsOwn
    ? (request) => run(request, { caller: anonymous, sent: unread })
    : async (request) => {
        const caller = await admitCaller(route, serving, request)
        return run(request, { caller, sent: await read(route, request) })
      }
  const more = { ...(isHealth && { isHealth }), ...(optionHeaders && { optionHeaders }) }
  return pathsOf(route).map((path) => ({ methods: [method], path, ...more, of: route, answer }))
}
