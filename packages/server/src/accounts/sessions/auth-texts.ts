/** The common parts of the routes of log-ins: their tag, their paths, and the shapes of tokens. */

import { bodyShape } from '../../endpoint/body-shape.ts'
import type { RouteTag } from '../../endpoint/define-route.ts'
import { sentText } from '../../endpoint/route-fields.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'

export const authTag: RouteTag = {
  name: 'Authentication',
  description: 'Access tokens of 15 minutes, refresh tokens of 7 days.',
}

/** Log-ins are no tools for models. */
export const authWords = { notForModels: true, tag: authTag } as const

/** Under both mounts. */
export function atAuth<const P extends string>(below: P) {
  return { path: `${apiPrefix}/auth${below}`, alsoAt: [`/auth${below}`] } as const
}

export const counted = { rate: 'auth' } as const
export const fresh = { 'cache-control': 'no-store' }
export const emailExample = 'ada@example.com'
export const passwordExample = 'correct horse battery'

const tokenLengthMax = 4000

/** A JWT (RFC 7519). */
export const accessToken = sentText({
  required: true,
  maxLength: tokenLengthMax,
  pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$',
  description: 'For `Authorization: Bearer …`; it lives 15 minutes.',
})

export const tokenPair = bodyShape(
  'Both tokens of a session.',
  {
    accessToken,
    refreshToken: sentText({
      required: true,
      maxLength: tokenLengthMax,
      description: 'For a new access token; it lives 7 days.',
    }),
  },
  { name: 'TokenPair' },
)
export const refreshedToken = bodyShape(
  'A new access token.',
  {
    accessToken,
    refreshToken: sentText({
      maxLength: tokenLengthMax,
      description: 'Its successor, only where the body carried the token before.',
    }),
  },
  { name: 'RefreshedToken' },
)
export const refreshTokenBody = bodyShape(
  'The refresh token, for clients that keep no cookies.',
  {
    refreshToken: sentText({
      maxLength: tokenLengthMax,
      description: 'The token of the log-in, or of the refresh before.',
    }),
  },
  { name: 'RefreshToken' },
)
