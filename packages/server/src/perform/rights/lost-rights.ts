/**
 * A write whose caller loses a right while it runs is refused. It has waited for a hash, for other
 * writes, or for a hook, since its caller was judged. So the caller is judged once more when the
 * work in the transaction has ended. That costs nothing where no caller's rights have changed.
 */
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../errors.ts'
import type { Operation } from '../../operation/operation.ts'
import type { Permitted, Policy } from '../../policy/policy.ts'
import type { Principal, UserPrincipal } from '../../resource/principal.ts'
import type { Engine } from '../engine.ts'

/** Another try, or the next line of an import, would be refused alike. */
export class LostRightsError extends ApiError {}

const lostMessage = 'Your rights have changed since the request began; send it again'

type Memberships = UserPrincipal['memberships']

/** A membership that came since takes nothing away. A role that changed is another membership. */
function keepsMemberships(before: Memberships = {}, now: Memberships = {}): boolean {
  return Object.entries(before).every(([name, held]) =>
    held.every((one) => now[name]?.some((other) => isDeepStrictEqual(one, other))),
  )
}

function keepsAll(before: Principal, now: Principal): boolean {
  if (before.kind === 'anonymous' || now.kind === 'anonymous') return before.kind === now.kind
  const { memberships, ...rest } = before
  const { memberships: membershipsNow, ...restNow } = now
  return isDeepStrictEqual(rest, restNow) && keepsMemberships(memberships, membershipsNow)
}

/** The caller in the tenant that the request named. Throws where it names this one no more. */
function inSameTenant({ tenants }: Policy, { asking, target }: Permitted, now: Principal): Principal {
  const { tenant } = asking
  return tenant && tenants ? tenants.within(now, { header: `${tenant.name}:${tenant.id}`, target }) : now
}

/** All that decides which records an operation may write, and which of their fields. */
function limitsOf({ read, write, result, steps, visible, visibleWhere, guarded, guardedWhere }: Permitted) {
  return { read, write, result: result?.where, steps, visible, visibleWhere, guarded, guardedWhere }
}

function isPermittedAlike({ policy }: Engine, permitted: Permitted<Operation>, now: Principal): boolean {
  const caller = inSameTenant(policy, permitted, now)
  if (caller === permitted.asking || keepsAll(permitted.asking, caller)) return true
  const again = policy.permit(policy.admit(caller, permitted.target), permitted.operation)
  return isDeepStrictEqual(limitsOf(again), limitsOf(permitted))
}

/** Throws `LostRightsError` where the caller may do less than it was permitted. */
async function checkNow(
  engine: Engine,
  permitted: Permitted<Operation>,
  finding: Principal | Promise<Principal>,
): Promise<void> {
  try {
    if (isPermittedAlike(engine, permitted, await finding)) return
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message, challenge, requiredRoles } = error
    const detail = { cause: error, ...(challenge && { challenge }), ...(requiredRoles && { requiredRoles }) }
    throw new LostRightsError(code, message, detail)
  }
  throw new LostRightsError('forbidden', lostMessage)
}

/** The same. It returns at once where the caller is as it was. */
export function checkKeptRights(engine: Engine, permitted: Permitted<Operation>): void | Promise<void> {
  const now = engine.callerNow?.()
  if (now !== undefined && now !== permitted.asking) return checkNow(engine, permitted, now)
}
