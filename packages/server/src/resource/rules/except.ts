/**
 * A rule without the records of another one: what `forbid` makes of an operation's rule. A missing
 * value of the record forbids nothing. A missing value of the caller forbids all that the rule may
 * mean: to log out is no way around it.
 */
import { lacksFact, uniteFacts } from '../caller-facts.ts'
import { all, any, type Condition, not } from '../condition.ts'
import { checkRule, isOfCaller, type Rule, type RuleInput, type RuleType } from '../rule.ts'

type ExceptRule = Rule & { readonly allowed: Rule; readonly forbidden: Rule }

/** The records that the rule forbids this caller. */
function forbiddenTo(rule: Rule, asked: RuleInput): Condition {
  const isUndecided = lacksFact(asked.principal, rule.type.judgesBy(rule, asked))
  return isUndecided ? not(rule.type.whereNot(rule, asked)) : rule.type.where(rule, asked)
}

const exceptType: RuleType<ExceptRule> = {
  where: ({ allowed, forbidden }, asked) => all(allowed.type.where(allowed, asked), not(forbiddenTo(forbidden, asked))),
  whereNot: ({ allowed, forbidden }, asked) =>
    any(allowed.type.whereNot(allowed, asked), forbiddenTo(forbidden, asked)),
  judgesBy: ({ allowed, forbidden }, scope) =>
    uniteFacts([allowed, forbidden].map((one) => one.type.judgesBy(one, scope))),
  needsKey: ({ allowed }, settings) => allowed.type.needsKey(allowed, settings),
  refusal: ({ allowed }, settings) => allowed.type.refusal(allowed, settings),
  asksOf: () => undefined,
  inDocument: ({ allowed, forbidden }, context) =>
    `${allowed.type.inDocument(allowed, context)}, but never ${forbidden.type.inDocument(forbidden, context)}`,
  inTable: ({ allowed, forbidden }, scope) =>
    `${allowed.type.inTable(allowed, scope)}, but never ${forbidden.type.inTable(forbidden, scope)}`,
  isOfCaller: ({ allowed, forbidden }) => isOfCaller(allowed) && isOfCaller(forbidden),
  check({ allowed, forbidden }, check) {
    for (const one of [allowed, forbidden]) checkRule(one, check)
  },
  parts: ({ allowed, forbidden }, { resource }) => [
    { rule: allowed, resource, at: 'allowed' },
    { rule: forbidden, resource, at: 'forbid', isNegated: true },
  ],
  forOperation: ({ allowed, forbidden }, operation) =>
    except(allowed.type.forOperation(allowed, operation), forbidden.type.forOperation(forbidden, operation)),
}

/** The callers and records that the first rule allows and the second one does not forbid. */
export function except(allowed: Rule, forbidden: Rule): Rule {
  const rule: ExceptRule = { type: exceptType, allowed, forbidden }
  return rule
}
