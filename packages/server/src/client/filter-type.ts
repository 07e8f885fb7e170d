/** Types of filters and summaries, derived from the type of a record. Types alone. */

import type { LinkedId, LinkedRecord, LinkName } from './link-type.ts'

type Scalar = string | number | boolean
type Of<T, V> = { [K in keyof T & string]: NonNullable<T[K]> extends V ? K : never }[keyof T & string]
/** An exact number is a text; `bindery types` writes its type with this member. */
type ExactName<T> = { [K in keyof T & string]: IsExact<NonNullable<T[K]>> extends true ? K : never }[keyof T & string]
type IsExact<V> = 'exactNumber' extends keyof V ? true : false
type NumberName<T> = Of<T, number> | ExactName<T>
type ScalarName<T> = Of<T, Scalar>
type Filtered<T> = Of<T, Scalar | readonly Scalar[]>

/** The member that `expand=can` adds. It is no relation to filter by. */
type AllowedOperations = { readonly [operation: string]: boolean }

/** A time may be a `Date`: its JSON is a text. An exact number may be a number. */
type Given<V> = [V] extends [readonly (infer I)[]]
  ? I
  : [V] extends [string]
    ? V | (IsExact<V> extends true ? number : Date)
    : V

type Operator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'contains'
  | 'startsWith'
  | 'within'
  | 'null'
  | 'overlaps'
  | 'empty'
type Operand<V, O> = O extends 'in' | 'overlaps'
  ? readonly Given<V>[]
  : O extends 'null' | 'empty'
    ? boolean
    : O extends 'contains' | 'startsWith'
      ? [V] extends [readonly (infer I)[]]
        ? I
        : string
      : Given<V>
type OperatorOf<V> = [V] extends [readonly unknown[]]
  ? 'eq' | 'in' | 'contains' | 'null' | 'overlaps' | 'empty'
  : [V, IsExact<V>] extends [string, false]
    ? Exclude<Operator, 'overlaps' | 'empty'>
    : Exclude<Operator, 'contains' | 'startsWith' | 'overlaps' | 'empty'>
type Comparisons<V> = { readonly [O in OperatorOf<V>]?: Operand<V, O> }

/** A filter by a member of a JSON value. `path`: names with dots between, or a list of names. */
type MemberFilter = {
  readonly path: string | readonly string[]
  readonly eq?: Scalar | null
  readonly ne?: Scalar | null
  readonly in?: readonly (Scalar | null)[]
  readonly gt?: string | number
  readonly gte?: string | number
  readonly lt?: string | number
  readonly lte?: string | number
  readonly exists?: boolean
}

/** A filter by links: by the records behind them, by their ids, or by whether there are any. */
type LinkFilter<V> = {
  readonly [Q in 'some' | 'none' | 'every']?: FilterTree<LinkedRecord<V>>
} & { readonly eq?: LinkedId<V>; readonly in?: readonly LinkedId<V>[]; readonly null?: boolean }

/**
 * A filter on the fields of records and of the records that they refer to, joined by `and`, `or`
 * and `not`. Children cannot be filtered by.
 */
export type FilterTree<T> = {
  readonly and?: readonly FilterTree<T>[]
  readonly or?: readonly FilterTree<T>[]
  readonly not?: FilterTree<T>
} & {
  readonly [K in keyof T & string as NonNullable<T[K]> extends Scalar | readonly Scalar[]
    ? K
    : NonNullable<T[K]> extends readonly unknown[] | AllowedOperations
      ? K & LinkName<T>
      : K]?: NonNullable<T[K]> extends Scalar | readonly Scalar[]
    ? Comparisons<NonNullable<T[K]>>
    : NonNullable<T[K]> extends readonly unknown[]
      ? LinkFilter<NonNullable<T[K]>>
      : FilterTree<NonNullable<T[K]>> | MemberFilter
}

