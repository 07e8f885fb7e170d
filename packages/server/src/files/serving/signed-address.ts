/**
 * Signed addresses of files, for pages and mails that send no credential. The token names the file,
 * the signer and the end of its time, and is sealed for one path and variant. Its use is judged
 * anew: by the present rights of the signer.
 */
import { timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { EdgeEngine } from '../../http/edge-engine.ts'
import { withoutCredentials } from '../../http/identify-request.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { tenantHeader, tenantText } from '../../policy/tenants/request-tenants.ts'
import { anonymous, type Principal, type UserPrincipal } from '../../resource/principal.ts'
import { variantParameter } from '../../rest/file-routes.ts'

export const tokenParameter = '_token'

/** The part of the signer that the token keeps; the rest of it is read at the use. */
type Signer = { readonly userId: string } & Pick<UserPrincipal, 'via' | 'scopes'>

type SealedAddress = {
  readonly file: string
  readonly signer: Signer | null
  /** As the header names it. */
  readonly tenant: string | null
  readonly expiresMs: number
}

type Place = { readonly path: string; readonly variant: string | undefined }

/** The same for every token that is not good: none tells of files or users. */
const notValid = () => new ApiError('forbidden', 'The address is not valid, or no longer; ask for another one')

const boundOf = ({ path, variant = '' }: Place) => `${path} ${variant}`

/** In an application without users the plain address does: each caller has the same rights. */
export function signAddress(
  engine: EdgeEngine,
  { path, variant }: Place,
  { file, caller, seconds }: { readonly file: string; readonly caller: Principal; readonly seconds: number },
): { readonly url: string; readonly expiresAt: string } {
  const expiresMs = engine.clock() + seconds * 1000
  const expiresAt = timestampOf(expiresMs)
  const plain = variant === undefined ? [] : [`${variantParameter}=${variant}`]
  const { linkSeal } = engine.identity
  if (!linkSeal) return { url: [path, ...plain].join('?'), expiresAt }
  const { tenant } = caller
  const signer = caller.kind === 'user' ? { userId: caller.userId, via: caller.via, scopes: caller.scopes } : null
  const sealed: SealedAddress = { file, signer, tenant: tenant ? tenantText(tenant) : null, expiresMs }
  const token = linkSeal.seal(JSON.stringify(sealed), boundOf({ path, variant }))
  return { url: `${path}?${[...plain, `${tokenParameter}=${token}`].join('&')}`, expiresAt }
}

export type SignedUse = {
  readonly file: string
  /** The signer, with its present rights. */
  readonly signer: Principal
  /** Without the credentials of its sender, in the tenant of the signer. */
  readonly request: HttpRequest
}

/** Throws `forbidden` for a token that is forged, altered, of another address, or too old. */
export async function openAddress(
  engine: EdgeEngine,
  { token, variant }: { readonly token: string; readonly variant: string | undefined },
  request: HttpRequest,
): Promise<SignedUse> {
  const opened = engine.identity.linkSeal?.open(token, boundOf({ path: request.path, variant }))
  if (!opened) throw notValid()
  const { file, signer, tenant, expiresMs } = JSON.parse(opened.text) as SealedAddress
  if (expiresMs <= engine.clock()) throw notValid()
  const { [tenantHeader]: _, ...headers } = request.headers
  const named = tenant === null ? headers : { ...headers, [tenantHeader]: tenant }
  const used = withoutCredentials({ ...request, headers: named })
  if (signer === null) return { file, signer: anonymous, request: used }
  const { userId, via, scopes } = signer
  const found = await engine.identity.findCaller(userId)
  if (!found) throw notValid()
  return { file, signer: { ...found, via, scopes }, request: used }
}
