/**
 * The keys that sign and check access tokens. They are secrets that this server alone knows
 * (HS256), or key pairs with public halves (EdDSA with Ed25519, RFC 8037). A service has the one or
 * the other, so no public key is ever taken for a secret.
 */
import { createHash, createPublicKey, hash, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'

type VerificationKey = { readonly kid: string; readonly key: Buffer | KeyObject }

export type TokenKeys = {
  readonly alg: 'HS256' | 'EdDSA'
  readonly signing: VerificationKey
  /** The one that signs today comes first, as far as it checks too. */
  readonly accepted: readonly VerificationKey[]
  /**
   * Those that are kept by now, of another process that has started with them. Undefined: there are
   * no others.
   */
  readonly find?: (() => Promise<readonly VerificationKey[]>) | undefined
  /** The keys with which others check our tokens (RFC 7517); undefined where they cannot. */
  readonly published: readonly JWK[] | undefined
}

export type SigningPair = {
  /** Ed25519. */
  readonly privateKey: KeyObject
  /** Of a pair that signed before. */
  readonly previous: KeyObject | undefined
}

/** Names the secret that signed a token, without revealing anything about it. */
function secretId(secret: Buffer): string {
  return createHash('sha256').update('bindery key id ').update(secret).digest('base64url').slice(0, 12)
}

/**
 * The first secret signs and all are accepted, so that a secret can be changed while its tokens are
 * still valid. `find`: those that are kept by now.
 */
export function keysOfSecrets(secrets: readonly Buffer[], find?: () => Promise<readonly Buffer[]>): TokenKeys {
  const keysOf = (some: readonly Buffer[]) => some.map((secret) => ({ kid: secretId(secret), key: secret }))
  const accepted = keysOf(secrets)
  return {
    alg: 'HS256',
    signing: accepted[0] as VerificationKey,
    accepted,
    find: find && (async () => keysOf(await find())),
    published: undefined,
  }
}

/** The thumbprint of RFC 7638: the required members, in the order of their names. */
function thumbprintOf({ crv, kty, x }: JWK): string {
  return hash('sha256', JSON.stringify({ crv, kty, x }), 'base64url')
}

function publish(key: KeyObject): JWK & { readonly kid: string } {
  const { kty, crv, x } = key.export({ format: 'jwk' })
  return { kty, crv, x, kid: thumbprintOf({ kty, crv, x }), alg: 'EdDSA', use: 'sig' } as JWK & { kid: string }
}

/** The private key signs; tokens of the pair before it are still accepted. */
export function keysOfPair({ privateKey, previous }: SigningPair): TokenKeys {
  const accepted = [createPublicKey(privateKey), ...(previous ? [previous] : [])].map((key) => {
    const published = publish(key)
    return { kid: published.kid, key, published }
  })
  return {
    alg: 'EdDSA',
    signing: { kid: (accepted[0] as VerificationKey).kid, key: privateKey },
    accepted,
    published: accepted.map(({ published }) => published),
  }
}
