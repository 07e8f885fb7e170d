/** What is served besides the resources: GraphQL, health, and this document. */
import { hash } from 'node:crypto'
import { answer, type DocumentedError, errorsFor } from './answers.ts'
import { challengeAmongOthers } from './headers.ts'
import { inQuery } from './lists/query-parameter.ts'
import {
  bodyContent,
  freeObject,
  jsonContent,
  type NamedNode,
  type Node,
  nodesOf,
  notForModels,
  objectSchema,
  refTo,
} from './node.ts'

export const systemTags: readonly Node[] = [
  { name: 'GraphQL', description: 'Every resource by GraphQL over HTTP, with the same rules.' },
  { name: 'System', description: 'Health, and this document.' },
]

const anyDocument: Node = { type: 'string', maxLength: 100_000 }
const query: Node = {
  ...anyDocument,
  description: 'The document, unless `documentId` or `extensions` name it.',
}
const documentId: Node = {
  type: ['string', 'null'],
  maxLength: 1000,
  description: 'Names a document: `sha256:` and its hash, or a trusted one.',
}
const persisted = '`persistedQuery` (`version` 1, `sha256Hash`) names a document that was sent before.'
const exampleName = 'Example'
const exampleQuery = `query ${exampleName} { __typename }`
const exampleHash = hash('sha256', exampleQuery)
const status: Node = { const: 'ok', description: 'Always `ok`.' }
const health = jsonContent(objectSchema('It is well.', { status }))
const details = freeObject('Of backups, for an ADMIN who asks.')
const ready = jsonContent({ ...objectSchema('It is ready.', { status, details }), required: ['status'] })
const readOnly: Node = {
  const: 'read-only',
  description: 'Nothing can be written: the disk is full, or the database refuses writes. Reads go on.',
}
const why: Node = { type: 'string', maxLength: 10_000, description: 'One sentence.' }
const notReady: Node = {
  ...objectSchema('Why it is not ready.', { error: why, status: readOnly, details }),
  required: [],
  anyOf: [{ required: ['error'] }, { required: ['status'] }],
}
const problem = jsonContent(refTo('schemas', 'Problem'), 'application/problem+json')
const documentSchema = freeObject('An OpenAPI 3.1 document.')

/** Members of a request, besides the query. */
const further: Node = {
  operationName: {
    type: ['string', 'null'],
    maxLength: 1000,
    description: 'The operation to execute, where the document has several.',
  },
  variables: { ...freeObject('The values of the variables.'), type: ['object', 'null'] },
  documentId,
  extensions: { ...freeObject(persisted), type: ['object', 'null'] },
}

export const systemSchemas: Node = {
  GraphqlRequest: {
    type: 'object',
    description: 'A request of GraphQL over HTTP.',
    properties: { query, ...further },
  },
  GraphqlAnswer: {
    type: 'object',
    description: 'What a GraphQL request is answered with.',
    properties: {
      data: { ...freeObject('What was asked for; null where nothing could be answered.'), type: ['object', 'null'] },
      errors: {
        type: 'array',
        maxItems: 1000,
        description: 'What went wrong, field by field.',
        items: {
          type: 'object',
          description: 'An error.',
          required: ['message'],
          properties: {
            message: { type: 'string', maxLength: 100_000, description: 'One sentence.' },
            path: { type: 'array', maxItems: 100, items: {}, description: 'The field that failed.' },
            locations: { type: 'array', maxItems: 1000, items: {}, description: 'Where it stands in the document.' },
            extensions: {
              type: 'object',
              description: 'More about the error.',
              properties: { code: { type: 'string', maxLength: 100, description: 'A code such as `FORBIDDEN`.' } },
            },
          },
        },
      },
    },
  },
}

const graphqlContent: Node = {
  ...jsonContent(refTo('schemas', 'GraphqlAnswer'), 'application/graphql-response+json'),
  ...jsonContent(refTo('schemas', 'GraphqlAnswer')),
}

const refusals = [
  '400: A request that cannot be executed.',
  '401: A bad credential.',
  '405: A mutation by GET.',
  '406: `Accept` excludes JSON.',
  '413: The body is too large.',
  '415: The body is no JSON.',
  '429: Too often; `Retry-After` says when again.',
  '500: A fault of the server.',
  '503: Not now; `Retry-After` says when again.',
]
/** The statuses that the document lists by themselves; the others are told in words. */
const listed = ['400', '401', '429', '500', 'default']

