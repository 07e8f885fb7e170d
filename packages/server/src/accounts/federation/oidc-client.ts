/**
 * A client for one OpenID provider, by openid-client (OpenID Connect Core 1.0). It makes the
 * address that browsers are sent to, and reads the identity that they come back with. It bounds and
 * checks the provider's responses, and words its errors itself.
 */
import type * as Library from 'openid-client'
import type { Clock } from '../../base/clock.ts'
import { loadOnce, type OptionalPackage } from '../../base/optional-package.ts'
import { ApiError } from '../../errors.ts'
import { isPlainText } from '../../resource/fields/text.ts'
import type { OidcProvider } from '../../settings/federation-settings.ts'
import { claimAt, type ForeignClaims } from './claims.ts'
import type { IssuerDoor } from './issuer-door.ts'

export const oidcPackage = { name: 'openid-client' } satisfies OptionalPackage
export const makeLoadOidc = () => loadOnce(() => import('openid-client'))
export type LoadOidc = ReturnType<typeof makeLoadOidc>

/** How long a provider's metadata is cached. */
const discoveredMs = 60 * 60_000
const clockToleranceSeconds = 30
/** As OpenID Connect Core has it (section 2), in ASCII. */
const subjectLengthMax = 255
const visible = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u

/** The values that tie a response to the request of one browser. */
export type AuthorizationRequest = {
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** A person as the provider identifies them. */
export type IdTokenIdentity = {
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  readonly isVerified: boolean
  /** Whether the provider itself says so; the operator may believe it without. */
  readonly isProven: boolean
  /** The values of the claim for the role mapping; undefined without a mapping. */
  readonly groups: readonly string[] | undefined
}

export type OidcClient = {
  readonly provider: OidcProvider
  draw(): Promise<Pick<AuthorizationRequest, 'state' | 'nonce' | 'verifier'>>
  /** The address to send the browser to. Throws `bad-gateway`. */
  authorizationUrl(asked: AuthorizationRequest): Promise<string>
  /**
   * `query`: the query string that the browser came back with. Throws `unauthenticated`,
   * `forbidden`, `bad-gateway`.
   */
  identify(asked: AuthorizationRequest, query: string): Promise<IdTokenIdentity>
}

function textsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
}

const again = 'The log-in could not be checked; start again'
const notNow = 'The provider of this log-in does not answer as it should; try again later'

/**
 * The subject of the token. An empty one would be one person for all who send it. Throws
 * `unauthenticated`.
 */
function subjectOf({ sub }: ForeignClaims): string {
  if (typeof sub === 'string' && sub.length <= subjectLengthMax && visible.test(sub) && isPlainText(sub)) return sub
  throw notChecked(new Error('the token has no subject that can be kept'))
}

/** `unauthenticated`, for an answer that proves nothing. */
export function notChecked(cause: unknown): ApiError {
  return new ApiError('unauthenticated', again, { cause })
}

function gatewayError(cause: unknown): ApiError {
  return new ApiError('bad-gateway', notNow, { cause })
}

/** The error for a bad response, in words that repeat nothing of it. */
function refusalOf(
  error: unknown,
  { AuthorizationResponseError, ResponseBodyError, ClientError }: typeof Library,
): ApiError {
  if (error instanceof AuthorizationResponseError) {
    if (error.error === 'access_denied') return new ApiError('forbidden', 'The log-in was refused at the provider')
    const isTheirs = ['server_error', 'temporarily_unavailable'].includes(error.error)
    return isTheirs ? gatewayError(error) : notChecked(error)
  }
  if (error instanceof ResponseBodyError)
    return error.error === 'invalid_grant' ? notChecked(error) : gatewayError(error)
  // Claims, signatures and states that are not as they must be; what cannot be read at all is the
  // provider's fault.
  const isUnchecked =
    error instanceof ClientError &&
    /CLAIM|TIMESTAMP|JWT|INVALID_RESPONSE|SIGNATURE|KEY_SELECTION/.test(error.code ?? '')
  return isUnchecked ? notChecked(error) : gatewayError(error)
}

