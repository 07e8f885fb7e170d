/**
 * Verifies tokens that another issuer made for programs (`JWT_TRUSTED_ISSUERS`; RFC 7519, RFC
 * 8725). It checks the issuer, the audience, the claims that the operator asks for, and a signature
 * of a public key, never of a secret. It caches the issuer's keys, and bad tokens cannot make it
 * fetch them often.
 */
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import type { Clock } from '../../base/clock.ts'
import { isLoopbackName } from '../../base/host-name.ts'
import { ApiError, badToken } from '../../errors.ts'
import type { TrustedIssuer } from '../../settings/federation-settings.ts'
import { claimIs, type ForeignClaims } from './claims.ts'
import type { IssuerDoor } from './issuer-door.ts'

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const clockToleranceSeconds = 30
const tokenLengthMax = 8192
/** How long keys are cached, and how soon after a fetch an unknown key is looked for again. */
const keysKeptMs = 10 * 60_000
const keysCooldownMs = 30_000
/** How long an issuer that cannot be reached is not asked again. */
const retryMs = 5_000

export type ForeignIdentity = {
  readonly by: TrustedIssuer
  readonly expiresMs: number
  readonly claims: ForeignClaims
}

export type ForeignTokens = {
  /** Whether a token names one of these issuers; nothing of it has been checked then. */
  isForeign(token: string): boolean
  /**
   * Throws `unauthenticated`, as for our own tokens, and `unavailable` while the issuer's keys
   * cannot be had.
   */
  verify(token: string): Promise<ForeignIdentity>
}

type ForeignTokensDeps = { readonly clock: Clock; readonly door: IssuerDoor }

/** OpenID Connect Discovery, section 4, and RFC 8414, section 3. */
function addressesOf(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  return [
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`,
  ]
}

/** The address of the issuer's keys, from its own metadata. Throws for every mistake in that. */
async function discoverKeys(issuer: string, { fetch, msMax }: IssuerDoor): Promise<JWTVerifyGetKey> {
  for (const address of addressesOf(issuer)) {
    const reply = await fetch(address, { headers: { accept: 'application/json' } })
    if (!reply.ok) continue
    const said = (await reply.json()) as ForeignClaims
    if (said.issuer !== issuer) throw new Error('the issuer calls itself by another name')
    const url = new URL(String(said.jwks_uri))
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackName(url.hostname)))
      throw new Error('the keys of the issuer are not behind TLS')
    return createRemoteJWKSet(url, {
      timeoutDuration: msMax,
      cooldownDuration: keysCooldownMs,
      cacheMaxAge: keysKeptMs,
      [customFetch]: fetch,
    })
  }
  throw new Error('the issuer does not say where its keys are')
}

/** The last second that a time can be, in a Date and so in a timestamp. */
const lastSecond = 8_640_000_000_000

/**
 * Whether all times in a token are times (RFC 7519, section 2), and it was not made in the future.
 */
function saysTimes({ exp, nbf = 0, iat = 0 }: JWTPayload, nowMs: number): boolean {
  const areTimes = [exp, nbf, iat].every((one) => typeof one === 'number' && one >= 0 && one <= lastSecond)
  return areTimes && iat * 1000 <= nowMs + clockToleranceSeconds * 1000
}

/** The token's fault; everything else is that of the issuer or of the way there. */
const tokenErrors = [
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
]

function unreachable(cause?: unknown): ApiError {
  const seconds = retryMs / 1000
  return new ApiError('unavailable', 'The issuer of the token cannot be asked for its keys, try again', {
    cause,
    retryAfterSeconds: seconds,
  })
}

/**
 * The keys of one issuer, found at the first use. Throws `unavailable`; in each period only the
 * first error has the cause for the log.
 */
function makeKeys(issuer: string, { clock, door }: ForeignTokensDeps) {
  let keys: Promise<JWTVerifyGetKey> | undefined
  let failedMs = Number.NEGATIVE_INFINITY
  const isResting = () => clock() - failedMs < retryMs
  return {
    async get(): Promise<JWTVerifyGetKey> {
      if (!keys && isResting()) throw unreachable()
      keys ??= discoverKeys(issuer, door)
      const asked = keys
      try {
        return await asked
      } catch (error) {
        if (keys === asked) keys = undefined
        throw error
      }
    },
    fail(cause: unknown): ApiError {
      if (isResting()) return unreachable()
      failedMs = clock()
      return unreachable(cause)
    },
  }
}

export function makeForeignTokens(issuers: readonly TrustedIssuer[], deps: ForeignTokensDeps): ForeignTokens {
  const byIssuer = Map.groupBy(issuers, ({ issuer }) => issuer)
  const keysOf = new Map([...byIssuer.keys()].map((issuer) => [issuer, makeKeys(issuer, deps)]))

  function issuerOf(token: string): string | undefined {
    try {
      const { iss } = token.length > tokenLengthMax ? {} : decodeJwt(token)
      return iss !== undefined && byIssuer.has(iss) ? iss : undefined
    } catch {
      return undefined // it is no token at all
    }
  }

  return {
    isForeign: (token) => issuerOf(token) !== undefined,

    async verify(token) {
      const issuer = issuerOf(token) as string
      const candidates = byIssuer.get(issuer) ?? []
      const keys = keysOf.get(issuer) as ReturnType<typeof makeKeys>
      try {
        const { payload } = await jwtVerify(token, await keys.get(), {
          issuer,
          audience: candidates.map(({ audience }) => audience),
          algorithms,
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ['exp'],
          currentDate: new Date(deps.clock()),
        })
        const meant = candidates.find(
          ({ audience, claims }) =>
            [payload.aud].flat().includes(audience) &&
            [...claims].every(([name, value]) => claimIs(payload, name, value)),
        )
        if (!meant || !saysTimes(payload, deps.clock())) throw badToken('Invalid token')
        return { by: meant, expiresMs: (payload.exp as number) * 1000, claims: payload }
      } catch (error) {
        if (error instanceof ApiError) throw error
        if (error instanceof errors.JWTExpired) throw badToken('Token expired')
        if (tokenErrors.some((kind) => error instanceof kind)) throw badToken('Invalid token', error)
        throw keys.fail(error)
      }
    },
  }
}
