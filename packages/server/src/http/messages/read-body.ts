/** Reads request bodies by their media type: JSON as a value, NDJSON line by line. */
import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { ImportLine } from '../../operation/operation.ts'
import { decodeUtf8, parseJson } from '../../value/json.ts'
import { unsafeNumberIn } from '../../value/json-number.ts'
import type { HttpRequest } from './exchange.ts'
import { linesOf } from './read-lines.ts'
import { readWholeBody, tooLarge } from './whole-body.ts'

const jsonTypes = ['application/json', 'application/merge-patch+json']
const ndjsonTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

/** Throws `unsupported-media-type` for any other type, or a charset other than UTF-8. */
function checkType(header: string | undefined, accepted: readonly string[]): void {
  if (header === accepted[0]) return // the usual spelling
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '')
  if (!accepted.includes(type) || (charset !== undefined && charset !== 'utf-8')) {
    throw new ApiError('unsupported-media-type', `Send the body as ${accepted[0]} in UTF-8`)
  }
}

/** The exact bytes of a body of any type; none where there is no body. Throws 400, 408, 413. */
export async function readRawBody(
  { body, headers }: Pick<HttpRequest, 'body' | 'headers'>,
  bytesMax: number = limits.bodyBytesMax,
): Promise<Buffer> {
  const { 'content-length': length } = headers
  if (!body || length === '0') return Buffer.alloc(0)
  if (length !== undefined && Number(length) > bytesMax) throw tooLarge(bytesMax)
  return readWholeBody(body, { bytesMax, msMax: limits.bodyTimeoutMs })
}

/** The bytes of a body of JSON; undefined when there is none. Throws 400, 408, 413, 415. */
export async function readBytes(
  request: HttpRequest,
  accepted: readonly string[] = jsonTypes,
  bytesMax?: number,
): Promise<Buffer | undefined> {
  if (!request.body) return undefined
  const { 'content-type': type, 'content-length': length, 'content-encoding': encoding } = request.headers
  if (length === '0') return undefined
  if (encoding !== undefined && encoding !== 'identity')
    throw new ApiError('unsupported-media-type', 'Send the body without Content-Encoding')
  if (type !== undefined) checkType(type, accepted)
  const bytes = await readRawBody(request, bytesMax)
  if (bytes.length === 0) return undefined
  if (type === undefined) checkType(type, accepted)
  return bytes
}

/** The JSON value of the body; undefined when there is none. Throws 400, 408, 413, 415. */
export async function readJson(request: HttpRequest, accepted: readonly string[] = jsonTypes): Promise<unknown> {
  if (request.value !== undefined) return request.value
  const bytes = await readBytes(request, accepted)
  return bytes && parseJson(decodeUtf8(bytes))
}

/**
 * The same for bodies without fields of a resource: no field type judges their whole numbers beyond
 * 2⁵³, so they are refused here.
 */
export async function readSafeJson(request: HttpRequest): Promise<unknown> {
  const value = await readJson(request)
  const unsafe = unsafeNumberIn(value)
  if (unsafe !== undefined) throw new ApiError('bad-request', `${unsafe} is beyond what a JSON number holds exactly`)
  return value
}

/** The lines of an NDJSON body. Throws 413 for a line that is too long, and 415. */
export async function* readLines(request: HttpRequest): AsyncGenerator<ImportLine> {
  checkType(request.headers['content-type'], ndjsonTypes)
  if (request.body) yield* linesOf(request.body)
}
