/**
 * Turns the value that the code of an endpoint returned into a response: JSON of the declared
 * fields, lines of such objects, or bytes. A stream is read as its client reads.
 */
import { etagOfBytes, unlessKnown } from '../../http/messages/conditional.ts'
import { type HttpRequest, type HttpResponse, jsonType, ndjsonType } from '../../http/messages/exchange.ts'
import { inCode } from '../../record/guard/code-place.ts'
import type { AnyEndpoint } from '../../resource/endpoints/endpoint-declaration.ts'
import { isBytesOutput, isLinesOutput, mediaTypeOf } from '../../resource/endpoints/endpoint-output.ts'
import type { Fields } from '../../resource/fields/field.ts'
import { representFields } from '../../resource/fields/nested/object.ts'

type Pieces = AsyncIterable<string | Buffer>

/** The media types of the answer, for `Accept`. */
export function typesOf({ output }: AnyEndpoint): readonly string[] {
  if (isBytesOutput(output)) return [mediaTypeOf(output)]
  return isLinesOutput(output) ? ['application/x-ndjson', 'application/json'] : ['application/json']
}

async function* linesOf(fields: Fields, values: Iterable<unknown> | AsyncIterable<unknown>): Pieces {
  for await (const value of values) yield `${JSON.stringify(representFields(fields, value, 'a line'))}\n`
}

function pieceOf(value: unknown): string | Buffer {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  throw new Error('bytes are a text, a Uint8Array, or a stream of them')
}

async function* piecesOf(values: AsyncIterable<unknown>): Pieces {
  for await (const value of values) yield pieceOf(value)
}

function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  if (typeof value !== 'object' || value === null) return false
  return Symbol.asyncIterator in value || Symbol.iterator in value
}

function bytesResponse(mediaType: string, value: unknown): HttpResponse {
  const isStream = typeof value === 'object' && value !== null && Symbol.asyncIterator in value
  const body = isStream ? piecesOf(value as AsyncIterable<unknown>) : pieceOf(value)
  return { status: 200, headers: { 'content-type': mediaType }, body }
}

/** Throws an `Error` where the code returned something else than it declares. */
export function responseOf({ output }: AnyEndpoint, value: unknown): HttpResponse {
  if (output === undefined) return { status: 204, headers: {}, body: null }
  if (isBytesOutput(output)) return bytesResponse(output.mediaType, value)
  if (!isLinesOutput(output)) {
    const body = JSON.stringify(representFields(output, value))
    return { status: 200, headers: { 'content-type': jsonType }, body }
  }
  if (!isIterable(value)) throw new Error('lines are a list or a stream of objects')
  return { status: 200, headers: { 'content-type': ndjsonType }, body: linesOf(output.fields, value) }
}

export function isStream(body: HttpResponse['body']): body is Pieces {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** A whole answer to a GET has a validator, so a client that has it gets 304. */
export function validated(request: HttpRequest, response: HttpResponse): HttpResponse {
  const { body, headers, status } = response
  if (request.method === 'POST' || status !== 200 || body === null || isStream(body)) return response
  headers.etag = etagOfBytes(body)
  return unlessKnown(request, response)
}

/** The next piece; undefined where the signal ends the stream first. */
function nextUntil<T>(rest: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T> | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
    const settled = () => signal.removeEventListener('abort', stop)
    rest.next().then(resolve, reject).finally(settled)
    if (signal.aborted) stop()
  })
}

type StreamRun = {
  /** The name of its code in the log. */
  readonly place: string
  readonly signal: AbortSignal
  /** Called at the end of the stream. */
  end(): void
  /** An error of a later piece, for the log. */
  failed(thrown: unknown): Error
}

/**
 * The stream once its first piece is there: until then an error can still become the answer. The
 * signal ends it, and a reader that stops ends it, too.
 */
export async function begun(pieces: Pieces, run: StreamRun): Promise<Pieces> {
  const rest = pieces[Symbol.asyncIterator]()
  return restOf(rest, await rest.next(), run)
}

type Piece = IteratorResult<string | Buffer>

async function* restOf(
  rest: AsyncIterator<string | Buffer>,
  first: Piece,
  { place, signal, end, failed }: StreamRun,
): Pieces {
  const next = () =>
    inCode(place, () => nextUntil(rest, signal)).catch((thrown) => {
      throw failed(thrown)
    })
  try {
    for (let piece: Piece | undefined = first; piece && !piece.done; piece = await next()) yield piece.value
  } finally {
    end()
    // It may wait for something that never comes.
    rest.return?.()?.catch(() => undefined)
  }
}
