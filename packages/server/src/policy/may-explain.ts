/** Decides who may ask why an operation of a resource is allowed or refused. */
import type { Resource } from '../resource/catalog.ts'
import type { Principal } from '../resource/principal.ts'
import { operator } from '../resource/rules/operator.ts'
import { judge, type RefusalContext } from './judge.ts'
import { covers } from './scope.ts'

/** A rule about the caller alone reads no clock. */
const anyTime = () => '2000-01-01T00:00:00.000Z'

/** An operator that views a user may ask what it may ask as itself, about the user's access. */
function askerOf(principal: Principal): Principal {
  if (principal.kind !== 'user' || !principal.viewer) return principal
  return { kind: 'user', ...principal.viewer, via: principal.via, scopes: null }
}

/** By default the operator. An API key that is limited to some operations needs one that reads. */
export function mayExplain(context: RefusalContext, principal: Principal, resource: Resource): boolean {
  if (principal.kind === 'user' && !covers(principal, resource, 'get')) return false
  const rule = resource.explainAccess ?? operator
  return judge({ ...context, now: anyTime }, rule, { resource, principal: askerOf(principal) }).kind === 'allow'
}
