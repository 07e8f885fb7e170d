/** Makes the operation object of one route: its security, parameters, body and responses. */
import type { DocumentedError } from '../endpoint/documented-response.ts'
import { isOpen, passesAll } from '../policy/passing-roles.ts'
import { type OperationTarget, resultRuleOf, ruleOfTarget } from '../policy/rule-of.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { isSettable } from '../resource/fields/field-facts.ts'
import { givenSchema } from '../resource/fields/nested/object.ts'
import { factsOf, isBodyKind, isEngineOperation } from '../resource/operation-kind.ts'
import { mayBeRestricted } from '../resource/removal.ts'
import type { Rule, ServiceSettings } from '../resource/rule.ts'
import { type ProvenRemoval, traitsOfAction } from '../resource/traits.ts'
import { deprecationOf, deprecationReason } from '../resource/words/deprecation.ts'
import { describeOperation, summarize } from '../resource/words/describe-operation.ts'
import { exampleBody, exampleInput, exampleOutput, exampleRecord } from '../resource/words/example.ts'
import { inSentence } from '../resource/words/names.ts'
import { type Route, rulesAbove } from '../rest/route.ts'
import { formContent } from './files/form-body.ts'
import { ofWrites } from './headers.ts'
import { asListed } from './lists/list-parameters.ts'
import {
  bodyContent,
  jsonContent,
  type NamedOpenapiNode,
  nodesOf,
  notForModels,
  type OpenapiNode,
  refTo,
} from './openapi-node.ts'
import { operationParameters } from './operation-parameters.ts'
import { errorsFor, responseObject } from './responses.ts'
import { deedOf, pluralLabelOf } from './schema-names.ts'
import { bodyBelow, inputSchema, linesSchema, revealedNames, schemaName } from './schemas.ts'
import { securityOf, type Ways } from './security.ts'

export type OperationContext = { readonly catalog: Catalog; readonly settings: ServiceSettings; readonly ways: Ways }

const ndjson = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

function isAction({ target }: Route): boolean {
  return target.resource.actionNames.includes(target.operation)
}

