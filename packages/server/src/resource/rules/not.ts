/** The rule `not`: callers pass where a rule certainly does not hold. */
import { lacksFact } from '../caller-facts.ts'
import { never } from '../condition.ts'
import { checkRule, isOfCaller, type Rule, type RuleType, simpleRule } from '../rule.ts'

type NotRule<K extends string = string, P extends string = string, L extends string = string> = Rule<K, P, L> & {
  readonly rule: Rule<K, P, L>
}

const notType: RuleType<NotRule> = {
  ...simpleRule,
  where({ rule }, asked) {
    const isOpen = asked.principal.kind === 'anonymous' && lacksFact(asked.principal, rule.type.judgesBy(rule, asked))
    return isOpen ? never : rule.type.whereNot(rule, asked)
  },
  whereNot: ({ rule }, asked) => rule.type.where(rule, asked),
  judgesBy: ({ rule }, scope) => rule.type.judgesBy(rule, scope),
  inDocument: ({ rule }, context) => `not (${rule.type.inDocument(rule, context)})`,
  inTable: ({ rule }, scope) => `not (${rule.type.inTable(rule, scope)})`,
  isOfCaller: ({ rule }) => isOfCaller(rule),
  check: ({ rule }, check) => checkRule(rule, check),
  parts: ({ rule }, { resource }) => [{ rule, resource, at: 'not', isNegated: true }],
  forOperation: ({ rule }, operation) => not(rule.type.forOperation(rule, operation)),
}

/**
 * Where the rule certainly does not hold: `not(where({ state: 'ARCHIVED' }))`. A value that is
 * missing, of the record or of the caller, satisfies neither the rule nor its `not`. So `not` of a
 * rule about the caller never admits a caller without a credential.
 */
export function not<K extends string, P extends string, L extends string>(rule: Rule<K, P, L>): Rule<K, P, L> {
  const made: NotRule = { type: notType, rule }
  return made as Rule<K, P, L>
}
