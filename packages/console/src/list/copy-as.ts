/** A list as a request of other programs: curl, the typed client, GraphQL. */
import type { ResourceDescription } from 'bindery-server/client'
import { type ListQuery, requestLine } from '../address/request-line.ts'
import { treeOf } from './conditions.ts'

type Asked = {
  readonly resource: Pick<ResourceDescription, 'path' | 'slug' | 'name' | 'idField' | 'fields' | 'list'>
  readonly query: ListQuery
  /** The fields that are shown. */
  readonly fields: readonly string[]
  /** The value of `X-Tenant`. */
  readonly tenant?: string | undefined
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** `-g`: curl takes brackets as they are. */
export function asCurl(server: string, { resource, query, tenant }: Asked): string {
  const request = `curl -g ${quoted(server + requestLine(resource.path ?? '', query))}`
  const named = tenant === undefined ? '' : ` -H ${quoted(`X-Tenant: ${tenant}`)}`
  return `${request} -H "Authorization: Bearer $TOKEN"${named}`
}

function literal(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/"([A-Za-z_]\w*)":/g, '$1:')
    .replaceAll('\n', '\n  ')
}

export function asClient({ resource, query, tenant }: Asked): string {
  const filter = treeOf(resource, query)
  const { sort, q } = query
  const asked = { ...(q && { q }), ...(sort && { sort: sort.split(',') }), ...(filter && { filter }) }
  const lines = [
    ...(Object.keys(asked).length > 0 ? [`  query: ${literal(asked)},\n`] : []),
    ...(tenant === undefined ? [] : [`  headers: { 'X-Tenant': '${tenant}' },\n`]),
  ]
  const options = lines.length > 0 ? `, {\n${lines.join('')}}` : ''
  return `const { data } = await client.get('/api/v1${resource.path}'${options})`
}

function camel(slug: string): string {
  return slug.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** The filter is a variable: values of choices are texts there. */
export function asGraphql({ resource, query, fields }: Asked): string {
  const filter = treeOf(resource, query)
  const { sort, q } = query
  const said = [q && `q: ${JSON.stringify(q)}`, sort && `sort: ${JSON.stringify(sort)}`, filter && 'filter: $filter']
  const list = said.filter(Boolean).join(', ')
  const type = `${resource.name.charAt(0).toUpperCase()}${resource.name.slice(1)}Filter`
  const names = [...new Set([resource.idField, ...fields])].join(' ')
  const data = resource.list?.style === 'all' ? names : `data { ${names} }`
  const document = `${filter ? `query ($filter: ${type}) ` : ''}{ ${camel(resource.slug)}${list && `(${list})`} { ${data} } }`
  return filter ? `${document}\n\n${JSON.stringify({ filter })}` : document
}
