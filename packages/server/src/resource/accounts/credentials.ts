/**
 * What of a record lets somebody in: the name that people log in with and their password. A write to one's own needs the password of today
 * beside it, under a name that is no field and is never stored.
 */

import type { BodyKind } from '../operation-kind.ts'
import type { IdentityMark } from './identity-mark.ts'

type Marked = { readonly identity?: IdentityMark | undefined }

/** Sent beside new credentials by the user whose they are. */
export const currentPassword = 'currentPassword'

/** The first part of the scope of API keys that means them: `credentials:write`. */
export const credentialSlug = 'credentials'

/** The fields of a user that are credentials; none in any other resource. */
export function credentialNames({ identity }: Marked): readonly string[] {
  return identity?.kind === 'login' ? [identity.login, identity.secret] : []
}

/**
 * Whether a record lets its owner in by itself. A key manages such records only by scopes that name
 * them.
 */
export function letsIn({ identity }: Marked): boolean {
  return identity?.kind === 'api-key' || identity?.kind === 'session' || identity?.kind === 'linked-account'
}

/** Whether a record proves who its owner is, beside the password. */
export function isCredential({ identity }: Marked): boolean {
  return identity?.kind === 'factor' || identity?.kind === 'recovery-code'
}

/** Whether a body of this kind may have `currentPassword`: where credentials that are there already can change. */
export function takesCurrentPassword(resource: Marked, kind: BodyKind): boolean {
  return kind !== 'create' && resource.identity?.kind === 'login'
}
