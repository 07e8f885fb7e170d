/**
 * Positions in the changes of a service, as clients hold them. A token is sealed: it says nothing
 * of how many changes there were, and no client can make one. The same place always has the same
 * token, so that a client finds the position of its own write again.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** `epoch`: the log's random name, 16 hexadecimal digits. `place`: one or two numbers. */
export type LogPosition = { readonly epoch: string; readonly place: string }

export type Positions = {
  seal(position: LogPosition): string
  /** Undefined for a token that this secret has not sealed. */
  open(token: string): LogPosition | undefined
}

const cipher = 'aes-256-ctr'
const tagBytes = 16

function packed({ epoch, place }: LogPosition): Buffer {
  const [first = 0n, second = 0n] = place.split(' ').map(BigInt)
  const bytes = Buffer.alloc(24)
  bytes.write(epoch, 'hex')
  bytes.writeBigUInt64BE(first, 8)
  bytes.writeBigUInt64BE(second, 16)
  return bytes
}

function unpacked(bytes: Buffer): LogPosition {
  const [first, second] = [bytes.readBigUInt64BE(8), bytes.readBigUInt64BE(16)]
  return { epoch: bytes.toString('hex', 0, 8), place: second === 0n ? String(first) : `${first} ${second}` }
}

/** The tag is the digest of the text, and the start of the cipher, as in RFC 5297. */
export function makePositions(secret: string): Positions {
  const key = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `bindery position ${purpose}`, 32))
  const [tagKey, textKey] = [key('tag'), key('text')]
  const tagOf = (bytes: Buffer) => createHmac('sha256', tagKey).update(bytes).digest().subarray(0, tagBytes)
  return {
    seal(position) {
      const bytes = packed(position)
      const tag = tagOf(bytes)
      return Buffer.concat([tag, createCipheriv(cipher, textKey, tag).update(bytes)]).toString('base64url')
    },
    open(token) {
      const sealed = Buffer.from(token, 'base64url')
      if (sealed.length !== tagBytes + 24 || sealed.toString('base64url') !== token) return undefined
      const tag = sealed.subarray(0, tagBytes)
      const bytes = createDecipheriv(cipher, textKey, tag).update(sealed.subarray(tagBytes))
      return timingSafeEqual(tag, tagOf(bytes)) ? unpacked(bytes) : undefined
    },
  }
}

/** A position of a reader: the token of the place, and a digest of what the reader was. */
export function splitPosition(text: string): { readonly token: string; readonly digest: string | undefined } {
  const at = text.indexOf('.')
  return at === -1 ? { token: text, digest: undefined } : { token: text.slice(0, at), digest: text.slice(at + 1) }
}
