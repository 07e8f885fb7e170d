/**
 * The rows of a list, page after page by its cursor. Its total comes by a request of its own, so
 * rows do not wait for a count.
 */
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import type { ListQuery } from '../address/request-line.ts'
import { client } from './client.ts'
import { queries } from './queries.ts'
import { withRequested } from './requested-fields.ts'
import { askTitles } from './row-titles.ts'

export type Row = Readonly<Record<string, unknown>>
export type RowPage = {
  readonly data: readonly Row[]
  readonly meta?: { readonly nextCursor?: string | null; readonly total?: number }
}

/** A record whose path has no id has a segment in its place: `settings` of `/clubs/7/settings`. */
export type Located = ResourceDescription & { readonly segment?: string }

export function pathIdOf({ segment, idField }: Located, row: Row): string {
  return segment ?? String(row[idField])
}

/** Two values of a field, as JSON has them. None and null are the same. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}

const pageSize = 100

function pathOf({ path }: ResourceDescription): string {
  return `/api/v1${path}`
}

/** The next cursor, or the number of the next page of a list that has no cursors. */
export function nextOf({ list }: ResourceDescription, last: RowPage, pages: number): string | undefined {
  if (list?.style === 'all') return last.data.length < pageSize ? undefined : String(pages + 1)
  return last.meta?.nextCursor ?? undefined
}

/** Without `limit` and `page` a list of style `all` answers with every record. */
export function pagingOf({ list }: ResourceDescription, cursor: string) {
  if (list?.style === 'all') return { limit: pageSize, page: cursor || '1' }
  return { limit: pageSize, ...((cursor !== '' || list?.style === 'page') && { cursor }) }
}

/** Some lists answer with an array alone. */
export function pageOf(body: unknown): RowPage {
  return Array.isArray(body) ? { data: body } : (body as RowPage)
}

export function rowsKey(slug: string, query?: ListQuery): readonly unknown[] {
  return query ? [slug, 'rows', query] : [slug, 'rows']
}

/** The same rows by their ids, which costs no search. Undefined where filters take no ids. */
function byIds(resource: ResourceDescription, rows: readonly Row[]) {
  const { idField, fields } = resource
  const isFilter = fields.find(({ name }) => name === idField)?.operators.includes('in')
  return isFilter && { [`${idField}[in]`]: rows.map((row) => row[idField]).join(','), ...pagingOf(resource, '') }
}

export function useRows(resource: ResourceDescription, query: ListQuery) {
  return useInfiniteQuery({
    queryKey: [...rowsKey(resource.slug, query), resource.path],
    initialPageParam: '',
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }): Promise<RowPage> => {
      const read = async (asked: Readonly<Record<string, unknown>>) =>
        pageOf((await client.send('GET', pathOf(resource), { query: asked, signal })).body)
      const asked = { ...query, ...pagingOf(resource, pageParam) }
      const page = await read(asked)
      const again = byIds(resource, page.data) ?? asked
      askTitles(resource, page.data, async (titles) => (await read({ ...again, ...titles })).data)
      return page
    },
    getNextPageParam: (last, pages) => nextOf(resource, last, pages.length),
  })
}

/** Undefined until it is known, and for lists without a total. `isAsked`: the rows are there. */
export function useTotal(resource: ResourceDescription, { sort: _, ...filters }: ListQuery, isAsked: boolean) {
  return useQuery({
    queryKey: [resource.slug, 'total', filters],
    enabled: isAsked && resource.list?.style === 'page',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<number | null> => {
      const asked = { ...filters, page: 1, limit: 1, fields: resource.idField }
      return pageOf((await client.send('GET', pathOf(resource), { query: asked, signal })).body).meta?.total ?? null
    },
  })
}

/** Puts a saved record into the rows that show it: to read all pages again is a request each. */
export function showInRows(resource: ResourceDescription, saved: Row): void {
  const { slug, idField } = resource
  queries.setQueriesData<InfiniteData<RowPage>>({ queryKey: rowsKey(slug) }, (shown) => {
    if (!shown) return shown
    const pages = shown.pages.map((page) => ({
      ...page,
      data: page.data.map((row) => (row[idField] === saved[idField] ? withRequested(resource, saved, row) : row)),
    }))
    return { ...shown, pages }
  })
}

/** After a record came or went, lists and totals are read again when they are shown. */
export function forgetRows({ slug }: ResourceDescription): void {
  queries.removeQueries({ queryKey: rowsKey(slug), type: 'inactive' })
  void queries.resetQueries({ queryKey: rowsKey(slug), type: 'active' })
  void queries.invalidateQueries({ queryKey: [slug, 'total'] })
}
