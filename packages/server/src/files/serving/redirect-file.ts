/**
 * Sends a read to the bucket that has the bytes, where the operator wants it. The address is good
 * for one object and a short time, and the bucket answers it with the headers that it names.
 */
import { unlessKnown } from '../../http/messages/conditional.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import type { StoredFile } from '../../resource/fields/files/stored-file.ts'
import { originalOf } from '../../stores/file-objects.ts'
import type { FileRoom } from '../file-room.ts'
import { dispositionOf } from '../uploads/content-disposition.ts'
import { isShown } from './answer-file.ts'

/** A bucket sends no `nosniff`, so texts are downloaded too. */
function answered({ type, name }: StoredFile) {
  const isSafe = isShown(type) && !type.startsWith('text/')
  return {
    type: isSafe ? type : 'application/octet-stream',
    disposition: dispositionOf(isSafe ? 'inline' : 'attachment', name),
  }
}

/**
 * S3 refuses an address together with `Authorization`, which clients send along. Pages of this
 * server, such as the console, load nothing from other places.
 */
function mayLeave({ method, headers }: HttpRequest): boolean {
  const { authorization, 'x-api-key': key, 'sec-fetch-site': site } = headers
  return method === 'GET' && authorization === undefined && key === undefined && site !== 'same-origin'
}

/** Undefined where the server sends the bytes itself. */
export async function redirectFile(
  { settings, store }: FileRoom,
  file: StoredFile,
  request: HttpRequest,
): Promise<HttpResponse | undefined> {
  const { redirectSeconds: seconds } = settings
  if (seconds === undefined || !mayLeave(request)) return undefined
  const etag = `"${file.sha256}"`
  if (unlessKnown(request, { status: 200, headers: { etag }, body: null }).status === 304) return undefined
  const { direct } = await store()
  const location = await direct?.signGet(originalOf(file.id), { seconds, ...answered(file) })
  if (location === undefined) return undefined
  return { status: 302, headers: { location, 'cache-control': 'private, no-store' }, body: null }
}
