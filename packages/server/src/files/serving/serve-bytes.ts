/**
 * Serves the bytes of a file where its record shows the field to the caller. The rule of reads, the
 * tenant and the rule of the field decide.
 */
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { checkParameters, parseParameters } from '../../operation/parameters.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { StoredFile } from '../../resource/fields/files/stored-file.ts'
import { type FileRoute, fileParameter } from '../../rest/file-routes.ts'
import { type RecordPipeline, readRecord } from '../../rest/record-journey.ts'
import { isHidden } from '../../value/hidden-fields.ts'
import { type FileRoom, originalOf } from '../file-room.ts'
import { answerFile } from './answer-file.ts'

/** The same for a record without the file, and for one that hides it. */
export function noFile({ label }: Resource, field: string): ApiError {
  return new ApiError('not-found', `${label} has no ${field}`)
}

/** The file of the field, or that of its files which the path names. */
export function fileNamed(value: unknown, id: string | undefined): StoredFile | undefined {
  const files = [(value ?? []) as StoredFile | readonly StoredFile[]].flat()
  return id === undefined ? files[0] : files.find((one) => one.id === id.toLowerCase())
}

/** Shared caches may keep what every caller sees, and ask each time. */
const cachedAs = (cacheControl: string) => (cacheControl === 'no-cache' ? 'public, no-cache' : cacheControl)

export async function readFile(
  { room, pipeline }: { readonly room: FileRoom; readonly pipeline: RecordPipeline },
  { of, field }: FileRoute,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { caller, record, permitted } = await readRecord(pipeline, { route: of, names: [field] }, request)
  checkParameters(parseParameters(request.query), [])
  const isShown = permitted.visible.has(field) && !isHidden(record, field)
  const file = isShown ? fileNamed(record[field], request.parameters[fileParameter]) : undefined
  if (!file) throw noFile(of.target.resource, field)
  const cacheControl = cachedAs(caller.cacheControl)
  return answerFile(room.store, { file, object: originalOf(file.id), cacheControl }, request)
}
