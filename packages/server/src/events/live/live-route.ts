/**
 * The route `POST /_live`: one stream with several subscriptions, each the address of a list or of
 * a summary.
 */

import { bodyShape } from '../../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup } from '../../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../../endpoint/documented-response.ts'
import { type RouteContext, ruleAccess } from '../../endpoint/route-access.ts'
import { value } from '../../endpoint/route-fields.ts'
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { readSafeJson } from '../../http/messages/read-body.ts'
import { limits } from '../../limits.ts'
import { isTable } from '../../resource/members.ts'
import { anyone } from '../../resource/rules/anyone.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import type { FindRoute } from '../../rest/find-route.ts'
import type { RequestPipeline } from '../../rest/handle-request.ts'
import { takesLive } from '../../rest/live-routes.ts'
import { changesTag } from '../changes-route.ts'
import { feedResources } from '../feed-room.ts'
import { askedOf, beginRequest } from './answer-live.ts'
import type { LiveRoom } from './live-room.ts'
import { openStream } from './open-stream.ts'
import { plainForm } from './print-live.ts'

export const livePath = `${apiPrefix}/_live` as const

export type LiveRouteDeps = {
  readonly live: LiveRoom
  readonly pipeline: RequestPipeline
  readonly findRoute: FindRoute
}

type NamedPath = { readonly name: string; readonly path: string }

const { subscriptionsMax } = limits.live
const namePattern = /^[A-Za-z][\w-]{0,49}$/
const pathLengthMax = 4_000

const refused = (detail: string) => new ApiError('bad-request', detail)

/** Throws `bad-request`. */
function subscriptionsIn(body: unknown): readonly NamedPath[] {
  const list = isTable(body) ? body.subscriptions : undefined
  if (!Array.isArray(list) || list.length === 0 || list.length > subscriptionsMax)
    throw refused(
      `subscriptions must be a list of 1 to ${subscriptionsMax}: {"name": "open", "path": "/things?open=true"}`,
    )
  const names = new Set<string>()
  return list.map((one: unknown) => {
    const { name, path } = isTable(one) ? one : {}
    if (typeof name !== 'string' || !namePattern.test(name))
      throw refused('Each subscription needs a name of letters and digits')
    if (typeof path !== 'string' || !path.startsWith('/') || path.length > pathLengthMax)
      throw refused(`The subscription ${name} needs a path, such as /things?open=true`)
    if (names.has(name)) throw refused(`Two subscriptions have the name ${name}`)
    names.add(name)
    return { name, path }
  })
}

/** Throws `bad-request` for a path that is no list which can be live. */
function askedAt({ pipeline, findRoute, live }: LiveRouteDeps, { name, path }: NamedPath, asking: Asking) {
  const { request, begun } = asking
  const at = path.indexOf('?')
  const [place, query] = at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at + 1)]
  const found = findRoute('GET', `${apiPrefix}${place}`)
  if (!found || !takesLive(found.route))
    throw refused(`The subscription ${name} cannot be live: its path must be a list whose resource has changes`)
  const own: HttpRequest = {
    ...request,
    method: 'GET',
    path: `${apiPrefix}${place}`,
    query,
    parameters: found.parameters,
    body: undefined,
  }
  return askedOf(live, { pipeline, route: found.route, request: own, name }, begun)
}

type Asking = { readonly request: HttpRequest; readonly begun: Awaited<ReturnType<typeof beginRequest>> }

async function answer(deps: LiveRouteDeps, request: HttpRequest): Promise<HttpResponse> {
  const { live, pipeline } = deps
  const begun = await beginRequest({ room: live.room, pipeline }, request)
  const asked = subscriptionsIn(await readSafeJson(request)).map((one) => askedAt(deps, one, { request, begun }))
  return openStream(live, { request, caller: begun.caller, place: begun.place, asked, form: plainForm })
}

const input = bodyShape(
  'The subscriptions of one stream.',
  {
    subscriptions: value()(
      {
        type: 'array',
        minItems: 1,
        maxItems: subscriptionsMax,
        description: 'Each has a name, and the path of a list with its parameters.',
        items: {
          type: 'object',
          required: ['name', 'path'],
          properties: {
            name: { type: 'string', pattern: namePattern.source, description: 'The events have it before a slash.' },
            path: {
              type: 'string',
              maxLength: pathLengthMax,
              description: 'As in `GET`, behind the prefix of the API.',
            },
          },
        },
      },
      { required: true },
    ),
  },
  { name: 'LiveSubscriptions' },
)

const liveRoute = (ground: RouteContext) =>
  defineRoute({
    method: 'POST',
    path: livePath,
    describe: {
      id: 'openLive',
      tag: changesTag,
      summary: 'Follow several lists in one stream',
      about:
        'Server-sent events of several lists, pages and summaries. Each event is `NAME/enter` and so on, as `_live` of the list has it. An `id` follows the events of each transaction; `Last-Event-ID` resumes all. Allowed: callers who may read the lists.',
      line: { operation: 'live', who: 'as each list says', answers: '200 events' },
    },
    rule: ruleAccess(anyone),
    limits: { rate: 'read' },
    isRaw: true,
    takesTenant: true,
    input,
    output: {
      200: documentedResponse('The events.', {
        body: mediaBody({
          'text/event-stream': { schema: { type: 'string', description: 'Server-sent events.' } },
        }),
      }),
    },
    errors: [
      'bad-request',
      'unauthenticated',
      'forbidden',
      ...(ground.catalog.tenancies.size > 0 ? (['not-found'] as const) : []),
    ],
    run: ({ request }, deps: LiveRouteDeps) => answer(deps, request),
  })

export function liveRoutes(ground: RouteContext): RouteGroup<LiveRouteDeps> {
  if (feedResources(ground.catalog).length === 0) return { routes: [] }
  return { routes: [liveRoute(ground)], shapes: [input] }
}
