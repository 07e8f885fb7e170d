/** Judges the caller of an endpoint that is on no resource. */
import { systemClock } from '../../base/clock.ts'
import { anonymous, type Principal } from '../../resource/principal.ts'
import type { Rule } from '../../resource/rule.ts'
import { forbidden, judge, type RefusalContext, secondsOf } from '../judge.ts'
import { checkViewing } from '../judge-scoped.ts'
import { coversEndpoint } from '../scope.ts'

type CallerEndpoint = { readonly name: string; readonly rule: Rule; readonly reads: boolean }

const now = secondsOf(systemClock)
/** Rules about the caller ask nothing of a resource. */
const noTarget = undefined as never

/**
 * The caller that the rule has judged: a key without the scope counts as no credential. Throws
 * `unauthenticated` and `forbidden`.
 */
export function judgeEndpointCaller(
  context: RefusalContext,
  principal: Principal,
  { name, rule, reads }: CallerEndpoint,
): Principal {
  const asking = checkViewing(principal, reads)
  const isCovered = asking.kind !== 'user' || coversEndpoint(asking, name, reads)
  const judged: Principal = isCovered ? asking : asking.tenant ? { ...anonymous, tenant: asking.tenant } : anonymous
  const verdict = judge({ ...context, now }, rule, { resource: noTarget, principal: judged })
  if (verdict.kind !== 'refuse') return judged
  throw isCovered ? verdict.error : forbidden()
}
