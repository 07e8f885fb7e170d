/** Documents differences: below each history, what differs between two versions of its record. */
import type { Resource } from '../../resource/catalog.ts'
import { isHistory } from '../../resource/made/shown-resources.ts'
import { exampleRecord } from '../../resource/words/example.ts'
import type { Route } from '../../rest/route.ts'
import { jsonContent, type NamedOpenapiNode, type OpenapiNode, objectSchema, refTo } from '../openapi-node.ts'
import { type OperationContext, operationOf } from '../operation-object.ts'
import { tenantReferences } from '../operation-parameters.ts'
import { responseObject } from '../responses.ts'
import { schemaName } from '../schemas.ts'
import { inQuery } from './query-parameter.ts'

const version: OpenapiNode = { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

const parameters: readonly OpenapiNode[] = [
  {
    ...inQuery({ name: 'from', about: 'The `historyVersion` of one version.', schema: version, example: 1 }),
    required: true,
  },
  inQuery({ name: 'to', about: 'That of the other one; the newest by default.', schema: version, example: 2 }),
]

/** The schemas of a difference; none for resources that are no versions. */
export function differenceSchemas(resource: Resource): readonly NamedOpenapiNode[] {
  if (!isHistory(resource)) return []
  const side = refTo('schemas', schemaName(resource, 'differing'))
  const fields: OpenapiNode = {
    type: 'array',
    maxItems: resource.fieldNames.length,
    items: { type: 'string' },
    description: 'The fields that differ, of those that you may read.',
  }
  const about = 'Two versions of a record, with the fields that differ.'
  return [[schemaName(resource, 'difference'), objectSchema(about, { fields, from: side, to: side })]]
}

function answerOf(resource: Resource): OpenapiNode {
  const content = jsonContent(refTo('schemas', schemaName(resource, 'difference')))
  const own = exampleRecord(resource) as OpenapiNode
  const from = Object.fromEntries(Object.entries(own).filter(([name]) => name.startsWith('history')))
  const example: OpenapiNode = { fields: [], from, to: from }
  return responseObject('The fields that differ.', ['ETag', 'Accept-Query'], {
    'application/json': { ...(content['application/json'] as OpenapiNode), example },
  })
}

/** `listId`: the operationId of the list of versions. */
export function differenceOperation(route: Route, listId: string, context: OperationContext): OpenapiNode {
  const list = operationOf(route, listId.replace(/^list/, 'compare'), context)
  const { 200: _versions, ...others } = list.responses as OpenapiNode
  return {
    ...list,
    summary: `${list.summary}`.replace(/^List/, 'Compare two of'),
    parameters: [...parameters, ...tenantReferences(route, context)],
    responses: { '200': answerOf(route.target.resource), ...others },
  }
}
