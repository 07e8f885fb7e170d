/** The parameters that all operations of a path share, and those of one operation. */
import { takesIncrements } from '../operation/precondition.ts'
import type { RefusalContext } from '../policy/judge.ts'
import { ruleOfTarget } from '../policy/rule-of.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { isBodyKind, isEngineOperation } from '../resource/operation-kind.ts'
import { exampleIn } from '../resource/words/example.ts'
import { inSentence, labelOf } from '../resource/words/names.ts'
import type { Route } from '../rest/route.ts'
import { signParameters } from './files/sign-parameter.ts'
import { expandReferences, exportReferences, listReferences, shapeReferences } from './lists/list-parameters.ts'
import { liveParameters } from './lists/live-parameter.ts'
import { onParameter } from './lists/upsert-parameter.ts'
import { type NamedOpenapiNode, type OpenapiNode, refTo } from './openapi-node.ts'
import { trashParameters } from './trash-parameters.ts'

/** The format implies the length. */
export const idSchema: NamedOpenapiNode = ['Id', { type: 'string', format: 'uuid' }]

function inPath(name: string, resource: Resource, key = resource.idField): NamedOpenapiNode {
  const field = resource.fields[key] as Field
  const schema = field.type.schema(field)
  const node: OpenapiNode = {
    name,
    in: 'path',
    required: true,
    description: `The ${key === resource.idField ? 'id' : inSentence(labelOf(key))} of the ${inSentence(resource.label)}.`,
    schema: schema.format === 'uuid' ? refTo('schemas', 'Id') : schema,
    example: exampleIn(resource, key),
  }
  return [`${resource.schemaNames.Path}_${name}`, node]
}

/** The ids in the path, as components: other paths name the same records. */
export function pathParameters(route: Route): readonly NamedOpenapiNode[] {
  const above = route.steps.flatMap(({ parameter, resource }) => (parameter ? [inPath(parameter, resource)] : []))
  return route.idParameter === undefined
    ? above
    : [...above, inPath(route.idParameter, route.target.resource, route.key)]
}

/** The parameter with which a retry of a write has no further effect. */
export const retryReferences: readonly OpenapiNode[] = [refTo('parameters', 'idempotencyKey')]

/**
 * Parameters of a write of one record; `If-Match` is required where the resource requires it, but
 * not of increments.
 */
export function versionReferences(resource: Resource, operation?: string): readonly OpenapiNode[] {
  const isNeeded = resource.needsVersion && !(operation === 'update' && takesIncrements(resource))
  return [refTo('parameters', isNeeded ? 'neededIfMatch' : 'ifMatch'), ...retryReferences]
}

export const tenantReference: OpenapiNode = refTo('parameters', 'tenant')

/** The header that names a tenant, where the rule of the operation heeds it and no path does. */
export function tenantReferences(
  { target, steps }: Pick<Route, 'target' | 'steps'>,
  context: RefusalContext,
): readonly OpenapiNode[] {
  const rule = ruleOfTarget(target)
  const heeds = rule.type.judgesBy(rule, { ...context, resource: target.resource }).includes('tenant')
  const isInPath = steps.some(({ resource }) => context.catalog.tenancies.has(resource.name))
  return heeds && !isInPath ? [tenantReference] : []
}

export function operationParameters(route: Route, context: RefusalContext): readonly OpenapiNode[] {
  return [
    ...ofOperation(route),
    ...shownWith(route),
    ...signParameters(route),
    ...liveParameters(route),
    ...trashParameters(route),
    ...tenantReferences(route, context),
  ]
}

/** A write of children shows them on request. */
function shownWith({ target: { resource, operation }, many, upserts }: Route): readonly OpenapiNode[] {
  return resource.nestedNames.length > 0 && isBodyKind(operation) && !many && !upserts ? expandReferences(resource) : []
}

function ofOperation({ target: { resource, operation } }: Route): readonly OpenapiNode[] {
  if (!isEngineOperation(operation)) return versionReferences(resource)
  switch (operation) {
    case 'list':
      return listReferences(resource)
    case 'export':
      return exportReferences(resource)
    case 'get':
      return shapeReferences(resource)
    case 'import':
      return resource.upsert.size > 0 ? [onParameter(resource)] : []
    case 'create':
      return retryReferences
    case 'update':
    case 'replace':
    case 'delete':
      return versionReferences(resource, operation)
  }
}
