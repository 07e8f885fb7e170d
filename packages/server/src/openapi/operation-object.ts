/** One route → one operation of the document: who may call it, what goes in, what comes out. */
import { isForAll, isOpen } from '../policy/passing.ts'
import { ruleOf } from '../policy/policy.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { deprecationOf, deprecationReason } from '../resource/deprecation.ts'
import { isSettable } from '../resource/fields/field-facts.ts'
import { inSentence } from '../resource/names.ts'
import { factsOf, isBodyKind, isEngineOperation } from '../resource/operation-kind.ts'
import type { Rule, Settings } from '../resource/rule.ts'
import { type Route, rulesAbove } from '../rest/route.ts'
import { answer, type DocumentedError, errorsFor, listSchema, selectable } from './answers.ts'
import { jsonContent, type Node, nodesOf, refTo } from './node.ts'
import { operationParameters } from './operation-parameters.ts'
import { pluralLabelOf, summaryOf } from './schema-names.ts'
import { bodySchema, revealedNames, schemaName } from './schemas.ts'
import { securityOf } from './security.ts'

export type Context = { readonly catalog: Catalog; readonly settings: Settings }

const ndjson = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

function isAction({ target }: Route): boolean {
  return target.resource.actionNames.includes(target.operation)
}

function mayConflict(route: Route): boolean {
  const { resource, operation } = route.target
  if (isAction(route)) return true
  if (operation === 'create') {
    const meetsOthers = (key: readonly string[]) => key.every((name) => resource.fields[name]?.setBy !== 'engine')
    const isTaken = resource.addOnCreate.length === 0 && resource.unique.some(meetsOthers)
    return isTaken || resource.embeddedIn.length > 0
  }
  if (operation !== 'replace' && operation !== 'update') return false
  return resource.unique.flat().some((name) => {
    const field = resource.fields[name]
    return field !== undefined && isSettable(field, operation)
  })
}

/** Even where the rule is open, a single record or field may be refused. */
function mayForbid(route: Route, context: Context): boolean {
  const { resource, operation } = route.target
  const rule = ruleOf(route.target)
  const place = { ...context, resource }
  if (!isOpen(rule, place)) return true
  if (factsOf(operation).reads) return false
  return (
    !isForAll(rule, place) || (isBodyKind(operation) && Object.values(resource.fields).some((field) => field.write))
  )
}

function* errorCodes(route: Route, context: Context): Generator<DocumentedError> {
  const { operation } = route.target
  const hasBody = isBodyKind(operation) || operation === 'import' || isAction(route)
  yield 'bad-request'
  yield 'unauthenticated' // a bad credential is refused on open routes too
  if (mayForbid(route, context)) yield 'forbidden'
  if (route.idParameter !== undefined || route.steps.length > 0) yield 'not-found'
  yield 'not-acceptable'
  const isKeyed = !factsOf(operation).reads && operation !== 'import'
  if (isKeyed || mayConflict(route)) yield 'conflict'
  if (operation === 'replace' || operation === 'update' || operation === 'delete' || isAction(route))
    yield 'precondition-failed'
  if (hasBody) {
    yield 'too-large'
    yield 'unsupported-media-type'
  }
  if (isKeyed) yield 'key-mismatch'
  if (route.target.resource.needsVersion && !factsOf(operation).reads && operation !== 'create')
    yield 'precondition-required'
  yield* ['too-many-requests', 'internal', 'unavailable'] as const
}

/** Lines of JSON. OpenAPI 3.1 has no schema for a sequence, so it describes the text. */
function linesContent(types: readonly string[], about: string): Node {
  return nodesOf(types.map((type) => [type, { schema: { type: 'string', description: about } }]))
}

function requestBodyOf(route: Route, { settings }: Context): Node {
  const { resource, operation } = route.target
  if (isBodyKind(operation)) {
    const schema = refTo('schemas', schemaName(resource, operation))
    const patch = operation === 'update' ? jsonContent(schema, 'application/merge-patch+json') : {}
    return { requestBody: { required: true, content: { ...jsonContent(schema), ...patch } } }
  }
  if (operation === 'import') {
    const about = `One JSON object a line: \`${schemaName(resource, 'create')}\`, or with the id of a record the fields of it to change.`
    return { requestBody: { required: true, content: linesContent(ndjson, about) } }
  }
  const input = resource.actions[operation]?.input
  if (!isAction(route) || !input) return {}
  const required = Object.values(input).some((field) => field.required)
  return { requestBody: { required, content: jsonContent(bodySchema(input, 'create', settings)) } }
}

