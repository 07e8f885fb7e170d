/**
 * Access tokens: JWT with the one algorithm of this service and no other (RFC 7519, RFC 8725),
 * valid for 15 minutes. Verified tokens are cached until they expire.
 */
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { boundedCache } from '../../base/bounded-cache.ts'
import type { Clock } from '../../base/clock.ts'
import { badToken } from '../../errors.ts'
import type { TokenKeys } from './token-keys.ts'

export const accessTokenSeconds = 15 * 60
const issuer = 'bindery'
/** Of tokens of viewers: a service that knows the usual issuer takes none for the user's own. */
const viewIssuer = 'bindery view'
const rememberedMax = 20_000
const tokenLengthMax = 4096

export type AccessClaims = {
  readonly userId: string
  readonly role: string
  readonly email: string
  readonly sid: string
  /** The id of the operator that views this user (`act`, RFC 8693). The session is its own. */
  readonly viewer?: string | undefined
}
export type VerifiedClaims = AccessClaims & { readonly expiresMs: number }

export type AccessTokens = {
  sign(claims: AccessClaims): Promise<string>
  /**
   * `asOfMs`: the time at which the token must be good; now unless given. Throws `unauthenticated`:
   * `Token expired` or `Invalid token`.
   */
  verify(token: string, asOfMs?: number): Promise<VerifiedClaims>
}

/** Throws for a token of a viewer that names none, and for another one that does. */
function viewerOf({ iss, act }: JWTPayload): string | undefined {
  const viewer = (act as { sub?: unknown } | undefined)?.sub
  if (iss === issuer && act === undefined) return undefined
  if (iss !== viewIssuer || typeof viewer !== 'string') throw new Error('claims of the wrong type')
  return viewer
}

/** Invented tokens name keys that do not exist: an unknown key is looked for at most this often. */
const soughtEveryMs = 1_000

type KeyAt<K> = { readonly key: K; readonly asOfMs: number }

export function makeAccessTokens({ alg, signing, accepted, find }: TokenKeys, clock: Clock): AccessTokens {
  type Key = typeof signing.key
  const keys = new Map(accepted.map(({ kid, key }) => [kid, key]))
  let soughtAtMs = Number.NEGATIVE_INFINITY
  const remembered = boundedCache<string, VerifiedClaims>({ entriesMax: rememberedMax })

  async function check(token: string, { key, asOfMs }: KeyAt<Key>): Promise<VerifiedClaims> {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [alg],
      issuer: [issuer, viewIssuer],
      requiredClaims: ['exp', 'iat', 'sid', 'userId'],
      currentDate: new Date(asOfMs),
    })
    const { userId, role, email, sid } = payload as Record<string, unknown>
    if (typeof userId !== 'string' || typeof sid !== 'string') throw new Error('claims of the wrong type')
    const viewer = viewerOf(payload)
    return { userId, role: String(role), email: String(email), sid, viewer, expiresMs: (payload.exp as number) * 1000 }
  }

  /** The keys that may have signed the token: the one that it names, or all when it names none. */
  async function candidates(token: string): Promise<readonly Key[]> {
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid?: unknown }
    if (header.kid === undefined) return [...keys.values()]
    const kid = String(header.kid)
    if (find && !keys.has(kid) && performance.now() - soughtAtMs > soughtEveryMs) {
      soughtAtMs = performance.now()
      for (const { kid: found, key } of await find()) keys.set(found, key)
    }
    const named = keys.get(kid)
    return named ? [named] : []
  }

  async function verifyAnew(token: string, asOfMs: number): Promise<VerifiedClaims> {
    if (token.length > tokenLengthMax) throw new Error('too long')
    let failure: unknown = new Error('signed with another key')
    for (const key of await candidates(token)) {
      try {
        return await check(token, { key, asOfMs })
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw error
        failure = error
      }
    }
    throw failure
  }

  return {
    sign({ userId, role, email, sid, viewer }) {
      const now = Math.floor(clock() / 1000)
      return new SignJWT({ userId, role, email, sid, ...(viewer !== undefined && { act: { sub: viewer } }) })
        .setProtectedHeader({ alg, typ: 'JWT', kid: signing.kid })
        .setIssuer(viewer === undefined ? issuer : viewIssuer)
        .setIssuedAt(now)
        .setExpirationTime(now + accessTokenSeconds)
        .sign(signing.key)
    },

    async verify(token, asOfMs = clock()) {
      const known = remembered.get(token)
      if (known) {
        if (known.expiresMs > asOfMs) return known
        throw badToken('Token expired')
      }
      try {
        const verified = await verifyAnew(token, asOfMs)
        remembered.set(token, verified)
        return verified
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw badToken('Token expired')
        throw badToken('Invalid token', error)
      }
    },
  }
}
