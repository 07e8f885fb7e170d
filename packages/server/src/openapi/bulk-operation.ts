/** Writes on a collection, where it is declared so: every record that a filter finds, or the one with a value of a unique field. */
import { bulkLimits } from '../operation/list-limits.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { exampleBody } from '../resource/example.ts'
import { inSentence, labelOf, typeNameOf } from '../resource/names.ts'
import { apiPrefix, makeBulkRoutes, makeUpsertRoutes } from '../rest/route.ts'
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

function operation(resource: Resource, kind: 'update' | 'delete'): Node {
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
    parameters: [limit, ...choosingReferences(resource)],
    ...(kind === 'update' ? { requestBody: { required: true, content: body } } : {}),
    responses: {
      '200': answer('All of them are done.', [], jsonContent(schema)),
      ...errorsFor(['bad-request', 'unauthenticated', 'forbidden', 'conflict', 'too-many-requests', 'internal']),
    },
  }
}

/** `PUT` on the collection: the record with this value of a unique field is replaced, or made. */
function upsert(resource: Resource): Node {
  const fields: Node = { type: 'string', enum: [...resource.upsert] }
  const about = 'The unique field that says which record it is.'
  const on = inQuery({ name: 'on', about, schema: fields, example: resource.upsert[0] as string })
  const body = bodyContent(refTo('schemas', schemaName(resource, 'create')), exampleBody(resource, 'create'))
  return {
    operationId: `upsert${resource.typeName}`,
    tags: [labelOf(resource.plural)],
    summary: `Replace one ${inSentence(resource.label)} by a unique field, or create it`,
    description: 'Who may: those who may create and replace.',
    security: [{}, { bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
    parameters: [{ ...on, required: true }, refTo('parameters', 'ifMatch')],
    requestBody: { required: true, content: body },
    responses: {
      '200': refTo('responses', `${resource.typeName}Written`),
      '201': refTo('responses', `${resource.typeName}Made`),
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
export function bulkPaths(catalog: Catalog): readonly NamedNode[] {
  const routes = [...makeBulkRoutes(catalog), ...makeUpsertRoutes(catalog)].filter(({ mount }) => mount === apiPrefix)
  return routes.map(({ path, method, upserts, target: { resource, operation: kind } }) => {
    const described = upserts ? upsert(resource) : operation(resource, kind as 'update' | 'delete')
    return [path, { [method.toLowerCase()]: described }] as const
  })
}
