/**
 * Parses a proof of identity from a body: a password, a code, a recovery code, or a passkey with
 * the ticket of its challenge.
 */

import { ApiError } from '../../errors.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { unknownField } from '../../operation/body.ts'
import { currentPassword } from '../../resource/accounts/credentials.ts'
import { fieldError } from '../../resource/fields/field.ts'
import type { RequestOrigin } from '../../resource/traits.ts'
import type { ReauthenticationProof } from '../sessions/reauthenticate.ts'
import type { SentProof } from './factor-log-in.ts'
import type { WebauthnJson } from './passkeys.ts'

const textLengthMax = 4096
/** More than any authenticator's signature and data. */
const passkeyBytesMax = 16_384

type SentProofBody = Readonly<Record<string, unknown>>

export const proofNames = ['code', 'recoveryCode', 'passkey'] as const

/** Throws `bad-request` for a member that has no meaning here. */
export function checkNames(body: SentProofBody, known: readonly string[]): void {
  const unknown = Object.keys(body).find((name) => !known.includes(name))
  if (unknown !== undefined) throw unknownField(unknown)
}

export function textIn(body: SentProofBody, name: string): string | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw fieldError(name, 'must be a string')
  if (value.length > textLengthMax) throw fieldError(name, 'is too long')
  return value
}

/** The JSON that a browser made with `navigator.credentials`. */
export function passkeyIn(body: SentProofBody): WebauthnJson | undefined {
  const { passkey } = body
  if (passkey === undefined || passkey === null) return undefined
  if (typeof passkey !== 'object' || Array.isArray(passkey)) throw fieldError('passkey', 'must be an object')
  if (JSON.stringify(passkey).length > passkeyBytesMax) throw fieldError('passkey', 'is too long')
  return passkey as WebauthnJson
}

export function placeOf({ headers, protocol }: HttpRequest): RequestOrigin {
  return { host: headers.host ?? '', protocol }
}

/**
 * The one proof in a body; undefined where there is none. `ticketName`: where the ticket of a
 * passkey stands. Throws `bad-request` for several.
 */
export function proofIn(body: SentProofBody, place: RequestOrigin, ticketName = 'ticket'): SentProof | undefined {
  const sent = proofNames.filter((name) => body[name] !== undefined && body[name] !== null)
  if (sent.length > 1) throw new ApiError('bad-request', `Send one of ${proofNames.join(', ')}`)
  const [kind] = sent
  if (kind === undefined) return undefined
  if (kind !== 'passkey') return { kind, code: textIn(body, kind) as string }
  const ticket = textIn(body, ticketName)
  if (!ticket) throw fieldError(ticketName, 'is required')
  return { kind, response: passkeyIn(body) as WebauthnJson, place, ticket }
}

export const confirmationNames = [currentPassword, ...proofNames, 'ticket'] as const

/** The same, or the current password. */
export function confirmationIn(body: SentProofBody, place: RequestOrigin, ticketName?: string): ReauthenticationProof {
  const password = textIn(body, currentPassword)
  return password ? { kind: 'password', password } : proofIn(body, place, ticketName)
}
