/**
 * Random secrets: API keys, refresh tokens, tokens in mails. Each has 256 random bits, so a plain
 * SHA-256 is enough: no attacker can guess its input, and the server can look it up.
 */
import { createHmac, hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** SHA-256 in hexadecimal, stored in place of the secret. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0')
}

/** `bk_`, 43 characters of base64url and 8 of checksum, with its hash. */
export function makeKey(prefix: string): { token: string; hash: string } {
  const body = `${prefix}${randomBytes(32).toString('base64url')}`
  const token = `${body}${checksum(body)}`
  return { token, hash: hashToken(token) }
}

/**
 * Whether the text can be a key. The checksum reveals a mistyped one without asking the database.
 */
export function isKey(text: string): boolean {
  return /^[a-z]+_[A-Za-z0-9_-]{51}$/.test(text) && checksum(text.slice(0, -8)) === text.slice(-8)
}

/**
 * The first half of a refresh token is the same in all tokens of a session, and as secret as the
 * second.
 */
const familyBytes = 16

/** A mark of a token's family that names no token; only the server's secret can make it. */
export function familyMark(token: string, secret: Buffer): string {
  const family = Buffer.from(token, 'base64url').subarray(0, familyBytes)
  return createHmac('sha256', secret).update('refresh family ').update(family).digest('hex')
}

/** 256 random bits. */
export function drawToken(): string {
  return randomBytes(32).toString('base64url')
}

export const makeRefreshToken = drawToken

/**
 * The token that follows this one. It is derived instead of drawn, so that two tabs that refresh
 * with the same token get the same successor although no token is stored. Only the server's secret
 * derives it.
 */
export function nextRefreshToken(token: string, secret: Buffer): string {
  const drawn = createHmac('sha256', secret).update(`refresh successor ${token}`).digest()
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== drawn.length) return drawn.toString('base64url')
  return Buffer.concat([bytes.subarray(0, familyBytes), drawn.subarray(familyBytes)]).toString('base64url')
}
