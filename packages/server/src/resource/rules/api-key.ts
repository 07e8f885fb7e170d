/** The rule `apiKey`: callers with an API key pass whose owner satisfies a rule. */
import { uniteFacts } from '../caller-facts.ts'
import { always, never } from '../condition.ts'
import { checkRule, isOfCaller, type Rule, type RuleType } from '../rule.ts'

type ApiKeyRule<K extends string = string, P extends string = string, L extends string = string> = Rule<K, P, L> & {
  readonly rule: Rule<K, P, L>
}

const apiKeyType: RuleType<ApiKeyRule> = {
  where: ({ rule }, asked) =>
    asked.principal.kind === 'user' && asked.principal.via === 'key' ? rule.type.where(rule, asked) : never,
  whereNot: ({ rule }, asked) => {
    if (asked.principal.kind === 'anonymous') return never
    return asked.principal.via === 'key' ? rule.type.whereNot(rule, asked) : always
  },
  judgesBy: ({ rule }, scope) => uniteFacts([['key'], rule.type.judgesBy(rule, scope)]),
  needsKey: () => true,
  refusal: ({ rule }, settings) => rule.type.refusal(rule, settings),
  asksOf: ({ rule }, reference) => rule.type.asksOf(rule, reference),
  inDocument: ({ rule }, context) => `an API key whose owner has ${rule.type.inDocument(rule, context)}`,
  inTable: ({ rule }, place) => `API key of ${rule.type.inTable(rule, place)}`,
  isOfCaller: ({ rule }) => isOfCaller(rule),
  check: ({ rule }, check) => checkRule(rule, check),
  parts: ({ rule }, { resource }) => [{ rule, resource, at: 'keyOwner' }],
  forOperation: ({ rule }, operation) => apiKey(rule.type.forOperation(rule, operation)),
}

/** Only an API key, whose owner satisfies the rule: `apiKey(role('EDITOR'))`. */
export function apiKey<K extends string, P extends string, L extends string>(rule: Rule<K, P, L>): Rule<K, P, L> {
  const made: ApiKeyRule<K, P, L> = { type: apiKeyType, rule }
  return made
}
