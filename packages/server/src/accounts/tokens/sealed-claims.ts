/**
 * Encrypted data that a client keeps for the server between two requests (JWE, RFC 7516), for one
 * purpose and a short time. The key is derived from the secrets. The server stores nothing, and any
 * process that has the secret opens it.
 */
import { hkdfSync } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'
import type { Clock } from '../../base/clock.ts'

const lengthMax = 3500

export type SealedClaims<T> = {
  seal(claims: T): Promise<string>
  /** Undefined for data that was not sealed here for this purpose, or is too old. */
  open(sealed: string): Promise<T | undefined>
}

type SealOptions = {
  /** The first one seals, and all open. */
  readonly secrets: readonly Buffer[]
  readonly clock: Clock
  readonly seconds: number
}

export function makeSealedClaims<T extends object>(
  purpose: string,
  { secrets, clock, seconds }: SealOptions,
): SealedClaims<T> {
  const keys = secrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', `bindery ${purpose}`, 32)))
  return {
    seal(claims) {
      const endsAt = Math.floor(clock() / 1000) + seconds
      return new EncryptJWT({ it: claims })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(endsAt)
        .encrypt(keys[0] as Uint8Array)
    },
    async open(sealed) {
      if (sealed.length > lengthMax) return undefined
      for (const key of keys) {
        try {
          const { payload } = await jwtDecrypt(sealed, key, {
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256GCM'],
            requiredClaims: ['exp'],
            currentDate: new Date(clock()),
          })
          return payload.it as T
        } catch {
          // Another key sealed it, it is invented, or it is too old.
        }
      }
      return undefined
    },
  }
}
