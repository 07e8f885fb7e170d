/**
 * Passkeys (WebAuthn, level 3): makes the requests for browsers, and verifies that a registered key
 * signed the response. It knows no HTTP requests and stores nothing.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'
import { isInstalled } from '../../base/optional-package.ts'
import { ApiError } from '../../errors.ts'
import { makeLoadWebauthn, webauthnPackage } from './webauthn.ts'

/** The relying party of keys: a host name, and the origins of the pages that may use them. */
export type RelyingParty = { readonly id: string; readonly origins: readonly string[] }

/** The stored data of a passkey. None of it is secret. */
export type PasskeyCredential = {
  readonly id: string
  /** COSE, in base64url. */
  readonly publicKey: string
  /** How often the device says that it was used; 0 where it does not count. */
  readonly counter: number
  readonly transports: readonly string[]
}

/** JSON that a browser takes, or has given. */
export type WebauthnJson = Readonly<Record<string, unknown>>
type SignedResponse = { readonly party: RelyingParty; readonly response: WebauthnJson; readonly challenge: string }

export type Passkeys = {
  /** For `navigator.credentials.create`. */
  creation(
    party: RelyingParty,
    made: {
      readonly challenge: string
      readonly userId: string
      readonly account: string
      readonly known: readonly PasskeyCredential[]
    },
  ): Promise<WebauthnJson>
  /** The key of an answer to that. Undefined for a bad one. */
  register(signed: SignedResponse): Promise<PasskeyCredential | undefined>
  /**
   * For `navigator.credentials.get`: one of these keys, or whichever the device has for this place.
   */
  request(
    party: RelyingParty,
    asked: { readonly challenge: string; readonly keys: readonly PasskeyCredential[] | undefined },
  ): Promise<WebauthnJson>
  /**
   * The key with its new count, when it signed this challenge. Undefined otherwise, and for a count
   * that is not higher, which a copied key has. `alone`: the device must have asked for its PIN or
   * the like, since nothing else proves who holds it.
   */
  verify(
    signed: SignedResponse,
    key: PasskeyCredential,
    options: { readonly alone: boolean },
  ): Promise<PasskeyCredential | undefined>
}

const timeoutMs = 5 * 60_000
/**
 * EdDSA, ES256 and RS256 (RFC 9053, RFC 8812): what devices know. Later ones are experiments of the
 * runtime, which warns of them.
 */
const algorithms = [-8, -7, -257]

function credentialOf({ id, publicKey, counter, transports }: PasskeyCredential): WebAuthnCredential {
  const known = [...transports] as NonNullable<WebAuthnCredential['transports']>
  return { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter, transports: known }
}

function named({ id, transports }: PasskeyCredential) {
  return { id, transports: [...transports] }
}

/** The library throws many kinds of error for wrong data of a browser. */
async function unlessBad<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}

/** Undefined where the package is not installed. */
export function makePasskeys(): Passkeys | undefined {
  if (!isInstalled(webauthnPackage.name)) return undefined
  const load = makeLoadWebauthn()
  return {
    async creation(party, { challenge, userId, account, known }) {
      const { generateRegistrationOptions } = await load()
      const options = await generateRegistrationOptions({
        rpName: party.id,
        rpID: party.id,
        userID: new TextEncoder().encode(userId),
        userName: account,
        userDisplayName: account,
        challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
        timeout: timeoutMs,
        supportedAlgorithmIDs: algorithms,
        excludeCredentials: known.map(named),
        authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      })
      return options as unknown as WebauthnJson
    },

    async register({ party, response, challenge }) {
      const { verifyRegistrationResponse } = await load()
      return unlessBad(async () => {
        const { registrationInfo } = await verifyRegistrationResponse({
          response: response as unknown as RegistrationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: [...party.origins],
          expectedRPID: party.id,
          requireUserVerification: false,
          supportedAlgorithmIDs: algorithms,
        })
        if (!registrationInfo) return undefined
        const { id, publicKey, counter, transports = [] } = registrationInfo.credential
        const kept = transports.map(String).slice(0, 10)
        return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports: kept }
      })
    },

    async request(party, { challenge, keys }) {
      const { generateAuthenticationOptions } = await load()
      const options = await generateAuthenticationOptions({
        rpID: party.id,
        challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
        timeout: timeoutMs,
        userVerification: keys ? 'preferred' : 'required',
        ...(keys && { allowCredentials: keys.map(named) }),
      })
      return options as unknown as WebauthnJson
    },

    async verify({ party, response, challenge }, key, { alone }) {
      const { verifyAuthenticationResponse } = await load()
      return unlessBad(async () => {
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response: response as unknown as AuthenticationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: [...party.origins],
          expectedRPID: party.id,
          credential: credentialOf(key),
          requireUserVerification: alone,
        })
        return verified ? { ...key, counter: authenticationInfo.newCounter } : undefined
      })
    },
  }
}

export function noPasskeys(): ApiError {
  return new ApiError('bad-request', 'Passkeys are not offered here')
}
