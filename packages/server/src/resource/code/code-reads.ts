/**
 * The reads of `records(resource)` by a filter: their arguments and results as types, which follow
 * from the fields of the resource. Filters have the operators of lists, with stored values.
 */
import type { Fields } from '../fields/field.ts'
import type { FilteredName, ListedName, NumberName, RecordOf, StoredName, TraitsOf } from '../record-of.ts'

type ValueOf<F, N> = N extends keyof RecordOf<F> ? NonNullable<RecordOf<F>[N]> : unknown

type Ordered<V> = {
  readonly eq?: V
  readonly ne?: V
  readonly gt?: V
  readonly gte?: V
  readonly lt?: V
  readonly lte?: V
  readonly in?: readonly V[]
  readonly null?: boolean
}
type OfText<V> = Ordered<V> & { readonly contains?: string; readonly startsWith?: string; readonly within?: V }
type OfList<I> = {
  readonly eq?: I
  readonly in?: readonly I[]
  readonly contains?: I
  readonly overlaps?: readonly I[]
  readonly null?: boolean
  readonly empty?: boolean
}
type Scalar = string | number | boolean | null
/** By a member of a JSON value. `path`: names with dots between, or a list of names. */
type OfMember = {
  readonly path: string | readonly string[]
  readonly eq?: Scalar
  readonly ne?: Scalar
  readonly in?: readonly Scalar[]
  readonly gt?: string | number
  readonly gte?: string | number
  readonly lt?: string | number
  readonly lte?: string | number
  readonly exists?: boolean
}
type Comparisons<V> = [V] extends [readonly (infer I)[]]
  ? OfList<I>
  : [V] extends [string]
    ? OfText<V>
    : [V] extends [number | bigint | boolean]
      ? Ordered<V>
      : Ordered<never> | OfMember

/** A filter on the fields of another resource, which the type of a reference does not know. */
type FarFilter = { readonly [name: string]: unknown }
type OfLinks = {
  readonly some?: FarFilter
  readonly none?: FarFilter
  readonly every?: FarFilter
  readonly eq?: string | number
  readonly in?: readonly (string | number)[]
  readonly null?: boolean
}

/** `clubId` → `club`; `seller` → `sellerRecord`: filters ask the other record by these names. */
type FarName<F> = {
  [N in StoredName<F>]: string extends N
    ? string
    : TraitsOf<F[N]> extends { readonly refers: string }
      ? (N extends `${infer R}Id` ? R : never) | `${N}Record`
      : never
}[StoredName<F>]

/**
 * `{ state: { in: ['OPEN', 'LATE'] }, or: [{ price: { gte: 1000 } }, { club: { name: { eq: 'Reds' }
 * } }] }`. The members of one object hold together.
 */
export type RecordFilter<F> = {
  readonly and?: readonly RecordFilter<F>[]
  readonly or?: readonly RecordFilter<F>[]
  readonly not?: RecordFilter<F>
} & { readonly [N in FilteredName<F>]?: N extends StoredName<F> ? Comparisons<ValueOf<F, N>> : OfLinks } & {
  readonly [N in FarName<F>]?: FarFilter
}

type SortName<F> = ListedName<F> | `${FarName<F>}.${string}`
type SortKey<F> = SortName<F> | `-${SortName<F>}`
/** `'-price'`, or several of them in a list; `-` before a name sorts descending. */
export type RecordSort<F> = SortKey<F> | readonly SortKey<F>[]

/** Of which records: all that match. */
export type CountQuery<F extends Fields> = { readonly filter?: RecordFilter<F> | undefined }

/** `sort`: by id unless given, oldest first. */
export type EachQuery<F extends Fields> = CountQuery<F> & { readonly sort?: RecordSort<F> | undefined }

/** `limit`: all by default; more than 10,000 are 409. */
export type FindQuery<F extends Fields> = EachQuery<F> & { readonly limit?: number | undefined }

/** `limit`: 100 by default, 1,000 at most. `after`: `next` of the page before. */
export type PageQuery<F extends Fields> = FindQuery<F> & { readonly after?: string | null | undefined }

