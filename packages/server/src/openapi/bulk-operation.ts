/**
 * Documents bulk writes on a collection: on every record that a filter matches, or an upsert by a
 * unique key.
 */

import { bulkLimits } from '../operation/list-limits.ts'
import { ruleOfTarget } from '../policy/rule-of.ts'
import type { Resource } from '../resource/catalog.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import { deprecationOf, deprecationReason } from '../resource/words/deprecation.ts'
import { exampleBody } from '../resource/words/example.ts'
import { inSentence, labelOf, typeNameOf } from '../resource/words/names.ts'
import { makeBulkRoutes, makeUpsertRoutes } from '../rest/route.ts'
import { ofWrites } from './headers.ts'
import { asListed, choosingReferences } from './lists/list-parameters.ts'
import { inQuery } from './lists/query-parameter.ts'
import { hasSeveral, onParameter } from './lists/upsert-parameter.ts'
import {
  bodyContent,
  jsonContent,
  type NamedOpenapiNode,
  type OpenapiNode,
  objectSchema,
  refTo,
} from './openapi-node.ts'
import { aboutResult, type OperationContext } from './operation-object.ts'
import { retryReferences, tenantReferences, versionReferences } from './operation-parameters.ts'
import { errorsFor, responseObject } from './responses.ts'
import { schemaName } from './schemas.ts'
import { securityOf } from './security.ts'

/** The description, with the notice of a deprecated operation. */
function described(resource: Resource, kind: string, about: readonly string[]): OpenapiNode {
  const deprecation = deprecationOf(resource, kind)
  const description = [...about, ...(deprecation ? [deprecationReason(deprecation)] : [])].join(' ')
  return deprecation ? { deprecated: true, description } : { description }
}

const count: OpenapiNode = { type: 'integer', format: 'int32', minimum: 1, maximum: bulkLimits.recordsMax }
const limitKey = 'recordsMax'
const limit: OpenapiNode = {
  ...inQuery({ name: 'limit', about: 'How many it may be at most; more are 409.', schema: count, example: 10 }),
  required: true,
}

export const bulkParameters: OpenapiNode = { [limitKey]: limit }

function operation(resource: Resource, kind: 'update' | 'delete', context: OperationContext): OpenapiNode {
  const many = inSentence(labelOf(resource.plural))
  const done = kind === 'update' ? 'updated' : 'deleted'
  const schema = objectSchema('What was done.', {
    success: { const: true, description: 'Always true.' },
    [done]: { ...count, minimum: 0, description: `How many ${many} were ${done}.` },
  })
  const body = bodyContent(refTo('schemas', schemaName(resource, 'update')), exampleBody(resource, 'update'))
  const target = { resource, operation: kind }
  const rule = ruleOfTarget(target)
  const about = ['All of them, or none, each by the rule of one. It needs a filter.']
  if (resource.access.list) about.push(asListed)
  const who = `Allowed: ${rule.type.inDocument(rule, context)}.`
  const aboutRules = [who, ...aboutResult(target, context)]
  return {
    operationId: `${kind}Many${typeNameOf(resource.plural)}`,
    tags: [labelOf(resource.plural)],
    summary: `${typeNameOf(kind)} all ${many} that a filter finds`,
    ...described(resource, kind, [...about, ...aboutRules]),
    security: securityOf(rule, { ...context, resource }),
    parameters: [
      refTo('parameters', limitKey),
      ...choosingReferences(resource),
      ...retryReferences,
      ...tenantReferences({ target, steps: [] }, context),
    ],
    ...(kind === 'update' ? { requestBody: { required: true, content: body } } : {}),
    responses: {
      '200': responseObject('All of them are done.', ofWrites, jsonContent(schema)),
      ...errorsFor(['bad-request', 'unauthenticated', 'forbidden', 'conflict', 'too-many-requests', 'internal']),
    },
  }
}

/** The credentials that both creating and replacing accept. */
function securityOfBoth(resource: Resource, context: OperationContext): readonly OpenapiNode[] {
  const place = { ...context, resource }
  const [create, replace] = (['create', 'replace'] as const).map((one) =>
    securityOf(ruleOfTarget({ resource, operation: one }), place).map((way) => JSON.stringify(way)),
  ) as [string[], string[]]
  return create.filter((way) => replace.includes(way)).map((way) => JSON.parse(way) as OpenapiNode)
}

/**
 * `PUT` on the collection (upsert): replaces the record with these values of a unique key, or
 * creates it.
 */
function upsert(resource: Resource, context: OperationContext): OpenapiNode {
  const body = bodyContent(refTo('schemas', schemaName(resource, 'create')), exampleBody(resource, 'create'))
  return {
    operationId: `upsert${resource.typeName}`,
    tags: [labelOf(resource.plural)],
    summary: `Replace one ${inSentence(resource.label)} by a unique ${hasSeveral(resource) ? 'key' : 'field'}, or create it`,
    ...described(resource, 'replace', ['Allowed: callers who may create and replace.']),
    security: securityOfBoth(resource, context),
    parameters: [
      { ...onParameter(resource), required: true },
      ...versionReferences(resource),
      ...tenantReferences({ target: { resource, operation: 'replace' }, steps: [] }, context),
    ],
    requestBody: { required: true, content: body },
    responses: {
      '200': refTo('responses', resource.schemaNames.Written),
      '201': refTo('responses', resource.schemaNames.Made),
      '204': refTo('responses', 'Minimal'),
      ...errorsFor([
        'bad-request',
        'unauthenticated',
        'forbidden',
        'conflict',
        'precondition-failed',
        'too-many-requests',
        'internal',
      ]),
    },
  }
}

/** Path → its operations. */
export function bulkPaths(context: OperationContext): readonly NamedOpenapiNode[] {
  const { catalog } = context
  const routes = [...makeBulkRoutes(catalog), ...makeUpsertRoutes(catalog)].filter(({ mount }) => mount === apiPrefix)
  return routes.map(({ path, method, upserts, target: { resource, operation: kind } }) => {
    const made = upserts ? upsert(resource, context) : operation(resource, kind as 'update' | 'delete', context)
    return [path, { [method.toLowerCase()]: made }] as const
  })
}
