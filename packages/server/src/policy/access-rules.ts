/**
 * The rules that decide an operation for one caller, as trees. The rule of `get` decides whether a
 * record exists. The others judge the record, the result of a write, and the fields that it sets.
 */
import type { ApiError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'
import { factsOf, isBodyKind, writesRecords } from '../resource/operation-kind.ts'
import { isAtConsole, type Principal } from '../resource/principal.ts'
import type { Rule } from '../resource/rule.ts'
import { forbidden, judge, type PolicyContext, refusalOf } from './judge.ts'
import { judgedCaller } from './judge-scoped.ts'
import { passingRoles } from './passing-roles.ts'
import { type OperationTarget, resultRuleOf, ruleOfTarget } from './rule-of.ts'
import { type RuleNode, ruleTree } from './rule-tree.ts'

/**
 * `existence`: a record on which it fails is not found. `record`: judges the stored record.
 * `result`: judges the record that a write makes. `caller`: judges the caller alone, who sets the
 * field.
 */
export type Judging = 'existence' | 'record' | 'result' | 'caller'

export type AccessRule = {
  readonly judges: Judging
  readonly node: RuleNode
  /** The field that the rule guards. */
  readonly field?: string
  /** It has judged the record before the write, too. */
  readonly isRepeated?: boolean
  /** The refusal where the rule does not hold. */
  error(): ApiError
}

export type AccessRules = {
  /** The caller, or an anonymous one where the scopes of a key do not name the operation. */
  readonly judged: Principal
  /** The scope that the key lacks. */
  readonly missingScope: string | undefined
  readonly rules: readonly AccessRule[]
}

type RuleToExplain = Pick<AccessRule, 'judges' | 'field' | 'isRepeated'> & { readonly at: string; readonly rule: Rule }

/** `isStored`: whether the record is stored already. */
function* rulesOfFields(resource: Resource, sent: readonly string[], isStored: boolean): Generator<RuleToExplain> {
  for (const field of sent) {
    const { read: shown, write: guard } = resource.fields[field] ?? {}
    if (guard) yield { judges: 'caller', at: `fields.${field}.write`, rule: guard, field }
    // Without a rule of its own, a stored field is changed by those whom the record shows it.
    else if (shown && isStored && resource.partlyShown.includes(field))
      yield { judges: 'caller', at: `fields.${field}.read`, rule: shown, field }
  }
}

/** The rules with their places; that of fields for the fields that were sent. */
function* rulesOf(context: PolicyContext, target: OperationTarget, sent: readonly string[]): Generator<RuleToExplain> {
  const { resource, operation } = target
  const rule = ruleOfTarget(target)
  const { reads, on } = factsOf(operation)
  const get = refusalOf(context, rule, resource).open ? undefined : resource.access.get
  const exists = get ?? resource.bounds
  if (!reads && on === 'record' && exists && exists !== rule)
    yield { judges: 'existence', at: get ? 'access.get' : 'tenant', rule: exists }
  const name = resource.access[operation] === rule || target.access ? operation : 'get'
  const after = resultRuleOf(target)
  const differs = after !== rule
  // A record that is new has none before it.
  if (on === 'record' || !writesRecords(operation))
    yield { judges: 'record', at: `access.${name}${differs ? '.before' : ''}`, rule }
  if (writesRecords(operation)) {
    const at = `access.${name}${differs ? '.after' : ''}`
    yield { judges: 'result', at, rule: after, isRepeated: !differs && on === 'record' }
  }
  if (isBodyKind(operation)) yield* rulesOfFields(resource, sent, on === 'record')
}

type RefusalOf = { readonly resource: Resource; readonly principal: Principal; readonly isCovered: boolean }

function errorOf(context: PolicyContext, rule: Rule, { resource, principal, isCovered }: RefusalOf): ApiError {
  const verdict = judge(context, rule, { resource, principal })
  if (verdict.kind !== 'refuse') return refusalOf(context, rule, resource).error()
  return isCovered ? verdict.error : forbidden()
}

/** `sent`: the fields of the body that change. No rule binds the console. */
export function accessRules(
  context: PolicyContext,
  principal: Principal,
  { target, sent }: { readonly target: OperationTarget; readonly sent: readonly string[] },
): AccessRules {
  const { resource, operation } = target
  const judged = isAtConsole(principal) ? principal : judgedCaller(principal, resource, operation)
  const isCovered = judged === principal
  return {
    judged,
    missingScope: isCovered ? undefined : `${resource.slug}:${operation}`,
    rules: [...rulesOf(context, target, sent)].map(({ rule, at, ...rest }) => ({
      ...rest,
      node: ruleTree(context, rule, { at, resource, principal: judged }),
      error: () =>
        rest.field === undefined
          ? errorOf(context, rule, { resource, principal: judged, isCovered })
          : forbidden(undefined, passingRoles(rule, { ...context, resource })),
    })),
  }
}
