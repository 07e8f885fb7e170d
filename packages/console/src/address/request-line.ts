/** The request that a list is. */

/** Parameters as the API has them; `sort`, `q`, `price[gte]`. */
export type ListQuery = Readonly<Record<string, string>>

/** `/api/v1/products?q=lamp`, readable: only what must be is escaped. */
export function requestLine(path: string, query: ListQuery): string {
  const said = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`,
  )
  return `/api/v1${path}${said.length > 0 ? `?${said.join('&')}` : ''}`
}
