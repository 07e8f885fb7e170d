/**
 * Reads one page of a list of any style, with the total where the list counts, for tables of
 * react-admin and Refine.
 */
import type { AnyRequestOptions, ApiConnection } from './make-connection.ts'
import { RequestError } from './request-error.ts'
import type { ListEnvelope } from './walk-list.ts'

type Query = Readonly<Record<string, unknown>>
export type PageRequestOptions = Pick<AnyRequestOptions, 'path' | 'signal'> & {
  /** From 1. */
  readonly page: number
  readonly size: number
  /** The filters and the sort. */
  readonly query: Query
}
export type PageResult = {
  readonly data: readonly unknown[]
  /** Undefined where the list does not count. */
  readonly total: number | undefined
  readonly hasNext: boolean
}

const largestLimit = 100
const listsMax = 100

function totalOf({ meta }: ListEnvelope, headers: Headers): number | undefined {
  const { total } = (meta ?? {}) as { total?: unknown }
  if (typeof total === 'number') return total
  const header = headers.get('x-total-count')
  return header === null ? undefined : Number(header)
}

export function makePages({ send }: ApiConnection) {
  /** Cursors of lists without numbered pages, by request: one for each page that was reached. */
  const cursors = new Map<string, string[]>()

  async function readByPage(list: string, { page, size, query, ...options }: PageRequestOptions): Promise<PageResult> {
    // The server sends at most 100 records a page. A larger page is joined from several.
    const limit = Math.min(size, largestLimit)
    const start = (page - 1) * size
    const skipped = start % limit
    const found: unknown[] = []
    for (let next = (start - skipped) / limit + 1; ; next += 1) {
      const { body, headers } = await send('GET', list, { ...options, query: { ...query, page: next, limit } })
      const answer = body as ListEnvelope
      found.push(...answer.data)
      const isLast = answer.data.length < limit
      if (found.length < skipped + size && !isLast) continue
      const data = found.slice(skipped, skipped + size)
      const total = totalOf(answer, headers)
      const isMore = found.length > skipped + size || !isLast
      const hasNext = total === undefined ? isMore : start + size < total
      const isAll = total === undefined && page === 1 && !hasNext
      return { data, total: isAll ? data.length : total, hasNext }
    }
  }

  /** Reads by cursor; such a list has a fixed order. */
  async function readByCursor(
    list: string,
    { page, size, query, ...options }: PageRequestOptions,
  ): Promise<PageResult> {
    const { sort: _, ...filters } = query
    const key = JSON.stringify([list, options.path, size, filters])
    const known = cursors.get(key) ?? ['']
    if (cursors.size > listsMax) cursors.clear()
    cursors.set(key, known)
    for (let at = Math.min(page, known.length); ; at += 1) {
      const asked = { ...filters, limit: Math.min(size, largestLimit), cursor: known[at - 1] }
      const { data, meta } = (await send('GET', list, { ...options, query: asked })).body as ListEnvelope
      const next = meta?.nextCursor ?? undefined
      if (next !== undefined) known[at] = next
      if (at === page) return { data, total: undefined, hasNext: next !== undefined }
      if (next === undefined) return { data: [], total: undefined, hasNext: false }
    }
  }

  /** Whether the list refuses even the simplest page. */
  async function hasNoPages(list: string, { path, signal }: PageRequestOptions): Promise<boolean> {
    try {
      await send('GET', list, { path, signal, query: { page: 1, limit: 1 } })
      return false
    } catch (error) {
      return error instanceof RequestError && error.status === 400
    }
  }

  const withoutPages = new Set<string>()
  return async function readPage(list: string, asked: PageRequestOptions): Promise<PageResult> {
    if (withoutPages.has(list)) return readByCursor(list, asked)
    try {
      return await readByPage(list, asked)
    } catch (error) {
      const isRefused = error instanceof RequestError && error.status === 400
      if (!isRefused || !(await hasNoPages(list, asked))) throw error
      withoutPages.add(list)
      return readByCursor(list, asked)
    }
  }
}
