/**
 * The route `POST /batch`, with its description for the documents: operations in one transaction.
 */

import { batchPath } from '../../endpoint/api-paths.ts'
import { bodyShape } from '../../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup, type RouteTag } from '../../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../../endpoint/documented-response.ts'
import { type RouteContext, ruleAccess } from '../../endpoint/route-access.ts'
import { value } from '../../endpoint/route-fields.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { batchLimits } from '../../operation/list-limits.ts'
import type { Json, JsonSchema } from '../../resource/fields/field.ts'
import { anyone } from '../../resource/rules/anyone.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import { exampleBody, exampleId } from '../../resource/words/example.ts'
import { makeRoutes, type Route } from '../route.ts'

export type BatchRouteDeps = { readonly batch: (request: HttpRequest) => Promise<HttpResponse> }

const batchTag: RouteTag = {
  name: 'Batches',
  description: 'Operations in one transaction.',
  isOfRecords: true,
}

const idSchema: JsonSchema = {
  type: 'string',
  pattern: '^[\\w-]{1,64}$',
  description: 'Its name inside the batch: a later path has `{name}`, and a later body `{"$id":"name"}`.',
}
const texts = (description: string): JsonSchema => ({
  type: 'object',
  additionalProperties: { type: 'string' },
  description,
})
const id = value()(idSchema)
const body = value()({ description: 'The body, as it would be alone.' })

const operation = bodyShape(
  'One of the operations of a batch.',
  {
    id,
    method: value()(
      { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], description: 'Its method.' },
      { required: true },
    ),
    path: value()(
      { type: 'string', maxLength: 8000, description: 'Its path, without a host; `/api/v1` may be left out.' },
      { required: true },
    ),
    headers: value()(texts('If-Match and If-None-Match.')),
    body,
  },
  { name: 'BatchOperation' },
)
const result = bodyShape(
  'The result of one operation of a batch.',
  {
    id,
    status: value()(
      { type: 'integer', format: 'int32', minimum: 200, maximum: 399, description: 'Its status.' },
      { required: true },
    ),
    headers: value()(texts('ETag, Location, Deprecation and Sunset, where it has them.'), { required: true }),
    body,
  },
  { name: 'BatchResult' },
)

const { operationsMax } = batchLimits

function listOf(name: string, description: string, more: JsonSchema = {}) {
  const items = { $ref: `#/components/schemas/${name}` }
  return value()({ type: 'array', ...more, maxItems: operationsMax, description, items }, { required: true })
}

const operations = listOf('BatchOperation', 'In the order in which they are done.', { minItems: 1 })
const answered = bodyShape('The result of each operation.', {
  success: value()({ const: true, description: 'Always true.' }, { required: true }),
  data: listOf('BatchResult', 'In the order of the operations.'),
})

/** An example operation of a batch: a create without a parent, or else a read. */
function exampleStep(routes: readonly Route[]): Json {
  const made = routes.find(({ target, steps }) => target.operation === 'create' && steps.length === 0)
  const path = (route: Route) => route.path.slice(apiPrefix.length)
  if (made) return { id: 'a', method: 'POST', path: path(made), body: exampleBody(made.target.resource, 'create') }
  const read = routes.find(({ target, steps }) => target.operation === 'get' && steps.length === 0)
  return { method: 'GET', path: read ? path(read).replace(':id', exampleId) : '/things/1' }
}

const batchWith = (example: Json) =>
  defineRoute({
    method: 'POST',
    path: batchPath,
    describe: {
      id: 'batch',
      tag: batchTag,
      summary: 'Do many operations at once',
      about:
        'All of them are stored, or none. Each is authorized as if it came alone. Allowed: callers who may do each of them.',
      line: { operation: 'batch', who: 'as each operation says', answers: '200 what became of each' },
    },
    rule: ruleAccess(anyone),
    limits: { rate: 'write' },
    isRaw: true,
    takesKey: true,
    takesTenant: true,
    input: bodyShape('The operations to do.', { operations }),
    example: { operations: [example] },
    output: {
      200: documentedResponse('All of them are done.', {
        headers: ['Preference-Applied', 'Idempotency-Replayed'],
        body: mediaBody({ 'application/json': { shape: answered } }),
      }),
    },
    errors: ['bad-request', 'unauthenticated', 'forbidden', 'not-found', 'conflict', 'precondition-failed'],
    run: ({ request }, { batch }: BatchRouteDeps) => batch(request),
  })

export function batchRoutes({ catalog }: RouteContext): RouteGroup<BatchRouteDeps> {
  return { routes: [batchWith(exampleStep(makeRoutes(catalog)))], shapes: [operation, result] }
}
