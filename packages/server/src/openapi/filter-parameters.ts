/** The filters of a resource's lists: named filters, and `field` and `field[op]` for each operator of the field's type. */
import { listLimits } from '../operation/list-limits.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field, Operator } from '../resource/fields/field.ts'
import type { NamedFilter } from '../resource/list-declaration.ts'
import type { Node } from './node.ts'
import { inQuery, type NamedNode, type Parameter } from './query-parameter.ts'

/** The schema of a value to compare with: the type of the field, without the limits on stored values. */
function comparedSchema(field: Field): Node {
  const { type, format, enum: values } = field.type.schema(field)
  return { type: type as string, ...(format ? { format } : {}), ...(values ? { enum: values } : {}) }
}

function operatorSchema(field: Field, operator: Operator): Node {
  if (operator === 'null') return { type: 'boolean' }
  if (operator === 'contains' || operator === 'startsWith') return { type: 'string' }
  const compared: Node = field.type.isList ? { type: 'string' } : comparedSchema(field)
  return operator === 'in' ? { type: 'array', items: compared, maxItems: listLimits.inValuesMax } : compared
}

const meanings: Readonly<Record<Operator, string>> = {
  eq: 'equals this',
  ne: 'differs from this, or is null',
  gt: 'is greater than this',
  gte: 'is this or greater',
  lt: 'is less than this',
  lte: 'is this or less',
  in: 'is one of these',
  contains: 'contains this, ignoring case',
  startsWith: 'starts with this, ignoring case',
  null: 'is null (true) or not null (false)',
}

function meaningOf(name: string, field: Field, operator: Operator): string {
  if (field.type.isList && operator !== 'null')
    return `\`${name}\` has ${operator === 'in' ? 'one of these items' : 'this item'}.`
  return `\`${name}\` ${operator === 'ne' && !field.nullable ? 'differs from this' : meanings[operator]}.`
}

function namedParameter(resource: Resource, name: string, filter: NamedFilter): Parameter {
  const field = resource.fields[filter.field] as Field
  if (filter.by === 'true') {
    return {
      name,
      about: `\`${filter.field}\` is true for the text \`true\`, false for any other.`,
      schema: { type: 'string' },
    }
  }
  const empty = filter.by === 'eq' || filter.by === 'contains' ? ' Not applied when empty.' : ''
  return { name, about: meaningOf(filter.field, field, filter.by) + empty, schema: operatorSchema(field, filter.by) }
}

/** A named filter replaces the plain filter on a field of the same name. */
export function filterParameters(resource: Resource): readonly NamedNode[] {
  const { filters, filterable } = resource.list
  const key = (...parts: readonly string[]) => [resource.typeName, ...parts].join('_')
  const named = Object.entries(filters).map(
    ([name, filter]) => [key(name), inQuery(namedParameter(resource, name, filter))] as const,
  )
  const byField = [...filterable].flatMap((name) => {
    const field = resource.fields[name] as Field
    return field.type.operators.flatMap((operator): NamedNode[] => {
      if (operator === 'eq' && Object.hasOwn(filters, name)) return []
      const parameter = operator === 'eq' ? name : `${name}[${operator}]`
      const about = meaningOf(name, field, operator)
      return [
        [
          key(name, ...(operator === 'eq' ? [] : [operator])),
          inQuery({ name: parameter, about, schema: operatorSchema(field, operator) }),
        ],
      ]
    })
  })
  return [...named, ...byField]
}
