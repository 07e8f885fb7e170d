/**
 * Serves the bytes of a file where its record shows the field to the caller. The rule of reads, the
 * tenant and the rule of the field decide.
 */
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { checkParameters, parameterError, parseParameters } from '../../operation/parameters.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { FileField } from '../../resource/fields/files/file-options.ts'
import type { StoredFile } from '../../resource/fields/files/stored-file.ts'
import { type FileRoute, fileParameter, variantParameter } from '../../rest/file-routes.ts'
import { type RecordPipeline, readRecord } from '../../rest/record-journey.ts'
import { originalOf } from '../../stores/file-objects.ts'
import { isHidden } from '../../value/hidden-fields.ts'
import type { FileRoom } from '../file-room.ts'
import { type AnsweredFile, answerFile } from './answer-file.ts'

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

/** The variant that is asked for. Throws `bad-request` for one that the field has not. */
function variantAsked({ query }: Pick<HttpRequest, 'query'>, { limits }: FileField): string | undefined {
  const { variants = {} } = limits
  const names = Object.keys(variants)
  const parameters = parseParameters(query)
  checkParameters(parameters, names.length > 0 ? [variantParameter] : [])
  const name = parameters.get(variantParameter)
  if (name === undefined || Object.hasOwn(variants, name)) return name
  throw parameterError(variantParameter, `${variantParameter} must be one of ${names.join(', ')}`)
}

async function served({ room, file, variant, field }: ServedPart): Promise<Omit<AnsweredFile, 'cacheControl'>> {
  if (variant !== undefined) return room.findVariant(file, variant, field.limits.variants ?? {})
  return { file, read: async (range) => (await room.store()).read(originalOf(file.id), range) }
}

type ServedPart = {
  readonly room: FileRoom
  readonly file: StoredFile
  readonly variant: string | undefined
  readonly field: FileField
}

export async function readFile(
  { room, pipeline }: { readonly room: FileRoom; readonly pipeline: RecordPipeline },
  { of, field: name }: FileRoute,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { caller, record, permitted } = await readRecord(pipeline, { route: of, names: [name] }, request)
  const { resource } = of.target
  const field = resource.fields[name] as unknown as FileField
  const isShown = permitted.visible.has(name) && !isHidden(record, name)
  const variant = variantAsked(request, field)
  const file = isShown ? fileNamed(record[name], request.parameters[fileParameter]) : undefined
  if (!file) throw noFile(resource, name)
  const part = await served({ room, file, variant, field })
  return answerFile({ ...part, cacheControl: cachedAs(caller.cacheControl) }, request)
}
