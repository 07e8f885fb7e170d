/** Who asks. `identity/` makes principals from credentials, `policy/` judges them; both know only this. */
import type { Role } from './rule.ts'

export type UserPrincipal = {
  readonly kind: 'user'
  readonly userId: string
  readonly role: Role
  readonly via: 'token' | 'key' | 'console'
  /** The session of an access token. */
  readonly sessionId?: string
  readonly keyId?: string
  /** What an API key is cut down to; null: all that its owner may. */
  readonly scopes: readonly string[] | null
  readonly login?: string
}
export type Principal = { readonly kind: 'anonymous' } | UserPrincipal

export const anonymous: Principal = { kind: 'anonymous' }
