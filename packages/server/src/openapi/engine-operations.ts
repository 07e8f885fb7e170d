/**
 * Makes operations of the document from route definitions, with the texts of each definition in
 * their order.
 */

import { type BodyShape, shapeOf } from '../endpoint/body-shape.ts'
import {
  type DefinedRoute,
  type DescribedRoute,
  type EngineRoutes,
  operationWords,
  type RouteDescription,
  type RouteGroup,
} from '../endpoint/define-route.ts'
import {
  type DocumentedError,
  type DocumentedResponse,
  isMediaBody,
  notModifiedResponse,
} from '../endpoint/documented-response.ts'
import { noResourceTarget, ruleOfAccess } from '../endpoint/route-access.ts'
import { type ErrorCode, errorCodes } from '../errors.ts'
import type { Field, Fields, Json } from '../resource/fields/field.ts'
import { exampleInput, exampleOf } from '../resource/words/example.ts'
import { templateOf } from '../rest/route.ts'
import { challengeAmongOthers } from './headers.ts'
import { inQuery } from './lists/query-parameter.ts'
import { bodyContent, type NamedOpenapiNode, nodesOf, notForModels, type OpenapiNode, refTo } from './openapi-node.ts'
import type { OperationContext } from './operation-object.ts'
import { retryReferences, tenantReference } from './operation-parameters.ts'
import { describeOtherPaths } from './other-paths.ts'
import { responseObject as answerNode, errorsFor } from './responses.ts'
import { securityOf } from './security.ts'
import { contentsOf, schemaAt, shapeComponents } from './shape-schema.ts'

function printAnswer({ about, body, headers, sometimes = [] }: DocumentedResponse): OpenapiNode {
  const node = answerNode(about, headers, body && contentsOf(body))
  return sometimes.length === 0
    ? node
    : { ...node, headers: { ...(node.headers as OpenapiNode), ...challengeAmongOthers } }
}

function answerAt(said: DocumentedResponse): OpenapiNode {
  return said.name === undefined ? printAnswer(said) : refTo('responses', said.name)
}

/** The error codes of a route. */
export function errorsOf({ errors = [], limits }: DescribedRoute): readonly DocumentedError[] {
  return [...errors, ...(limits ? (['too-many-requests'] as const) : []), 'internal']
}

function responsesOf(route: DescribedRoute): OpenapiNode {
  const own = Object.entries(route.refusals ?? {}).map(([code, said]): NamedOpenapiNode => {
    const status = code === 'default' ? code : String(errorCodes[code as ErrorCode].status)
    return [status, answerAt(said)]
  })
  const successes = Object.entries(route.output).map(([status, said]): NamedOpenapiNode => [status, answerAt(said)])
  return { ...errorsFor(errorsOf(route)), ...nodesOf(own), ...nodesOf(successes) }
}

function wordsOf(words: RouteDescription): OpenapiNode {
  const said: Readonly<Record<string, (value: never) => OpenapiNode>> = {
    id: (operationId: string) => ({ operationId }),
    notForModels: () => notForModels,
    tag: ({ name }: { name: string }) => ({ tags: [name] }),
    summary: (summary: string) => ({ summary }),
    about: (description: string) => ({ description }),
  }
  return Object.assign({}, ...Object.entries(words).map(([name, value]) => said[name]?.(value as never)))
}

function inPath(name: string, field: Field): OpenapiNode {
  const schema = field.type.schema(field)
  const description = field.description ?? ''
  return { name, in: 'path', required: true, description, schema, example: exampleOf(name, field) }
}

function queryOf(fields: Fields): readonly OpenapiNode[] {
  return Object.entries(fields).map(([name, field]) =>
    inQuery({
      name,
      about: field.description ?? '',
      schema: field.type.schema(field),
      example: exampleOf(name, field),
    }),
  )
}

function bodyOf({ input, example, isInputOptional }: DescribedRoute): OpenapiNode {
  if (!input) return {}
  const required = isInputOptional !== true
  if (isMediaBody(input)) return { requestBody: { required, content: contentsOf(input) } }
  const shape = shapeOf(input)
  const shown: Json = example ?? exampleInput(shape.fields)
  return { requestBody: { required, content: bodyContent(schemaAt(shape), shown) } }
}