/** `next`: the cursor of the next page; null at the end. It holds the last values of the order. */
export type RecordPage<E> = { readonly records: readonly E[]; readonly next: string | null }

type TimeUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'
/** A field, a part of a time (`createdAt.month`), or a field behind a reference (`club.name`). */
export type GroupName<F> = ListedName<F> | `${ListedName<F>}.${TimeUnit}` | `${FarName<F>}.${string}`

/** Numbers that add: those that are stored as bigints, too. */
type AddedName<F> =
  | NumberName<F>
  | { [N in ListedName<F>]: NonNullable<RecordOf<F>[N & keyof RecordOf<F>]> extends bigint ? N : never }[ListedName<F>]

type Names<N> = N | readonly N[]
type EachName<G> = G extends readonly (infer N)[] ? N : G

/** `B`: the names to group by. `S`, `A`, `L`, `M`: the fields of the measures. */
export type GroupQuery<F extends Fields, B, S, A, L, M> = CountQuery<F> & {
  readonly by?: B & Names<GroupName<F>>
  readonly sum?: S & Names<AddedName<F>>
  readonly average?: A & Names<AddedName<F>>
  readonly least?: L & Names<ListedName<F>>
  readonly most?: M & Names<ListedName<F>>
  /** `'-count'`, `'sum.price'`, or a name of `by`; by the groups unless given. */
  readonly sort?: string | readonly string[]
  /** Groups: all by default, 1,000 at most. */
  readonly limit?: number
  /** The time zone in which times are grouped: `Europe/Berlin`; UTC by default. */
  readonly zone?: string
}

type Measured<F extends Fields, K extends string, G, E = never> = [G] extends [undefined]
  ? unknown
  : { readonly [_ in K]: { readonly [N in EachName<G> & string]: ValueOf<F, N> | E } }
type Grouped<F extends Fields, B> = {
  readonly [N in EachName<B> & string]: N extends keyof RecordOf<F> ? RecordOf<F>[N] : string | number | boolean | null
}

/**
 * One group: its values, the `count` of its records, and the measures, as stored values: `{ state:
 * 'OPEN', count: 3, sum: { price: 1200 } }`.
 */
export type RecordGroup<F extends Fields, B, S, A, L, M> = ([B] extends [undefined] ? unknown : Grouped<F, B>) & {
  readonly count: number
} & Measured<F, 'sum', S> &
  Measured<F, 'average', A, null> &
  Measured<F, 'least', L, null> &
  Measured<F, 'most', M, null>

/** Reads by a filter. `E`: a record. */
export type RecordReads<F extends Fields, E> = {
  /**
   * The records that match: `find({ filter: { stock: { lt: 5 } }, sort: '-price', limit: 10 })`.
   * More than 10,000 are 409. In the name of the system, a transaction locks them until it ends.
   */
  find(query?: FindQuery<F>): Promise<readonly E[]>
  /**
   * A page of them: `{ records, next }`. `next` is the `after` of the next page. Throws
   * `bad-request` for a cursor of another list.
   */
  page(query?: PageQuery<F>): Promise<RecordPage<E>>
  /**
   * All of them, one after another, read 500 at a time: `for await (const book of
   * records(books).each())`. A record that changes its place in the order may come twice.
   */
  each(query?: EachQuery<F>): AsyncIterable<E>
  /** How many match. */
  count(query?: CountQuery<F>): Promise<number>
  /**
   * The exact sum of a field, as its stored value: money in minor units. It is 0 where none match.
   * Throws `bad-request` for a number that its type cannot hold.
   */
  sum<N extends AddedName<F>>(field: N, query?: CountQuery<F>): Promise<ValueOf<F, N>>
  /**
   * Groups of them: `groups({ by: 'state', sum: 'price' })`. At most two fields, and 1,000 groups.
   */
  groups<
    const B extends Names<string> | undefined = undefined,
    const S extends Names<string> | undefined = undefined,
    const A extends Names<string> | undefined = undefined,
    const L extends Names<string> | undefined = undefined,
    const M extends Names<string> | undefined = undefined,
  >(query: GroupQuery<F, B, S, A, L, M>): Promise<readonly RecordGroup<F, B, S, A, L, M>[]>
}
