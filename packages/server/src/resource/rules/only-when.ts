/** The rule `onlyWhen`: the configuration chooses between two rules. */
import { printValue } from '../members.ts'
import { checkRule, isOfCaller, type Rule, type RuleType, type ServiceSettings } from '../rule.ts'

type WhenRule<K extends string = string, P extends string = string, L extends string = string> = Rule<K, P, L> & {
  readonly when: (settings: ServiceSettings) => boolean
  readonly rule: Rule<K, P, L>
  readonly otherwise: Rule<K, P, L>
}

function settle({ when, rule, otherwise }: WhenRule, settings: ServiceSettings): Rule {
  return when(settings) ? rule : otherwise
}

const whenType: RuleType<WhenRule> = {
  where(rule, asked) {
    const settled = settle(rule, asked.settings)
    return settled.type.where(settled, asked)
  },
  whereNot(rule, asked) {
    const settled = settle(rule, asked.settings)
    return settled.type.whereNot(settled, asked)
  },
  judgesBy(rule, scope) {
    const settled = settle(rule, scope.settings)
    return settled.type.judgesBy(settled, scope)
  },
  needsKey(rule, settings) {
    const settled = settle(rule, settings)
    return settled.type.needsKey(settled, settings)
  },
  refusal(rule, settings) {
    const settled = settle(rule, settings)
    return settled.type.refusal(settled, settings)
  },
  asksOf: () => undefined,
  inDocument(rule, context) {
    const settled = settle(rule, context.settings)
    return settled.type.inDocument(settled, context)
  },
  inTable(rule, place) {
    const settled = settle(rule, place.settings)
    return settled.type.inTable(settled, place)
  },
  isOfCaller: ({ rule, otherwise }) => isOfCaller(rule) && isOfCaller(otherwise),
  check({ when, rule, otherwise }, check) {
    if (typeof when !== 'function')
      check.report(`onlyWhen: begins with a function of the settings, and is given ${printValue(when)}`)
    for (const one of [rule, otherwise]) checkRule(one, check)
  },
  parts(own, { settings, resource }) {
    const rules = settings ? [settle(own, settings)] : [own.rule, own.otherwise]
    return rules.map((rule) => ({ rule, resource, at: 'onlyWhen', isAlternative: true }))
  },
  forOperation: ({ when, rule, otherwise }, operation) =>
    onlyWhen(when, rule.type.forOperation(rule, operation), otherwise.type.forOperation(otherwise, operation)),
}

/**
 * One rule or another, by the configuration: `onlyWhen((s) => s.signUp !== 'closed', anyone,
 * role('ADMIN'))`.
 */
export function onlyWhen<
  A extends string = never,
  B extends string = never,
  P extends string = never,
  Q extends string = never,
  L extends string = never,
  M extends string = never,
>(
  when: (settings: ServiceSettings) => boolean,
  rule: Rule<A, P, L>,
  otherwise: Rule<B, Q, M>,
): Rule<A | B, P | Q, L | M> {
  const onlyWhen: WhenRule<A | B, P | Q, L | M> = { type: whenType, when, rule, otherwise }
  return onlyWhen
}