function actionAnswer({ resource, operation }: Route['target'], { catalog }: Context): Node {
  const action = resource.actions[operation]
  const returned = action?.returns ? catalog.get(action.returns) : resource
  const content = jsonContent(refTo('schemas', schemaName(returned)))
  if (action?.creates) return { '201': answer('The new record.', ['ETag', 'Location'], content) }
  return { '200': answer('The record after it.', ['ETag'], content) }
}

function successOf(route: Route, context: Context): Node {
  const { resource, operation } = route.target
  if (!isEngineOperation(operation)) return actionAnswer(route.target, context)
  const record = jsonContent(refTo('schemas', schemaName(resource)))
  switch (operation) {
    case 'list':
      // A long stream has no validator.
      return {
        '200': answer('The records.', resource.list.style === 'all' ? [] : ['ETag'], jsonContent(listSchema(resource))),
        '304': answer('The list that `If-None-Match` names.', ['ETag']),
      }
    case 'export':
      return {
        '200': answer(
          'Every matching record.',
          [],
          linesContent(ndjson.slice(0, 1), `One \`${schemaName(resource)}\` a line.`),
        ),
      }
    case 'get': {
      const found: Node = { '200': answer('The record.', ['ETag'], jsonContent(selectable(resource))) }
      if (resource.virtualNames.length > 0) return found
      return { ...found, '304': answer('The version that `If-None-Match` names.', ['ETag']) }
    }
    case 'create': {
      const revealed = revealedNames(resource).length > 0
      const content = revealed ? jsonContent(refTo('schemas', schemaName(resource, 'created'))) : record
      return { '201': answer('The new record.', ['ETag', 'Location'], content) }
    }
    case 'replace':
    case 'update':
      return {
        '200': answer('The record after it.', ['ETag'], record),
        '204': answer('As `return=minimal` prefers.', ['ETag']),
      }
    case 'delete':
      return { '204': answer('It is gone.', []) }
    case 'import':
      return { '200': answer('What became of the lines.', [], jsonContent(refTo('schemas', 'ImportReport'))) }
  }
}

function descriptionOf(route: Route, context: Context): string {
  const { resource, operation } = route.target
  const move = resource.moves[operation]?.move
  const describe = (rule: Rule) => rule.type.inDocument(rule, context.settings)
  const above = rulesAbove(route, context).map(
    (one) => `${describe(one.rule)} (of the ${inSentence(one.resource.label)} in the path)`,
  )
  const about = [`Who may: ${[...above, describe(ruleOf(route.target))].join('; and ')}.`]
  if (move)
    about.push(
      `From ${move.from.join(' or ')} to ${move.to}.${move.repeatable ? ' Repeating it changes nothing.' : ''}`,
    )
  if (operation === 'create' && resource.addOnCreate.length > 0) {
    const names = resource.addOnCreate.map((name) => `\`${name}\``).join(', ')
    about.push(`Where such a record exists, ${names} is added to it.`)
  }
  const deprecation = deprecationOf(resource, operation)
  if (deprecation) about.push(deprecationReason(deprecation))
  return about.join(' ')
}

export function operationOf(route: Route, operationId: string, context: Context): Node {
  const { resource } = route.target
  const parameters = operationParameters(route)
  return {
    operationId,
    tags: [pluralLabelOf(resource)],
    summary: summaryOf(route),
    ...(deprecationOf(resource, route.target.operation) && { deprecated: true }),
    description: descriptionOf(route, context),
    security: securityOf(ruleOf(route.target), { ...context, resource }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBodyOf(route, context),
    responses: { ...successOf(route, context), ...errorsFor(errorCodes(route, context)) },
  }
}

/** The resources that have an operation of their own. */
export function routedResources(routes: readonly Route[]): ReadonlySet<Resource> {
  return new Set(routes.map((route) => route.target.resource))
}