const refusedByGraphql = answer(refusals.join(' '), ['Retry-After'], graphqlContent)

export const systemAnswers: Node = {
  Graphql: answer('Data, errors of fields, or both.', [], graphqlContent),
  GraphqlRefused: {
    ...refusedByGraphql,
    headers: { ...(refusedByGraphql.headers as Node), ...challengeAmongOthers },
  },
}

const anybodyOrKnown: readonly Node[] = [{}, { bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }]

function graphql(operationId: string, summary: string, input: Node): Node {
  const refused = listed.map((code) => [code, refTo('responses', 'GraphqlRefused')] as const)
  return {
    operationId,
    tags: ['GraphQL'],
    summary,
    ...input,
    security: anybodyOrKnown,
    responses: { '200': refTo('responses', 'Graphql'), ...nodesOf(refused) },
  }
}

const inUrl: readonly Node[] = [
  inQuery({ name: 'query', about: 'The GraphQL document, a query.', schema: anyDocument, example: exampleQuery }),
  inQuery({
    name: 'operationName',
    about: 'The operation to execute, where the document has several.',
    schema: { type: 'string', maxLength: 1000 },
    example: exampleName,
  }),
  inQuery({
    name: 'variables',
    about: 'The values of the variables, as JSON.',
    schema: { type: 'string', contentMediaType: 'application/json', maxLength: 100_000 },
    example: '{}',
  }),
  inQuery({
    name: 'extensions',
    about: `JSON. ${persisted}`,
    schema: { type: 'string', contentMediaType: 'application/json', maxLength: 100_000 },
    example: JSON.stringify({ persistedQuery: { version: 1, sha256Hash: exampleHash } }),
  }),
  inQuery({
    name: 'documentId',
    about: documentId.description as string,
    schema: { type: 'string', maxLength: 1000 },
    example: `sha256:${exampleHash}`,
  }),
]

type Open = {
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Node[]
  readonly responses: Node
  /** Refusals that say more than those of other operations. */
  readonly refused?: Node
  /** To some of its callers it tells more. */
  readonly tellsMore?: true
}

function open(operationId: string, { responses, refused: own, tellsMore, ...words }: Open): Node {
  const judged: readonly DocumentedError[] = tellsMore ? ['unauthenticated', 'forbidden'] : []
  const refused = errorsFor(['bad-request', ...judged, 'internal', 'unavailable'])
  return {
    operationId,
    ...notForModels,
    tags: ['System'],
    ...words,
    security: tellsMore ? anybodyOrKnown : [],
    responses: { ...responses, ...refused, ...own },
  }
}

export const systemPaths: readonly NamedNode[] = [
  [
    '/graphql',
    {
      // The same tool as the one below.
      get: graphql('graphqlQuery', 'Execute a query', {
        description: 'Queries alone. A browser that asks for HTML gets GraphiQL.',
        ...notForModels,
        parameters: inUrl,
      }),
      post: graphql('graphql', 'Execute a query or mutation', {
        description: 'One operation of the document, by the rules that REST has too.',
        requestBody: {
          required: true,
          content: bodyContent(refTo('schemas', 'GraphqlRequest'), { query: exampleQuery }),
        },
      }),
    },
  ],
  [
    '/livez',
    {
      get: open('isLive', {
        summary: 'Whether the process lives',
        description: 'For whoever restarts it.',
        responses: { '200': answer('It does.', [], health) },
      }),
    },
  ],
  [
    '/readyz',
    {
      get: open('isReady', {
        summary: 'Whether it can serve',
        description: 'For whoever sends it requests: the database answers, and the process is not about to end.',
        parameters: [
          inQuery({
            name: 'details',
            about: 'For ADMIN: of backups too.',
            schema: { type: 'boolean' },
            example: false,
          }),
        ],
        responses: { '200': answer('It can.', [], ready) },
        refused: {
          '503': answer('It cannot, or not write.', ['Retry-After'], { ...jsonContent(notReady), ...problem }),
        },
        tellsMore: true,
      }),
    },
  ],
  [
    '/openapi.json',
    {
      get: open('getOpenapi', {
        summary: 'Get this document',
        description: 'OpenAPI 3.1, made from the declarations.',
        responses: {
          '200': answer('The document.', ['ETag'], jsonContent(documentSchema)),
          '304': refTo('responses', 'NotModified'),
        },
      }),
    },
  ],
]
