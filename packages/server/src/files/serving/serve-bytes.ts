/**
 * Serves the bytes of a file where its record shows the field to the caller. The rule of reads, the
 * tenant and the rule of the field decide.
 */
import { freeBytes } from '../../base/free-bytes.ts'
import { ApiError } from '../../errors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { checkParameters, mayName, parameterError, parseParameters } from '../../operation/parameters.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { FileField } from '../../resource/fields/files/file-options.ts'
import { declaresVariants } from '../../resource/fields/files/image-variant.ts'
import type { StoredFile } from '../../resource/fields/files/stored-file.ts'
import { type FileRoute, fileParameter, variantParameter } from '../../rest/file-routes.ts'
import { type RecordPipeline, readRecord } from '../../rest/record-journey.ts'
import { originalOf } from '../../stores/file-objects.ts'
import type { ByteRange } from '../../stores/object-store.ts'
import { isHidden } from '../../value/hidden-fields.ts'
import type { FileRoom } from '../file-room.ts'
import { refuseUnscanned } from '../scans/refuse-unscanned.ts'
import { type AnsweredFile, answerFile, shownAnywhere } from './answer-file.ts'
import { redirectFile } from './redirect-file.ts'
import { openAddress, type SignedUse, tokenParameter } from './signed-address.ts'

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

/** Throws `bad-request` for a variant that the field has not. */
export function checkVariant(name: unknown, { limits }: FileField): void {
  const names = Object.keys(limits.variants ?? {})
  if (typeof name === 'string' && names.includes(name)) return
  const about = names.length > 0 ? `must be one of ${names.join(', ')}` : 'is of images that declare variants'
  throw parameterError(variantParameter, `${variantParameter} ${about}`)
}

/** The part that the query asks for. Throws `bad-request` for a variant that the field has not. */
function partAsked({ query }: Pick<HttpRequest, 'query'>, field: FileField) {
  const parameters = parseParameters(query)
  checkParameters(parameters, [tokenParameter, ...(declaresVariants(field.limits) ? [variantParameter] : [])])
  const variant = parameters.get(variantParameter)
  if (variant !== undefined) checkVariant(variant, field)
  return { variant, token: parameters.get(tokenParameter) }
}

type ServedPart = {
  readonly room: FileRoom
  readonly file: StoredFile
  readonly variant: string | undefined
  readonly field: FileField
}

const wholeOf = ({ size }: StoredFile): ByteRange => ({ first: 0, last: size - 1 })

/** The same pieces. Each gives back its memory when the next one is asked for. */
async function* sending(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield piece
    freeBytes(piece)
  }
}

async function served({
  room,
  file,
  variant,
  field,
}: ServedPart): Promise<Omit<AnsweredFile, 'cacheControl' | 'isSigned'>> {
  if (variant !== undefined) return room.findVariant(file, variant, field.limits.variants ?? {})
  return {
    file,
    read: async (range = wholeOf(file)) => sending(await (await room.store()).read(originalOf(file.id), range)),
  }
}

/** The file that the caller, or the signer of an address, may read. Throws `not-found`. */
export async function shownFileOf(
  pipeline: RecordPipeline,
  { of, field: name }: FileRoute,
  { request, signed }: { readonly request: HttpRequest; readonly signed?: SignedUse | undefined },
) {
  const { resource } = of.target
  const asked = { route: of, names: [name], as: signed?.signer }
  const { caller, record, permitted } = await readRecord(pipeline, asked, signed?.request ?? request)
  const isShown = permitted.visible.has(name) && !isHidden(record, name)
  const file = isShown ? fileNamed(record[name], request.parameters[fileParameter]) : undefined
  if (!file || (signed && signed.file !== file.id)) throw noFile(resource, name)
  return { file, caller, field: resource.fields[name] as unknown as FileField }
}

export async function readFile(
  { room, pipeline }: { readonly room: FileRoom; readonly pipeline: RecordPipeline },
  route: FileRoute,
  request: HttpRequest,
): Promise<HttpResponse> {
  const ofField = route.of.target.resource.fields[route.field] as unknown as FileField
  const isSigned = mayName(request.query, /_token/)
  const given = isSigned ? partAsked(request, ofField) : undefined
  const { token, variant: signedVariant } = given ?? {}
  const signed =
    token === undefined ? undefined : await openAddress(pipeline.engine, { token, variant: signedVariant }, request)
  const { file, caller, field } = await shownFileOf(pipeline, route, { request, signed })
  const { variant } = given ?? partAsked(request, field)
  refuseUnscanned(file, field)
  const away = variant === undefined ? await redirectFile(room, file, request) : undefined
  if (away) return signed ? { ...away, headers: { ...away.headers, ...shownAnywhere } } : away
  const part = await served({ room, file, variant, field })
  const cacheControl = signed ? 'private, no-cache' : cachedAs(caller.cacheControl)
  const read: AnsweredFile['read'] = async (range) => room.counts.passing('out', await part.read(range))
  return answerFile({ ...part, read, cacheControl, isSigned: signed !== undefined }, request)
}
