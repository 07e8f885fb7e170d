/**
 * Positions in the changes of a service, as clients hold them. A token is sealed: it says nothing
 * of how many changes there were, and no client can make one. The same place always has the same
 * token, so that a client finds the position of its own write again.
 */
import { createCipheriv, hkdfSync, timingSafeEqual } from 'node:crypto'
import { boundedCache } from '../base/bounded-cache.ts'

/** A place in the log is one or two numbers: `12 7`. */
export type Positions = {
  seal(place: string): string
  /**
   * Null for a token that another log has sealed, with another secret, or a copy of this one, with
   * another mark. Undefined for a text that is no token.
   */
  open(token: string): string | null | undefined
}

const blockBytes = 16

/** A block of AES. */
function packed(place: string): Buffer {
  const [first = 0n, second = 0n] = place.split(' ').map(BigInt)
  const block = Buffer.allocUnsafe(blockBytes)
  block.writeBigUInt64BE(first, 0)
  block.writeBigUInt64BE(second, 8)
  return block
}

function unpacked(block: Buffer): string {
  const [first, second] = [block.readBigUInt64BE(0), block.readBigUInt64BE(8)]
  return second === 0n ? String(first) : `${first} ${second}`
}

function xor(one: Buffer, other: Buffer): Buffer {
  const result = Buffer.allocUnsafe(blockBytes)
  for (let at = 0; at < blockBytes; at += 1) result[at] = (one[at] as number) ^ (other[at] as number)
  return result
}

type Sealing = { readonly secret: string; markAt(place: string): string }

/** Readers rarely come with a position from before the last start. */
const marksMax = 100

/**
 * A token is a tag and a text. The tag is the digest of the text, and the start of its cipher, as
 * in RFC 5297. Its key is of the mark that holds at the place.
 */
export function makePositions({ secret, markAt }: Sealing): Positions {
  /**
   * The text is one block, so AES alone is a digest of it. Each write is sealed, so a cipher is
   * made once.
   */
  function blockCipher(purpose: string): (block: Buffer) => Buffer {
    const key = Buffer.from(hkdfSync('sha256', secret, '', `bindery position ${purpose}`, 32))
    const cipher = createCipheriv('aes-256-ecb', key, null)
    return (block) => cipher.update(block)
  }
  const maskOf = blockCipher('text')
  const ciphers = boundedCache<string, (block: Buffer) => Buffer>({ entriesMax: marksMax })
  function tagOf(block: Buffer, place: string): Buffer {
    const mark = markAt(place)
    let cipher = ciphers.get(mark)
    if (!cipher) {
      cipher = blockCipher(`tag${mark}`)
      ciphers.set(mark, cipher)
    }
    return cipher(block)
  }
  return {
    seal(place) {
      const block = packed(place)
      const tag = tagOf(block, place)
      return Buffer.concat([tag, xor(block, maskOf(tag))]).toString('base64url')
    },
    open(token) {
      const sealed = Buffer.from(token, 'base64url')
      if (sealed.length !== 2 * blockBytes || sealed.toString('base64url') !== token) return undefined
      const tag = sealed.subarray(0, blockBytes)
      const block = xor(sealed.subarray(blockBytes), maskOf(tag))
      const place = unpacked(block)
      return timingSafeEqual(tag, tagOf(block, place)) ? place : null
    },
  }
}

/** A position of a reader: the token of the place, and a digest of what the reader was. */
export function splitPosition(text: string): { readonly token: string; readonly digest: string | undefined } {
  const at = text.indexOf('.')
  return at === -1 ? { token: text, digest: undefined } : { token: text.slice(0, at), digest: text.slice(at + 1) }
}
