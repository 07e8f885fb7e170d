/** `PATCH` and `DELETE` on a collection, where its list is declared so: every record that a filter finds. */
import { bulkLimits } from '../operation/list-limits.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { exampleBody } from '../resource/example.ts'
import { inSentence, labelOf, typeNameOf } from '../resource/names.ts'
import { apiPrefix } from '../rest/route.ts'
import { answer, errorsFor } from './answers.ts'
import { choosingReferences } from './list-parameters.ts'
import { bodyContent, jsonContent, type NamedNode, type Node, objectSchema, refTo } from './node.ts'
import { inQuery } from './query-parameter.ts'
import { schemaName } from './schemas.ts'

const count: Node = { type: 'integer', format: 'int32', minimum: 1, maximum: bulkLimits.recordsMax }
const limit: Node = {
  ...inQuery({ name: 'limit', about: 'How many it may be at most; more are 409.', schema: count, example: 10 }),
  required: true,
}

function operation(catalog: Catalog, resource: Resource, kind: 'update' | 'delete'): Node {
  const many = inSentence(labelOf(resource.plural))
  const done = kind === 'update' ? 'updated' : 'deleted'
  const schema = objectSchema('What was done.', {
    success: { const: true, description: 'Always true.' },
    [done]: { ...count, minimum: 0, description: `How many ${many} were ${done}.` },
  })
  const body = bodyContent(refTo('schemas', schemaName(resource, 'update')), exampleBody(resource, 'update'))
  return {
    operationId: `${kind}Many${typeNameOf(resource.plural)}`,
    tags: [labelOf(resource.plural)],
    summary: `${typeNameOf(kind)} all ${many} that a filter finds`,
    description: 'All of them, or none. It needs a filter. Each is judged by the rule of one.',
    security: [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
    parameters: [limit, ...choosingReferences(catalog, resource)],
    ...(kind === 'update' ? { requestBody: { required: true, content: body } } : {}),
    responses: {
      '200': answer('All of them are done.', [], jsonContent(schema)),
      ...errorsFor(['bad-request', 'unauthenticated', 'forbidden', 'conflict', 'too-many-requests', 'internal']),
    },
  }
}

/** Path → its operations. */
export function bulkPaths(catalog: Catalog): readonly NamedNode[] {
  return [...catalog.resources.values()].flatMap((resource): NamedNode[] => {
    const { access, list, path } = resource
    if (path === undefined || !list.bulk) return []
    const patch: Node = access.update ? { patch: operation(catalog, resource, 'update') } : {}
    const remove: Node = access.delete ? { delete: operation(catalog, resource, 'delete') } : {}
    return [[`${apiPrefix}${path}`, { ...patch, ...remove }]]
  })
}
