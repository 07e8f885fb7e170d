/** `POST /batch`: many operations in one transaction, as `rest/writes/batch.ts` takes them. */
import { batchLimits } from '../operation/list-limits.ts'
import { apiPrefix } from '../rest/route.ts'
import { answer, errorsFor } from './answers.ts'
import { ofWrites } from './headers.ts'
import { bodyContent, freeObject, jsonContent, type NamedNode, type Node, objectSchema, refTo } from './node.ts'
import { retryReferences } from './operation-parameters.ts'

const id: Node = {
  type: 'string',
  pattern: '^[\\w-]{1,64}$',
  description: 'Its name inside the batch: a later path has `{name}`, and a later body `{"$id":"name"}`.',
}
const headers = freeObject('If-Match and If-None-Match.', { type: 'string' })
const anything: Node = { description: 'The body, as it would be alone.' }

export const batchTag: Node = { name: 'Batches', description: 'Many operations in one transaction.' }

export const batchSchemas: Node = {
  BatchOperation: {
    type: 'object',
    description: 'One of the operations of a batch.',
    required: ['method', 'path'],
    properties: {
      id,
      method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], description: 'Its method.' },
      path: { type: 'string', maxLength: 8000, description: 'Its path, without a host; `/api/v1` may be left out.' },
      headers,
      body: anything,
    },
  },
  BatchResult: {
    type: 'object',
    description: 'What one operation of a batch was answered.',
    required: ['status', 'headers'],
    properties: {
      id,
      status: { type: 'integer', format: 'int32', minimum: 200, maximum: 399, description: 'Its status.' },
      headers: freeObject('ETag, Location, Deprecation and Sunset, where it has them.', { type: 'string' }),
      body: anything,
    },
  },
}

const { operationsMax } = batchLimits

/** `example`: one operation. */
export function batchPath(example: Node): NamedNode {
  const operations: Node = {
    type: 'array',
    minItems: 1,
    maxItems: operationsMax,
    description: 'In the order in which they are done.',
    items: refTo('schemas', 'BatchOperation'),
  }
  const results: Node = {
    type: 'array',
    maxItems: operationsMax,
    description: 'In the order of the operations.',
    items: refTo('schemas', 'BatchResult'),
  }
  const success: Node = { const: true, description: 'Always true.' }
  const post: Node = {
    operationId: 'batch',
    tags: ['Batches'],
    summary: 'Do many operations at once',
    description:
      'All of them are stored, or none. Each is authorized as if it came alone. Who may: whoever may do each of them.',
    security: [{}, { bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
    parameters: retryReferences,
    requestBody: {
      required: true,
      content: bodyContent(objectSchema('What is to be done.', { operations }), { operations: [example] }),
    },
    responses: {
      '200': answer(
        'All of them are done.',
        ofWrites,
        jsonContent(objectSchema('What each was answered.', { success, data: results })),
      ),
      ...errorsFor([
        'bad-request',
        'unauthenticated',
        'forbidden',
        'not-found',
        'conflict',
        'precondition-failed',
        'too-many-requests',
        'internal',
      ]),
    },
  }
  return [`${apiPrefix}/batch`, { post }]
}