type OidcClientDeps = { readonly load: LoadOidc; readonly clock: Clock; readonly door: IssuerDoor }

async function discover(provider: OidcProvider, { load, door }: OidcClientDeps): Promise<Library.Configuration> {
  const library = await load()
  const { issuer, clientId, clientSecret } = provider
  const authenticate: Library.ClientAuth = (server, ...rest) => {
    if (clientSecret === undefined) return library.None()(server, ...rest)
    // Without a list it is Basic (RFC 8414, section 2).
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const way = methods.includes('client_secret_basic') ? library.ClientSecretBasic : library.ClientSecretPost
    return way(clientSecret)(server, ...rest)
  }
  const isPlain = issuer.startsWith('http:')
  const found = await library.discovery(
    new URL(issuer),
    clientId,
    { [library.clockTolerance]: clockToleranceSeconds },
    authenticate,
    {
      timeout: Math.ceil(door.msMax / 1000),
      [library.customFetch]: door.fetch as Library.CustomFetch,
      execute: isPlain ? [library.allowInsecureRequests] : [],
    },
  )
  if (found.serverMetadata().issuer !== issuer) throw new Error('the provider calls itself by another name')
  // The signature of the ID token is checked too, although it comes from the provider itself.
  library.enableNonRepudiationChecks(found)
  return found
}

/**
 * The provider's metadata, fetched again from time to time and after a failure. Throws
 * `bad-gateway`.
 */
function makeConfigured(provider: OidcProvider, deps: OidcClientDeps): () => Promise<Library.Configuration> {
  let known: { readonly configuration: Promise<Library.Configuration>; readonly untilMs: number } | undefined
  return async () => {
    const nowMs = deps.clock()
    if (!known || known.untilMs <= nowMs)
      known = { configuration: discover(provider, deps), untilMs: nowMs + discoveredMs }
    const asked = known
    try {
      return await asked.configuration
    } catch (error) {
      if (known === asked) known = undefined
      throw gatewayError(error)
    }
  }
}

export function makeOidcClient(provider: OidcProvider, deps: OidcClientDeps): OidcClient {
  const { load } = deps
  const configured = makeConfigured(provider, deps)

  /**
   * Claims that the ID token lacks may stand in the answer of the UserInfo endpoint (OpenID Connect
   * Core, section 5.4).
   */
  async function allClaims(
    configuration: Library.Configuration,
    tokens: Library.TokenEndpointResponse,
    own: ForeignClaims,
  ) {
    const { roleMapping } = provider
    const isEnough = own.email !== undefined && (!roleMapping || claimAt(own, roleMapping.claim) !== undefined)
    if (isEnough || configuration.serverMetadata().userinfo_endpoint === undefined) return own
    const { fetchUserInfo } = await load()
    const more = await fetchUserInfo(configuration, tokens.access_token, own.sub as string)
    return { ...more, ...own }
  }

  return {
    provider,

    async draw() {
      const { randomState, randomNonce, randomPKCECodeVerifier } = await load()
      return { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
    },

    async authorizationUrl({ redirectUri, state, nonce, verifier }) {
      const configuration = await configured()
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load()
      return buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: provider.scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(provider.formPost && { response_mode: 'form_post' }),
      }).href
    },

    async identify({ redirectUri, state, nonce, verifier }, query) {
      const configuration = await configured()
      const library = await load()
      try {
        const tokens = await library.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const own = (tokens.claims() ?? {}) as ForeignClaims
        const subject = subjectOf(own)
        const claims = await allClaims(configuration, tokens, own)
        const { roleMapping, addressesVerified, issuer } = provider
        // An address and its verification must come from one place.
        const { email: said, email_verified: verified } = own.email === undefined ? claims : own
        const email = typeof said === 'string' && said !== '' ? said : undefined
        const isProven = verified === true || verified === 'true' // Apple writes it as a text.
        return {
          issuer,
          subject,
          email,
          isVerified: addressesVerified || isProven,
          isProven,
          groups: roleMapping && textsOf(claimAt(claims, roleMapping.claim)),
        }
      } catch (error) {
        throw error instanceof ApiError ? error : refusalOf(error, library)
      }
    },
  }
}
