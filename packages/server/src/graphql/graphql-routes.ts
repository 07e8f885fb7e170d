/**
 * The routes of `/graphql` and its pages, as the OpenAPI document describes them. The schema is a
 * document of its own; this one says how to use it over HTTP.
 */
import { hash } from 'node:crypto'
import { bodyShape } from '../endpoint/body-shape.ts'
import { defineRoute, type RouteGroup, type RouteTag } from '../endpoint/define-route.ts'
import {
  type DocumentedResponse,
  documentedResponse,
  type MediaBody,
  mediaBody,
} from '../endpoint/documented-response.ts'
import { type RouteContext, ruleAccess } from '../endpoint/route-access.ts'
import { value } from '../endpoint/route-fields.ts'
import { filesAt, freeObject, openPageRoute, pageListing } from '../http/engine-route-texts.ts'
import type { HttpResponse } from '../http/messages/exchange.ts'
import type { Fields, JsonSchema } from '../resource/fields/field.ts'
import { anyone } from '../resource/rules/anyone.ts'
import { eventsType } from './accept.ts'
import { assetsPath } from './graphiql.ts'
import type { Graphql } from './graphql.ts'
import { graphqlAnswer } from './http-answer.ts'
import { makeSubscriptionRoots } from './root.ts'
import { scalarsPath } from './schema/scalars.ts'

export type GraphqlRouteDeps = { readonly graphql: Graphql; readonly scalars: HttpResponse }

const graphqlTag: RouteTag = {
  name: 'GraphQL',
  description: 'Every resource by GraphQL over HTTP, with the same rules.',
}

const anyDocument: JsonSchema = { type: 'string', maxLength: 100_000 }
const aboutDocumentId = 'Names a document: `sha256:` and its hash, or a trusted one.'
const aboutPersisted = '`persistedQuery` (`version` 1, `sha256Hash`) names a document that was sent before.'
const aboutName = 'The operation to execute, where the document has several.'
const exampleName = 'Example'
const exampleQuery = `query ${exampleName} { __typename }`
const exampleHash = hash('sha256', exampleQuery)

const given = (schema: JsonSchema, description: string) => value()({ ...schema, description })
const orNull: JsonSchema = { type: ['string', 'null'], maxLength: 1000 }
const freeOrNull = (description: string): JsonSchema => ({ ...freeObject(description), type: ['object', 'null'] })

const requestBody = bodyShape(
  'A request of GraphQL over HTTP.',
  {
    query: given(anyDocument, 'The document, unless `documentId` or `extensions` name it.'),
    operationName: given(orNull, aboutName),
    variables: value()(freeOrNull('The values of the variables.')),
    documentId: given(orNull, aboutDocumentId),
    extensions: value()(freeOrNull(aboutPersisted)),
  },
  { name: 'GraphqlRequest' },
)

const json: JsonSchema = { type: 'string', contentMediaType: 'application/json', maxLength: 100_000 }
const short: JsonSchema = { type: 'string', maxLength: 1000 }
const inUrl = (schema: JsonSchema, description: string, example: string) => value()(schema, { description, example })

const parameters: Fields = {
  query: inUrl(anyDocument, 'The GraphQL document, a query.', exampleQuery),
  operationName: inUrl(short, aboutName, exampleName),
  variables: inUrl(json, 'The values of the variables, as JSON.', '{}'),
  extensions: inUrl(
    json,
    `JSON. ${aboutPersisted}`,
    JSON.stringify({ persistedQuery: { version: 1, sha256Hash: exampleHash } }),
  ),
  documentId: inUrl(short, aboutDocumentId, `sha256:${exampleHash}`),
}

const shapes = {
  'application/graphql-response+json': { shape: graphqlAnswer },
  'application/json': { shape: graphqlAnswer },
} as const
const contents = mediaBody(shapes)
const events: JsonSchema = { type: 'string', description: 'Server-sent events: `next` for each result, `complete`.' }
const contentsWithEvents = mediaBody({ ...shapes, [eventsType]: { schema: events } })

