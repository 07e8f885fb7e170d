/**
 * The response with the bytes of a file: whole, a range, or 304. Nothing uploaded runs as a page:
 * browsers are told not to guess types, and to show it in a sandbox that loads nothing.
 */
import { unlessKnown } from '../../http/messages/conditional.ts'
import { type HttpRequest, type HttpResponse, json } from '../../http/messages/exchange.ts'
import type { StoredFile } from '../../resource/fields/files/stored-file.ts'
import type { ByteRange } from '../../stores/object-store.ts'
import { dispositionOf } from '../uploads/content-disposition.ts'
import { rangeOf } from './byte-range.ts'

export type AnsweredFile = {
  readonly file: Pick<StoredFile, 'name' | 'type' | 'size' | 'sha256'>
  /** Opens its bytes, or a part of them. */
  read(range: ByteRange | undefined): Promise<AsyncIterable<Buffer>>
  readonly cacheControl: string
  /** Asked for by a signed address, which pages of other sites may show. */
  readonly isSigned: boolean
}

/** Types that a browser shows by itself, without code of theirs. All others are downloaded. */
const shown =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon)|application\/pdf|text\/plain|audio\/[\w.+-]+|video\/[\w.+-]+)$/

export function isShown(type: string): boolean {
  return shown.test(type)
}

/**
 * A page of this origin would run such a file as its own script, or apply it as its style. The
 * policy of the file does not hold there. So it goes out as bytes of no type.
 */
const active = /script|\bcss\b|\bwasm\b/

/** The type by which browsers know it. */
function sentType(type: string): string {
  if (active.test(type)) return 'application/octet-stream'
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}

/** Pages of other sites may show it. */
export const shownAnywhere = { 'cross-origin-resource-policy': 'cross-origin' } as const

async function* bytesOf({ read }: AnsweredFile, range: ByteRange | undefined) {
  yield* await read(range)
}

function headersOf({ file, cacheControl, isSigned }: AnsweredFile): HttpResponse['headers'] {
  const { name, type, sha256 } = file
  return {
    'content-type': sentType(type),
    'content-disposition': dispositionOf(isShown(type) ? 'inline' : 'attachment', name),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    ...(isSigned && isShown(type) && shownAnywhere),
    'accept-ranges': 'bytes',
    // Its bytes go out as they are: ranges and the checksum are of these.
    'cache-control': `${cacheControl}, no-transform`,
    etag: `"${sha256}"`,
  }
}

export function answerFile(served: AnsweredFile, request: HttpRequest): HttpResponse {
  const { size, sha256 } = served.file
  const headers = headersOf(served)
  const asked = rangeOf(request.headers, { etag: `"${sha256}"`, size })
  const known = unlessKnown(request, { status: 200, headers, body: null })
  if (known.status === 304) return known
  if (asked === 'unsatisfiable') {
    const range = { 'content-range': `bytes */${size}`, 'cache-control': 'no-store' }
    return json(416, { error: `The file has ${size} bytes; ask for a part of these` }, range)
  }
  const range = asked === 'whole' ? undefined : asked
  headers['content-length'] = String(range ? range.last - range.first + 1 : size)
  if (range) headers['content-range'] = `bytes ${range.first}-${range.last}/${size}`
  return { status: range ? 206 : 200, headers, body: bytesOf(served, range) }
}
