/** The type of a response by the query: its fields, its expanded relations, its kind of page. */

import type { BareLink, LinkedRecord, LinkName } from './link-type.ts'

/** `parts(limit:10).maker` → `parts.maker` */
type WithoutArguments<S extends string> = S extends `${infer A}(${string})${infer B}` ? `${A}${WithoutArguments<B>}` : S
type Trimmed<S extends string> = S extends ` ${infer A}` ? Trimmed<A> : S extends `${infer A} ` ? Trimmed<A> : S
/** `a.b,c` → `'a.b' | 'c'` */
type ResponseTypeDeps<S extends string> = S extends `${infer A},${infer B}`
  ? Trimmed<A> | ResponseTypeDeps<B>
  : Trimmed<S>
/** `a.b` → `a` */
type Head<S extends string> = S extends `${infer A}.${string}` ? A : S
/** From `'a.b' | 'a.c' | 'd'`, the paths below `a`: `'b' | 'c'`. */
type Below<S extends string, N> = S extends `${infer A}.${infer B}` ? (A extends N ? B : never) : never

type Flat<T> = { [K in keyof T]: T[K] }

type GrownValue<V, S extends string> = [LinkedRecord<V>] extends [never]
  ? GrownRelation<V, S>
  : GrownRelation<LinkedRecord<V>[], S>
type GrownRelation<V, S extends string> = [S] extends [never]
  ? V
  : V extends readonly (infer I)[]
    ? WithRelations<I, S>[]
    : V extends object
      ? WithRelations<V, S>
      : V

/** A record with the relations at these paths. */
type WithRelations<T, S extends string> = [S] extends [never]
  ? T
  : string extends S
    ? T
    : Flat<Omit<T, Head<S>> & { [K in keyof T & Head<S>]-?: GrownValue<Exclude<T[K], undefined>, Below<S, K>> }>

/**
 * The selected fields; the id is always included. Links that `expand` does not name are without
 * records.
 */
type WithFields<T, F extends string> = [F] extends [never]
  ? T
  : string extends F
    ? Partial<T>
    : Flat<
        Pick<T, Exclude<keyof T & (Head<F> | 'id' | '_id'), LinkName<T>>> & {
          [K in LinkName<T> & Head<F>]-?: SelectedLink<NonNullable<T[K]>, Below<F, K>>[]
        }
      >

/** `S`: the fields of the linked record: `name` of `tags.name`. */
type SelectedLink<V, S extends string> = [S] extends [never] ? BareLink<V> : WithFields<LinkedRecord<V>, S>

/** Whether a member of the union has all that `T` has, and more. */
type Exceeded<T, All> = All extends unknown ? (All extends T ? (T extends All ? never : true) : never) : never
/** The whole record, from a union of it and the parts that `fields` would select. */
type Whole<T, All = T> = T extends unknown ? ([Exceeded<T, All>] extends [never] ? T : never) : never

/** The names in a text or a list of texts, without their arguments. */
type Names<V> = V extends readonly (infer S extends string)[]
  ? ResponseTypeDeps<WithoutArguments<S>>
  : V extends string
    ? ResponseTypeDeps<WithoutArguments<V>>
    : never

type RecordBy<T, E, F> = [E] extends [never]
  ? WithFields<Whole<T>, Names<F>>
  : WithFields<WithRelations<Whole<T>, Names<E>>, [F] extends [never] ? never : Names<F> | Head<Names<E>>>

/**
 * Documents describe the result of `fields` as objects with any members; those types are left out.
 */
type Described<B> = B extends unknown ? (string extends keyof B ? never : B) : never
type DescribedOr<B> = [Described<B>] extends [never] ? B : Described<B>

type Prefer<T, W> = [Extract<T, W>] extends [never] ? T : Extract<T, W>
type CountedMeta = { total: unknown }
type CursorMeta = { nextCursor: unknown }
/**
 * A page by cursor has no total; a numbered page has no next cursor. A document need not name both.
 */
type MetaBy<M, C> = [C] extends [never]
  ? Prefer<M, CountedMeta>
  : [Extract<M, CursorMeta>] extends [never]
    ? { limit: number; nextCursor: string | null }
    : Extract<M, CursorMeta>
type ListBy<B, C> = Prefer<B, { meta: [C] extends [never] ? CountedMeta : CursorMeta }>
type MetaOf<B, C> = B extends { meta: infer M } ? { meta: MetaBy<M, C> } : unknown

type RecordIn<B> = B extends { data: readonly (infer T)[] } ? T : B
/** The names that `fields` may have where the document does not list them. */
export type FieldNames<B> = 0 extends 1 & B
  ? string
  : (keyof Whole<RecordIn<DescribedOr<B>>> & string) | `${string}.${string}`

type RelationIn<T> = {
  [K in keyof T & string]: NonNullable<T[K]> extends readonly (infer I)[]
    ? I extends object
      ? K
      : never
    : NonNullable<T[K]> extends object
      ? K
      : never
}[keyof T & string]
/** A relation of the record, with what `expand` takes behind it: `parts(limit:10).maker`. */
type PathFrom<R extends string> = R | `${R}.${string}` | `${R}(${string}`
/** The paths that `expand` may have: those that begin with a relation of the record. */
export type ExpandPaths<B> = 0 extends 1 & B ? string : PathFrom<RelationIn<Whole<RecordIn<DescribedOr<B>>>>>

type ItemIn<B, E, F> = B extends { data: readonly (infer T)[] } ? RecordBy<T, E, F> : never
/** The type of one record of this list. */
export type ItemOf<B, E = never, F = never> = 0 extends 1 & B
  ? B
  : ItemIn<Prefer<DescribedOr<B>, { meta: CountedMeta }>, E, F>

type List<B, E, F, C> = B extends { data: readonly unknown[] }
  ? Flat<Omit<B, 'data' | 'meta'> & { data: ItemIn<B, E, F>[] } & MetaOf<B, C>>
  : never

type ShapedBody<B, E, F, C> = [B] extends [{ data: readonly unknown[] }]
  ? List<ListBy<B, C>, E, F, C>
  : RecordBy<B, E, F>

/** `B`: the body in the document; the literals of the query choose its form. */
export type ShapedResponse<B, E, F, C> = 0 extends 1 & B ? B : ShapedBody<DescribedOr<B>, E, F, C>
