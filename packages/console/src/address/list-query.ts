/**
 * The query of a list in the address bar. It is the query of the API: an address of the console
 * with `/api/v1` in place of the console's path is the request.
 */
import type { ListQuery } from './request-line.ts'
import { go } from './router.ts'

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
