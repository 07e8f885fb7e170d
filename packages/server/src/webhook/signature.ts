/**
 * Signatures of webhooks as Standard Webhooks 1.0 has them: an HMAC-SHA256 over the id, the time
 * and the body of a message. Both ends use this file, and it knows nothing of the server.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

const prefix = 'whsec_'
const version = 'v1'

export type SignedMessage = {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  /** The body as it is sent, byte for byte. */
  readonly body: string
}

/** Throws an `Error` for a text that is no secret. */
function keyOf(secret: string): Buffer {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
  const key = Buffer.from(text, 'base64')
  if (key.length < 16 || key.length > 64 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new Error('A secret of a webhook is whsec_ and 16 to 64 bytes in base64')
  return key
}

export function isSecret(text: string): boolean {
  try {
    return keyOf(text).length > 0
  } catch {
    return false
  }
}

function digest(secret: string, { id, timestamp, body }: SignedMessage): Buffer {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest()
}

/** A secret of these bytes, as people copy it. */
export function secretOf(bytes: Uint8Array): string {
  return `${prefix}${Buffer.from(bytes).toString('base64')}`
}

/** The header `webhook-signature`: a signature by each secret, with spaces between. */
export function signMessage(secrets: readonly string[], message: SignedMessage): string {
  return secrets.map((secret) => `${version},${digest(secret, message).toString('base64')}`).join(' ')
}

/** Whether the header has a signature of the message by this secret. */
export function isSigned(secret: string, message: SignedMessage, header: string): boolean {
  const right = digest(secret, message)
  return header.split(' ').some((one) => {
    const [kind, text = ''] = one.split(',')
    const given = Buffer.from(text, 'base64')
    return kind === version && given.length === right.length && timingSafeEqual(given, right)
  })
}
