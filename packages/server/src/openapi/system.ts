/** What is served besides the resources: GraphQL, health, and this document. */
import { answer, errorsFor } from './answers.ts'
import { jsonContent, type Node, refTo } from './node.ts'

export const systemTags: readonly Node[] = [
  { name: 'GraphQL', description: 'Every resource by GraphQL over HTTP, with the same rules.' },
  { name: 'System', description: 'Health, and this document.' },
]

const text: Node = { type: 'string' }
const anyObject: Node = { type: 'object' }
const health = jsonContent({ type: 'object', required: ['status'], properties: { status: { const: 'ok' } } })

export const systemSchemas: Node = {
  GraphqlRequest: {
    type: 'object',
    required: ['query'],
    properties: {
      query: text,
      operationName: { type: ['string', 'null'] },
      variables: { type: ['object', 'null'] },
      extensions: { type: ['object', 'null'] },
    },
  },
  GraphqlAnswer: {
    type: 'object',
    properties: {
      data: { type: ['object', 'null'] },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['message'],
          properties: { message: text, extensions: { type: 'object', properties: { code: text } } },
        },
      },
    },
  },
}

const graphqlContent: Node = {
  ...jsonContent(refTo('schemas', 'GraphqlAnswer'), 'application/graphql-response+json'),
  ...jsonContent(refTo('schemas', 'GraphqlAnswer')),
}

function graphql(operationId: string, summary: string, input: Node): Node {
  return {
    operationId,
    tags: ['GraphQL'],
    summary,
    security: [{}, { bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
    ...input,
    responses: {
      '200': answer('Data, errors of fields, or both.', [], graphqlContent),
      default: answer('A request that was not executed.', [], graphqlContent),
    },
  }
}

function inQuery(name: string, required = false): Node {
  return { name, in: 'query', required, schema: text }
}

function open(operationId: string, summary: string, responses: Node): Node {
  return { operationId, tags: ['System'], summary, security: [], responses }
}

export const systemPaths: readonly (readonly [string, Node])[] = [
  [
    '/graphql',
    {
      get: graphql('graphqlQuery', 'Execute a query', {
        description: 'Queries alone; `variables` and `extensions` are JSON.',
        parameters: [inQuery('query', true), inQuery('operationName'), inQuery('variables'), inQuery('extensions')],
      }),
      post: graphql('graphql', 'Execute a query or mutation', {
        requestBody: { required: true, content: jsonContent(refTo('schemas', 'GraphqlRequest')) },
      }),
    },
  ],
  ['/livez', { get: open('isLive', 'Whether the process lives', { '200': answer('It does.', [], health) }) }],
  [
    '/readyz',
    {
      get: open('isReady', 'Whether it can serve', {
        '200': answer('It can.', [], health),
        ...errorsFor(['unavailable']),
      }),
    },
  ],
  [
    '/openapi.json',
    { get: open('getOpenapi', 'This document', { '200': answer('OpenAPI 3.1.', [], jsonContent(anyObject)) }) },
  ],
]
