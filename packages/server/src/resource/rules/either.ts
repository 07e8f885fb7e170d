/** Who satisfies one of several rules. */
import { any } from '../condition.ts'
import type { Rule, RuleType } from '../rule.ts'

type EitherOptions = {
  /** The sentence of the refusal, in place of `Insufficient permissions`. */
  otherwise?: string
  /** The refusal is 403 even where the caller may not see the record (by default such a record is missing: 404). */
  open?: boolean
}
type EitherRule = Rule & { readonly rules: readonly Rule[] } & Readonly<EitherOptions>

/** `['a', 'b', 'c']` → `a, b or c` */
function orOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

const eitherType: RuleType<EitherRule> = {
  where: ({ rules }, asked) => any(...rules.map((one) => one.type.where(one, asked))),
  needsKey: ({ rules }, settings) => rules.every((one) => one.type.needsKey(one, settings)),
  refusal: ({ otherwise, open = false }) => ({ sentence: otherwise, open }),
  asksOf: () => undefined,
  inDocument: ({ rules }, settings) => rules.map((one) => one.type.inDocument(one, settings)).join(', or '),
  inTable: ({ rules }, place) => orOf(rules.map((one) => one.type.inTable(one, place))),
  check({ rules }, check) {
    for (const one of rules) one.type.check(one, check)
  },
}

/** Whoever satisfies one of the rules: `either([owner('authorId'), role('ADMIN')], { otherwise: '…' })`. Two to four of them. */
export function either<A extends string, B extends string, C extends string = never, D extends string = never>(
  rules: readonly [Rule<A>, Rule<B>, Rule<C>?, Rule<D>?],
  options: EitherOptions = {},
): Rule<A | B | C | D> {
  const rule: EitherRule = { ...options, type: eitherType, rules: rules.filter((one) => one !== undefined) }
  return rule as Rule<A | B | C | D>
}
