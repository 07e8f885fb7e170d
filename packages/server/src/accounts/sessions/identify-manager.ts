/** Identifies callers who change their own log-in: a person, or a key whose scopes allow it. */
import { ApiError } from '../../errors.ts'
import { forbidden } from '../../policy/judge.ts'
import { managesCredentials } from '../../policy/scope.ts'
import type { Principal, UserPrincipal } from '../../resource/principal.ts'

/** Throws `unauthenticated`, and `forbidden` for a key without the scope. */
export function identifyManager(principal: Principal): UserPrincipal {
  if (principal.kind !== 'user') throw new ApiError('unauthenticated', 'Token required')
  if (!managesCredentials(principal)) throw forbidden()
  return principal
}
