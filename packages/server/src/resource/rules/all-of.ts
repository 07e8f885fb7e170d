/** The rule `allOf`: callers who satisfy all of several rules pass. */
import { all, any } from '../condition.ts'
import type { Rule, RuleType } from '../rule.ts'
import { anyOfType } from './any-of.ts'
import {
  type FieldsOf,
  type JoinedRule,
  type JoinOptions,
  joinedRule,
  type PathsOf,
  type RolesOf,
  type RuleList,
} from './joined-rules.ts'

/** A rule of alternatives stands in brackets where it is one of several that must hold. */
function bracketed(rule: Rule, words: string): string {
  return rule.type === anyOfType ? `(${words})` : words
}

const allOfType: RuleType<JoinedRule> = {
  ...joinedRule('allOf'),
  where: ({ rules }, asked) => all(...rules.map((one) => one.type.where(one, asked))),
  whereNot: ({ rules }, asked) => any(...rules.map((one) => one.type.whereNot(one, asked))),
  needsKey: ({ rules }, settings) => rules.some((one) => one.type.needsKey(one, settings)),
  /** Every rule of them that asks something of that record must hold there. */
  asksOf({ rules }, reference) {
    const asked = rules.flatMap((one) => one.type.asksOf(one, reference) ?? [])
    return asked.length === 1 ? asked[0] : undefined
  },
  inDocument: ({ rules }, context) =>
    rules.map((one) => bracketed(one, one.type.inDocument(one, context))).join(', and '),
  inTable: ({ rules }, scope) => rules.map((one) => bracketed(one, one.type.inTable(one, scope))).join(' and '),
}

/**
 * Callers who satisfy all of two to eight rules: `allOf([user, where({ state: 'PUBLISHED' })])`.
 */
export function allOf<const R extends RuleList>(
  rules: R,
  options: JoinOptions = {},
): Rule<FieldsOf<R>, PathsOf<R>, RolesOf<R>> {
  const rule: JoinedRule = { type: allOfType, rules, options }
  return rule as Rule as Rule<FieldsOf<R>, PathsOf<R>, RolesOf<R>>
}