function mayConflict(route: Route): boolean {
  const { resource, operation } = route.target
  if (isAction(route)) return true
  if (operation === 'delete') return mayBeRestricted(resource)
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
function mayForbid(route: Route, context: OperationContext): boolean {
  const { resource, operation } = route.target
  const rule = ruleOfTarget(route.target)
  const place = { ...context, resource }
  if (!isOpen(rule, place)) return true
  if (factsOf(operation).reads) return false
  return (
    !passesAll(rule, place) ||
    !passesAll(resultRuleOf(route.target), place) ||
    (isBodyKind(operation) && Object.values(resource.fields).some((field) => field.write))
  )
}

function* errorCodes(route: Route, context: OperationContext): Generator<DocumentedError> {
  const { operation } = route.target
  yield 'bad-request'
  yield 'unauthenticated' // open routes refuse a bad credential too
  if (mayForbid(route, context)) yield 'forbidden'
  const namesRecord = route.idParameter !== undefined || route.steps.length > 0
  if (namesRecord || context.catalog.tenancies.size > 0) yield 'not-found'
  if (mayConflict(route)) yield 'conflict'
  if (operation === 'replace' || operation === 'update' || operation === 'delete' || isAction(route)) {
    yield 'precondition-failed'
    if (route.target.resource.needsVersion) yield 'precondition-required'
  }
  yield* ['too-many-requests', 'internal'] as const
}

/** JSON lines: one media type under all of its names. */
function linesContent(types: readonly string[], schema: OpenapiNode, line: OpenapiNode): OpenapiNode {
  const example = `${JSON.stringify(line)}\n`
  return nodesOf(types.map((type, i): NamedOpenapiNode => [type, i === 0 ? { schema, example } : { schema }]))
}

/** A removal whose caller proves their identity. */
function provenRemoval({ schema, example }: ProvenRemoval): OpenapiNode {
  const content = bodyContent(refTo('schemas', schema), example)
  return { ...notForModels, requestBody: { required: false, content } }
}

function requestBodyOf(route: Route, { catalog, settings }: OperationContext): OpenapiNode {
  const { resource, operation } = route.target
  const { removal } = resource.traits
  if (operation === 'delete' && removal) return provenRemoval(removal)
  if (isBodyKind(operation)) {
    const schema =
      bodyBelow({ resource, catalog, settings }, operation, route.by) ??
      refTo('schemas', schemaName(resource, operation))
    const example = exampleBody(resource, operation, route.by)
    // The same object under another media type, so it needs no example of its own.
    const patch = operation === 'update' ? jsonContent(schema, 'application/merge-patch+json') : {}
    const form = formContent(resource, operation, route.by)
    return { requestBody: { required: true, content: { ...bodyContent(schema, example), ...patch, ...form } } }
  }
  if (operation === 'import') {
    const lines = refTo('schemas', linesSchema(resource)[0])
    return { requestBody: { required: true, content: linesContent(ndjson, lines, exampleBody(resource, 'create')) } }
  }
  const action = resource.actions[operation]
  if (!isAction(route) || !action?.input) return {}
  const required = Object.values(action.input).some((field) => field.required)
  const schema = inputSchema(operation, action.input, { catalog, settings })
  return { requestBody: { required, content: bodyContent(schema, exampleInput(action.input, action.example)) } }
}

function success(
  status: string,
  resource: Resource,
  kind: 'List' | 'Read' | 'Written' | 'Made' | 'Added',
): OpenapiNode {
  return { [status]: refTo('responses', resource.schemaNames[kind]) }
}

/**
 * Whether a response shows a secret once, such as a new key. A language model should not get it.
 */
function revealsSecret({ target: { resource, operation } }: Route, { catalog }: OperationContext): boolean {
  const action = isEngineOperation(operation) ? undefined : resource.actions[operation]
  const made = action?.returns ? catalog.get(action.returns) : resource
  return (
    (operation === 'create' || traitsOfAction(resource, operation).reveals === true) && revealedNames(made).length > 0
  )
}

function successOf({ target: { resource, operation } }: Route, { catalog }: OperationContext): OpenapiNode {
  if (!isEngineOperation(operation)) {
    const action = resource.actions[operation]
    if (action?.output) {
      const content = bodyContent(givenSchema(action.output), exampleOutput(action.output))
      const toJob = ['Location', ...ofWrites]
      if (action.job) return { '202': responseObject('The job that does the work later.', toJob, content) }
      return { '200': responseObject('The output of the action.', ofWrites, content) }
    }
    const returned = action?.returns ? catalog.get(action.returns) : resource
    const { reveals } = traitsOfAction(resource, operation)
    // Of actions, those show a secret that make one.
    const made = revealedNames(returned).length > 0 && !reveals ? 'Added' : 'Made'
    if (reveals && !action?.creates) {
      const content = jsonContent(refTo('schemas', schemaName(returned, 'created')))
      const about = `The ${inSentence(returned.label)} as it is now, with its new secret.`
      return { '200': responseObject(about, ['ETag', ...ofWrites], content), '204': refTo('responses', 'Minimal') }
    }
    return action?.creates
      ? success('201', returned, made)
      : { ...success('200', returned, 'Written'), '204': refTo('responses', 'Minimal') }
  }
  switch (operation) {
    case 'list':
      return { ...success('200', resource, 'List'), '304': refTo('responses', 'NotModified') }
    case 'export': {
      const schema = { type: 'string', description: `One \`${schemaName(resource)}\` a line.` }
      const lines = linesContent(ndjson.slice(0, 1), schema, exampleRecord(resource))
      return { '200': responseObject('Every matching record.', [], lines) }
    }
    case 'get': {
      const found = success('200', resource, 'Read')
      if (resource.virtualNames.length > 0) return found
      return { ...found, '304': refTo('responses', 'NotModified') }
    }
    case 'create':
      return success('201', resource, 'Made')
    case 'replace':
    case 'update':
      return { ...success('200', resource, 'Written'), '204': refTo('responses', 'Minimal') }
    case 'delete':
      return { '204': refTo('responses', 'Minimal') }
    case 'import':
      return { '200': responseObject('The result of the lines.', [], jsonContent(refTo('schemas', 'ImportReport'))) }
  }
}

/** The successful responses that all resources share. */
export const commonAnswers: OpenapiNode = {
  NotModified: responseObject('The version that `If-None-Match` names.', ['ETag', 'Accept-Query']),
  Minimal: responseObject('It is done, as `Prefer: return=minimal` wants it said.', ['ETag', ...ofWrites]),
}

/** Empty where the same rule judges the result. */
export function aboutResult(target: OperationTarget, context: OperationContext): string[] {
  const after = resultRuleOf(target)
  return after === ruleOfTarget(target)
    ? []
    : [`Allowed, judged by the result: ${after.type.inDocument(after, context)}.`]
}

function descriptionOf(route: Route, context: OperationContext): string {
  const { resource, operation } = route.target
  const transition = resource.transitions[operation]?.transition
  const describe = (rule: Rule) => rule.type.inDocument(rule, context)
  const above = rulesAbove(route, context).map(
    (one) => `${describe(one.rule)} (of the ${inSentence(one.resource.label)} in the path)`,
  )
  // The effect of a body is described with the body.
  const told = isBodyKind(operation) ? undefined : describeOperation(deedOf(route))
  const about = [
    ...(told ? [told] : []),
    `Allowed: ${[...above, describe(ruleOfTarget(route.target))].join('; and ')}.`,
  ]
  about.push(...aboutResult(route.target, context))
  if (transition)
    about.push(
      `From ${transition.from.join(' or ')} to ${transition.to}.${transition.repeatable ? ' Repeating it changes nothing.' : ''}`,
    )
  if (operation === 'create' && resource.addOnCreate.length > 0) {
    const names = resource.addOnCreate.map((name) => `\`${name}\``).join(', ')
    about.push(`Where such a record exists, ${names} is added to it.`)
  }
  if (operation === 'export' && resource.access.list) about.push(asListed)
  const deprecation = deprecationOf(resource, operation)
  if (deprecation) about.push(deprecationReason(deprecation))
  return about.join(' ')
}

export function operationOf(route: Route, operationId: string, context: OperationContext): OpenapiNode {
  const { resource } = route.target
  const parameters = operationParameters(route, context)
  return {
    operationId,
    tags: [pluralLabelOf(resource)],
    summary: summarize(deedOf(route)),
    ...(deprecationOf(resource, route.target.operation) && { deprecated: true }),
    ...(revealsSecret(route, context) ? notForModels : {}),
    description: descriptionOf(route, context),
    security: securityOf(ruleOfTarget(route.target), { ...context, resource }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBodyOf(route, context),
    responses: { ...successOf(route, context), ...errorsFor(errorCodes(route, context)) },
  }
}

/** The resources that have operations of their own. */
export function routedResources(routes: readonly Route[]): ReadonlySet<Resource> {
  return new Set(routes.map((route) => route.target.resource))
}
