/** `/.well-known/jwks.json`: the public keys that other services check our access tokens by (RFC 7517, section 5). */

import type { Identity } from '../../accounts/identity.ts'
import { etagOfBytes, unlessKnown } from '../../http/messages/conditional.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'

export const jwksPath = '/.well-known/jwks.json'

/** How long a copy is good: after a change of the key, the one before it is listed for longer. */
const keptSeconds = 300

/** What answers there; undefined where nobody but this server can check a token. */
export function makeAnswerJwks({ publicKeys }: Identity): ((request: HttpRequest) => HttpResponse) | undefined {
  if (!publicKeys) return undefined
  const body = JSON.stringify({ keys: publicKeys })
  const etag = etagOfBytes(body)
  return (request) => {
    const headers = {
      'content-type': 'application/jwk-set+json',
      'cache-control': `public, max-age=${keptSeconds}`,
      etag,
    }
    return unlessKnown(request, { status: 200, headers, body })
  }
}
