/**
 * An API's types as `bindery types` writes them (the form of openapi-typescript), turned into what a request takes. It knows nothing of how
 * requests are sent.
 */
import type { FieldNames } from './answer-type.ts'

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'

type Loose = {
  parameters: { path?: Record<string, unknown>; query?: Record<string, unknown> }
  // biome-ignore lint/suspicious/noExplicitAny: without the types of an API, nobody knows what it answers
  responses: { 200: { content: { 'application/json': any } } }
}
type LooseWrite = Loose & { requestBody?: { content: { 'application/json': unknown } } }

/** An API whose types nobody has given: every path, and answers of any form. */
export type AnyPaths = Record<
  string,
  { get: Loose; put: LooseWrite; post: LooseWrite; patch: LooseWrite; delete: Loose }
>

/** The paths that have this method. */
export type PathsWith<P, M extends Method> = {
  [K in keyof P]: P[K] extends { [_ in M]: { responses: unknown } } ? K : never
}[keyof P] &
  string

/** Those of them that need no ids. */
export type PlainPathsWith<P, M extends Method> = Exclude<PathsWith<P, M>, `${string}{${string}`>

export type OperationOf<P, K extends keyof P, M extends Method> = P[K] extends { [_ in M]: infer O } ? O : never

type ContentOf<R> = R extends { content: infer C }
  ? C extends { 'application/json': infer J }
    ? J
    : C[keyof C]
  : undefined
type Succeeded<R> = { [S in keyof R & (200 | 201 | 204)]: ContentOf<R[S]> }[keyof R & (200 | 201 | 204)]

/** What a success brings. An operation that may also bring nothing (`Prefer: return=minimal`) counts as one that brings it. */
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

/** A record whose ETag the client knows because it has read it alone or written it, or the ETag itself: `"3"`. */
export type Version = string | object

export type SendOptions = {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** How the body of the answer is read. */
  readonly parseAs?: 'json' | 'text' | 'blob' | 'stream'
}

export type WriteOptions = SendOptions & {
  /** The write is refused (412) when the record has changed since then. */
  readonly ifMatch?: Version
  /** By which the server knows a repeated POST or PATCH. The client makes one for each unless this says another, or false. */
  readonly idempotencyKey?: string | false
}

/** Names with commas between them, or a list of names. */
type Texts = string | readonly string[]

type Named<Q, N> = N extends keyof Q ? Exclude<Q[N], undefined> : never

/** What `expand` may be; nothing where the document has no such parameter. */
export type ExpandOf<O> = [Named<QueryOf<O>, 'expand'>] extends [never] ? never : Texts

/** What `fields` may be: the names that the document lists, or those of the record, or a text with commas. */
export type FieldsOf<O> =
  Named<QueryOf<O>, 'fields'> extends readonly (infer X extends string)[]
    ? string | readonly (string extends X ? FieldNames<BodyOf<O>> : X)[]
    : [Named<QueryOf<O>, 'fields'>] extends [never]
      ? never
      : Texts

export type CursorOf<O> = [Named<QueryOf<O>, 'cursor'>] extends [never] ? never : string

/** Filters in brackets are many, so documents leave them out: `price[gte]`. */
type Bracketed = { readonly [name: `${string}[${string}]`]: unknown }
/** It is sent as JSON. */
type FilterOf<Q> = 'filter' extends keyof Q ? { filter?: string | Readonly<Record<string, unknown>> } : unknown
type OtherQuery<O> = [QueryOf<O>] extends [never]
  ? Record<never, never>
  : Omit<QueryOf<O>, 'expand' | 'fields' | 'cursor' | 'filter'> & Bracketed & FilterOf<QueryOf<O>>

/**
 * What a read takes. `E`, `F` and `C` are what its query says of `expand`, `fields` and `cursor`: outside of any condition, where alone the
 * compiler finds them.
 */
export type ReadOptions<O, E, F, C> = SendOptions &
  PathPart<O> & { query?: OtherQuery<O> & { expand?: E; fields?: F; cursor?: C } }

/** What a write takes. */
export type WriteOf<O> = WriteOptions &
  PathPart<O> &
  BodyPart<O> & { query?: [QueryOf<O>] extends [never] ? never : QueryOf<O> }

/** An argument that may be left out when nothing in it is needed. */
export type Argument<T> = Record<never, never> extends T ? [options?: T] : [options: T]
