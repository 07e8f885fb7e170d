/**
 * The parameters of lists, as `operation/list-query.ts` accepts them. A resource's parameters are
 * components that its lists share.
 */
import { listLimits } from '../../operation/list-limits.ts'
import type { Resource } from '../../resource/catalog.ts'
import { hasParameter, type ListParameterKey, listParameters, type PagingKey } from '../../resource/list-style.ts'
import { referencesOf } from '../../resource/relations/far-field.ts'
import { exampleId } from '../../resource/words/example.ts'
import { type NamedOpenapiNode, type OpenapiNode, refTo } from '../openapi-node.ts'
import { filterParameters } from './filter-parameters.ts'
import { inQuery, type QueryParameter } from './query-parameter.ts'

const { pageSize, pageSizeMax, searchLengthMax } = listLimits

/** The parameters that select a part of a list. All lists of a style share them. */
const paging: Readonly<Record<PagingKey, Omit<QueryParameter, 'name'>>> = {
  page: {
    about: 'The page number.',
    schema: { type: 'integer', minimum: 1, default: 1 },
    example: 1,
  },
  limit: {
    about: 'Records on a page.',
    schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSize },
    example: 10,
  },
  cursor: {
    about: 'Empty to begin, then `meta.nextCursor`, without `page`.',
    // An empty list is not sent: programs that send the example of every parameter also send
    // `page`, and the server refuses both together.
    schema: { type: ['array', 'string'], items: { type: 'string' } },
    example: [],
  },
  idCursor: {
    about: 'The id of the last record shown, `meta.nextCursor`.',
    schema: { type: 'string', maxLength: 100 },
    example: exampleId,
  },
}
const pagingKeys = Object.keys(paging) as readonly PagingKey[]

type ParameterText = { readonly about: string; readonly maxLength: number; readonly example: string }

function inHeader(name: string, { about, maxLength, example }: ParameterText): OpenapiNode {
  return { name, in: 'header', description: about, schema: { type: 'string', maxLength }, example }
}

const ifMatch = inHeader('If-Match', { about: 'The ETag that was read.', maxLength: 1000, example: '"1"' })

/** The components that all resources share. */
export const commonParameters: readonly NamedOpenapiNode[] = [
  ...pagingKeys.map((key): NamedOpenapiNode => [key, inQuery({ name: listParameters[key].name, ...paging[key] })]),
  ['ifMatch', ifMatch],
  ['neededIfMatch', { ...ifMatch, required: true }],
  [
    'idempotencyKey',
    inHeader('Idempotency-Key', { about: 'The same for a retry.', maxLength: 255, example: exampleId }),
  ],
  [
    'tenant',
    inHeader('X-Tenant', {
      about: 'The id of the tenant that the request is about; without it, all of the caller.',
      maxLength: 200,
      example: exampleId,
    }),
  ],
]

function sortParameter(resource: Resource): NamedOpenapiNode {
  const { sortable, defaultSort } = resource.list
  const usual = `${defaultSort[0]?.descending ? '-' : ''}${defaultSort[0]?.field}`
  const about = `With \`-\` descending. Default \`${usual}\`.`
  const behind = referencesOf(resource).length > 0 ? '|\\w+\\.[\\w.]+' : ''
  const key: OpenapiNode = { type: 'string', pattern: `^-?(${[...sortable].join('|')}${behind})$` }
  const schema: OpenapiNode = { type: 'array', items: key }
  return [`${resource.typeName}_sort`, inQuery({ name: 'sort', about, schema, example: [usual] })]
}

/**
 * The record's schema lists the fields, so all resources with the same name of the id share one
 * parameter.
 */
function fieldsParameter({ idField }: Resource): NamedOpenapiNode {
  const about = 'Only these, and the id.'
  const schema = refTo('schemas', 'Names')
  // Type generators make one name of `fields_id` and `fields__id`.
  const key = idField === 'id' ? 'fields' : `fields_${idField}`
  return [key, inQuery({ name: 'fields', about, schema, example: [idField] })]
}

