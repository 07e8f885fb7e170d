/**
 * Defined routes → operations of the document. The words of a route stand in the order in which it
 * says them.
 */

import { type Shape, shapeOf } from '../endpoint/body-shape.ts'
import {
  type DefinedRoute,
  type Described,
  type OwnApi,
  operationWords,
  type Subject,
  type Words,
} from '../endpoint/define-route.ts'
import { noResource, ruleOfDoor } from '../endpoint/door.ts'
import { type Answer, type DocumentedError, isMedia, notModified } from '../endpoint/route-answer.ts'
import { type ErrorCode, errorCodes } from '../errors.ts'
import type { Field, Fields, Json } from '../resource/fields/field.ts'
import { exampleInput, exampleOf } from '../resource/words/example.ts'
import { templateOf } from '../rest/route.ts'
import { alsoAt } from './also-at.ts'
import { answer as answerNode, errorsFor } from './answers.ts'
import { challengeAmongOthers } from './headers.ts'
import { inQuery } from './lists/query-parameter.ts'
import { bodyContent, type NamedNode, type Node, nodesOf, notForModels, refTo } from './node.ts'
import type { Context } from './operation-object.ts'
import { retryReferences } from './operation-parameters.ts'
import { securityOf } from './security.ts'
import { contentsOf, schemaAt, shapeComponents } from './shape-schema.ts'

function printAnswer({ about, body, headers, sometimes = [] }: Answer): Node {
  const node = answerNode(about, headers, body && contentsOf(body))
  return sometimes.length === 0 ? node : { ...node, headers: { ...(node.headers as Node), ...challengeAmongOthers } }
}

function answerAt(said: Answer): Node {
  return said.name === undefined ? printAnswer(said) : refTo('responses', said.name)
}

/** The codes that a route refuses with. */
export function errorsOf({ errors = [], limits }: Described): readonly DocumentedError[] {
  return [...errors, ...(limits ? (['too-many-requests'] as const) : []), 'internal']
}

function responsesOf(route: Described): Node {
  const own = Object.entries(route.refusals ?? {}).map(([code, said]): NamedNode => {
    const status = code === 'default' ? code : String(errorCodes[code as ErrorCode].status)
    return [status, answerAt(said)]
  })
  const successes = Object.entries(route.output).map(([status, said]): NamedNode => [status, answerAt(said)])
  return { ...errorsFor(errorsOf(route)), ...nodesOf(own), ...nodesOf(successes) }
}

function wordsOf(words: Words): Node {
  const said: Readonly<Record<string, (value: never) => Node>> = {
    id: (operationId: string) => ({ operationId }),
    notForModels: () => notForModels,
    tag: ({ name }: { name: string }) => ({ tags: [name] }),
    summary: (summary: string) => ({ summary }),
    about: (description: string) => ({ description }),
  }
  return Object.assign({}, ...Object.entries(words).map(([name, value]) => said[name]?.(value as never)))
}

function inPath(name: string, field: Field): Node {
  const schema = field.type.schema(field)
  const description = field.description ?? ''
  return { name, in: 'path', required: true, description, schema, example: exampleOf(name, field) }
}

function queryOf(fields: Fields): readonly Node[] {
  return Object.entries(fields).map(([name, field]) =>
    inQuery({
      name,
      about: field.description ?? '',
      schema: field.type.schema(field),
      example: exampleOf(name, field),
    }),
  )
}

function bodyOf({ input, example, isInputOptional }: Described): Node {
  if (!input) return {}
  const required = isInputOptional !== true
  if (isMedia(input)) return { requestBody: { required, content: contentsOf(input) } }
  const shape = shapeOf(input)
  const shown: Json = example ?? exampleInput(shape.fields)
  return { requestBody: { required, content: bodyContent(schemaAt(shape), shown) } }
}

function operationOf(route: Described, context: Context): Node {
  const printed: Readonly<Partial<Record<keyof Described, () => Node>>> = {
    describe: () => wordsOf(route.describe),
    rule: () => ({ security: securityAt(route, context) }),
    query: () => ({ parameters: queryOf(route.query ?? {}) }),
    takesKey: () => ({ parameters: retryReferences }),
    input: () => bodyOf(route),
    output: () => ({ responses: responsesOf(route) }),
  }
  return Object.assign({}, ...Object.keys(route).map((member) => printed[member as keyof Described]?.()))
}

function securityAt({ rule }: Described, context: Context): readonly Node[] {
  const asked = ruleOfDoor(rule)
  if (asked) return securityOf(asked, { ...context, resource: noResource })
  return 'door' in rule && rule.door === 'proven' ? [{ [rule.by]: [] }, {}] : []
}

function isOfRecords({ routes }: Subject<never>): boolean {
  return routes.some((route) => operationWords(route)?.tag.isOfRecords)
}

/**
 * Those about records before others, then by their headings; in each, what machines watch comes
 * first.
 */
function inOrder(own: OwnApi): readonly DefinedRoute<never>[] {
  const routes = own.flatMap((subject) => subject.routes).filter(operationWords)
  const tags = [...new Set(routes.map((route) => operationWords(route)?.tag.name))]
  const rank = (route: Described) => {
    const tag = operationWords(route)?.tag
    return (tag?.isOfRecords ? 0 : 2 + 2 * tags.indexOf(tag?.name)) + (route.isHealth ? 0 : 1)
  }
  return routes.toSorted((a, b) => rank(a) - rank(b))
}

export type OwnParts = {
  readonly tags: readonly Node[]
  readonly paths: readonly NamedNode[]
  readonly answers: Node
  /** Those about records of any resource, and the others. */
  readonly schemas: { readonly ofRecords: Node; readonly others: Node }
}

/** `found`: the paths of resources, whose other operations stay. */
export function ownParts(own: OwnApi, context: Context, found: Node): OwnParts {
  const routes = inOrder(own)
  const items = new Map<string, Node>()
  for (const route of routes) {
    const path = templateOf(route)
    const parameters = Object.entries(route.parameters ?? {}).map(([name, field]) => inPath(name, field))
    const item = items.get(path) ?? {
      ...(found[path] as Node | undefined),
      ...alsoAt((route.alsoAt ?? []).map((one) => templateOf({ path: one }))),
      ...(parameters.length > 0 && { parameters }),
    }
    items.set(path, { ...item, [route.method.toLowerCase()]: operationOf(route, context) })
  }
  const tags = new Map(routes.flatMap((route) => operationWords(route)?.tag ?? []).map((tag) => [tag.name, tag]))
  const said = routes.flatMap((route) => [...Object.values(route.output), ...Object.values(route.refusals ?? {})])
  const shapesOf = (subjects: OwnApi) =>
    shapeComponents(subjects.flatMap(({ shapes = [] }): readonly Shape[] => shapes))
  return {
    tags: [...tags.values()].map(({ name, description }) => ({ name, description })),
    paths: [...items],
    answers: nodesOf(
      said.flatMap((one): NamedNode[] =>
        one.name === undefined || one.name === notModified.name ? [] : [[one.name, printAnswer(one)]],
      ),
    ),
    schemas: {
      ofRecords: shapesOf(own.filter(isOfRecords)),
      others: shapesOf(own.filter((subject) => !isOfRecords(subject))),
    },
  }
}
