/**
 * The caller or author as the code of an application sees it. The engine makes it, and knows by it
 * whose rights `records.as(caller)` means.
 */
import type { Principal, RequestTenant } from '../principal.ts'

/** The caller of an action, or the author of a write, as the code of declarations sees it. */
export type ActingCaller = {
  readonly userId: string | null
  readonly role: string | null
  /** The operator at the console, or the service itself: no rule binds it. */
  readonly isTrusted: boolean
}

/**
 * The source of its rights. `caller`: the principal of a request that is under way. Without it the
 * user has the rights of the present, in the tenant of the request that was.
 */
export type CallerOrigin = {
  readonly userId: string | null
  readonly credential: string
  readonly tenant?: RequestTenant | undefined
  readonly caller?: Principal | undefined
}

const origin: unique symbol = Symbol('origin')

/** One that `records.as` takes. Only the engine makes it: a copy is none. */
export type KnownCaller = ActingCaller & { readonly [origin]: CallerOrigin }

/** Not enumerable: no log and no copy has it. */
export function knownCaller<C extends ActingCaller>(facts: C, from: CallerOrigin): C & KnownCaller {
  return Object.defineProperty({ ...facts }, origin, { value: from }) as C & KnownCaller
}

/** Throws an `Error` for a caller that the engine did not make. */
export function originOf(caller: KnownCaller): CallerOrigin {
  const found = caller?.[origin]
  if (!found) throw new Error('records.as takes the caller or the author that the engine gave, and no copy of it')
  return found
}