/**
 * Resources with the same relations share one. `can` comes last. It is no example: where a list has
 * no pages of itself, it needs a page.
 */
function expandParameter(relations: readonly string[], can: string | undefined): NamedOpenapiNode {
  const names = can === undefined ? relations : [...relations, can]

  const about = `Members to add: ${names.join(' ')}.`
  const schema = refTo('schemas', 'Names')
  return [`expand_${names.join('_')}`, inQuery({ name: 'expand', about, schema, example: relations.slice(0, 1) })]
}

function searchParameter({ typeName, list: { search } }: Resource): NamedOpenapiNode {
  const about = `Words that must each begin a word of ${search.join(', ')}.`
  const schema: OpenapiNode = { type: 'string', maxLength: searchLengthMax }
  return [`${typeName}_q`, inQuery({ name: 'q', about, schema, example: 'a' })]
}

/** The parameters for the form of a record, which a list and a single record take. */
function shapeParameters(resource: Resource): readonly NamedOpenapiNode[] {
  const { relations, can } = resource
  const names = Object.keys(relations)
  const isExpandable = names.length > 0 || can !== undefined
  return [fieldsParameter(resource), ...(isExpandable ? [expandParameter(names, can?.name)] : [])]
}

/** The parameters that select records, which an export takes too. */
function choosingParameters(resource: Resource): readonly NamedOpenapiNode[] {
  const has = (key: ListParameterKey) => hasParameter(resource.list, listParameters[key])
  const sort = has('sort') && resource.list.sortable.size > 0 ? [sortParameter(resource)] : []
  return [...(has('q') ? [searchParameter(resource)] : []), ...sort, ...filterParameters(resource)]
}

/** The components of one resource. */
export function resourceParameters(resource: Resource): readonly NamedOpenapiNode[] {
  const listed = resource.access.list !== undefined || resource.access.export !== undefined
  return [...shapeParameters(resource), ...(listed ? choosingParameters(resource) : [])]
}

function references(parameters: readonly NamedOpenapiNode[]): readonly OpenapiNode[] {
  return parameters.map(([key]) => refTo('parameters', key))
}

/** The reference to `expand` alone, for writes that show children. */
export function expandReferences(resource: Resource): readonly OpenapiNode[] {
  return references(shapeParameters(resource).slice(1))
}

/** References for a list. */
export function listReferences(resource: Resource): readonly OpenapiNode[] {
  const pages = pagingKeys.filter((key) => hasParameter(resource.list, listParameters[key]))
  const own = [...shapeParameters(resource), ...choosingParameters(resource)]
  return [...pages.map((key) => refTo('parameters', key)), ...references(own)]
}

/**
 * The reference that covers all filters of a list. The description of the list explains the others
 * (`asListed`).
 */
function filterReference({ typeName, list }: Resource): readonly OpenapiNode[] {
  return list.filterable.size > 0 ? [refTo('parameters', `${typeName}_filter`)] : []
}

export const asListed = 'It takes the filters of the list, and its `q`.'

/** References for bulk writes, which a filter selects without an order. */
export function choosingReferences(resource: Resource): readonly OpenapiNode[] {
  if (resource.access.list) return filterReference(resource)
  return references(choosingParameters(resource).filter(([key]) => !key.endsWith('_sort')))
}

/** References for an export, which has no pages and no expanded relations. */
export function exportReferences(resource: Resource): readonly OpenapiNode[] {
  const [fields, all] = [fieldsParameter(resource), choosingParameters(resource)]
  if (!resource.access.list) return references([fields, ...all])
  const sort = all.filter(([key]) => key.endsWith('_sort'))
  return [...references([fields, ...sort]), ...filterReference(resource)]
}

export function shapeReferences(resource: Resource): readonly OpenapiNode[] {
  return references(shapeParameters(resource))
}
