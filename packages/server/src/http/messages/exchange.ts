/** The types of a request and its response as handlers see them, without sockets. */

import type { IncomingHttpHeaders } from 'node:http'
import type { ApiError } from '../../errors.ts'
import type { RequestMeasurements } from '../../observe/request-measurements.ts'
import type { Latin1 } from '../../value/latin1.ts'
import type { ContentCoding } from './coding.ts'
import type { UnreadBody } from './whole-body.ts'

export type HttpRequest = {
  readonly id: string
  readonly method: string
  /** Without the query string. */
  readonly path: string
  /** The text after the question mark, still encoded. */
  readonly query: string
  readonly parameters: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  readonly address: string
  readonly protocol: string
  /** The location of the address, as a trusted proxy reports it. */
  readonly place: string | undefined
  /** Whether the client has disconnected before it had its response. */
  left(): boolean
  /**
   * Calls back when the client disconnects, at once if it has. Returns the function that cancels
   * this.
   */
  onLeft(call: () => void): () => void
  /** Adds a header to the response, also to an error. */
  tell(name: string, value: string): void
  /** Not read yet. Undefined when the request has no body. */
  readonly body: UnreadBody | undefined
  /** The JSON of a body that was read before, or that replaces one. */
  readonly value?: unknown
  /** Measurements that steps add on the way. */
  readonly note?: RequestMeasurements | undefined
}

/** A text is sent as UTF-8. */
export type WholeBody = string | Buffer | Latin1

export function isWholeBody(body: HttpResponse['body'] | undefined): body is WholeBody {
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

/** The client's end of such a text. */
export type TextSink = {
  /** Returns whether the client has room for more; otherwise `drained` follows. */
  write(text: string): boolean
  /** Sends this as the last text. */
  end(text: string): void
}
type TextSource = {
  drained(): void
  /** The connection has ended. */
  closed(): void
}
/** Called once, when the text may begin, or has no reader any more. */
export type LastingText = (sink: TextSink) => TextSource

export type HttpResponse = {
  readonly status: number
  /** Made for this response alone, so every later step may add to it. */
  readonly headers: Record<string, string | string[]>
  /** Header lines of a cached response, which are printed once. */
  readonly printed?: string | undefined
  readonly body: WholeBody | AsyncIterable<string | Buffer> | null
  /** In place of a body: text that goes on for as long as the client listens. */
  readonly lasting?: LastingText | undefined
  /** For a 304: the body that the client has already. */
  readonly known?: HttpResponse['body']
  /** Faults in parts of the work, for the log. */
  readonly faults?: readonly ApiError[]
  /** It answers a read that came by POST, so it may be compressed like a GET. */
  readonly isRead?: boolean
  /**
   * With the ETag, identifies the bytes of the body, so that compressed forms can be cached. A
   * buffer identifies itself.
   */
  readonly source?: object
  /** The body in another coding, for handlers that compress their bytes themselves. */
  readonly coded?: (coding: ContentCoding) => Promise<Buffer>
}

export const jsonType = 'application/json; charset=utf-8'
export const ndjsonType = 'application/x-ndjson; charset=utf-8'

export function json(status: number, value: unknown, headers: HttpResponse['headers'] = {}): HttpResponse {
  return { status, headers: { 'content-type': jsonType, ...headers }, body: JSON.stringify(value) }
}
