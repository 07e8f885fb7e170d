/** The parameters of lists, as `operation/list-query.ts` accepts them. A resource's parameters are components that its lists share. */
import { listLimits } from '../operation/list-limits.ts'
import type { Resource } from '../resource/catalog.ts'
import { exampleId } from '../resource/example.ts'
import type { Field } from '../resource/fields/field.ts'
import { isShown } from '../resource/fields/field-facts.ts'
import { hasParameter, type ListParameterKey, listParameters, type PagingKey } from '../resource/list-style.ts'
import { filterParameters } from './filter-parameters.ts'
import { type NamedNode, type Node, refTo } from './node.ts'
import { inQuery, type Parameter } from './query-parameter.ts'

const { pageSize, pageSizeMax, sortKeysMax, searchLengthMax } = listLimits
const names: Node = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_.]*$', maxLength: 200 }

/** The parameters that select a part of a list. All lists of a style share them. */
const paging: Readonly<Record<PagingKey, Omit<Parameter, 'name'>>> = {
  page: {
    about: 'The number of the page, from 1.',
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 },
    example: 1,
  },
  limit: {
    about: 'Records on a page.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: pageSizeMax, default: pageSize },
    example: 10,
  },
  cursor: {
    about: 'Walks the list: empty to begin, then `meta.nextCursor`. Not with `page`.',
    schema: { type: 'string', maxLength: 4000 },
    example: '',
  },
  idCursor: {
    about: 'Walks the list: the id of the last record shown, `meta.nextCursor`.',
    schema: { type: 'string', maxLength: 100 },
    example: exampleId,
  },
}
const pagingKeys = Object.keys(paging) as readonly PagingKey[]

function inHeader(name: string, about: string, example: string): Node {
  return { name, in: 'header', description: about, schema: { type: 'string', maxLength: 255 }, example }
}

/** The components that all resources share. */
export const commonParameters: readonly NamedNode[] = [
  ...pagingKeys.map((key): NamedNode => [key, inQuery({ name: listParameters[key].name, ...paging[key] })]),
  ['ifMatch', inHeader('If-Match', 'The ETag that was read. Another version is 412, and nothing changes.', '"1"')],
  [
    'idempotencyKey',
    inHeader(
      'Idempotency-Key',
      'Makes a retry safe: the same key does it once.',
      '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
    ),
  ],
]

function sortParameter(resource: Resource): NamedNode {
  const { sortable, defaultSort } = resource.list
  const usual = `${defaultSort[0]?.descending ? '-' : ''}${defaultSort[0]?.field}`
  const keys = [...sortable].flatMap((name) => [name, `-${name}`])
  const about = `Sorts by these, \`-\` for descending. Default \`${usual}\`.`
  const schema: Node = { type: 'array', items: { type: 'string', enum: keys }, maxItems: sortKeysMax }
  return [`${resource.typeName}_sort`, inQuery({ name: 'sort', about, schema, example: [usual] })]
}

function fieldsParameter(resource: Resource): NamedNode {
  const shown = resource.fieldNames.filter((name) => isShown(resource.fields[name] as Field))
  const about = `Shows only these, and the id. There are: ${shown.join(' ')}.`
  const schema: Node = { type: 'array', items: names, maxItems: 100 }
  const example = shown.filter((name) => name !== resource.idField).slice(0, 2)
  return [`${resource.typeName}_fields`, inQuery({ name: 'fields', about, schema, example })]
}

function expandParameter(resource: Resource, relations: readonly string[]): NamedNode {
  const about = `Adds related records: ${relations.join(' ')}.`
  const schema: Node = { type: 'array', items: { type: 'string', maxLength: 1000 }, maxItems: 20 }
  return [`${resource.typeName}_expand`, inQuery({ name: 'expand', about, schema, example: relations.slice(0, 1) })]
}

function searchParameter({ typeName, list: { search } }: Resource): NamedNode {
  const about = `Words that must each begin a word of ${search.join(', ')}.`
  const schema: Node = { type: 'string', maxLength: searchLengthMax }
  return [`${typeName}_q`, inQuery({ name: 'q', about, schema, example: 'a' })]
}

/** The parameters that say how a record is shown, which a list and a single record take. */
export function shapeParameters(resource: Resource): readonly NamedNode[] {
  const relations = Object.keys(resource.relations)
  return [fieldsParameter(resource), ...(relations.length > 0 ? [expandParameter(resource, relations)] : [])]
}

/** The parameters that choose records, which an export takes too. */
function choosingParameters(resource: Resource): readonly NamedNode[] {
  const has = (key: ListParameterKey) => hasParameter(resource.list, listParameters[key])
  const sort = has('sort') && resource.list.sortable.size > 0 ? [sortParameter(resource)] : []
  return [...(has('q') ? [searchParameter(resource)] : []), ...sort, ...filterParameters(resource)]
}

/** The components of one resource. */
export function resourceParameters(resource: Resource): readonly NamedNode[] {
  const listed = resource.access.list !== undefined || resource.access.export !== undefined
  return [...shapeParameters(resource), ...(listed ? choosingParameters(resource) : [])]
}

function references(parameters: readonly NamedNode[]): readonly Node[] {
  return parameters.map(([key]) => refTo('parameters', key))
}

/** References for a list. */
export function listReferences(resource: Resource): readonly Node[] {
  const pages = pagingKeys.filter((key) => hasParameter(resource.list, listParameters[key]))
  const own = [...shapeParameters(resource), ...choosingParameters(resource)]
  return [...pages.map((key) => refTo('parameters', key)), ...references(own)]
}

/** References for what a filter finds, without an order. */
export function choosingReferences(resource: Resource): readonly Node[] {
  return references(choosingParameters(resource).filter(([key]) => !key.endsWith('_sort')))
}

/** References for an export, which has no pages and expands nothing. */
export function exportReferences(resource: Resource): readonly Node[] {
  return references([fieldsParameter(resource), ...choosingParameters(resource)])
}

export function shapeReferences(resource: Resource): readonly Node[] {
  return references(shapeParameters(resource))
}
