/**
 * Codes of authenticator apps: TOTP (RFC 6238) over HOTP (RFC 4226), with SHA-1, six digits and
 * thirty seconds. Every app supports these values.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const digits = 6
const stepSeconds = 30
/** As long as the digest (RFC 4226, section 4). */
const secretBytes = 20
/**
 * Clocks differ, and codes take time to type: the one before and the one after count too (RFC 6238,
 * section 5.2).
 */
const stepsAside = 1
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function stepAt(nowMs: number): number {
  return Math.floor(nowMs / 1000 / stepSeconds)
}

/** RFC 4226, section 5.3. `codeOf(secret, 1)` → `287082` for the secret of its appendix D. */
export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = (digest[digest.length - 1] as number) & 0xf
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, '0')
}

/**
 * The step that the code is of, which is later than `after`: no code is taken twice. Undefined for
 * a wrong or a used one.
 */
export function findStep(
  secret: Buffer,
  sent: string,
  { nowMs, after }: { readonly nowMs: number; readonly after: number },
): number | undefined {
  const code = sent.replaceAll(/[\s-]/g, '')
  if (!/^\d{6}$/.test(code)) return undefined
  const now = stepAt(nowMs)
  let found: number | undefined
  for (let step = now - stepsAside; step <= now + stepsAside; step += 1) {
    const isRight = timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code))
    if (isRight && step > after) found ??= step
  }
  return found
}

export function makeTotpSecret(): Buffer {
  return randomBytes(secretBytes)
}

/** Base32 (RFC 4648, section 6) without padding: a secret of 20 bytes needs none. */
export function base32Of(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** The text of the QR code for apps: `otpauth://totp/issuer:account?secret=…`. */
export function totpAddress(secret: Buffer, { issuer, account }: { issuer: string; account: string }): string {
  const label = [issuer, account].map(encodeURIComponent).join(':')
  const query = { secret: base32Of(secret), issuer, algorithm: 'SHA1', digits: `${digits}`, period: `${stepSeconds}` }
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `otpauth://totp/${label}?${pairs.join('&')}`
}
