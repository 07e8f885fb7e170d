/**
 * The responses of a route by status: the OpenAPI document describes them, and the type of `run`
 * follows from them.
 */
import type { ErrorCode, errorCodes } from '../errors.ts'
import type { HttpResponse } from '../http/messages/exchange.ts'
import type { Fields, Json, JsonSchema } from '../resource/fields/field.ts'
import { type BodyShape, type BodyShapeOrFields, type ReturnedBody, shapeOf } from './body-shape.ts'

/**
 * A body that is no JSON object of fields, by its media types: shapes, one of several, or a JSON
 * Schema.
 */
export type MediaBody = { readonly media: Readonly<Record<string, MediaContent>> }
export type MediaContent = (
  | { readonly shape: BodyShape }
  | { readonly oneOf: readonly BodyShape[] }
  | { readonly schema: JsonSchema }
) & { readonly example?: Json }
export type DocumentedResponse<B = BodyShape | MediaBody | undefined> = {
  readonly about: string
  readonly body: B
  /** Besides those of every answer. */
  readonly headers: readonly string[]
  /** It stands for several statuses, of which some have this header too. */
  readonly sometimes?: readonly string[]
  /** Documents call it this where several routes answer so. */
  readonly name?: string
}

type ResponseExtras = Pick<DocumentedResponse, 'sometimes' | 'name'> & { readonly headers?: readonly string[] }

type ResponseBody<B> = B extends MediaBody | BodyShape ? B : B extends Fields ? BodyShape<B> : never

/**
 * `answer('It is done.')`, `answer('Both tokens.', { body: tokenPair, headers: ['Set-Cookie'] })`
 */
export function documentedResponse(
  about: string,
  more?: ResponseExtras & { readonly body?: undefined },
): DocumentedResponse<undefined>
export function documentedResponse<const B extends BodyShapeOrFields | MediaBody>(
  about: string,
  more: ResponseExtras & { readonly body: B },
): DocumentedResponse<ResponseBody<B>>
export function documentedResponse(
  about: string,
  more: ResponseExtras & { readonly body?: BodyShapeOrFields | MediaBody | undefined } = {},
): DocumentedResponse {
  const { body, headers = [], ...rest } = more
  return { about, body: body === undefined || isMediaBody(body) ? body : shapeOf(body), headers, ...rest }
}

/** The same bytes by whatever name: `media({ 'text/html': { schema: { type: 'string' } } })`. */
export function mediaBody(contents: MediaBody['media']): MediaBody {
  return { media: contents }
}

export function isMediaBody(given: unknown): given is MediaBody {
  return typeof (given as Partial<MediaBody> | undefined)?.media === 'object'
}

/** A copy is still right. It is the same for every route. */
export const notModifiedResponse: DocumentedResponse<undefined> & { readonly name: 'NotModified' } = {
  name: 'NotModified',
  about: 'The version that `If-None-Match` names.',
  body: undefined,
  headers: ['ETag', 'Accept-Query'],
}

/** Successes by status: `{ 200: answer('Both tokens.', { body: tokenPair }) }`. */
export type DocumentedResponses = Readonly<Record<number, DocumentedResponse>>

type PlainResult<S> = { readonly status: S; readonly headers?: HttpResponse['headers'] }
type ResultOf<S, B> = [B] extends [MediaBody]
  ? HttpResponse
  : [B] extends [undefined]
    ? PlainResult<S> & { readonly body?: null }
    : PlainResult<S> & { readonly body: ReturnedBody<B> }

/**
 * The value that `run` may return: one of the answers. Of a body that is no shape it makes the
 * bytes.
 */
export type RouteResult<O> = {
  [S in keyof O & number]: O[S] extends DocumentedResponse<infer B> ? ResultOf<S, B> : never
}[keyof O & number]

/** The codes that routes list among their answers. */
export type DocumentedError = {
  [C in ErrorCode]: (typeof errorCodes)[C] extends { answer: string } ? C : never
}[ErrorCode]
