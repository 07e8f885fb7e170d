/** The rule `anyOf`: callers who satisfy one of several rules pass. */
import { all, any } from '../condition.ts'
import type { Rule, RuleType } from '../rule.ts'
import { listAlternatives } from '../words/names.ts'
import {
  type FieldsOf,
  type JoinedRule,
  type JoinOptions,
  joinedRule,
  type PathsOf,
  type RolesOf,
  type RuleList,
} from './joined-rules.ts'

export const anyOfType: RuleType<JoinedRule> = {
  ...joinedRule('anyOf'),
  where: ({ rules }, asked) => any(...rules.map((one) => one.type.where(one, asked))),
  whereNot: ({ rules }, asked) => all(...rules.map((one) => one.type.whereNot(one, asked))),
  needsKey: ({ rules }, settings) => rules.every((one) => one.type.needsKey(one, settings)),
  asksOf: () => undefined,
  inDocument: ({ rules }, context) => rules.map((one) => one.type.inDocument(one, context)).join(', or '),
  inTable: ({ rules }, scope) => listAlternatives(rules.map((one) => one.type.inTable(one, scope))),
}

/**
 * Callers who satisfy one of two to eight rules: `anyOf([owner('authorId'), role('ADMIN')], {
 * message: '…' })`.
 */
export function anyOf<const R extends RuleList>(
  rules: R,
  options: JoinOptions = {},
): Rule<FieldsOf<R>, PathsOf<R>, RolesOf<R>> {
  const rule: JoinedRule = { type: anyOfType, rules, options }
  return rule as Rule as Rule<FieldsOf<R>, PathsOf<R>, RolesOf<R>>
}
