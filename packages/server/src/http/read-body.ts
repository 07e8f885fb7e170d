/** Reads request bodies: their media type, their size, JSON, and lines of NDJSON. */
import type { Readable } from 'node:stream'
import { limits } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { ImportLine } from '../operation/operation.ts'
import { decodeUtf8, parseJson } from '../value/json.ts'
import type { HttpRequest } from './exchange.ts'

const jsonTypes = ['application/json', 'application/merge-patch+json']
const ndjsonTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('too-large', `The body is larger than ${bytesMax} bytes`)
}

/** Throws `unsupported-media-type` for any other type, or a charset other than UTF-8. */
function checkType(header: string | undefined, accepted: readonly string[]): void {
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '')
  if (!accepted.includes(type) || (charset !== undefined && charset !== 'utf-8')) {
    throw new ApiError('unsupported-media-type', `Send the body as ${accepted[0]} in UTF-8`)
  }
}

/** A body fails with the error that `parser-errors.ts` gave it, or because the client left in the middle of it. */
async function* piecesOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream.iterator({ destroyOnReturn: false })
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('bad-request', 'The body ended too early', { cause: error })
  }
}

/** Throws `too-large`, and `timeout` when the body takes too long. The stream is not destroyed: the request is still to be answered. */
async function readBytes(stream: Readable, bytesMax: number, declared: string | undefined): Promise<Buffer> {
  if (declared !== undefined && Number(declared) > bytesMax) throw tooLarge(bytesMax)
  const chunks: Buffer[] = []
  let bytes = 0
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => undefined)
  const timer = setTimeout(
    () => late.reject(new ApiError('timeout', 'The body did not arrive in time')),
    limits.bodyTimeoutMs,
  )
  const pieces = piecesOf(stream)
  try {
    for (;;) {
      const { done, value } = await Promise.race([pieces.next(), late.promise])
      if (done) break
      bytes += value.length
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      chunks.push(value)
    }
  } finally {
    clearTimeout(timer)
    void pieces.return(undefined)
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}

/** The JSON value of the body; undefined when there is none. Throws 400, 408, 413, 415. */
export async function readJson(request: HttpRequest, accepted: readonly string[] = jsonTypes): Promise<unknown> {
  if (!request.body) return undefined
  const { 'content-type': type, 'content-length': length, 'content-encoding': encoding } = request.headers
  if (length === '0') return undefined
  if (encoding !== undefined && encoding !== 'identity')
    throw new ApiError('unsupported-media-type', 'Send the body without Content-Encoding')
  if (type !== undefined) checkType(type, accepted)
  const bytes = await readBytes(request.body, limits.bodyBytesMax, length)
  if (bytes.length === 0) return undefined
  if (type === undefined) checkType(type, accepted)
  return parseJson(decodeUtf8(bytes))
}

/**
 * The lines of an NDJSON body as they arrive; empty lines are skipped. Throws 413 for a line that is too long, and 415. The stream is not
 * destroyed when its reader stops early: the request is still to be answered, and the rest of the body is discarded then.
 */
export async function* readLines(request: HttpRequest): AsyncGenerator<ImportLine> {
  checkType(request.headers['content-type'], ndjsonTypes)
  if (!request.body) return
  let rest = Buffer.alloc(0)
  let number = 0
  for await (const chunk of piecesOf(request.body)) {
    let start = 0
    for (let end = chunk.indexOf(10, start); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([rest, chunk.subarray(start, end)])
      rest = Buffer.alloc(0)
      start = end + 1
      number += 1
      if (line.length > limits.importLineBytesMax) throw tooLarge(limits.importLineBytesMax)
      if (line.some((byte) => byte > 32)) yield toLine(line, number)
    }
    rest = Buffer.concat([rest, chunk.subarray(start)])
    if (rest.length > limits.importLineBytesMax) throw tooLarge(limits.importLineBytesMax)
  }
  if (rest.some((byte) => byte > 32)) yield toLine(rest, number + 1)
}

function toLine(bytes: Buffer, line: number): ImportLine {
  return { line, text: bytes.toString('utf8'), parse: () => parseJson(decodeUtf8(bytes)) }
}
