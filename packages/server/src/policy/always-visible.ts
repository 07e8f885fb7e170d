/**
 * Decides whether a caller may read a field on every record. An explanation shows no other field:
 * where the rule of a field depends on the record, its values stay hidden.
 */
import type { Resource } from '../resource/catalog.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import { judge, type PolicyContext } from './judge.ts'
import type { Policy } from './policy.ts'

type FieldReader = { readonly principal: Principal; readonly resource: Resource }

export function isAlwaysVisible(
  context: PolicyContext & { readonly policy: Policy },
  { principal, resource }: FieldReader,
  name: string,
): boolean {
  if (!context.policy.visibleTo(principal, resource).has(name)) return false
  const rule = resource.fields[name]?.read
  return !rule || isAtConsole(principal) || judge(context, rule, { resource, principal }).kind === 'allow'
}
