/** Who asks on routes that change how somebody logs in: a person, or a key whose scopes say that it may. */

import type { Identity } from '../../accounts/identity.ts'
import { ApiError } from '../../errors.ts'
import { identifyCaller, type TakeRate } from '../../http/identify-caller.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { forbidden } from '../../policy/judge.ts'
import { managesCredentials } from '../../policy/scope.ts'
import type { Principal, UserPrincipal } from '../../resource/principal.ts'

type Parts = { readonly identity: Identity; readonly takeRate: TakeRate | undefined }

/** Whoever asks, counted with other requests about log-ins. Throws `unauthenticated` for a bad credential, and `too-many-requests`. */
export async function callerOf({ identity, takeRate }: Parts, request: HttpRequest): Promise<Principal> {
  return (await identifyCaller({ identity, takeRate }, request, { machine: false, rateClass: 'auth' })).principal
}

/** Somebody who may change their own credentials. Throws `unauthenticated`, and `forbidden` for a key without the scope. */
export function managing(principal: Principal): UserPrincipal {
  if (principal.kind !== 'user') throw new ApiError('unauthenticated', 'Token required')
  if (!managesCredentials(principal)) throw forbidden()
  return principal
}
