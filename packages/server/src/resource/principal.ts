/**
 * The type of a caller (principal). `accounts/` makes principals from credentials and `policy/`
 * judges them; they share nothing else.
 */

export type UserPrincipal = {
  readonly kind: 'user'
  readonly userId: string
  /** One of the roles that the application declares. */
  readonly role: string
  readonly via: 'token' | 'key' | 'console'
  /** The session of an access token. */
  readonly sessionId?: string
  readonly keyId?: string
  /** When the API key ends; null for never. */
  readonly keyExpiresAt?: string | null
  /** The addresses that an API key is bound to; null for all. */
  readonly keyAddresses?: readonly string[] | null
  /** The operations that an API key is limited to; null means all that its owner may do. */
  readonly scopes: readonly string[] | null
  readonly login?: string
}
export type Principal = { readonly kind: 'anonymous' } | UserPrincipal

export const anonymous: Principal = { kind: 'anonymous' }

/** The operator on the command line, whom no rule binds: the operator has the database anyway. */
export function isAtConsole(principal: Principal): boolean {
  return principal.kind === 'user' && principal.via === 'console'
}
