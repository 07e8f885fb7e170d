/** The answers of a route, by status: documents describe them, and `run` is typed by them. */
import type { ErrorCode, errorCodes } from '../errors.ts'
import type { HttpResponse } from '../http/messages/exchange.ts'
import type { Fields, Json, JsonSchema } from '../resource/fields/field.ts'
import { type Fielded, type Shape, type ShownBy, shapeOf } from './body-shape.ts'

/**
 * A body that is no JSON object of fields, by its media types: shapes, one of several, or a JSON
 * Schema.
 */
export type Media = { readonly media: Readonly<Record<string, Content>> }
export type Content = (
  | { readonly shape: Shape }
  | { readonly oneOf: readonly Shape[] }
  | { readonly schema: JsonSchema }
) & { readonly example?: Json }
export type Answer<B = Shape | Media | undefined> = {
  readonly about: string
  readonly body: B
  /** Besides those of every answer. */
  readonly headers: readonly string[]
  /** It stands for several statuses, of which some have this header too. */
  readonly sometimes?: readonly string[]
  /** Documents call it this where several routes answer so. */
  readonly name?: string
}

type More = Pick<Answer, 'sometimes' | 'name'> & { readonly headers?: readonly string[] }

type BodyOf<B> = B extends Media | Shape ? B : B extends Fields ? Shape<B> : never

/**
 * `answer('It is done.')`, `answer('Both tokens.', { body: tokenPair, headers: ['Set-Cookie'] })`
 */
export function answer(about: string, more?: More & { readonly body?: undefined }): Answer<undefined>
export function answer<const B extends Fielded | Media>(
  about: string,
  more: More & { readonly body: B },
): Answer<BodyOf<B>>
export function answer(about: string, more: More & { readonly body?: Fielded | Media | undefined } = {}): Answer {
  const { body, headers = [], ...rest } = more
  return { about, body: body === undefined || isMedia(body) ? body : shapeOf(body), headers, ...rest }
}

/** The same bytes by whatever name: `media({ 'text/html': { schema: { type: 'string' } } })`. */
export function media(contents: Media['media']): Media {
  return { media: contents }
}

export function isMedia(given: unknown): given is Media {
  return typeof (given as Partial<Media> | undefined)?.media === 'object'
}

/** A copy is still right. It is the same for every route. */
export const notModified: Answer<undefined> & { readonly name: 'NotModified' } = {
  name: 'NotModified',
  about: 'The version that `If-None-Match` names.',
  body: undefined,
  headers: ['ETag', 'Accept-Query'],
}

/** Successes by status: `{ 200: answer('Both tokens.', { body: tokenPair }) }`. */
export type Answers = Readonly<Record<number, Answer>>

type Plain<S> = { readonly status: S; readonly headers?: HttpResponse['headers'] }
type Said<S, B> = [B] extends [Media]
  ? HttpResponse
  : [B] extends [undefined]
    ? Plain<S> & { readonly body?: null }
    : Plain<S> & { readonly body: ShownBy<B> }

/**
 * The value that `run` may return: one of the answers. Of a body that is no shape it makes the
 * bytes.
 */
export type Reply<O> = { [S in keyof O & number]: O[S] extends Answer<infer B> ? Said<S, B> : never }[keyof O & number]

/** The codes that routes list among their answers. */
export type DocumentedError = {
  [C in ErrorCode]: (typeof errorCodes)[C] extends { answer: string } ? C : never
}[ErrorCode]
