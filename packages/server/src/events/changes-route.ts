/**
 * The route `GET /_changes`: what has changed in the lists of the caller since a position. Only
 * applications with a resource that keeps its changes have it.
 */
import { bodyShape } from '../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup, type RouteTag } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../endpoint/documented-response.ts'
import { type RouteContext, ruleAccess } from '../endpoint/route-access.ts'
import { sentText, value } from '../endpoint/route-fields.ts'
import type { JsonSchema } from '../resource/fields/field.ts'
import { anyone } from '../resource/rules/anyone.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { answerChanges, type ChangesRouteDeps } from './answer-changes.ts'
import { feedResources } from './feed-room.ts'
import { feedLimits } from './requested-feed.ts'

export const changesPath = `${apiPrefix}/_changes` as const

export const changesTag: RouteTag = {
  name: 'Changes',
  description: 'The feed of what has changed in the lists that a caller may see.',
  isOfRecords: true,
}

const position: JsonSchema = { type: 'string', maxLength: 200, description: 'A position of the feed, which is opaque.' }
const record: JsonSchema = { type: 'object', additionalProperties: true }

const event = bodyShape(
  'The fate of a record, as far as its reader sees it.',
  {
    type: value()(
      {
        type: 'string',
        enum: ['enter', 'change', 'leave', 'delete'],
        description:
          '`enter`: the record is in the list now. `change`: it has changed there. `leave`: it is there no more, and may still exist. `delete`: it is gone.',
      },
      { required: true },
    ),
    resource: value()({ type: 'string', description: 'The resource, as its path has it.' }, { required: true }),
    id: value()({ type: ['string', 'integer'], description: 'The id of the record.' }, { required: true }),
    version: value()({
      type: 'integer',
      description: 'The version that the write made; absent where another record moved this one.',
    }),
    record: value()({ ...record, description: 'The record as it is now; for `enter` and `change`.' }),
    before: value()({ ...record, description: 'The former values of the fields that have changed; for `change`.' }),
    at: value()({ type: 'string', format: 'date-time', description: 'The time of the write.' }, { required: true }),
    transaction: value()(
      { type: 'string', description: 'The same for all events of one transaction.' },
      { required: true },
    ),
    requestId: value()({ type: 'string', description: 'The id of the request, for the own writes of the caller.' }),
    last: value()({ type: 'boolean', description: 'True for the last event of its transaction.' }),
    position: value()({ ...position, description: 'The position behind the transaction, in its last event.' }),
  },
  { name: 'ChangeEvent' },
)

const page = bodyShape(
  'Events in their order. A page does not split a transaction.',
  {
    data: value()(
      { type: 'array', items: { $ref: '#/components/schemas/ChangeEvent' }, description: 'The events.' },
      { required: true },
    ),
    meta: value()(
      {
        type: 'object',
        required: ['position', 'hasMore'],
        properties: {
          position: { ...position, description: 'Send it as `after` of the next request.' },
          hasMore: { type: 'boolean', description: 'Whether there is more now.' },
        },
        description: 'How to go on.',
      },
      { required: true },
    ),
  },
  { name: 'ChangePage' },
)

const beginAnew = bodyShape(
  'Why the changes since are not known, and where to begin anew.',
  {
    error: value()({ type: 'string', description: 'One sentence.' }, { required: true }),
    position: value()({ ...position, description: 'Read the lists again, and go on from here.' }, { required: true }),
  },
  { name: 'ChangesGone' },
)

const { limit, limitMax, waitSecondsMax } = feedLimits

const queryOf = {
  after: sentText({
    description:
      'A position: that of an earlier answer, or a `Change-Position`. Without it the answer has only the present one.',
  }),
  resources: sentText({
    description: 'Names as paths have them, with commas. Without it all that the caller may list.',
  }),
  limit: sentText({
    description: `After so many events no further transaction follows: 1 to ${limitMax}, or ${limit}.`,
  }),
  wait: sentText({
    description: `How many seconds the server waits for the first event: up to ${waitSecondsMax}, or 0.`,
  }),
  filter: sentText({
    description:
      'The filter of the list, where one resource is named. That takes the other parameters of its list too, as `status=open`. Of several, `filter[books]={…}`.',
  }),
}

const changesRoute = (ground: RouteContext) =>
  defineRoute({
    method: 'GET',
    path: changesPath,
    describe: {
      id: 'getChanges',
      tag: changesTag,
      summary: 'Follow the changes of your lists',
      about:
        'The events after a position, under the rules of the caller: a change that the caller may not see did not happen. Take a position, read the lists, and then follow. With `Accept: application/x-ndjson` each line is an event, and the last line has the position. A 410 has the position to begin anew from. Allowed: callers who may list the resources.',
      line: { operation: 'changes', who: 'as each list says', answers: '200 events, 410 begin anew' },
    },
    rule: ruleAccess(anyone),
    limits: { rate: 'read' },
    isRaw: true,
    takesTenant: true,
    query: queryOf,
    output: {
      200: documentedResponse('The events.', {
        body: mediaBody({
          'application/json': { shape: page },
          'application/x-ndjson': { schema: { type: 'string', description: 'An event on each line.' } },
        }),
      }),
    },
    errors: [
      'bad-request',
      'unauthenticated',
      'forbidden',
      'gone',
      ...(ground.catalog.tenancies.size > 0 ? (['not-found'] as const) : []),
    ],
    refusals: {
      gone: documentedResponse('The changes since are not known; the answer has the position to begin anew from.', {
        body: beginAnew,
      }),
    },
    run: ({ request }, deps: ChangesRouteDeps) => answerChanges(deps, request),
  })

export function changesRoutes(ground: RouteContext): RouteGroup<ChangesRouteDeps> {
  if (feedResources(ground.catalog).length === 0) return { routes: [] }
  return { routes: [changesRoute(ground)], shapes: [event, page, beginAnew] }
}
