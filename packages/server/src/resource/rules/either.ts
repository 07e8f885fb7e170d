/** Callers who satisfy one of several rules pass. */
import { any } from '../condition.ts'
import { choiceOf } from '../names.ts'
import type { Rule, RuleType } from '../rule.ts'

type EitherOptions = {
  /** The sentence of the refusal; by default `Insufficient permissions`. */
  otherwise?: string
  /** The refusal is 403 even when the caller may not see the record (by default such a record is 404). */
  open?: boolean
}
type EitherRule = Rule & { readonly rules: readonly Rule[] } & Readonly<EitherOptions>

const eitherType: RuleType<EitherRule> = {
  where: ({ rules }, asked) => any(...rules.map((one) => one.type.where(one, asked))),
  needsKey: ({ rules }, settings) => rules.every((one) => one.type.needsKey(one, settings)),
  refusal: ({ otherwise, open = false }) => ({ sentence: otherwise, open }),
  asksOf: () => undefined,
  inDocument: ({ rules }, settings) => rules.map((one) => one.type.inDocument(one, settings)).join(', or '),
  inTable: ({ rules }, place) => choiceOf(rules.map((one) => one.type.inTable(one, place))),
  check({ rules }, check) {
    for (const one of rules) one.type.check(one, check)
  },
}

/** Callers who satisfy one of two to four rules: `either([owner('authorId'), role('ADMIN')], { otherwise: '…' })`. */
export function either<A extends string, B extends string, C extends string = never, D extends string = never>(
  rules: readonly [Rule<A>, Rule<B>, Rule<C>?, Rule<D>?],
  options: EitherOptions = {},
): Rule<A | B | C | D> {
  const rule: EitherRule = { ...options, type: eitherType, rules: rules.filter((one) => one !== undefined) }
  return rule as Rule<A | B | C | D>
}
