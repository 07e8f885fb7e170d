/**
 * Access tokens: JWT with HS256 and nothing else (RFC 7519, RFC 8725), for 15 minutes. Verified tokens are remembered until they expire.
 */
import { createHash } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import { badToken } from '../errors.ts'
import type { Role } from '../resource/rule.ts'

export const accessTokenSeconds = 15 * 60
const issuer = 'bindery'
const rememberedMax = 20_000
const tokenLengthMax = 4096

export type Claims = { readonly userId: string; readonly role: Role; readonly email: string; readonly sid: string }
type Verified = Claims & { readonly expiresMs: number }

export type AccessTokens = {
  sign(claims: Claims): Promise<string>
  /** Throws `unauthenticated`: `Token expired` or `Invalid token`. */
  verify(token: string): Promise<Claims>
}

/** Names the secret that signed a token, without revealing anything about it. */
function keyIdOf(secret: Buffer): string {
  return createHash('sha256').update('bindery key id ').update(secret).digest('base64url').slice(0, 12)
}

/** Invented tokens name secrets that nobody has: so often is one looked for. */
const soughtEveryMs = 1_000

/**
 * The first of `secrets` signs and all are accepted, so that a secret can be changed while its tokens are still valid. `find`: those that
 * are kept by now; a token that names one of them, because another process has started with it, is accepted here too.
 */
export function makeAccessTokens(
  secrets: readonly Buffer[],
  clock: Clock,
  find?: () => Promise<readonly Buffer[]>,
): AccessTokens {
  const keys = new Map(secrets.map((secret) => [keyIdOf(secret), secret]))
  let soughtAtMs = Number.NEGATIVE_INFINITY
  const signing = secrets[0] as Buffer
  const remembered = new LRUCache<string, Verified>({ max: rememberedMax })

  async function check(token: string, secret: Buffer): Promise<Verified> {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: ['HS256'],
      issuer,
      requiredClaims: ['exp', 'iat', 'sid', 'userId'],
      currentDate: new Date(clock()),
    })
    const { userId, role, email, sid } = payload as Record<string, unknown>
    if (typeof userId !== 'string' || typeof sid !== 'string') throw new Error('claims of the wrong type')
    return { userId, role: role as Role, email: String(email), sid, expiresMs: (payload.exp as number) * 1000 }
  }

  /** The secrets that may have signed the token: the one that it names, or all when it names none. */
  async function candidates(token: string): Promise<readonly Buffer[]> {
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid?: unknown }
    if (header.kid === undefined) return secrets
    const kid = String(header.kid)
    if (find && !keys.has(kid) && performance.now() - soughtAtMs > soughtEveryMs) {
      soughtAtMs = performance.now()
      for (const secret of await find()) keys.set(keyIdOf(secret), secret)
    }
    const named = keys.get(kid)
    return named ? [named] : []
  }

  async function verifyAnew(token: string): Promise<Verified> {
    if (token.length > tokenLengthMax) throw new Error('too long')
    let failure: unknown = new Error('signed with another secret')
    for (const secret of await candidates(token)) {
      try {
        return await check(token, secret)
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw error
        failure = error
      }
    }
    throw failure
  }

  return {
    sign({ userId, role, email, sid }) {
      const now = Math.floor(clock() / 1000)
      return new SignJWT({ userId, role, email, sid })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: keyIdOf(signing) })
        .setIssuer(issuer)
        .setIssuedAt(now)
        .setExpirationTime(now + accessTokenSeconds)
        .sign(signing)
    },

    async verify(token) {
      const known = remembered.get(token)
      if (known) {
        if (known.expiresMs > clock()) return known
        throw badToken('Token expired')
      }
      try {
        const verified = await verifyAnew(token)
        remembered.set(token, verified)
        return verified
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw badToken('Token expired')
        throw badToken('Invalid token', error)
      }
    },
  }
}
