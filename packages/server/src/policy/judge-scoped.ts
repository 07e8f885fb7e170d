/** Judges a caller by a rule, as far as the scopes of an API key reach. */
import type { Resource } from '../resource/catalog.ts'
import { anonymous, type Principal } from '../resource/principal.ts'
import type { Rule } from '../resource/rule.ts'
import { forbidden, judge, type PolicyContext, type RuleVerdict } from './judge.ts'
import { covers } from './scope.ts'

type RuleRequest = { readonly resource: Resource; readonly operation: string; readonly rule: Rule }
type ScopedVerdict = { readonly verdict: RuleVerdict; readonly principal: Principal }

/**
 * A key without the scope counts as no credential: it may still do all that anonymous callers may,
 * in the tenant that the request names.
 */
export function judgeScoped(
  context: PolicyContext,
  principal: Principal,
  { resource, operation, rule }: RuleRequest,
): ScopedVerdict {
  if (principal.kind === 'user' && !covers(principal, resource, operation)) {
    const stranger = principal.tenant ? { ...anonymous, tenant: principal.tenant } : anonymous
    const verdict = judge(context, rule, { resource, principal: stranger })
    const refused: RuleVerdict = { kind: 'refuse', error: forbidden() }
    return { verdict: verdict.kind === 'refuse' ? refused : verdict, principal: stranger }
  }
  return { verdict: judge(context, rule, { resource, principal }), principal }
}
