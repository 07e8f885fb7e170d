/**
 * Answers → compressed answers, where the client takes them and nothing can be learnt from their
 * length (decision 0076). What is small, secret or the answer to a write is left alone. What is
 * kept is compressed once. While too much is being compressed, answers go out as they are.
 */
import { pipeline, Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import type { ServerLimits } from '../../limits.ts'
import { type CompressionEffort, type ContentCoding, chooseCoding, encode, makeEncoder } from './coding.ts'
import {
  bytesOf,
  type HttpRequest,
  type HttpResponse,
  isWholeBody,
  lengthOf,
  type SentResponse,
  type WholeBody,
} from './exchange.ts'
import { prependFirst } from './pieces.ts'
import { joinVary } from './vary.ts'

/** The answer to send. Returns at once where there is nothing to do. */
export type Compress = (request: CompressibleRequest, response: HttpResponse) => SentResponse | Promise<SentResponse>
type CompressibleRequest = Pick<HttpRequest, 'method' | 'headers'>

/** Below this a coded answer needs as many packets as a plain one. */
const bytesMin = 1024
const headersKept = 100
const headerLengthMax = 200
const textual = /^(text\/|application\/(json|x-ndjson|graphql-response\+json|problem\+json|schema\+json))/
const reading = new Set(['GET', 'HEAD', 'QUERY'])

/**
 * A length tells of a secret when the caller's own text is compressed beside it (BREACH). So the
 * answers to writes stay as they are, which repeat what was sent and may reveal a key; so does
 * whatever sets a cookie, and whatever may not be stored: log-ins, and answers to a key in the
 * address.
 */
function mayBeCoded({ method }: Pick<HttpRequest, 'method'>, { headers, isRead }: HttpResponse): boolean {
  if (!isRead && !reading.has(method)) return false
  if (headers['set-cookie'] !== undefined || headers['content-encoding'] !== undefined) return false
  return !/no-store|no-transform/.test(String(headers['cache-control'] ?? ''))
}

function isLarge(body: HttpResponse['body']): boolean {
  return isWholeBody(body) ? lengthOf(body) >= bytesMin : body !== null
}

/** Of a body that is sent more than once: what is made of it is remembered too. */
function sourceOf({ body, source }: HttpResponse): object | undefined {
  return source ?? (Buffer.isBuffer(body) ? body : undefined)
}

/** Stands for the bytes of a source, with which what is made of them is remembered. */
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
 * A 304 stands for the answer that the client has: its ETag is weak where that one's was, so that a
 * cache finds it, and it varies as that one does (section 15.4.5).
 */
function revalidated(request: CompressibleRequest, response: HttpResponse): HttpResponse {
  const { headers, known } = response
  if (typeof headers.etag !== 'string' || known === undefined || !isLarge(known)) return response
  if (!mayBeCoded(request, response)) return response
  if (request.headers['if-none-match']?.includes(weak(headers.etag))) headers.etag = weak(headers.etag)
  headers.vary = joinVary(headers.vary, 'Accept-Encoding')
  return response
}

/** The pieces through an encoder. Who stops reading, or an error in the pieces, ends both. */
async function* codedPieces(pieces: AsyncIterable<string>, coding: ContentCoding): AsyncGenerator<Buffer> {
  const encoder = makeEncoder(coding)
  // an error destroys the encoder, and reading it throws
  pipeline(Readable.from(pieces), encoder, () => undefined)
  yield* encoder as AsyncIterable<Buffer>
}

/**
 * Compressed forms of what is sent more than once, whatever it is; forgotten when others are used
 * more. What they were made of is not held by them, and when it goes they are not found any more.
 */
function makeForms(bytesMax: number) {
  const names = new WeakMap<object, SourceKey>()
  const forms = new LRUCache<SourceKey, Map<ContentCoding, Buffer>>({
    maxSize: bytesMax,
    sizeCalculation: (coded) => [...coded.values()].reduce((sum, one) => sum + one.length, 0),
  })
  return {
    /**
     * Where the bytes of a source have changed, its validator has changed too, and with it the
     * name.
     */
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

/** Clients send few different headers, so each is understood once. */
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
  /** Forms in the making, so that many who ask for the same make one. */
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
    pieces: AsyncIterable<string>,
    coding: ContentCoding,
  ): Promise<SentResponse> {
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
    const done = (body: Buffer): SentResponse => ({ ...response, headers: codedHeaders(response, coding), body })
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
