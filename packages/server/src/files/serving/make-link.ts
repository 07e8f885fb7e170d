/** `POST …/photo/_link`: an address of the file that needs no credential, for a time. */
import { ApiError } from '../../errors.ts'
import { type HttpRequest, type HttpResponse, json } from '../../http/messages/exchange.ts'
import { readJson } from '../../http/messages/read-body.ts'
import type { FileField } from '../../resource/fields/files/file-options.ts'
import { isTable } from '../../resource/members.ts'
import type { Principal } from '../../resource/principal.ts'
import { type FileRoute, linkPath, linkSeconds } from '../../rest/file-routes.ts'
import type { FileHandling } from './handed-on.ts'
import { checkVariant, shownFileOf } from './serve-bytes.ts'
import { signAddress } from './signed-address.ts'

const members = ['expiresIn', 'variant']

type AskedLink = { readonly seconds: number; readonly variant: string | undefined }

/** Throws `bad-request`. */
function parseLink(body: unknown, field: FileField): AskedLink {
  if (!isTable(body)) throw new ApiError('bad-request', 'The body must be an object')
  const unknown = Object.keys(body).find((one) => !members.includes(one))
  if (unknown !== undefined) throw new ApiError('bad-request', `Unknown field ${unknown.slice(0, 100)}`)
  const { expiresIn = linkSeconds.default, variant } = body
  const { min, max } = linkSeconds
  const isTime = Number.isSafeInteger(expiresIn) && Number(expiresIn) >= min && Number(expiresIn) <= max
  if (!isTime) throw new ApiError('bad-request', `expiresIn must be a number of seconds from ${min} to ${max}`)
  if (variant !== undefined) checkVariant(variant, field)
  return { seconds: Number(expiresIn), variant: variant as string | undefined }
}

/** An address would outlive the view. Throws `forbidden`. */
export function refuseViewer(principal: Principal): void {
  if (principal.kind === 'user' && principal.viewer)
    throw new ApiError('forbidden', 'An operator who views a user signs no address')
}

export async function makeLink(
  { pipeline }: FileHandling,
  route: FileRoute,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { file, caller, field } = await shownFileOf(pipeline, route, { request })
  const { principal } = caller
  refuseViewer(principal)
  const { seconds, variant } = parseLink((await readJson(request)) ?? {}, field)
  const path = request.path.slice(0, -linkPath.length)
  const link = signAddress(pipeline.engine, { path, variant }, { file: file.id, caller: principal, seconds })
  return json(200, link, { 'cache-control': 'no-store' })
}
