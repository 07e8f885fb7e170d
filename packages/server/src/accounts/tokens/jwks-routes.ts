/**
 * The route `/.well-known/jwks.json`: the public keys with which other services check our access
 * tokens (RFC 7517, section 5).
 */

import { defineRoute, type RouteGroup } from '../../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../../endpoint/documented-response.ts'
import { openAccess, type RouteContext } from '../../endpoint/route-access.ts'
import { etagOfBytes, unlessKnown } from '../../http/messages/conditional.ts'
import type { Identity } from '../identity.ts'
import { authWords } from '../sessions/auth-texts.ts'

export type JwksRouteDeps = { readonly body: string; readonly etag: string }

/** How long a copy is fresh: after a change of the key, the previous one is listed for longer. */
const keptSeconds = 300

/** Undefined where this server alone can check a token. */
export function jwksNeeds({ publicKeys }: Identity): JwksRouteDeps | undefined {
  if (!publicKeys) return undefined
  const body = JSON.stringify({ keys: publicKeys })
  return { body, etag: etagOfBytes(body) }
}

const publicKeys = defineRoute({
  method: 'GET',
  path: '/.well-known/jwks.json',
  describe: { id: 'publicKeys', ...authWords, summary: 'The public keys of access tokens' },
  rule: openAccess,
  isRaw: true,
  output: {
    200: documentedResponse('A JSON Web Key Set (RFC 7517).', {
      headers: ['ETag'],
      body: mediaBody({
        'application/jwk-set+json': {
          schema: {
            type: 'object',
            description: 'The keys.',
            required: ['keys'],
            properties: { keys: { type: 'array', maxItems: 10, items: {}, description: 'The keys.' } },
          },
        },
      }),
    }),
    304: documentedResponse('The copy is still right.', { headers: ['ETag'] }),
  },
  run({ request }, { body, etag }: JwksRouteDeps) {
    const headers = {
      'content-type': 'application/jwk-set+json',
      'cache-control': `public, max-age=${keptSeconds}`,
      etag,
    }
    return unlessKnown(request, { status: 200, headers, body })
  },
})

export function jwksRoutes({
  catalog: { login },
  settings: { publishesKeys },
}: RouteContext): RouteGroup<JwksRouteDeps> {
  return { routes: login && publishesKeys ? [publicKeys] : [] }
}
