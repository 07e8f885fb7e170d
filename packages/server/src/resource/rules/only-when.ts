/** The configuration chooses between two rules. */
import { shown } from '../members.ts'
import { checkRule, type Rule, type RuleType, type Settings } from '../rule.ts'

type WhenRule<K extends string = string, P extends string = string> = Rule<K, P> & {
  readonly when: (settings: Settings) => boolean
  readonly rule: Rule<K, P>
  readonly otherwise: Rule<K, P>
}

function settle({ when, rule, otherwise }: WhenRule, settings: Settings): Rule {
  return when(settings) ? rule : otherwise
}

const whenType: RuleType<WhenRule> = {
  where(rule, asked) {
    const settled = settle(rule, asked.settings)
    return settled.type.where(settled, asked)
  },
  judgesBy(rule, settings) {
    const settled = settle(rule, settings)
    return settled.type.judgesBy(settled, settings)
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
  inDocument(rule, settings) {
    const settled = settle(rule, settings)
    return settled.type.inDocument(settled, settings)
  },
  inTable(rule, place) {
    const settled = settle(rule, place.settings)
    return settled.type.inTable(settled, place)
  },
  check({ when, rule, otherwise }, check) {
    if (typeof when !== 'function')
      check.report(`onlyWhen: begins with a function of the settings, and is given ${shown(when)}`)
    for (const one of [rule, otherwise]) checkRule(one, check)
  },
}

/** One rule or another, by the configuration: `onlyWhen((s) => s.signUp !== 'closed', anyone, role('ADMIN'))`. */
export function onlyWhen<
  A extends string = never,
  B extends string = never,
  P extends string = never,
  Q extends string = never,
>(when: (settings: Settings) => boolean, rule: Rule<A, P>, otherwise: Rule<B, Q>): Rule<A | B, P | Q> {
  const onlyWhen: WhenRule<A | B, P | Q> = { type: whenType, when, rule, otherwise }
  return onlyWhen
}
