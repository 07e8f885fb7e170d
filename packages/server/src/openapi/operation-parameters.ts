/** The parameters of a path, which its operations share, and those that an operation has besides. */
import type { Resource } from '../resource/catalog.ts'
import { exampleIn } from '../resource/example.ts'
import type { Field } from '../resource/fields/field.ts'
import { inSentence } from '../resource/names.ts'
import { isEngineOperation } from '../resource/operation-kind.ts'
import type { Route } from '../rest/route.ts'
import { exportReferences, listReferences, shapeReferences } from './list-parameters.ts'
import { type Node, refTo } from './node.ts'

function inPath(name: string, resource: Resource): Node {
  const field = resource.fields[resource.idField] as Field
  return {
    name,
    in: 'path',
    required: true,
    description: `The \`${resource.idField}\` of the ${inSentence(resource.label)}.`,
    schema: field.type.schema(field),
    example: exampleIn(resource, resource.idField),
  }
}

/** The ids in the path, each once for all operations there. */
export function pathParameters(route: Route): readonly Node[] {
  const above = route.steps.flatMap(({ parameter, resource }) => (parameter ? [inPath(parameter, resource)] : []))
  return route.idParameter === undefined ? above : [...above, inPath(route.idParameter, route.target.resource)]
}

export function operationParameters({ target: { resource, operation } }: Route): readonly Node[] {
  const ifMatch = refTo('parameters', 'ifMatch')
  const key = refTo('parameters', 'idempotencyKey')
  if (!isEngineOperation(operation)) return [ifMatch, key]
  switch (operation) {
    case 'list':
      return listReferences(resource)
    case 'export':
      return exportReferences(resource)
    case 'get':
      return shapeReferences(resource)
    case 'import':
      return []
    case 'create':
      return [key]
    case 'update':
      return [ifMatch, key]
    case 'replace':
    case 'delete':
      return [ifMatch]
  }
}