type Equal<T> = { readonly [K in Filtered<T>]?: Given<NonNullable<T[K]>> } & {
  readonly [K in LinkName<T>]?: LinkedId<NonNullable<T[K]>>
}
/** `price[gte]`, for one operator; the values of `in` may also be a text with commas. */
type BracketedBy<T, O extends Operator> = {
  readonly [K in Filtered<T> as O extends OperatorOf<NonNullable<T[K]>> ? `${K}[${O}]` : never]?:
    | Operand<NonNullable<T[K]>, O>
    | (O extends 'in' | 'overlaps' ? string : never)
}
type BracketedLinks<T> = { readonly [K in LinkName<T> as `${K}[eq]`]?: LinkedId<NonNullable<T[K]>> } & {
  readonly [K in LinkName<T> as `${K}[in]`]?: readonly LinkedId<NonNullable<T[K]>>[] | string
} & { readonly [K in LinkName<T> as `${K}[null]`]?: boolean }
type Bracketed<T> = BracketedLinks<T> &
  BracketedBy<T, 'eq'> &
  BracketedBy<T, 'ne'> &
  BracketedBy<T, 'gt'> &
  BracketedBy<T, 'gte'> &
  BracketedBy<T, 'lt'> &
  BracketedBy<T, 'lte'> &
  BracketedBy<T, 'in'> &
  BracketedBy<T, 'contains'> &
  BracketedBy<T, 'startsWith'> &
  BracketedBy<T, 'within'> &
  BracketedBy<T, 'overlaps'> &
  BracketedBy<T, 'empty'> &
  BracketedBy<T, 'null'>
type AnyFilterQuery = {
  readonly filter?: string | Readonly<Record<string, unknown>>
  readonly [name: `${string}[${string}]`]: unknown
}

/**
 * The filter parameters of a list. `Q`: the parameters in the document, which have types of their
 * own.
 */
export type FilterQuery<T, Q> = 0 extends 1 & T
  ? AnyFilterQuery
  : { readonly filter?: string | FilterTree<T> } & Omit<Equal<T> & Bracketed<T>, keyof Q>

/**
 * Names of fields with commas between them, or a list of them; `-` before one sorts it descending.
 */
export type SortKeys<T> = string | readonly (SortName<T> | `-${SortName<T>}`)[]
type SortName<T> = ScalarName<T> | FarName<T>

/** A field behind a reference: `team.name`. The type knows the first reference. */
type FarName<T> = `${{
  [K in keyof T & string]: NonNullable<T[K]> extends Scalar | readonly unknown[] | AllowedOperations ? never : K
}[keyof T & string]}.${string}`

/** Names with commas between them, or a list of names. */
type Names<N> = string | readonly N[]
type TimeUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'
type GroupName<T> = ScalarName<T> | `${Exclude<Of<T, string>, ExactName<T>>}.${TimeUnit}`

export type SummaryQuery<T> = {
  readonly group?: Names<GroupName<T> | FarName<T>>
  readonly sum?: Names<NumberName<T>>
  readonly average?: Names<NumberName<T>>
  readonly least?: Names<ScalarName<T>>
  readonly most?: Names<ScalarName<T>>
  readonly sort?: string | readonly string[]
  readonly limit?: number
  /** The time zone in which times are grouped: `Europe/Berlin`; UTC by default. */
  readonly _tz?: string
}

/** A sum or an average has the form of its field: that of an exact number is a text. */
type Added<V> = V extends number ? number : V

/** The values of a group: those that the query asks for. */
export type SummaryAnswer<T> = {
  readonly data: ({
    readonly count: number
    readonly sum?: { readonly [K in NumberName<T>]?: Added<NonNullable<T[K]>> }
    readonly average?: { readonly [K in NumberName<T>]?: Added<NonNullable<T[K]>> | null }
    readonly least?: { readonly [K in ScalarName<T>]?: T[K] | null }
    readonly most?: { readonly [K in ScalarName<T>]?: T[K] | null }
  } & { readonly [K in GroupName<T> as Exclude<K, 'count'>]?: K extends keyof T ? T[K] : string | null } & {
    readonly [K in FarName<T>]?: Scalar | null
  })[]
  readonly meta: { readonly groups: number }
}
