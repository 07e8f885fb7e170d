/**
 * Requests with bytes of files become usual ones, when the bytes are stored. A body of JSON names
 * their uploads, and the journey of the record's own route goes on from there.
 */
import { ApiError } from '../../errors.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { tenantOf } from '../../record/references/tenant-of-record.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { RequestPipeline } from '../../rest/handle-request.ts'
import type { JudgedUpdate } from '../../rest/record-journey.ts'
import type { FileRoom } from '../file-room.ts'

export type FileHandling = { readonly room: FileRoom; readonly pipeline: RequestPipeline }

/** The request with this body in place of its own. Its rate has been counted. */
export function asCounted(request: HttpRequest, value: Readonly<Record<string, unknown>>): HttpRequest {
  const read = { stream: undefined, ...request.body, late: Buffer.alloc(0) } as HttpRequest['body']
  return { ...request, value, body: read }
}

/** A retry sends other bytes than the key stands for, or none. Throws `bad-request`. */
export function refuseKey({ headers }: Pick<HttpRequest, 'headers'>): void {
  if (headers['idempotency-key'] !== undefined)
    throw new ApiError('bad-request', 'A request with the bytes of a file takes no Idempotency-Key')
}

/**
 * The bytes are those of the file, and all of them. Throws `bad-request` and
 * `unsupported-media-type`.
 */
export function checkWholeBytes({ headers }: Pick<HttpRequest, 'headers'>): void {
  const { 'content-encoding': encoding = 'identity', 'content-range': range } = headers
  if (encoding.toLowerCase() !== 'identity')
    throw new ApiError('unsupported-media-type', 'Send the body without Content-Encoding')
  // RFC 9110, section 14.5: a part would replace the whole.
  if (range !== undefined)
    throw new ApiError('bad-request', 'A file is sent whole, without Content-Range; large ones are resumed by tus')
}

/** The tenant of the record, to which its uploads are bound. */
export async function tenantOfRecord(
  { engine, before }: Pick<JudgedUpdate, 'engine' | 'before'>,
  resource: Resource,
): Promise<string | null> {
  const { catalog, storage } = engine
  const tenant = await tenantOf({ catalog, find: storage.find }, resource, before)
  return tenant === null ? null : String(tenant)
}
