/** A request and its response as REST, GraphQL and the health routes see them: no sockets. */

import type { IncomingHttpHeaders } from 'node:http'
import type { RequestMeasurements } from '../../observe/request-measurements.ts'
import type { Latin1 } from '../../value/latin1.ts'
import type { ContentCoding } from './coding.ts'
import type { UnreadBody } from './whole-body.ts'

export type HttpRequest = {
  readonly id: string
  readonly method: string
  /** Without the query string. */
  readonly path: string
  /** What follows the question mark, still encoded. */
  readonly query: string
  readonly parameters: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  readonly address: string
  readonly protocol: string
  /** Where the address is, as a trusted proxy says. */
  readonly place: string | undefined
  /** Whether the client has gone before it had its answer. */
  left(): boolean
  /** Calls back when it goes, at once if it has gone. Returns what takes the call back. */
  onLeft(call: () => void): () => void
  /** Adds a header to the answer, whatever that is, also a refusal. */
  tell(name: string, value: string): void
  /** Not read yet. Undefined when the request has no body. */
  readonly body: UnreadBody | undefined
  /** The JSON of a body that was read before, or of what stands in for a body of its own. */
  readonly value?: unknown
  /** What is learnt of it on its way. */
  readonly note?: RequestMeasurements | undefined
}

/** Of a text its UTF-8 is sent. */
export type WholeBody = string | Buffer | Latin1

export function isWholeBody(body: SentResponse['body'] | undefined): body is WholeBody {
  if (typeof body !== 'object') return typeof body === 'string'
  return body !== null && (Buffer.isBuffer(body) || 'latin1' in body)
}

/** In bytes. */
export function lengthOf(body: WholeBody): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (Buffer.isBuffer(body)) return body.length
  return body.latin1.length
}

export function bytesOf(body: WholeBody): Buffer {
  if (typeof body === 'string') return Buffer.from(body)
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(body.latin1, 'latin1')
}

export type HttpResponse = {
  readonly status: number
  /** Made for this response alone, so every later step may add to it. */
  readonly headers: Record<string, string | string[]>
  /**
   * Lines of further headers, of an answer that is kept: they are printed once and not looked at
   * again.
   */
  readonly printed?: string | undefined
  readonly body: WholeBody | AsyncIterable<string> | null
  /** Of a 304: the body that the client has already. */
  readonly known?: HttpResponse['body']
  /** It answers a read that came by POST, so it may be compressed like one that came by GET. */
  readonly isRead?: boolean
  /**
   * With the ETag, what stays the same as long as the body does, so that what is made of its bytes
   * is remembered with it. A buffer is that itself.
   */
  readonly source?: object
  /** The body in another coding, for bytes that are compressed by who has them. */
  readonly coded?: (coding: ContentCoding) => Promise<Buffer>
}

/** What goes to the socket: an answer whose pieces may have been compressed. */
export type SentResponse = Omit<HttpResponse, 'body'> & { readonly body: HttpResponse['body'] | AsyncIterable<Buffer> }

export const jsonType = 'application/json; charset=utf-8'
export const ndjsonType = 'application/x-ndjson; charset=utf-8'

export function json(status: number, value: unknown, headers: HttpResponse['headers'] = {}): HttpResponse {
  return { status, headers: { 'content-type': jsonType, ...headers }, body: JSON.stringify(value) }
}
