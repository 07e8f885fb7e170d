/**
 * Describes the filters of lists: those that the declaration names, and `filter`, which covers all
 * others. `field=` and `field[op]=` also work but are left out: there are hundreds, and `filter`
 * can express them all.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Field, Json, Operator } from '../../resource/fields/field.ts'
import type { NamedFilter } from '../../resource/list-declaration.ts'
import { describeFilter } from '../../resource/words/describe-operation.ts'
import { exampleIn } from '../../resource/words/example.ts'
import { type NamedOpenapiNode, type OpenapiNode, refTo } from '../openapi-node.ts'
import { inQuery } from './query-parameter.ts'

const wordsMax = 10

/**
 * The schema of a value to compare with: the type of the field without the limits of stored values.
 */
function comparedSchema(resource: Resource, name: string): OpenapiNode {
  const field = resource.fields[name] as Field
  const { type, format, enum: words, maxLength } = field.type.schema(field)
  // A long list of values is described once, with the record.
  const values = (field.values?.length ?? 0) > wordsMax ? undefined : words
  const size: OpenapiNode = maxLength === undefined ? {} : { maxLength }
  return { type: type as string, ...(format ? { format } : {}), ...(values ? { enum: values } : size) }
}

function namedParameter(resource: Resource, name: string, filter: NamedFilter): OpenapiNode {
  const field = resource.fields[filter.field] as Field
  const isPart = filter.by === 'contains' || field.type.item || field.type.isList
  const schema: OpenapiNode =
    filter.by === 'true'
      ? { type: 'string', maxLength: 100 }
      : isPart
        ? { type: 'string', maxLength: 1000 }
        : comparedSchema(resource, filter.field)
  const example = filter.example ?? (filter.by === 'true' ? 'true' : exampleIn(resource, filter.field))
  return inQuery({ name, about: describeFilter(filter), schema, example })
}

/** The operators that best show how to filter by the field. */
function shownOperators({ type, values, reference }: Field): readonly Operator[] {
  if (values || reference) return ['eq']
  return type.isProse ? ['contains', 'eq'] : ['gte', 'contains', 'eq']
}

/** `{"price":{"gte":10}}`, with a field that is often filtered. */
function exampleFilter(resource: Resource): Json {
  const names = [...resource.list.filterable].filter((name) => name !== resource.idField)
  const isTold = (name: string) => resource.fields[name]?.example !== undefined || Object.hasOwn(resource.example, name)
  const name = names.find(isTold) ?? names[0] ?? resource.idField
  const field = resource.fields[name] as Field
  const operator = shownOperators(field).find((one) => field.type.operators.includes(one)) ?? 'eq'
  const value = exampleIn(resource, name)
  return { [name]: { [operator]: Array.isArray(value) ? (value[0] as Json) : value } }
}

/** The introduction of the document explains filters. */
export const filterSchema: NamedOpenapiNode = ['Filter', { type: 'string', contentMediaType: 'application/json' }]

function filterParameter(resource: Resource): NamedOpenapiNode {
  const names = [...resource.list.filterable]
  const others = Object.entries(resource.relations).flatMap(([name, { kind }]) =>
    kind === 'reference' || kind === 'one' ? [name] : [],
  )
  const about = `Fields: ${[...names, ...others].join(' ')}.`
  return [
    `${resource.typeName}_filter`,
    inQuery({
      name: 'filter',
      about,
      schema: refTo('schemas', 'Filter'),
      example: JSON.stringify(exampleFilter(resource)),
    }),
  ]
}

export function filterParameters(resource: Resource): readonly NamedOpenapiNode[] {
  const { filters, filterable } = resource.list
  const named = Object.entries(filters).map(
    ([name, filter]) => [`${resource.typeName}_${name}`, namedParameter(resource, name, filter)] as const,
  )
  return filterable.size > 0 ? [...named, filterParameter(resource)] : named
}
