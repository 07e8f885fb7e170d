/** The list of a resource as a declaration describes it: order, filters, search, indexes. */
import { type ListStyle, listStyles } from './list-style.ts'
import { flag, listOfKind, type Members, objectOf, oneOf, scalarKind, tableOf, textKind } from './members.ts'

const filterOperators = ['eq', 'gte', 'lte', 'contains', 'true'] as const

/** A query parameter with its own meaning. */
export type NamedFilter<K extends string = string> = {
  readonly field: K
  /**
   * `true` means true only for the text `true` and false for any other text. An empty `eq` does not
   * apply.
   */
  readonly by: (typeof filterOperators)[number]
} & FilterWords
/** The texts of a filter in the documents. */
type FilterWords = {
  /** One sentence. */
  readonly description?: string
  /** A value of the parameter. */
  readonly example?: string | number | boolean
}
const filterMembers = {
  field: textKind,
  by: oneOf(filterOperators),
  description: textKind,
  example: scalarKind,
} satisfies Members<NamedFilter>

/** The field has this value; an empty parameter does not apply. */
export function equals<const K extends string>(field: K, words?: FilterWords): NamedFilter<K> {
  return { field, by: 'eq', ...words }
}
/** True for the text `true`, and false for any other text. */
export function isTrue<const K extends string>(field: K, words?: FilterWords): NamedFilter<K> {
  return { field, by: 'true', ...words }
}
/** The field is this or more. */
export function atLeast<const K extends string>(field: K, words?: FilterWords): NamedFilter<K> {
  return { field, by: 'gte', ...words }
}
/** The field is this or less. */
export function atMost<const K extends string>(field: K, words?: FilterWords): NamedFilter<K> {
  return { field, by: 'lte', ...words }
}
/** Finds a substring, ignoring case. */
export function includes<const K extends string>(field: K, words?: FilterWords): NamedFilter<K> {
  return { field, by: 'contains', ...words }
}

/**
 * `K`: fields that are stored and shown; `T`: those of them that are texts; `J`: those that filters
 * take, links too.
 */
export type ListDeclaration<K extends string = string, T extends string = string, J extends string = K> = {
  /**
   * `page`: numbered pages with a total, which can also be walked by cursor. `cursor`: newest first
   * by the id, without a total, `sortable` or `defaultSort`. `all`: every record, streamed, unless
   * a page is asked for.
   */
  readonly style: ListStyle
  /** Fields that `sort` takes; each gets an index. */
  readonly sortable?: readonly K[]
  /** For example `'-createdAt'`; the id when absent. */
  readonly defaultSort?: K | `-${K}`
  /** Query parameter → a filter with a meaning of its own: `{ minPrice: atLeast('price') }`. */
  readonly filters?: Readonly<Record<string, NamedFilter<K>>>
  /** Fields that take `field=` and `field[op]=`; every stored, visible field when absent. */
  readonly filterable?: readonly J[]
  /**
   * Fields of `sortable` or `filters` that get no index: writes are cheaper, and lists that sort or
   * filter by them read more rows. Keys and references keep theirs.
   */
  readonly unindexed?: readonly K[]
  /** Fields that `q` looks in. */
  readonly search?: readonly T[]
  /**
   * Whether callers who may update or delete may do so with all records that a filter finds: `PATCH
   * /things?kind=old&limit=50`.
   */
  readonly bulk?: boolean
}

const names = listOfKind(textKind)
const members = {
  style: oneOf(listStyles),
  sortable: names,
  defaultSort: textKind,
  filters: tableOf(objectOf(filterMembers, { needed: ['field', 'by'] })),
  filterable: names,
  unindexed: names,
  search: names,
  bulk: flag,
} satisfies Members<ListDeclaration>

export const listKind = objectOf(members, { needed: ['style'] })
