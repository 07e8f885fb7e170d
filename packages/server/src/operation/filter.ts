/**
 * Filters: `category=Tools`, `price[gte]=10`, and the parameters that a resource names itself. A filter on a field that the caller may not
 * read is an unknown parameter.
 */
import type { Resource } from '../resource/catalog.ts'
import { all, any, type Condition, equal, isNull, type Scalar } from '../resource/condition.ts'
import { type Field, fieldError, type Operator } from '../resource/fields/field.ts'
import type { NamedFilter } from '../resource/list-declaration.ts'
import { listOf } from '../resource/names.ts'
import { foldCase } from '../value/fold.ts'
import { listLimits } from './list-limits.ts'

const parameterPattern = /^([^[\]]+)(?:\[([A-Za-z]+)\])?$/

/** A choice has few words, so the ones that contain the part are found here. */
function compareWords(
  name: string,
  words: readonly string[],
  { operator, part }: { readonly operator: 'contains' | 'startsWith'; readonly part: string },
): Condition {
  const folded = foldCase(part)
  const matches = (word: string) => (operator === 'contains' ? word.includes(folded) : word.startsWith(folded))
  return { kind: 'in', field: name, values: words.filter((word) => matches(foldCase(word))) }
}

/** A list equals a value when it has the value as an item. */
function compareOneOf(name: string, field: Field, values: readonly Scalar[]): Condition {
  if (!field.type.isList) return { kind: 'in', field: name, values }
  return any(...values.map((text): Condition => ({ kind: 'contains', field: name, text: text as string })))
}

/** A field that a filter asks about, and the name of the parameter. */
type Asked = { readonly name: string; readonly parameter: string; readonly field: Field }

/** `stock` with null counts as different from 5, so that `eq` and `ne` together find every record. */
function compareBy({ name, parameter, field }: Asked, operator: Operator, text: string): Condition {
  const parse = (value: string) => field.type.parse(value, parameter, field) as Scalar
  switch (operator) {
    case 'null':
      if (text !== 'true' && text !== 'false') throw fieldError(parameter, 'must be true or false')
      return { kind: 'null', field: name, isNull: text === 'true' }
    case 'in': {
      const { inValuesMax } = listLimits
      const values = text.split(',')
      if (values.length > inValuesMax) throw fieldError(parameter, `takes at most ${inValuesMax} values`)
      return compareOneOf(
        name,
        field,
        values.map((value) => parse(value.trim())),
      )
    }
    case 'contains':
    case 'startsWith': {
      const part = field.type.parsePart?.(text, parameter, field) ?? (parse(text) as string)
      if (field.values) return compareWords(name, field.values, { operator, part })
      return { kind: operator, field: name, text: part }
    }
    case 'eq':
      return field.type.isList ? compareOneOf(name, field, [parse(text)]) : equal(name, parse(text))
    case 'ne': {
      const compare: Condition = { kind: 'compare', field: name, operator, value: parse(text) }
      return field.nullable ? { kind: 'or', of: [compare, isNull(name)] } : compare
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { kind: 'compare', field: name, operator, value: parse(text) }
  }
}

function parseNamed(asked: Asked, { by }: NamedFilter, text: string): Condition | undefined {
  if (by === 'true') return { kind: 'compare', field: asked.name, operator: 'eq', value: text === 'true' }
  if (text === '' && (by === 'eq' || by === 'contains')) return undefined
  return compareBy(asked, by, text)
}

/**
 * One parameter → a condition; `always` for a named filter that does not apply; `undefined` when the resource has no such filter. Throws
 * `bad-request` for an operator or a value that the field does not have.
 */
export function parseFilter(
  { resource, visible }: { readonly resource: Resource; readonly visible: ReadonlySet<string> },
  parameter: string,
  text: string,
): Condition | undefined {
  const named = Object.hasOwn(resource.list.filters, parameter) ? resource.list.filters[parameter] : undefined
  if (named) {
    if (!visible.has(named.field)) return undefined
    const field = resource.fields[named.field] as Field
    return parseNamed({ name: named.field, parameter, field }, named, text) ?? all()
  }
  const match = parameterPattern.exec(parameter)
  const name = match?.[1] ?? ''
  const operator = (match?.[2] ?? 'eq') as Operator
  if (!visible.has(name) || !resource.list.filterable.has(name)) return undefined
  const field = resource.fields[name] as Field
  if (!field.type.operators.includes(operator))
    throw fieldError(parameter.slice(0, 100), `is no filter; ${name} takes ${listOf(field.type.operators)}`)
  return compareBy({ name, parameter, field }, operator, text)
}
