/** The configuration chooses between two rules. */
import type { Rule, RuleType, Settings } from '../rule.ts'

type WhenRule<K extends string = string> = Rule<K> & {
  readonly when: (settings: Settings) => boolean
  readonly rule: Rule<K>
  readonly otherwise: Rule<K>
}

function settle({ when, rule, otherwise }: WhenRule, settings: Settings): Rule {
  return when(settings) ? rule : otherwise
}

const whenType: RuleType<WhenRule> = {
  where(rule, asked) {
    const settled = settle(rule, asked.settings)
    return settled.type.where(settled, asked)
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
  check({ rule, otherwise }, check) {
    for (const one of [rule, otherwise]) one.type.check(one, check)
  },
}

/** One rule or another, by the configuration: `onlyWhen((s) => s.signUp !== 'closed', anyone, role('ADMIN'))`. */
export function onlyWhen<K extends string>(
  when: (settings: Settings) => boolean,
  rule: Rule<K>,
  otherwise: Rule<K>,
): Rule<K> {
  const onlyWhen: WhenRule<K> = { type: whenType, when, rule, otherwise }
  return onlyWhen
}
