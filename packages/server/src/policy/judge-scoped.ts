/** Judges a caller by a rule, as far as the scopes of an API key reach. */
import type { Resource } from '../resource/catalog.ts'
import { readsBy } from '../resource/endpoints/endpoint-operations.ts'
import { anonymous, isViewing, type Principal } from '../resource/principal.ts'
import type { Rule } from '../resource/rule.ts'
import { forbidden, judge, type PolicyContext, type RuleVerdict } from './judge.ts'
import { covers } from './scope.ts'

type RuleRequest = { readonly resource: Resource; readonly operation: string; readonly rule: Rule }
type ScopedVerdict = { readonly verdict: RuleVerdict; readonly principal: Principal }

/**
 * The caller that rules judge. A key without the scope counts as no credential: it may still do all
 * that anonymous callers may, in the tenant that the request names.
 */
export function judgedCaller(principal: Principal, resource: Resource, operation: string): Principal {
  if (principal.kind !== 'user' || covers(principal, resource, operation)) return principal
  return principal.tenant ? { ...anonymous, tenant: principal.tenant } : anonymous
}

/** Throws `forbidden` where an operator that views a user asks for more than a read. */
export function checkReads(principal: Principal, { resource, operation }: Omit<RuleRequest, 'rule'>): Principal {
  return checkViewing(principal, readsBy(resource, operation))
}

/** The same, where that is known. */
export function checkViewing(principal: Principal, reads: boolean): Principal {
  if (!isViewing(principal) || reads) return principal
  throw forbidden('This token shows what a user sees, and only reads')
}

export function judgeScoped(
  context: PolicyContext,
  principal: Principal,
  { resource, operation, rule }: RuleRequest,
): ScopedVerdict {
  const judged = judgedCaller(principal, resource, operation)
  const verdict = judge(context, rule, { resource, principal: judged })
  if (judged === principal) return { verdict, principal }
  const refused: RuleVerdict = { kind: 'refuse', error: forbidden() }
  return { verdict: verdict.kind === 'refuse' ? refused : verdict, principal: judged }
}
