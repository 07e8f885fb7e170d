/**
 * The query parameters that the engine gives to lists, one row each: which lists have it, and where else it is found. The parser, both documents,
 * GraphQL's arguments and the check of names read this table; what a value means is said in `operation/`.
 */

/** `page`: numbered pages with a total. `cursor`: newest first, walked by the last id. `all`: every record unless a page is asked for. */
export type ListStyle = 'page' | 'cursor' | 'all'

export type ListParameter = {
  readonly name: string
  readonly styles: readonly ListStyle[]
  /** Only lists with fields to search in have it. */
  readonly searches?: boolean
  /** It says which part of the list to show: what has all of it in one, an export, has none of these. */
  readonly pages?: boolean
  /** It is an argument in GraphQL too, where selections stand for `fields` and a header for `api_key`. */
  readonly argument?: boolean
}

const every: readonly ListStyle[] = ['page', 'cursor', 'all']
const sorted: readonly ListStyle[] = ['page', 'all']

/** In the order of GraphQL's arguments. A cursor is one thing where it is bound to filter and sort, another where it is the last id. */
export const listParameters = {
  page: { name: 'page', styles: sorted, pages: true, argument: true },
  idCursor: { name: 'cursor', styles: ['cursor'], pages: true, argument: true },
  limit: { name: 'limit', styles: every, pages: true, argument: true },
  cursor: { name: 'cursor', styles: ['page'], pages: true, argument: true },
  sort: { name: 'sort', styles: sorted, argument: true },
  q: { name: 'q', styles: every, searches: true, argument: true },
  fields: { name: 'fields', styles: every },
  apiKey: { name: 'api_key', styles: every },
} as const satisfies Record<string, ListParameter>

export type ListParameterKey = keyof typeof listParameters
type Rows = typeof listParameters
type KeyWith<Fact> = { [K in ListParameterKey]: Rows[K] extends Fact ? K : never }[ListParameterKey]
export type PagingKey = KeyWith<{ readonly pages: true }>
export type ArgumentName = Rows[KeyWith<{ readonly argument: true }>]['name']

const rows: readonly ListParameter[] = Object.values(listParameters)

/** What no field and no filter may be called. */
export const reservedParameters: ReadonlySet<string> = new Set(rows.map(({ name }) => name))
/** What an export does not have. */
export const pagingParameters: readonly string[] = [...new Set(rows.filter((row) => row.pages).map(({ name }) => name))]

type Listed = { readonly style: ListStyle; readonly search: readonly string[] }

/** Whether a list has this row's parameter. */
export function hasParameter({ style, search }: Listed, row: ListParameter): boolean {
  return row.styles.includes(style) && (!row.searches || search.length > 0)
}

/** Whether a list has a parameter of this name that is not one of its own filters. */
export function takesParameter(list: Listed, name: string): boolean {
  return rows.some((row) => row.name === name && hasParameter(list, row))
}

/** The names that are arguments in GraphQL, in its order: of this list, or of any. */
export function argumentNames(list?: Listed): readonly ArgumentName[] {
  const found = rows.filter((row) => row.argument && (list === undefined || hasParameter(list, row)))
  return [...new Set(found.map(({ name }) => name as ArgumentName))]
}