function parametersOf(
  { query = {}, takesKey, takesTenant }: DescribedRoute,
  { catalog }: OperationContext,
): OpenapiNode {
  const isTenant = takesTenant && catalog.tenancies.size > 0
  const headers = [...(takesKey ? retryReferences : []), ...(isTenant ? [tenantReference] : [])]
  const parameters = [...queryOf(query), ...headers]
  return parameters.length > 0 ? { parameters } : {}
}

function operationOf(route: DescribedRoute, context: OperationContext): OpenapiNode {
  const printed: Readonly<Partial<Record<keyof DescribedRoute, () => OpenapiNode>>> = {
    describe: () => wordsOf(route.describe),
    rule: () => ({ security: securityAt(route, context) }),
    query: () => parametersOf(route, context),
    takesKey: () => parametersOf(route, context),
    takesTenant: () => parametersOf(route, context),
    input: () => bodyOf(route),
    output: () => ({ responses: responsesOf(route) }),
  }
  return Object.assign({}, ...Object.keys(route).map((member) => printed[member as keyof DescribedRoute]?.()))
}

function securityAt({ rule, judged }: DescribedRoute, context: OperationContext): readonly OpenapiNode[] {
  const asked = ruleOfAccess(rule)
  if (asked) return securityOf(asked, { ...context, resource: judged ?? noResourceTarget })
  return 'access' in rule && rule.access === 'proven' ? [{ [rule.by]: [] }, {}] : []
}

function isOfRecords({ routes }: RouteGroup<never>): boolean {
  return routes.some((route) => operationWords(route)?.tag.isOfRecords)
}

/** Routes about records first, then by heading; within each, routes for monitoring first. */
function inOrder(own: EngineRoutes): readonly DefinedRoute<never>[] {
  const routes = own.flatMap((subject) => subject.routes).filter(operationWords)
  const tags = [...new Set(routes.map((route) => operationWords(route)?.tag.name))]
  const rank = (route: DescribedRoute) => {
    const tag = operationWords(route)?.tag
    return (tag?.isOfRecords ? 0 : 2 + 2 * tags.indexOf(tag?.name)) + (route.isHealth ? 0 : 1)
  }
  return routes.toSorted((a, b) => rank(a) - rank(b))
}

export type EngineOperations = {
  readonly tags: readonly OpenapiNode[]
  readonly paths: readonly NamedOpenapiNode[]
  readonly answers: OpenapiNode
  /** Schemas about records of any resource, and the others. */
  readonly schemas: { readonly ofRecords: OpenapiNode; readonly others: OpenapiNode }
}

/** `found`: the paths of resources, whose other operations stay. */
export function engineOperations(own: EngineRoutes, context: OperationContext, found: OpenapiNode): EngineOperations {
  const routes = inOrder(own)
  const items = new Map<string, OpenapiNode>()
  for (const route of routes) {
    const path = templateOf(route)
    const parameters = Object.entries(route.parameters ?? {}).map(([name, field]) => inPath(name, field))
    const item = items.get(path) ?? {
      ...(found[path] as OpenapiNode | undefined),
      ...describeOtherPaths((route.alsoAt ?? []).map((one) => templateOf({ path: one }))),
      ...(parameters.length > 0 && { parameters }),
    }
    items.set(path, { ...item, [route.method.toLowerCase()]: operationOf(route, context) })
  }
  const tags = new Map(routes.flatMap((route) => operationWords(route)?.tag ?? []).map((tag) => [tag.name, tag]))
  const said = routes.flatMap((route) => [...Object.values(route.output), ...Object.values(route.refusals ?? {})])
  const shapesOf = (subjects: EngineRoutes) =>
    shapeComponents(subjects.flatMap(({ shapes = [] }): readonly BodyShape[] => shapes))
  return {
    tags: [...tags.values()].map(({ name, description }) => ({ name, description })),
    paths: [...items],
    answers: nodesOf(
      said.flatMap((one): NamedOpenapiNode[] =>
        one.name === undefined || one.name === notModifiedResponse.name ? [] : [[one.name, printAnswer(one)]],
      ),
    ),
    schemas: {
      ofRecords: shapesOf(own.filter(isOfRecords)),
      others: shapesOf(own.filter((subject) => !isOfRecords(subject))),
    },
  }
}
