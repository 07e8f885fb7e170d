/** What the document says of writes besides their bodies: keys, preferences, batches, and writes by a filter. */
import { batchLimits, bulkLimits } from '../operation/list-limits.ts'
import { ruleOf } from '../policy/policy.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { inSentence } from '../resource/names.ts'
import type { Settings } from '../resource/rule.ts'
import { batchPath, type Route } from '../rest/route.ts'
import { answer, type DocumentedError, errorsFor } from './answers.ts'
import { filterParameters } from './filter-parameters.ts'
import { jsonContent, type Node, refTo } from './node.ts'
import type { NamedNode } from './query-parameter.ts'
import { pluralLabelOf } from './schema-names.ts'
import { schemaName } from './schemas.ts'
import { securityOf } from './security.ts'

const text: Node = { type: 'string' }

function header(name: string, description: string): Node {
  return { name, in: 'header', description, schema: text }
}

export const writeParameters: readonly NamedNode[] = [
  [
    'idempotencyKey',
    header(
      'Idempotency-Key',
      'Makes the request safe to send again: for a day it has one effect, and the same answer. 1 to 255 characters, best a UUID.',
    ),
  ],
  [
    'prefer',
    header('Prefer', '`return=minimal`: no body. `dry-run`: what would happen, and nothing is stored (RFC 7240).'),
  ],
  ['preferCount', header('Prefer', '`count=none`: the total is not counted, and is null.')],
]

/** What every write takes but an import. */
export const writeReferences: readonly Node[] = [refTo('parameters', 'idempotencyKey'), refTo('parameters', 'prefer')]

const always: readonly DocumentedError[] = ['too-many-requests', 'internal', 'unavailable']
const refusals: readonly DocumentedError[] = [
  'bad-request',
  'unauthenticated',
  'forbidden',
  'not-acceptable',
  'conflict',
  'too-large',
  'unsupported-media-type',
  'key-mismatch',
  ...always,
]

function object(properties: Node, required = Object.keys(properties)): Node {
  return { type: 'object', required, properties }
}

function limitParameter({ plural }: Resource): Node {
  return {
    name: 'limit',
    in: 'query',
    required: true,
    description: `If more ${plural} match, nothing is changed.`,
    schema: { type: 'integer', minimum: 1, maximum: bulkLimits.recordsMax },
  }
}

/** One route of a write by a filter. */
export function bulkOperationOf(
  { target, mount }: Route,
  { catalog, settings }: { readonly catalog: Catalog; readonly settings: Settings },
): Node {
  const { resource, operation } = target
  const rule = ruleOf(target)
  const verb = operation === 'delete' ? 'deleted' : 'updated'
  const filters = filterParameters(resource).map(([key]) => refTo('parameters', key))
  const body = {
    requestBody: { required: true, content: jsonContent(refTo('schemas', schemaName(resource, 'update'))) },
  }
  const counted = object({ success: { const: true }, [verb]: { type: 'integer', minimum: 0 } })
  return {
    operationId: `${operation}Many${resource.typeName}${mount === '' ? 'AtRoot' : ''}`,
    tags: [pluralLabelOf(resource)],
    summary: `${operation === 'delete' ? 'Delete' : 'Update'} all ${inSentence(pluralLabelOf(resource))} that a filter finds`,
    description: `Who may: ${rule.type.inDocument(rule, settings)}. All of them, or none; a filter is needed.`,
    security: securityOf(rule, { catalog, settings, resource }),
    parameters: [limitParameter(resource), ...filters, ...writeReferences],
    ...(operation === 'delete' ? {} : body),
    responses: { '200': answer('How many there were.', [], jsonContent(counted)), ...errorsFor(refusals) },
  }
}

/** One route of `PUT` by a unique field. */
export function upsertOperationOf(
  { target, mount }: Route,
  { catalog, settings }: { readonly catalog: Catalog; readonly settings: Settings },
): Node {
  const { resource } = target
  const rule = ruleOf(target)
  const record = jsonContent(refTo('schemas', schemaName(resource)))
  const on: Node = { name: 'on', in: 'query', required: true, schema: { enum: [...resource.upsert] } }
  return {
    operationId: `upsert${resource.typeName}${mount === '' ? 'AtRoot' : ''}`,
    tags: [pluralLabelOf(resource)],
    summary: `Replace one ${inSentence(resource.label)} by a unique field, or create it`,
    description: 'Who may: those who may create and replace.',
    security: securityOf(rule, { catalog, settings, resource }),
    parameters: [on, refTo('parameters', 'ifMatch'), ...writeReferences],
    requestBody: { required: true, content: jsonContent(refTo('schemas', schemaName(resource, 'create'))) },
    responses: {
      '200': answer('The record after it.', ['ETag'], record),
      '201': answer('The new record.', ['ETag', 'Location'], record),
      ...errorsFor([...refusals, 'precondition-failed']),
    },
  }
}

const operation: Node = object(
  {
    id: { type: 'string', pattern: '^[\\w-]{1,64}$', description: 'For references of later operations.' },
    method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    path: { type: 'string', description: 'Below the prefix; `{a}` as a segment is the record of the operation `a`.' },
    headers: { type: 'object', description: '`If-Match` and `If-None-Match`.', additionalProperties: text },
    body: { description: 'A member that is `{"$id": "a"}` is the id of the record of the operation `a`.' },
  },
  ['method', 'path'],
)
const result: Node = object(
  { id: text, status: { type: 'integer' }, headers: { type: 'object', additionalProperties: text }, body: {} },
  ['status', 'headers'],
)

export const batchPaths: readonly (readonly [string, Node])[] = [
  [
    batchPath,
    {
      post: {
        operationId: 'batch',
        tags: ['System'],
        summary: 'Do many operations in one transaction',
        description: 'All of them, or none. Each is judged as if it came alone, and sees what those before it wrote.',
        security: [{}, { bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
        parameters: writeReferences,
        requestBody: {
          required: true,
          content: jsonContent(
            object({
              operations: { type: 'array', minItems: 1, maxItems: batchLimits.operationsMax, items: operation },
            }),
          ),
        },
        responses: {
          '200': answer(
            'The results, in the order of the operations.',
            [],
            jsonContent(object({ success: { const: true }, data: { type: 'array', items: result } })),
          ),
          ...errorsFor([...refusals, 'not-found', 'precondition-failed', 'precondition-required']),
        },
      },
    },
  ],
]
