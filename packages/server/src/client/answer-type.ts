/** The type of an answer by what the query asked for: its fields, its expanded relations, its kind of page. */

/** `items(limit:10).product` → `items.product` */
type WithoutArguments<S extends string> = S extends `${infer A}(${string})${infer B}` ? `${A}${WithoutArguments<B>}` : S
type Trimmed<S extends string> = S extends ` ${infer A}` ? Trimmed<A> : S extends `${infer A} ` ? Trimmed<A> : S
/** `a.b,c` → `'a.b' | 'c'` */
type Parts<S extends string> = S extends `${infer A},${infer B}` ? Trimmed<A> | Parts<B> : Trimmed<S>
/** `a.b` → `a` */
type Head<S extends string> = S extends `${infer A}.${string}` ? A : S
/** Of `'a.b' | 'a.c' | 'd'`, what stands below `a`: `'b' | 'c'`. */
type Below<S extends string, N> = S extends `${infer A}.${infer B}` ? (A extends N ? B : never) : never

type Flat<T> = { [K in keyof T]: T[K] }

type GrownValue<V, S extends string> = [S] extends [never]
  ? V
  : V extends readonly (infer I)[]
    ? Grown<I, S>[]
    : V extends object
      ? Grown<V, S>
      : V

/** A record whose relations at these paths are there. */
type Grown<T, S extends string> = [S] extends [never]
  ? T
  : string extends S
    ? T
    : Flat<Omit<T, Head<S>> & { [K in keyof T & Head<S>]-?: GrownValue<Exclude<T[K], undefined>, Below<S, K>> }>

/** The id is always there. */
type Narrowed<T, F extends string> = [F] extends [never]
  ? T
  : string extends F
    ? Partial<T>
    : Flat<Pick<T, keyof T & (Head<F> | 'id' | '_id')>>

/** Whether one of these has all that `T` has, and more. */
type Exceeded<T, All> = All extends unknown ? (All extends T ? (T extends All ? never : true) : never) : never
/** Of a record and the part of it that `fields` would leave, the record. */
type Whole<T, All = T> = T extends unknown ? ([Exceeded<T, All>] extends [never] ? T : never) : never

/** The names in a text or a list of texts, without their arguments. */
type Names<V> = V extends readonly (infer S extends string)[]
  ? Parts<WithoutArguments<S>>
  : V extends string
    ? Parts<WithoutArguments<V>>
    : never

type RecordBy<T, E, F> = [E] extends [never]
  ? Narrowed<Whole<T>, Names<F>>
  : Narrowed<Grown<Whole<T>, Names<E>>, [F] extends [never] ? never : Names<F> | Head<Names<E>>>

type Prefer<T, W> = [Extract<T, W>] extends [never] ? T : Extract<T, W>
type MetaBy<C> = [C] extends [never] ? { total: unknown } : { nextCursor: unknown }
/** Asked by cursor, a list counts nothing; by page, it has no next cursor. */
type ListBy<B, C> = Prefer<B, { meta: MetaBy<C> }>
type MetaOf<B, C> = B extends { meta: infer M } ? { meta: Prefer<M, MetaBy<C>> } : unknown

/** What one of the records of this list is. */
export type ItemOf<B, E = never, F = never> = 0 extends 1 & B
  ? B
  : B extends { data: readonly (infer T)[] }
    ? RecordBy<T, E, F>
    : never

type List<B, E, F, C> = B extends { data: readonly unknown[] }
  ? Flat<Omit<B, 'data' | 'meta'> & { data: ItemOf<B, E, F>[] } & MetaOf<B, C>>
  : never

/** `B` is what the document says; the query's literals choose in it. */
export type Shaped<B, E, F, C> = 0 extends 1 & B
  ? B
  : [B] extends [{ data: readonly unknown[] }]
    ? List<ListBy<B, C>, E, F, C>
    : RecordBy<B, E, F>
