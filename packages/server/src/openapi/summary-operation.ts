/** The operations of summaries, which are those of their lists with other parameters and another answer. */
import { groupsOf, type MeasureKind, measurable, measureKinds, summaryLimits } from '../operation/summary.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { listParameters } from '../resource/list-style.ts'
import type { Route } from '../rest/route.ts'
import { answer } from './answers.ts'
import { jsonContent, type Node, nodesOf, refTo } from './node.ts'
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

function seenBy(resource: Resource) {
  return { resource, visible: new Set(resource.fieldNames) }
}

function names(of: readonly string[], max: number): Node {
  return { type: 'array', items: { type: 'string', enum: of }, maxItems: max }
}

function ownParameters(resource: Resource): Node[] {
  const seen = seenBy(resource)
  const groups = groupsOf(seen).map(({ name }) => name)
  const measures = measureKinds.flatMap((kind) => {
    const fields = measurable(seen, kind)
    return fields.length === 0
      ? []
      : [inQuery({ name: kind, about: meanings[kind], schema: names(fields, measuresMax) })]
  })
  const group = inQuery({
    name: 'group',
    about: 'What records of one group have in common; without it, all records are one group. Times are in UTC.',
    schema: names(groups, groupFieldsMax),
  })
  return [
    ...(groups.length > 0 ? [group] : []),
    ...measures,
    inQuery({
      name: 'sort',
      about:
        'Groups, `count`, or numbers that are asked for (`sum.price`), with `-` for descending. By group unless said.',
      schema: { type: 'array', items: { type: 'string' } },
    }),
    inQuery({
      name: 'limit',
      about: 'How many groups to show.',
      schema: { type: 'integer', minimum: 1, maximum: groupsMax, default: groupsMax },
    }),
  ]
}

/** The list's own parameters but for those of its pages, its order and its fields. */
function filtersOf(resource: Resource, parameters: readonly Node[]): Node[] {
  const others = [...Object.keys(listParameters), `${resource.typeName}_sort`, `${resource.typeName}_fields`]
  const refs = new Set(others.map((key) => refTo('parameters', key).$ref))
  return parameters.filter(({ $ref }) => $ref === undefined || !refs.has($ref))
}

function valueSchema(resource: Resource, name: string): Node {
  const field = resource.fields[name] as Field
  const { type, format, enum: values } = field.type.schema(field)
  const shown: Node = { type: [type as string, 'null'], ...(format ? { format } : {}) }
  return values ? { type: [type as string, 'null'], enum: [...(values as string[]), null] } : shown
}

function answerSchema(resource: Resource): Node {
  const seen = seenBy(resource)
  const groups = groupsOf(seen).map(({ name, field, unit }) => {
    return [name, unit ? { type: ['string', 'null'] } : valueSchema(resource, field)] as const
  })
  const measures = measureKinds.flatMap((kind) => {
    const isNumber = kind === 'sum' || kind === 'average'
    const fields = measurable(seen, kind).map(
      (field) => [field, isNumber ? { type: ['number', 'null'] } : valueSchema(resource, field)] as const,
    )
    return fields.length === 0 ? [] : [[kind, { type: 'object', properties: nodesOf(fields) }] as const]
  })
  const count: Node = { type: 'integer', minimum: 0 }
  const properties = nodesOf([...groups, ['count', count], ...measures])
  return {
    type: 'object',
    required: ['data', 'meta'],
    properties: {
      data: { type: 'array', items: { type: 'object', required: ['count'], properties } },
      meta: {
        type: 'object',
        required: ['groups'],
        properties: { groups: { ...count, description: 'How many there are.' } },
      },
    },
  }
}

/** `listId`: the operationId of the route's list. */
export function summaryOperation(route: Route, listId: string, context: Context): Node {
  const { resource } = route.target
  const list = operationOf(route, listId.replace(/^list/, 'summarize'), context)
  return {
    ...list,
    summary: `${list.summary}`.replace(/^List/, 'Summarize'),
    parameters: [...ownParameters(resource), ...filtersOf(resource, (list.parameters ?? []) as Node[])],
    responses: {
      ...(list.responses as Node),
      '200': answer('Groups of the records, with numbers about each.', [], jsonContent(answerSchema(resource))),
    },
  }
}
