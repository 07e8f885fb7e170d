/**
 * Types of request options, derived from an API's types as `bindery types` writes them (the form of
 * openapi-typescript). It knows nothing of how requests are sent.
 */

import type { FilterQuery, SortKeys, SummaryQuery } from './filter-type.ts'
import type { ExpandPaths, FieldNames, ItemOf } from './response-type.ts'

export type RequestMethod = 'get' | 'put' | 'post' | 'patch' | 'delete'

type Loose = {
  parameters: { path?: Record<string, unknown>; query?: Record<string, unknown> }
  // biome-ignore lint/suspicious/noExplicitAny: without the types of an API, nobody knows what it answers
  responses: { 200: { content: { 'application/json': any } } }
}
type LooseWrite = Loose & { requestBody?: { content: { 'application/json': unknown } } }

/** An API without given types: every path, and responses of any form. */
export type AnyPaths = Record<
  string,
  { get: Loose; put: LooseWrite; post: LooseWrite; patch: LooseWrite; delete: Loose }
>

/** The paths that have this method. */
export type PathsWith<P, M extends RequestMethod> = {
  [K in keyof P]: P[K] extends { [_ in M]: { responses: unknown } } ? K : never
}[keyof P] &
  string

export type OperationOf<P, K extends keyof P, M extends RequestMethod> = P[K] extends { [_ in M]: infer O } ? O : never

type ContentOf<R> = R extends { content: infer C }
  ? C extends { 'application/json': infer J }
    ? J
    : C[keyof C]
  : undefined
type Success = 200 | 201 | 202 | 204
type Succeeded<R> = { [S in keyof R & Success]: ContentOf<R[S]> }[keyof R & Success]

/**
 * The body of a success. An operation that may also send none (`Prefer: return=minimal`) counts as
 * one that sends it.
 */
export type BodyOf<O> = O extends { responses: infer R }
  ? [Exclude<Succeeded<R>, undefined>] extends [never]
    ? undefined
    : Exclude<Succeeded<R>, undefined>
  : never

export type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? Exclude<Q, undefined> : never

type PathPart<O> = O extends { parameters: { path: infer V } } ? { path: V } : { path?: Record<string, unknown> }
type BodyPart<O> = O extends { requestBody: { content: infer C } }
  ? { body: C[keyof C] }
  : O extends { requestBody?: { content: infer C } }
    ? { body?: C[keyof C] }
    : { body?: never }

/** A record that the client has read by itself or written, or an ETag: `"3"`. */
export type Version = string | object

export type SendOptions = {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  /** How the response body is read. */
  readonly parseAs?: 'json' | 'text' | 'blob' | 'stream'
}

export type WriteOptions = SendOptions & {
  /** The write is refused (412) when the record has changed since then. */
  readonly ifMatch?: Version | undefined
  /**
   * The key by which the server recognizes a repeated write. The client makes one where needed; set
   * another, or false for none.
   */
  readonly idempotencyKey?: string | false | undefined
}

/** Names with commas between them, or a list of names. */
type Texts = string | readonly string[]

type Named<Q, N> = N extends keyof Q ? Exclude<Q[N], undefined> : never

/**
 * Values of `expand`: relations of the record; not allowed where the document has no such
 * parameter.
 */
export type ExpandParameter<O> = [Named<QueryOf<O>, 'expand'>] extends [never]
  ? never
  : string | readonly ExpandPaths<BodyOf<O>>[]

/** Values of `fields`: the names in the document or of the record, or a text with commas. */
export type FieldsParameter<O> =
  Named<QueryOf<O>, 'fields'> extends readonly (infer X extends string)[]
    ? string | readonly (string extends X ? FieldNames<BodyOf<O>> : X)[]
    : [Named<QueryOf<O>, 'fields'>] extends [never]
      ? never
      : Texts

export type CursorParameter<O> = [Named<QueryOf<O>, 'cursor'>] extends [never] ? never : string

/** The path of the list that a summary belongs to. */
type ListOf<P, K> = K extends `${infer L}/summary` ? (L extends keyof P ? L : never) : never
/** The record type of a query: that of the list at this path, or of the list that it summarizes. */
export type RecordAt<P, K extends keyof P> = [ListOf<P, K>] extends [never]
  ? ItemOf<BodyOf<OperationOf<P, K, 'get'>>>
  : ItemOf<BodyOf<OperationOf<P, ListOf<P, K>, 'get'>>>

/** The members of an object parameter are sent as parameters of their own: those of summaries. */
type Exploded<Q> = {
  [N in keyof Q]-?: Exclude<Q[N], undefined> extends readonly unknown[]
    ? never
    : Exclude<Q[N], undefined> extends object
      ? N
      : never
}[keyof Q]
type FilterOf<Q, T> = 'filter' extends keyof Q ? FilterQuery<T, Q> : unknown
type SortPart<Q, T> = 'sort' extends keyof Q ? { sort?: SortKeys<T> } : unknown
type PlainQuery<Q, T> = [Q] extends [never]
  ? Record<never, never>
  : 0 extends 1 & T
    ? Omit<Q, 'expand' | 'fields' | 'cursor' | 'filter'> & FilterOf<Q, T>
    : [Exploded<Q>] extends [never]
      ? Omit<Q, 'expand' | 'fields' | 'cursor' | 'filter' | 'sort'> & FilterOf<Q, T> & SortPart<Q, T>
      : Omit<Q, Exploded<Q>> & SummaryQuery<T> & FilterQuery<T, SummaryQuery<T>>

/**
 * The options of a read. `E`, `F` and `C`: the query's `expand`, `fields` and `cursor`. They stand
 * outside of conditional types, because the compiler infers them only there.
 */
export type ReadOptions<O, T, E, F, C> = SendOptions &
  PathPart<O> & { query?: PlainQuery<QueryOf<O>, T> & { expand?: E; fields?: F; cursor?: C } }

/** A write by a filter requires a query, since it requires a limit. */
type QueryPart<O, T> = [QueryOf<O>] extends [never]
  ? { query?: never }
  : O extends { parameters: { query: unknown } }
    ? { query: PlainQuery<QueryOf<O>, T> }
    : { query?: PlainQuery<QueryOf<O>, T> }

/**
 * The options of a write. `T`: the records of the collection, if it writes to one. `E`: the query's
 * `expand`, outside of conditional types as in `ReadOptions`.
 */
export type WriteOf<O, T = never, E = never> = WriteOptions &
  PathPart<O> &
  BodyPart<O> &
  QueryPart<O, T> & { query?: { expand?: E } }

/** The options of a read besides its path, optional where the path has no ids. */
export type ReadArgument<K extends string, T> = K extends `${string}{${string}` ? [options: T] : [options?: T]

/** An argument that is optional when no member of it is required. */
export type Argument<T> = Record<never, never> extends T ? [options?: T] : [options: T]
