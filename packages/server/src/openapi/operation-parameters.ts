/** The parameters of one operation: the ids in its path, and those that its kind has besides. */

import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { inSentence } from '../resource/names.ts'
import { isEngineOperation } from '../resource/operation-kind.ts'
import type { Route } from '../rest/route.ts'
import { fieldsReference, listReferences } from './list-parameters.ts'
import { type Node, refTo } from './node.ts'
import { writeReferences } from './write-parts.ts'

/** `/users/:id` → `/users/{id}` */
export function templateOf(route: Route): string {
  return route.path.replaceAll(/:([A-Za-z_]+)/g, '{$1}')
}

function inPath(name: string, resource: Resource): Node {
  const field = resource.fields[resource.idField] as Field
  return {
    name,
    in: 'path',
    required: true,
    description: `The \`${resource.idField}\` of the ${inSentence(resource.label)}.`,
    schema: field.type.schema(field),
  }
}

function pathParameters(route: Route): readonly Node[] {
  const above = route.steps.flatMap(({ parameter, resource }) => (parameter ? [inPath(parameter, resource)] : []))
  return route.idParameter === undefined ? above : [...above, inPath(route.idParameter, route.target.resource)]
}

function ownParameters({ target: { resource, operation } }: Route): readonly Node[] {
  if (!isEngineOperation(operation)) return [refTo('parameters', 'ifMatch'), ...writeReferences]
  switch (operation) {
    case 'list':
      return [
        ...listReferences(resource, operation),
        refTo('parameters', 'ifNoneMatch'),
        refTo('parameters', 'preferCount'),
      ]
    case 'export':
      return listReferences(resource, operation)
    case 'get':
      return [
        fieldsReference(resource),
        ...(resource.virtualNames.length === 0 ? [refTo('parameters', 'ifNoneMatch')] : []),
      ]
    case 'create':
      return writeReferences
    case 'import':
      return []
    case 'replace':
    case 'update':
    case 'delete':
      return [refTo('parameters', 'ifMatch'), ...writeReferences]
  }
}

export function operationParameters(route: Route): readonly Node[] {
  return [...pathParameters(route), ...ownParameters(route)]
}
