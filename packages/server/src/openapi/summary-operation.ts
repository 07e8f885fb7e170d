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

const { groupsMax, groupFieldsMax, measuresMax } = summaryLimits

const names = (max: number): Node => ({ type: 'array', maxItems: max, items: { type: 'string', maxLength: 100 } })

/** The same for all summaries; the operations say which fields they take. */
export const summaryParameters: Node = {
  summaryGroup: inQuery({
    name: 'group',
    about: 'What records of one group have in common; without it, all records are one group. Times are in UTC.',
    schema: names(groupFieldsMax),
    example: ['createdAt.month'],
  }),
  ...Object.fromEntries(
    measureKinds.map((kind) => [
      kind,
      inQuery({ name: kind, about: meanings[kind], schema: names(measuresMax), example: ['price'] }),
    ]),
  ),
  summarySort: inQuery({
    name: 'sort',
    about:
      'Groups, `count`, or numbers that are asked for (`sum.price`), with `-` for descending. By group unless said.',
    schema: { type: 'array', maxItems: 12, items: { type: 'string', maxLength: 200 } },
    example: ['-count'],
  }),
  summaryLimit: inQuery({
    name: 'limit',
    about: 'How many groups to show.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: groupsMax, default: groupsMax },
    example: 10,
  }),
}

/** Which fields the parameters of a resource take. */
function fieldsTold(resource: Resource): string {
  const seen = { resource, visible: new Set(resource.fieldNames) }
  const groups = groupsOf(seen).map(({ name }) => name)
  const told = (words: string, fields: readonly string[]) =>
    fields.length > 0 ? ` ${words}: ${fields.join(' ')}.` : ''
  return `${told('Groups', groups)}${told('Sums and averages', measurable(seen, 'sum'))}${told('Least and most', measurable(seen, 'least'))}`
}

function isTaken(resource: Resource, kind: MeasureKind): boolean {
  return measurable({ resource, visible: new Set(resource.fieldNames) }, kind).length > 0
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
  const keys = [
    'summaryGroup',
    ...measureKinds.filter((kind) => isTaken(resource, kind)),
    'summarySort',
    'summaryLimit',
  ]
  return {
    ...list,
    summary: `${list.summary}`.replace(/^List/, 'Summarize'),
    description: `${list.description} It takes the filters of the list, and its \`q\`.${fieldsTold(resource)}`,
    parameters: [...keys.map((key) => refTo('parameters', key)), ...filter],
    responses: { ...(list.responses as Node), '200': refTo('responses', 'Summary') },
  }
}
