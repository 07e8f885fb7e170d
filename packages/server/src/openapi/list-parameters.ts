/** The parameters of lists, exactly those that `operation/list-query.ts` accepts. A resource's parameters are components that its lists share. */
import { listLimits } from '../operation/list-limits.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { isShown } from '../resource/fields/field-facts.ts'
import { hasParameter, type ListParameterKey, listParameters, type PagingKey } from '../resource/list-style.ts'
import { filterParameters } from './filter-parameters.ts'
import { type Node, refTo } from './node.ts'
import { inQuery, type NamedNode, type Parameter } from './query-parameter.ts'

const { pageSize, pageSizeMax, sortKeysMax, searchLengthMax } = listLimits

/** The parameters that select a part of a list. All lists of a style share them. */
const paging: Readonly<Record<PagingKey, Omit<Parameter, 'name'>>> = {
  page: { about: 'Below 1 or not a number means 1.', schema: { type: 'integer', minimum: 1, default: 1 } },
  limit: {
    about: `Records on a page. Below 1 or not a number means ${pageSize}, above ${pageSizeMax} means ${pageSizeMax}.`,
    schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSize },
  },
  cursor: {
    about:
      'Empty to begin, then `meta.nextCursor` of the answer before. Bound to the same filters and sort; not together with `page`.',
    schema: { type: 'string' },
  },
  idCursor: {
    about:
      'The id of the last record shown: `meta.nextCursor` of the answer before. It still works when that record is gone.',
    schema: { type: 'string' },
  },
}
const pagingKeys = Object.keys(paging) as readonly PagingKey[]

/** The components that all resources share. */
export const commonParameters: readonly NamedNode[] = [
  ...pagingKeys.map((key): NamedNode => [key, inQuery({ name: listParameters[key].name, ...paging[key] })]),
  [
    'ifMatch',
    {
      name: 'If-Match',
      in: 'header',
      description: 'The ETag that was read. Another version is 412 and nothing changes.',
      schema: { type: 'string' },
    },
  ],
  [
    'ifNoneMatch',
    {
      name: 'If-None-Match',
      in: 'header',
      description: 'An ETag that is known already. The same version is 304 without a body.',
      schema: { type: 'string' },
    },
  ],
]

function sortParameter(resource: Resource): NamedNode {
  const { sortable, defaultSort } = resource.list
  const usual = `${defaultSort[0]?.descending ? '-' : ''}${defaultSort[0]?.field}`
  const keys = [...sortable].flatMap((name) => [name, `-${name}`])
  const about = `Fields in the order of their weight, each once, \`-\` for descending. The id decides between equals. Default \`${usual}\`.`
  return [
    `${resource.typeName}_sort`,
    inQuery({
      name: 'sort',
      about,
      schema: { type: 'array', items: { type: 'string', enum: keys }, maxItems: sortKeysMax },
    }),
  ]
}

function fieldsParameter(resource: Resource): NamedNode {
  const names = resource.fieldNames.filter((name) => isShown(resource.fields[name] as Field))
  const about = 'Show only these fields, and the id.'
  return [
    `${resource.typeName}_fields`,
    inQuery({ name: 'fields', about, schema: { type: 'array', items: { type: 'string', enum: names } } }),
  ]
}

function searchParameter(resource: Resource): NamedNode {
  const { search } = resource.list
  const about = `Every word must begin a word of ${search.map((name) => `\`${name}\``).join(' or ')}. Case and accents do not matter.`
  return [
    `${resource.typeName}_q`,
    inQuery({ name: 'q', about, schema: { type: 'string', maxLength: searchLengthMax } }),
  ]
}

/** The components of one resource. */
export function resourceParameters(resource: Resource): readonly NamedNode[] {
  const { list, get } = resource.access
  const listed = list !== undefined || resource.access.export !== undefined
  const has = (key: ListParameterKey) => listed && hasParameter(resource.list, listParameters[key])
  const sort = has('sort') && resource.list.sortable.size > 0 ? [sortParameter(resource)] : []
  const search = has('q') ? [searchParameter(resource)] : []
  const fields = listed || get ? [fieldsParameter(resource)] : []
  return [...fields, ...search, ...sort, ...(listed ? filterParameters(resource) : [])]
}

/** References for a list, or for an export, which has no pages. */
export function listReferences(resource: Resource, operation: 'list' | 'export'): readonly Node[] {
  const own = resourceParameters(resource).map(([key]) => key)
  const pages = pagingKeys.filter((key) => operation === 'list' && hasParameter(resource.list, listParameters[key]))
  return [...pages, ...own].map((key) => refTo('parameters', key))
}

export function fieldsReference(resource: Resource): Node {
  return refTo('parameters', `${resource.typeName}_fields`)
}
