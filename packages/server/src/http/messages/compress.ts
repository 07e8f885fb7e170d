/**
 * Compresses responses where the client accepts it and their length reveals no secret (decision
 * 0076). Small and secret responses and answers to writes stay uncompressed. Cached responses are
 * compressed once. Under too much compression work, responses go out as they are.
 */
import { pipeline, Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import type { ServerLimits } from '../../limits.ts'
import { type CompressionEffort, type ContentCoding, chooseCoding, encode, makeEncoder } from './coding.ts'
import { bytesOf, type HttpRequest, type HttpResponse, isWholeBody, lengthOf, type WholeBody } from './exchange.ts'
import { prependFirst } from './pieces.ts'
import { joinVary } from './vary.ts'

/** The response to send. Returns at once where there is nothing to compress. */
export type Compress = (request: CompressibleRequest, response: HttpResponse) => HttpResponse | Promise<HttpResponse>
type CompressibleRequest = Pick<HttpRequest, 'method' | 'headers'>

/** Below this a compressed response needs as many packets as a plain one. */
const bytesMin = 1024
const headersKept = 100
const headerLengthMax = 200
const textual = /^(text\/|application\/(json|x-ndjson|graphql-response\+json|problem\+json|schema\+json))/
const reading = new Set(['GET', 'HEAD', 'QUERY'])

/**
 * A compressed length can reveal a secret when the caller's own text is compressed with it
 * (BREACH). Answers to writes stay uncompressed: they repeat what was sent and may show a key. So
 * do responses that set a cookie, and responses that may not be stored, such as log-ins.
 */
function mayBeCoded({ method }: Pick<HttpRequest, 'method'>, { headers, isRead }: HttpResponse): boolean {
  if (!isRead && !reading.has(method)) return false
  if (headers['set-cookie'] !== undefined || headers['content-encoding'] !== undefined) return false
  return !/no-store|no-transform/.test(String(headers['cache-control'] ?? ''))
}

function isLarge(body: HttpResponse['body']): boolean {
  return isWholeBody(body) ? lengthOf(body) >= bytesMin : body !== null
}

/**
 * The object that identifies a body that is sent more than once; its compressed forms are cached.
 */
function sourceOf({ body, source }: HttpResponse): object | undefined {
  return source ?? (Buffer.isBuffer(body) ? body : undefined)
}

/** Identifies the bytes of a source; the compressed forms are cached under it. */
type SourceKey = { readonly etag: unknown }

/**
 * `"3"` → `W/"3"`: the same version in other bytes (RFC 9110, section 8.8.3). `If-Match` and
 * `If-None-Match` take both.
 */
function weak(etag: string): string {
  return etag.startsWith('W/') ? etag : `W/${etag}`
}

function codedHeaders({ headers }: HttpResponse, coding: ContentCoding): HttpResponse['headers'] {
  const coded: HttpResponse['headers'] = { ...headers, 'content-encoding': coding }
  if (typeof headers.etag === 'string') coded.etag = weak(headers.etag)
  return coded
}

/**
 * A 304 repeats the validator of the response that the client has. Its ETag is weak where that one
 * was, so that a cache finds it, and it has the same `Vary` (section 15.4.5).
 */
function revalidated(request: CompressibleRequest, response: HttpResponse): HttpResponse {
  const { headers, known } = response
  if (typeof headers.etag !== 'string' || known === undefined || !isLarge(known)) return response
  if (!mayBeCoded(request, response)) return response
  if (request.headers['if-none-match']?.includes(weak(headers.etag))) headers.etag = weak(headers.etag)
  headers.vary = joinVary(headers.vary, 'Accept-Encoding')
  return response
}

/**
 * Passes the pieces through an encoder. A reader that stops, or an error in the pieces, ends both.
 */
async function* codedPieces(pieces: AsyncIterable<string | Buffer>, coding: ContentCoding): AsyncGenerator<Buffer> {
  const encoder = makeEncoder(coding)
  // an error destroys the encoder, and reading it throws
  pipeline(Readable.from(pieces), encoder, () => undefined)
  yield* encoder as AsyncIterable<Buffer>
}

/**
 * A cache of compressed forms, which drops the least recently used. The forms do not keep their
 * sources in memory, and a source that is dropped makes its forms unreachable.
 */
function makeForms(bytesMax: number) {
  const names = new WeakMap<object, SourceKey>()
  const forms = new LRUCache<SourceKey, Map<ContentCoding, Buffer>>({
    maxSize: bytesMax,
    sizeCalculation: (coded) => [...coded.values()].reduce((sum, one) => sum + one.length, 0),
  })
  return {
    /** When the bytes of a source change, its validator changes, and with it the key. */
    nameOf(response: HttpResponse): SourceKey | undefined {
      const { etag } = response.headers
      const source = sourceOf(response)
      if (!source) return undefined
      const known = names.get(source)
      if (known && known.etag === etag) return known
      const name = { etag }
      names.set(source, name)
      return name
    },
    find: (name: SourceKey, coding: ContentCoding): Buffer | undefined => forms.get(name)?.get(coding),
    keep(name: SourceKey, coding: ContentCoding, coded: Buffer): void {
      forms.set(name, new Map([...(forms.peek(name) ?? []), [coding, coded]]))
    },
  }
}

/** Clients send few different headers, so each is parsed once. */
function makeChoose(): (header: string, effort: CompressionEffort) => ContentCoding | undefined {
  const made = () => new LRUCache<string, ContentCoding | 'none'>({ max: headersKept })
  const known = { once: made(), often: made() }
  return (header, effort) => {
    const found = known[effort].get(header)
    if (found !== undefined) return found === 'none' ? undefined : found
    const coding = chooseCoding(header, effort)
    if (header.length <= headerLengthMax) known[effort].set(header, coding ?? 'none')
    return coding
  }
}

export function makeCompress({ compressionsMax, compressedBytesMax }: ServerLimits): Compress {
  const forms = makeForms(compressedBytesMax)
  const choose = makeChoose()
  /** Forms being made, so that concurrent requests for the same form share one. */
  const making = new Map<SourceKey, Map<ContentCoding, Promise<Buffer>>>()
  let running = 0

  async function counted(work: () => Promise<Buffer>): Promise<Buffer> {
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
    }
  }

  async function makeForm(name: SourceKey, plain: WholeBody, coding: ContentCoding): Promise<Buffer> {
    const known = making.get(name) ?? new Map<ContentCoding, Promise<Buffer>>()
    making.set(name, known)
    const running = known.get(coding)
    if (running) return running
    const work = counted(() => encode(bytesOf(plain), coding, 'often'))
    known.set(coding, work)
    try {
      const coded = await work
      forms.keep(name, coding, coded)
      return coded
    } finally {
      known.delete(coding)
      if (known.size === 0) making.delete(name)
    }
  }

  async function compressStream(
    response: HttpResponse,
    pieces: AsyncIterable<string | Buffer>,
    coding: ContentCoding,
  ): Promise<HttpResponse> {
    const rest = pieces[Symbol.asyncIterator]()
    const first = await rest.next() // an error here still becomes the answer
    if (first.done) return { ...response, body: '' }
    const body = prependFirst([first.value], rest)
    if (first.value.length < bytesMin) return { ...response, body }
    return { ...response, headers: codedHeaders(response, coding), body: release(codedPieces(body, coding)) }
  }

  /** Counts a stream as one until it ends. */
  async function* release(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    running += 1
    try {
      yield* pieces
    } finally {
      running -= 1
    }
  }

  function compressWhole(response: HttpResponse, plain: WholeBody, coding: ContentCoding) {
    const done = (body: Buffer): HttpResponse => ({ ...response, headers: codedHeaders(response, coding), body })
    if (response.coded) return response.coded(coding).then(done)
    const name = forms.nameOf(response)
    const found = name && forms.find(name, coding)
    if (found) return done(found)
    if (running >= compressionsMax) return response
    if (name) return makeForm(name, plain, coding).then(done)
    return counted(() => encode(bytesOf(plain), coding, 'once')).then(done)
  }

  return (request, response) => {
    const { status, body, headers } = response
    if (status === 304) return revalidated(request, response)
    if (body === null || !isLarge(body) || !textual.test(String(headers['content-type']))) return response
    if (!mayBeCoded(request, response)) return response
    headers.vary = headers.vary === undefined ? 'Accept-Encoding' : joinVary(headers.vary, 'Accept-Encoding')
    const effort: CompressionEffort = sourceOf(response) ? 'often' : 'once'
    const coding = choose(String(request.headers['accept-encoding'] ?? ''), effort)
    if (!coding) return response
    if (isWholeBody(body)) return compressWhole(response, body, coding)
    // The pieces of an answer to HEAD are never made.
    if (request.method === 'HEAD' || running >= compressionsMax) return response
    return compressStream(response, body, coding)
  }
}
