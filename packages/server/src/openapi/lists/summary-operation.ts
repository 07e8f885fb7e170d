/**
 * Documents summaries: the operations of their lists, with other parameters and another response.
 */

import { summaryLimits } from '../../operation/summary.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { measureKinds } from '../../resource/list-style.ts'
import type { Route } from '../../rest/route.ts'
import { freeObject, jsonContent, notForModels, type OpenapiNode, refTo } from '../openapi-node.ts'
import { type OperationContext, operationOf } from '../operation-object.ts'
import { tenantReferences } from '../operation-parameters.ts'
import { responseObject } from '../responses.ts'
import { inQuery } from './query-parameter.ts'
import { summaryAnswer, summaryQuery } from './summary-example.ts'

const { groupsMax } = summaryLimits

/**
 * The description of all summaries. It is in the document once, because programs that copy each
 * operation would repeat it.
 */
export function aboutSummaries(catalog: Catalog): string {
  const query = summaryQuery(catalog)
  return [
    'Summaries take names with commas. `group` names up to two fields that `filter` knows and that are no lists. Times take `.hour`, `.day`, `.week`, `.month`, `.quarter` or `.year` of the time zone `_tz`, UTC by default. A path such as `parent.name` goes through references. Without it all are one group.',
    '`sum` and `average` take numbers, `least` and `most` times too. `sum` is 0 where no record has a value; `average` is over the records that have one. For money it is in whole cents, with half a cent away from zero.',
    `\`sort\` takes groups, \`count\`, or requested numbers (\`sum.field\`), with \`-\` for descending. \`limit\` is 1,000 by default.${query ? ` Example: \`${query}\`.` : ''} The other parameters select records: the filters of the list, and its \`q\`.`,
  ].join(' ')
}

/** Short descriptions: programs that copy each operation repeat them with each summary. */
const text = (description: string): OpenapiNode => ({ type: 'string', description })

/**
 * One parameter object for all summaries; its members are parameters of the query. The operations
 * name the fields that they take.
 */
export const summaryParameters: OpenapiNode = {
  summary: {
    ...inQuery({
      name: 'summary',
      about: 'Each member is a parameter.',
      schema: {
        type: 'object',
        properties: {
          group: text('What groups share.'),
          ...Object.fromEntries(measureKinds.map((kind) => [kind, text(`Names for the ${kind}.`)])),
          sort: text('The order.'),
          _tz: text('Time zone.'),
          limit: { type: 'integer', maximum: groupsMax, description: 'Groups at most.' },
          filter: text('As in the list.'),
        },
      },
      example: { sort: '-count', limit: 10 },
    }),
    explode: true,
  },
}

const values = freeObject('By field.')

export function summarySchemas(catalog: Catalog): OpenapiNode {
  return {
    Summary: {
      type: 'object',
      description: 'Groups of the records of a list, with numbers about each.',
      required: ['data', 'meta'],
      properties: {
        data: {
          type: 'array',
          maxItems: groupsMax,
          description: 'The groups. Each has its values by the names in `group`.',
          items: {
            type: 'object',
            required: ['count'],
            additionalProperties: true,
            properties: {
              count: { type: 'integer', format: 'int64', minimum: 0, description: 'How many records.' },
              ...Object.fromEntries(measureKinds.map((kind) => [kind, values])),
            },
          },
        },
        meta: {
          type: 'object',
          description: 'About all groups.',
          required: ['groups'],
          properties: { groups: { type: 'integer', format: 'int32', minimum: 0, description: 'How many there are.' } },
        },
      },
      example: summaryAnswer(catalog),
    },
  }
}

export const summaryAnswers: OpenapiNode = {
  Summary: responseObject('Groups of the records, with numbers about each.', ['ETag', 'Accept-Query'], {
    ...jsonContent(refTo('schemas', 'Summary')),
    ...jsonContent({ type: 'string' }, 'text/csv'),
  }),
}

/** `listId`: the operationId of the list. */
export function summaryOperation(route: Route, listId: string, context: OperationContext): OpenapiNode {
  const list = operationOf(route, listId.replace(/^list/, 'summarize'), context)
  const { 200: _records, ...others } = list.responses as OpenapiNode
  return {
    ...list,
    // Excluded below a record: the summary of all records with a filter gives the same.
    ...(route.steps.length > 0 ? notForModels : {}),
    summary: `${list.summary}`.replace(/^List/, 'Summarize'),
    parameters: [refTo('parameters', 'summary'), ...tenantReferences(route, context)],
    responses: { '200': refTo('responses', 'Summary'), ...others },
  }
}
