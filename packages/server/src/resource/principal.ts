/**
 * The type of a caller (principal). `accounts/` makes principals from credentials and `policy/`
 * judges them; they share nothing else.
 */

import type { Scalar } from './condition.ts'

/**
 * One membership of the caller: the tenant or group, by its id, and the role there. `tenant`: that
 * of a group.
 */
export type CallerMembership = { readonly id: Scalar; readonly role: string; readonly tenant?: Scalar }

/** The tenant that a request names: the resource of tenants, and the id. */
export type RequestTenant = { readonly name: string; readonly id: Scalar }

/** The operator that sees what another user sees, by a token that only reads. */
export type Viewer = { readonly userId: string; readonly role: string }

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
  /** By the name of the resource of tenants or groups. They are read with the credential. */
  readonly memberships?: Readonly<Record<string, readonly CallerMembership[]>>
  /** The fields of the own user record that rules name. */
  readonly user?: Readonly<Record<string, unknown>>
  /** The claims of the token of a trusted issuer. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly tenant?: RequestTenant
  /** The caller is this operator, and all other members are those of the user that it views. */
  readonly viewer?: Viewer
}
export type AnonymousPrincipal = { readonly kind: 'anonymous'; readonly tenant?: RequestTenant }
export type Principal = AnonymousPrincipal | UserPrincipal

export const anonymous: Principal = { kind: 'anonymous' }

export function isViewing(principal: Principal): boolean {
  return principal.kind === 'user' && principal.viewer !== undefined
}

/** The operator on the command line, whom no rule binds: the operator has the database anyway. */
export function isAtConsole(principal: Principal): boolean {
  return principal.kind === 'user' && principal.via === 'console'
}

/**
 * The operator, with the highest role. It has no user id, so its records have no owner unless a
 * line or an option names one.
 */
export function consolePrincipal({ roles }: { readonly roles: { readonly highest: string } }): UserPrincipal {
  return { kind: 'user', userId: '', role: roles.highest, via: 'console', scopes: null }
}
