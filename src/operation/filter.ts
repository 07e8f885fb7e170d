/**
 * Filters: `category=Tools`, `price[gte]=10`, and the parameters that a resource names itself. A field that the caller may not
 * read is not among the fields here, so asking about it is asking about an unknown parameter.
 */
import type { Resource } from '../resource/catalog.ts'
import type { NamedFilter } from '../resource/define.ts'
import { type Field, fieldError, type Operator } from '../resource/fields/field.ts'
import { all, type Condition, isNull, type Scalar } from './condition.ts'

const parameterPattern = /^([^[\]]+)(?:\[([A-Za-z]+)\])?$/
const inMax = 100

/** A part of a text need not look like the whole: `email[contains]=ann` is no address. */
function parsePart(parameter: string, field: Field, text: string): string {
  const { format: _, ...limits } = field.limits
  return field.type.parse(text, parameter, { ...field, limits }) as string
}

/** `stock` with null counts as different from 5: nothing is lost between `eq` and `ne`. */
function compareBy(name: string, parameter: string, field: Field, operator: Operator, text: string): Condition {
  const parse = (value: string) => field.type.parse(value, parameter, field) as Scalar
  switch (operator) {
    case 'null':
      if (text !== 'true' && text !== 'false') throw fieldError(parameter, 'must be true or false')
      return { kind: 'null', field: name, isNull: text === 'true' }
    case 'in': {
      const values = text.split(',')
      if (values.length > inMax) throw fieldError(parameter, `takes at most ${inMax} values`)
      return { kind: 'in', field: name, values: values.map((value) => parse(value.trim())) }
    }
    case 'contains':
    case 'startsWith':
      return { kind: operator, field: name, text: parsePart(parameter, field, text) }
    case 'ne': {
      const compare: Condition = { kind: 'compare', field: name, operator, value: parse(text) }
      return field.nullable ? { kind: 'or', of: [compare, isNull(name)] } : compare
    }
    default:
      return { kind: 'compare', field: name, operator, value: parse(text) }
  }
}

function parseNamed(parameter: string, filter: NamedFilter, field: Field, text: string): Condition | undefined {
  if (filter.by === 'true') return { kind: 'compare', field: filter.field, operator: 'eq', value: text === 'true' }
  if (text === '' && (filter.by === 'eq' || filter.by === 'contains')) return undefined
  return compareBy(filter.field, parameter, field, filter.by, text)
}

/**
 * One parameter → a condition; `always` for a named filter that is not applied; `undefined` when it is no filter of this resource.
 * Throws `bad-request` for a value that the field cannot have.
 */
export function parseFilter(
  resource: Resource,
  visible: ReadonlySet<string>,
  parameter: string,
  text: string,
): Condition | undefined {
  const named = Object.hasOwn(resource.list.filters, parameter) ? resource.list.filters[parameter] : undefined
  if (named) {
    if (!visible.has(named.field)) return undefined
    return parseNamed(parameter, named, resource.fields[named.field] as Field, text) ?? all()
  }
  const match = parameterPattern.exec(parameter)
  const name = match?.[1] ?? ''
  const operator = (match?.[2] ?? 'eq') as Operator
  if (!visible.has(name) || !resource.list.filterable.has(name)) return undefined
  const field = resource.fields[name] as Field
  const membership = field.type.name === 'textList' && operator === 'eq'
  if (!membership && !field.type.operators.includes(operator)) return undefined
  return compareBy(name, parameter, field, membership ? 'contains' : operator, text)
}
