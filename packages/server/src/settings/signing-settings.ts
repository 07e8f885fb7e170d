/**
 * Parses the environment variables for signing access tokens: a secret, or a key pair with a public
 * half. An invalid one becomes one clear line.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import { type Environment, fail, oneOf, type Variable } from '../base/environment.ts'

/** Undefined for HS256, with a secret. */
export type SigningKeys =
  | {
      /** Undefined: a pair is generated at the first start and stored with the database. */
      readonly privateKey: KeyObject | undefined
      /** The key of the previous pair. */
      readonly previous: KeyObject | undefined
    }
  | undefined

export const signingVariables: readonly Variable[] = [
  {
    name: 'JWT_SECRET',
    takes: 'text of at least 32 bytes',
    value: 'generated',
    about: 'signs access tokens, at least 32 bytes; kept for the next start when it is generated',
    more: 'A generated one is kept in `DATA_DIR`, or in a database that is a server. See [Rotate the secret](../how-to/operate-rotate-secret.md).',
    isSecret: true,
  },
  {
    name: 'JWT_SECRET_PREVIOUS',
    takes: 'text of at least 32 bytes',
    value: '',
    about: 'still accepted for checking while a secret is changed',
    isSecret: true,
  },
  {
    name: 'JWT_ALG',
    takes: '`HS256` or `EdDSA`',
    value: 'HS256',
    about: 'or EdDSA: others check access tokens by /.well-known/jwks.json',
    more: 'See [Publish public keys (JWKS)](../how-to/operate-public-keys.md).',
  },
  {
    name: 'JWT_PRIVATE_KEY',
    takes: 'Ed25519 key, PEM or JWK',
    value: 'generated',
    about: 'for EdDSA, an Ed25519 key in PEM or as a JWK',
    more: 'Kept like the secret when it is generated.',
    isSecret: true,
  },
  {
    name: 'JWT_PUBLIC_KEY_PREVIOUS',
    takes: 'Ed25519 key, PEM or JWK',
    value: '',
    about: 'still accepted for checking while a key is changed',
    isSecret: true,
  },
]

const keyType = 'ed25519'
const forms = 'an Ed25519 key, in PEM or as a JSON Web Key'

/** In a one-line variable, `\n` stands for a line end. Throws the runtime's error. */
function keyInput(text: string) {
  const trimmed = text.trim()
  return trimmed.startsWith('{')
    ? ({ key: JSON.parse(trimmed) as JWK, format: 'jwk' } as const)
    : trimmed.replaceAll('\\n', '\n')
}

/** Throws an `Error` for a text that is not such a key. */
export function parsePrivateKey(text: string): KeyObject {
  const key = createPrivateKey(keyInput(text))
  if (key.asymmetricKeyType !== keyType) throw new Error(`no ${keyType} key`)
  return key
}

/** The public half of a private key. */
function parsePublicKey(text: string): KeyObject {
  const key = createPublicKey(keyInput(text))
  if (key.asymmetricKeyType !== keyType) throw new Error(`no ${keyType} key`)
  return key
}

/** Errors never show the value. */
function keyOf(env: Environment, name: string, parse: (text: string) => KeyObject): KeyObject | undefined {
  const text = env[name]
  if (text === undefined || text === '') return undefined
  try {
    return parse(text)
  } catch {
    return fail(name, `must be ${forms}; make one with: openssl genpkey -algorithm ed25519`)
  }
}

/** Undefined where the variable is not set. Throws `StartError`, which never shows the secret. */
export function parseSecret(env: Environment, name: string): string | undefined {
  const secret = env[name]
  if (secret === undefined || secret === '') return undefined
  if (Buffer.byteLength(secret) < 32) fail(name, 'must have at least 32 bytes; make one with: openssl rand -base64 48')
  return secret
}

export function parseSigning(env: Environment): SigningKeys {
  const alg = oneOf(env, 'JWT_ALG', { values: ['HS256', 'EdDSA'], otherwise: 'HS256' })
  const privateKey = keyOf(env, 'JWT_PRIVATE_KEY', parsePrivateKey)
  const previous = keyOf(env, 'JWT_PUBLIC_KEY_PREVIOUS', parsePublicKey)
  if (alg === 'EdDSA') return { privateKey, previous }
  const given = privateKey ? 'JWT_PRIVATE_KEY' : previous ? 'JWT_PUBLIC_KEY_PREVIOUS' : undefined
  if (given) fail(given, 'needs JWT_ALG=EdDSA')
  return undefined
}
