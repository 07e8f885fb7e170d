/** Makes the condition that the records written by an operation must satisfy. */
import type { ResultRule } from '../operation/result-rule.ts'
import { type Condition, comparesPrevious } from '../resource/condition.ts'
import { factsOf, writesRecords } from '../resource/operation-kind.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import type { Rule } from '../resource/rule.ts'
import { judge, type PolicyContext, refusalOf, whereOf } from './judge.ts'
import { type OperationTarget, resultRuleOf } from './rule-of.ts'

type AdmittedRule = { readonly principal: Principal; readonly rule: Rule; readonly where: Condition }

/**
 * A rule about the caller alone was decided when the caller was admitted. The console may restore
 * what there was.
 */
export function resultOf(
  context: PolicyContext,
  target: OperationTarget,
  { principal, rule, where }: AdmittedRule,
): ResultRule | undefined {
  const { resource, operation } = target
  if (!writesRecords(operation) || isAtConsole(principal)) return undefined
  const after = resultRuleOf(target)
  const result = after === rule ? where : whereOf(judge(context, after, { resource, principal }))
  if (result.kind === 'true') return undefined
  const refusal = () => refusalOf(context, after, resource).error()
  const heldBefore = after === rule && factsOf(operation).on === 'record'
  return { resource, where: result, refusal, heldBefore, namesPrevious: comparesPrevious(result) }
}
