/**
 * The query parameters that the engine gives to lists, one row each: the lists that have it, and
 * its other forms. The parser, the OpenAPI document, GraphQL's schema and arguments, and the check
 * of names read this table. `operation/` gives each value its meaning.
 */

/**
 * `page`: numbered pages with a total. `cursor`: newest first, walked by the last id. `all`: every
 * record unless the request asks for a page.
 */
export const listStyles = ['page', 'cursor', 'all'] as const
export type ListStyle = (typeof listStyles)[number]

export type ListParameter = {
  readonly name: string
  readonly styles: readonly ListStyle[]
  /** Only lists with search fields have it. */
  readonly searches?: boolean
  /** It selects a part of the list, so an export, which has all of it, does not take it. */
  readonly pages?: boolean
  /**
   * It is an argument in GraphQL too. There selections replace `fields`, and a header replaces
   * `api_key`.
   */
  readonly argument?: boolean
  /**
   * It is a list with commas, which many generated clients send as one pair for each item
   * (OpenAPI's `explode`).
   */
  readonly isList?: boolean
  /** The header with the same meaning. */
  readonly header?: string
}

const every: readonly ListStyle[] = listStyles
const sorted: readonly ListStyle[] = ['page', 'all']

/**
 * In the order of GraphQL's arguments. There are two cursors: one is bound to filter and sort, the
 * other is the last id.
 */
export const listParameters = {
  page: { name: 'page', styles: sorted, pages: true, argument: true },
  idCursor: { name: 'cursor', styles: ['cursor'], pages: true, argument: true },
  limit: { name: 'limit', styles: every, pages: true, argument: true },
  cursor: { name: 'cursor', styles: ['page'], pages: true, argument: true },
  sort: { name: 'sort', styles: sorted, argument: true, isList: true },
  q: { name: 'q', styles: every, searches: true, argument: true },
  /** In GraphQL it is an argument of a type of its own. */
  filter: { name: 'filter', styles: every },
  fields: { name: 'fields', styles: every, isList: true },
  /** GraphQL selects relations as it selects fields. */
  expand: { name: 'expand', styles: every, isList: true },
  /** A credential for clients that cannot set a header. */
  credential: { name: 'api_key', styles: every, header: 'X-API-Key' },
} as const satisfies Record<string, ListParameter>

export type ListParameterKey = keyof typeof listParameters
type ParameterRows = typeof listParameters
type KeyWith<Fact> = { [K in ListParameterKey]: ParameterRows[K] extends Fact ? K : never }[ListParameterKey]
export type PagingKey = KeyWith<{ readonly pages: true }>
export type ArgumentName = ParameterRows[KeyWith<{ readonly argument: true }>]['name']

const rows: readonly ListParameter[] = Object.values(listParameters)

/** The numbers that a summary takes of the records of a group, each a parameter of that name. */
export const measureKinds = ['sum', 'average', 'least', 'most'] as const
/** The parameters of a summary besides those of its list. */
export const summaryParameters: readonly string[] = ['group', ...measureKinds, 'count']

/** The names of all of these parameters. */
export const reservedParameters: ReadonlySet<string> = new Set(rows.map(({ name }) => name))
/** Of these, the ones that are lists. */
export const listedParameters: ReadonlySet<string> = new Set(rows.filter((row) => row.isList).map(({ name }) => name))
/** The words that join filters. No field may have these names. */
export const joiningWords = ['and', 'or', 'not'] as const
/** The parameters that an export does not take. */
export const pagingParameters: readonly string[] = [...new Set(rows.filter((row) => row.pages).map(({ name }) => name))]

type ListShape = { readonly style: ListStyle; readonly search: readonly string[] }

/** Whether a list has this row's parameter. */
export function hasParameter({ style, search }: ListShape, row: ListParameter): boolean {
  return row.styles.includes(style) && (!row.searches || search.length > 0)
}

/** Whether a list has an engine parameter of this name. */
export function takesParameter(list: ListShape, name: string): boolean {
  return rows.some((row) => row.name === name && hasParameter(list, row))
}

/** The names of GraphQL's arguments, in its order: those of this list, or of any list. */
export function argumentNames(list?: ListShape): readonly ArgumentName[] {
  const found = rows.filter((row) => row.argument && (list === undefined || hasParameter(list, row)))
  return [...new Set(found.map(({ name }) => name as ArgumentName))]
}
