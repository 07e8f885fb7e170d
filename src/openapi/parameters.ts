/** The parameters of paths and lists, exactly those that `operation/list.ts` takes. Each resource's are components, used by every list of it. */
import type { Resource } from '../resource/catalog.ts'
import type { NamedFilter } from '../resource/define.ts'
import type { Field, Operator } from '../resource/fields/field.ts'
import { limitDefault, limitMax } from '../operation/page.ts'
import { type Node, refTo } from './node.ts'
import { isShown } from './schemas.ts'

const sortKeysMax = 8
const inValuesMax = 100
const searchLengthMax = 256

type Parameter = { readonly name: string; readonly about: string; readonly schema: Node }
export type NamedNode = readonly [string, Node]

/** A list of values with commas between them: `sort=name,-price`. */
const separatedByCommas: Node = { style: 'form', explode: false }

function inQuery({ name, about, schema }: Parameter): Node {
  const commas = schema.type === 'array' ? separatedByCommas : {}
  return { name, in: 'query', description: about, ...commas, schema }
}

/** The parameters that all lists share. */
export const commonParameters: readonly NamedNode[] = [
  ['page', inQuery({ name: 'page', about: 'Below 1 or not a number means 1.', schema: { type: 'integer', minimum: 1, default: 1 } })],
  [
    'limit',
    inQuery({
      name: 'limit',
      about: `Records on a page. Below 1 or not a number means ${limitDefault}, above ${limitMax} means ${limitMax}.`,
      schema: { type: 'integer', minimum: 1, maximum: limitMax, default: limitDefault },
    }),
  ],
  [
    'cursor',
    inQuery({
      name: 'cursor',
      about: 'Empty to begin, then `meta.nextCursor` of the answer before. Bound to the same filters and sort; not together with `page`.',
      schema: { type: 'string' },
    }),
  ],
  [
    'idCursor',
    inQuery({
      name: 'cursor',
      about: 'The id of the last record shown: `meta.nextCursor` of the answer before. It still works when that record is gone.',
      schema: { type: 'string' },
    }),
  ],
  [
    'q',
    inQuery({
      name: 'q',
      about: 'Every word must begin a word of a searched field. Case and accents do not matter.',
      schema: { type: 'string', maxLength: searchLengthMax },
    }),
  ],
  [
    'ifMatch',
    { name: 'If-Match', in: 'header', description: 'The ETag that was read. Another version is 412 and nothing changes.', schema: { type: 'string' } },
  ],
  [
    'ifNoneMatch',
    { name: 'If-None-Match', in: 'header', description: 'An ETag that is known already. The same version is 304 without a body.', schema: { type: 'string' } },
  ],
]

/** What a value to compare with looks like: the type of the field, without the limits that a stored value has. */
function comparedSchema(field: Field): Node {
  const { type, format, enum: values } = field.type.schema(field)
  return { type: type as string, ...(format ? { format } : {}), ...(values ? { enum: values } : {}) }
}

function operatorSchema(field: Field, operator: Operator): Node {
  if (operator === 'null') return { type: 'boolean' }
  if (operator === 'contains' || operator === 'startsWith' || field.type.column === 'json') return { type: 'string' }
  if (operator === 'in') return { type: 'array', items: comparedSchema(field), maxItems: inValuesMax }
  return comparedSchema(field)
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
  if (field.type.column === 'json') return `\`${name}\` has this item.`
  return `\`${name}\` ${operator === 'ne' && !field.nullable ? 'differs from this' : meanings[operator]}.`
}

function namedParameter(resource: Resource, name: string, filter: NamedFilter): Parameter {
  const field = resource.fields[filter.field] as Field
  if (filter.by === 'true') {
    return { name, about: `\`${filter.field}\` is true for the text \`true\`, false for any other.`, schema: { type: 'string' } }
  }
  const empty = filter.by === 'eq' || filter.by === 'contains' ? ' Not applied when empty.' : ''
  return { name, about: meaningOf(filter.field, field, filter.by) + empty, schema: operatorSchema(field, filter.by) }
}

/** A named filter comes before the field of the same name. */
function filterParameters(resource: Resource): readonly NamedNode[] {
  const { filters, filterable } = resource.list
  const key = (...parts: readonly string[]) => [resource.typeName, ...parts].join('_')
  const named = Object.entries(filters).map(([name, filter]) => [key(name), inQuery(namedParameter(resource, name, filter))] as const)
  const byField = [...filterable].flatMap((name) => {
    const field = resource.fields[name] as Field
    const operators: readonly Operator[] = field.type.column === 'json' ? ['eq', ...field.type.operators] : field.type.operators
    return operators.flatMap((operator): NamedNode[] => {
      if (operator === 'eq' && Object.hasOwn(filters, name)) return []
      const parameter = operator === 'eq' ? name : `${name}[${operator}]`
      const about = meaningOf(name, field, operator)
      return [[key(name, ...(operator === 'eq' ? [] : [operator])), inQuery({ name: parameter, about, schema: operatorSchema(field, operator) })]]
    })
  })
  return [...named, ...byField]
}

function sortParameter(resource: Resource): NamedNode {
  const { sortable, defaultSort } = resource.list
  const usual = `${defaultSort[0]?.descending ? '-' : ''}${defaultSort[0]?.field}`
  const keys = [...sortable].flatMap((name) => [name, `-${name}`])
  const about = `Fields in the order of their weight, each once, \`-\` for descending. The id decides between equals. Default \`${usual}\`.`
  return [`${resource.typeName}_sort`, inQuery({ name: 'sort', about, schema: { type: 'array', items: { type: 'string', enum: keys }, maxItems: sortKeysMax } })]
}

function fieldsParameter(resource: Resource): NamedNode {
  const names = resource.fieldNames.filter((name) => isShown(resource.fields[name] as Field))
  const about = 'Show only these fields, and the id.'
  return [`${resource.typeName}_fields`, inQuery({ name: 'fields', about, schema: { type: 'array', items: { type: 'string', enum: names } } })]
}

/** The components of one resource. */
export function resourceParameters(resource: Resource): readonly NamedNode[] {
  const { list, get } = resource.access
  const sort = list && resource.list.style !== 'cursor' && resource.list.sortable.size > 0 ? [sortParameter(resource)] : []
  return [...(list || get ? [fieldsParameter(resource)] : []), ...sort, ...(list || resource.access.export ? filterParameters(resource) : [])]
}

const paging: Readonly<Record<Resource['list']['style'], readonly string[]>> = {
  page: ['page', 'limit', 'cursor'],
  all: ['page', 'limit'],
  cursor: ['limit', 'idCursor'],
}

/** References for a list, or for an export, which has all the pages in one. */
export function listParameters(resource: Resource, operation: 'list' | 'export'): readonly Node[] {
  const own = resourceParameters(resource).map(([key]) => key)
  const search = resource.list.search.length > 0 ? ['q'] : []
  return [...(operation === 'list' ? paging[resource.list.style] : []), ...search, ...own].map((key) => refTo('parameters', key))
}

export function fieldsReference(resource: Resource): Node {
  return refTo('parameters', `${resource.typeName}_fields`)
}