const refused: DocumentedResponse = documentedResponse(
  [
    '400: A request that cannot be executed.',
    '401: A bad credential.',
    '405: A mutation by GET.',
    '406: `Accept` excludes JSON.',
    '413: The body is too large.',
    '415: The body is no JSON.',
    '429: Too often; `Retry-After` says when again.',
    '500: A fault of the server.',
    '503: Not now; `Retry-After` says when again.',
  ].join(' '),
  { headers: ['Retry-After'], sometimes: ['WWW-Authenticate'], body: contents, name: 'GraphqlRefused' },
)

/** For both methods. Statuses with an entry of their own; `refused` describes the others. */
const answersIn = (body: MediaBody) => ({
  ...answers,
  output: { 200: documentedResponse('Data, errors of fields, or both.', { body, name: 'Graphql' }) },
})
const answers = {
  rule: ruleAccess(anyone),
  limits: { rate: 'graphql' },
  isRaw: true,
  errors: ['bad-request', 'unauthenticated'],
  refusals: {
    'bad-request': refused,
    unauthenticated: refused,
    'too-many-requests': refused,
    internal: refused,
    default: refused,
  },
} as const
const line = {
  operation: 'query, mutation',
  who: 'as each field says',
  answers: '200 GraphQL; GraphiQL in a browser',
} as const

/** Subscriptions need resources whose changes are kept. */
const hasEvents = ({ catalog }: RouteContext) => makeSubscriptionRoots(catalog).length > 0
const bodyOf = (ground: RouteContext) => (hasEvents(ground) ? contentsWithEvents : contents)
const aboutEvents = ' `Accept: text/event-stream` takes subscriptions too: each result is an event `next`.'

const byGet = (ground: RouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/graphql',
    describe: {
      id: 'graphqlQuery',
      tag: graphqlTag,
      summary: 'Execute a query',
      about: `Queries alone. A browser that asks for HTML gets GraphiQL.${hasEvents(ground) ? aboutEvents : ''}`,
      // The same tool as the other method.
      notForModels: true,
      line,
    },
    query: parameters,
    takesTenant: true,
    ...answersIn(bodyOf(ground)),
    run: ({ request }, { graphql }: GraphqlRouteDeps) => graphql.answer(request),
  })

const byPost = (ground: RouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/graphql',
    describe: {
      id: 'graphql',
      tag: graphqlTag,
      summary: 'Execute a query or mutation',
      about: `One operation of the document, by the rules that REST has too.${hasEvents(ground) ? aboutEvents : ''}`,
      line,
    },
    input: requestBody,
    example: { query: exampleQuery },
    takesTenant: true,
    ...answersIn(bodyOf(ground)),
    run: ({ request }, { graphql }: GraphqlRouteDeps) => graphql.answer(request),
  })

const scalars = defineRoute({
  method: 'GET',
  path: scalarsPath,
  describe: {
    line: { operation: 'scalars', who: 'anyone', answers: '200 a page: what Money, DateTime, Date and LocalTime are' },
  },
  ...openPageRoute,
  output: { 200: pageListing },
  run: (_, { scalars }: GraphqlRouteDeps) => scalars,
})

const assets = filesAt<GraphqlRouteDeps>({
  path: assetsPath,
  partOf: '/graphql',
  filesOf: ({ graphql }) => ({ answer: graphql.asset }),
})

export function graphqlRoutes(ground: RouteContext): RouteGroup<GraphqlRouteDeps> {
  return { routes: [byGet(ground), byPost(ground), assets], shapes: [requestBody, graphqlAnswer] }
}

/** The page of this server's own scalars. */
export function scalarRoutes(): RouteGroup<GraphqlRouteDeps> {
  return { routes: [scalars] }
}
