/** The operations of summaries, which are those of their lists with other parameters and another answer. */
import { groupsOf, measurable, measureKinds, summaryLimits } from '../operation/summary.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Route } from '../rest/route.ts'
import { answer } from './answers.ts'
import { jsonContent, type Node, refTo } from './node.ts'
import { type Context, operationOf } from './operation-object.ts'
import { inQuery } from './query-parameter.ts'

const { groupsMax } = summaryLimits

/** What holds for all summaries. It stands once in the document: programs that carry each operation by itself would carry it many times. */
export const aboutSummaries = [
  'Summaries take names with commas. `group` is what records of one group have in common, up to two fields, by days, months and years of UTC; without it all are one group.',
  '`sum` is 0 where no record has a value; `average` is over the records that have one, of money in whole cents, half a cent away from zero; `least` and `most` are values.',
  '`sort` takes groups, `count`, or numbers that are asked for (`sum.price`), with `-` for descending; `limit` is 1,000 unless said. As in `group=category&sum=price`. The other parameters are those of the list that choose records: its filters, and its `q`.',
].join(' ')

const text: Node = { type: 'string' }

/** One parameter object for all summaries, whose members are parameters of the query; the operations say which fields they take. */
export const summaryParameters: Node = {
  summary: {
    ...inQuery({
      name: 'summary',
      about: 'Each member is a parameter.',
      schema: {
        type: 'object',
        properties: {
          group: text,
          ...Object.fromEntries(measureKinds.map((kind) => [kind, text])),
          sort: text,
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: groupsMax,
          },
          filter: text,
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
  // `createdAt.day|month|year` stands for three of them.
  const groups = [...Map.groupBy(groupsOf(seen), ({ field }) => field)].map(([field, all]) => {
    const units = all.flatMap(({ unit }) => unit ?? [])
    return units.length > 0 ? `${field}.${units.join('|')}` : field
  })
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
  const isToldAbove = route.steps.length > 0 && resource.path !== undefined && resource.access.list !== undefined
  const told = isToldAbove ? '' : fieldsTold(resource)
  const { 400: bad, 429: often, 500: fault, default: refused } = list.responses as Node
  return {
    ...list,
    summary: `${list.summary}`.replace(/^List/, 'Summarize'),
    description: `${list.description}${told}`,
    parameters: [refTo('parameters', 'summary')],
    responses: {
      '200': refTo('responses', 'Summary'),
      '400': bad,
      '429': often,
      '500': fault,
      default: refused,
    } as Node,
  }
}
