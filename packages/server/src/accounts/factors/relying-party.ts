/**
 * The relying party of passkeys (WebAuthn, section 4): the name of the service's host, and the
 * origins of the pages that may use them.
 */
import { isIP } from 'node:net'
import { hostNameOf, isLoopbackName } from '../../base/host-name.ts'
import { ApiError } from '../../errors.ts'
import type { RequestOrigin } from '../../resource/traits.ts'
import type { RelyingParty } from './passkeys.ts'

/**
 * Throws `misdirected` where neither the configuration nor the request gives the service's name:
 * the request is valid at another name.
 */
export type RelyingPartyFor = (place: RequestOrigin) => RelyingParty

/**
 * The origin of a local name. Clients choose the Host header, so other names are not trusted; an
 * invented local name makes no key for another service.
 */
function originAt({ host, protocol }: RequestOrigin): string | undefined {
  const name = hostNameOf(host)
  return isLoopbackName(name) && !name.startsWith('[') && isIP(name) === 0 ? `${protocol}://${host}` : undefined
}

/** `origins`: other pages that may call; those below the host may use its passkeys. */
export function makeRelyingPartyFor(publicUrl: string | undefined, origins: readonly string[]): RelyingPartyFor {
  return (place) => {
    const own = publicUrl ?? originAt(place)
    if (own === undefined || !URL.canParse(own))
      throw new ApiError('misdirected', 'Passkeys belong to a name: open http://localhost, or set PUBLIC_URL')
    const { hostname: id, origin } = new URL(own)
    const isBelow = (one: string) => new URL(one).hostname === id || new URL(one).hostname.endsWith(`.${id}`)
    return { id, origins: [origin, ...origins.filter(isBelow)] }
  }
}
