/**
 * Encrypts values that only this server may read, stored or handed out: AES-256-GCM (NIST SP
 * 800-38D). Its keys are derived from the secrets of access tokens, another key for each use.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export type Seal = {
  /**
   * Base64url. `bound` names the owner, and is needed to open it: a value sealed for one user opens
   * for no other.
   */
  seal(text: string, bound: string): string
  /**
   * Undefined for a value that was not sealed here, for this use and this owner. `isOld`: a former
   * secret sealed it.
   */
  open(sealed: string, bound: string): { readonly text: string; readonly isOld: boolean } | undefined
}

/** The first secret seals, and all open. A value sealed for one `use` does not open for another. */
export function makeSeal(secrets: readonly Buffer[], use: string): Seal {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', `bindery ${use}`, 32)))

  function openWith(key: Buffer, bytes: Buffer, bound: string): string | undefined {
    try {
      const cipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(bound))
      cipher.setAuthTag(bytes.subarray(-tagBytes))
      const body = bytes.subarray(nonceBytes, -tagBytes)
      return Buffer.concat([cipher.update(body), cipher.final()]).toString()
    } catch {
      return undefined // the tag is wrong, so the key is another one, or the bytes are
    }
  }

  return {
    seal(text, bound) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, keys[0] as Buffer, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(bound))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')
    },
    open(sealed, bound) {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < nonceBytes + tagBytes) return undefined
      for (const [i, key] of keys.entries()) {
        const text = openWith(key, bytes, bound)
        if (text !== undefined) return { text, isOld: i > 0 }
      }
      return undefined
    },
  }
}
