/**
 * The query of a list in the address bar. It is the query of the API: an address of the console
 * with `/api/v1` in place of the console's path is the request.
 */
import { go } from './router.ts'

/** Parameters as the API has them; `sort`, `q`, `price[gte]`. */
export type ListQuery = Readonly<Record<string, string>>

export function listQueryOf(query: URLSearchParams): ListQuery {
  return Object.fromEntries(query)
}

/** `{ q: 'lamp', sort: '' }` → the address with `q` and without `sort`. */
export function changeListQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(changes))
    if (value) url.searchParams.set(name, value)
    else url.searchParams.delete(name)
  go(url.pathname + url.search, { replace: true })
}

/** `/api/v1/products?q=lamp`, readable: only what must be is escaped. */
export function requestLine(path: string, query: ListQuery): string {
  const said = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`,
  )
  return `/api/v1${path}${said.length > 0 ? `?${said.join('&')}` : ''}`
}
