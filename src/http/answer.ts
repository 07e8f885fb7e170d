/** Writes an answer to the socket: the one place where bytes leave. Streams stop when the client goes. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RestResponse } from './exchange.ts'

export type Envelope = { readonly requestId: string; readonly close: boolean; readonly headOnly: boolean }

function headersOf(
  { headers }: RestResponse,
  { requestId, close }: Envelope,
): Record<string, string | string[] | number> {
  const all: Record<string, string | string[] | number> = { ...headers }
  all['x-request-id'] = requestId
  all['x-content-type-options'] = 'nosniff'
  if (close) all.connection = 'close'
  return all
}

/** Resolves when the answer is handed to the socket. A stream that fails cuts the connection: half an answer must not look whole. */
export async function writeAnswer(raw: ServerResponse, response: RestResponse, envelope: Envelope): Promise<void> {
  const headers = headersOf(response, envelope)
  const { body } = response
  if (body === null) {
    if (response.status !== 204 && response.status !== 304) headers['content-length'] = 0
    raw.writeHead(response.status, headers)
    raw.end()
    return
  }
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    headers['content-length'] = Buffer.byteLength(body)
    raw.writeHead(response.status, headers)
    raw.end(envelope.headOnly ? undefined : body)
    return
  }
  if (envelope.headOnly) {
    raw.writeHead(response.status, headers)
    raw.end()
    return
  }
  // The first piece decides whether there is an answer at all: until then an error can still be told.
  const pieces = body[Symbol.asyncIterator]()
  const first = await pieces.next()
  raw.writeHead(response.status, headers)
  async function* rest() {
    for (let piece = first; !piece.done; piece = await pieces.next()) yield piece.value
  }
  await pipeline(Readable.from(rest(), { objectMode: false, highWaterMark: 65_536 }), raw)
}
