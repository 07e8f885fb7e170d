/** The operations of summaries, which are those of their lists with other parameters and another answer. */
import { groupsOf, type MeasureKind, measurable, measureKinds, summaryLimits } from '../operation/summary.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Route } from '../rest/route.ts'
import { answer } from './answers.ts'
import { jsonContent, type Node, refTo } from './node.ts'
import { type Context, operationOf } from './operation-object.ts'
import { inQuery } from './query-parameter.ts'

const meanings: Readonly<Record<MeasureKind, string>> = {
  sum: 'The sum of these fields; 0 where no record has a value.',
  average:
    'The average of these fields over the records that have a value. Money in whole cents, half a cent away from zero.',
  least: 'The least value of these fields.',
  most: 'The greatest value of these fields.',
}

const { groupsMax } = summaryLimits

const names = (about: string) => ({ type: 'string', maxLength: 1000, description: `${about} Names with commas.` })

/** One parameter object for all summaries, whose members are parameters of the query; the operations say which fields they take. */
export const summaryParameters: Node = {
  summary: {
    ...inQuery({
      name: 'summary',
      about: 'What to count and to add up: each member is a parameter of its own, as in `group=category&sum=price`.',
      schema: {
        type: 'object',
        properties: {
          group: names(
            'What records of one group have in common, up to two fields; without it all are one group. In UTC.',
          ),
          ...Object.fromEntries(measureKinds.map((kind) => [kind, names(meanings[kind])])),
          sort: names('Groups, `count`, or numbers that are asked for (`sum.price`), with `-` for descending.'),
          limit: {
            type: 'integer',
            format: 'int32',
            minimum: 1,
            maximum: groupsMax,
            description: `How many groups to show: ${groupsMax} unless said.`,
          },
        },
      },
      example: { sort: '-count', limit: 10 },
    }),
    style: 'form',
    explode: true,
  },
}

/** Which fields the parameters of a resource take. */
function fieldsTold(resource: Resource): string {
  const seen = { resource, visible: new Set(resource.fieldNames) }
  const groups = groupsOf(seen).map(({ name }) => name)
  const told = (words: string, fields: readonly string[]) =>
    fields.length > 0 ? ` ${words}: ${fields.join(' ')}.` : ''
  return `${told('Groups', groups)}${told('Sums and averages', measurable(seen, 'sum'))}${told('Least and most', measurable(seen, 'least'))}`
}

const values = { type: 'object', additionalProperties: true, description: 'By field.' }

export const summarySchemas: Node = {
  Summary: {
    type: 'object',
    description: 'Groups of the records of a list, with numbers about each.',
    required: ['data', 'meta'],
    properties: {
      data: {
        type: 'array',
        maxItems: groupsMax,
        description: 'The groups. What their records have in common stands by the names that `group` has.',
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
    example: {
      data: [{ category: 'Kitchen', count: 2, sum: { price: 30.5 }, average: { price: 15.25 } }],
      meta: { groups: 1 },
    },
  },
}

export const summaryAnswers: Node = {
  Summary: answer('Groups of the records, with numbers about each.', [], jsonContent(refTo('schemas', 'Summary'))),
}

/** `listId`: the operationId of the route's list. */
export function summaryOperation(route: Route, listId: string, context: Context): Node {
  const { resource } = route.target
  const list = operationOf(route, listId.replace(/^list/, 'summarize'), context)
  const filter = resource.list.filterable.size > 0 ? [refTo('parameters', `${resource.typeName}_filter`)] : []
  const isToldAbove = route.steps.length > 0 && resource.path !== undefined && resource.access.list !== undefined
  const told = isToldAbove ? '' : fieldsTold(resource)
  const { 400: bad, 429: often, 500: fault, default: refused } = list.responses as Node
  return {
    ...list,
    summary: `${list.summary}`.replace(/^List/, 'Summarize'),
    description: `${list.description} It takes the filters of the list, and its \`q\`.${told}`,
    parameters: [refTo('parameters', 'summary'), ...filter],
    responses: {
      '200': refTo('responses', 'Summary'),
      '400': bad,
      '429': often,
      '500': fault,
      default: refused,
    } as Node,
  }
}
