/** The rule `anyOf`: callers who satisfy one of several rules pass. */
import { uniteFacts } from '../caller-facts.ts'
import { any } from '../condition.ts'
import { checkMembers, flag, type MemberProblem, type Members, printValue, textKind } from '../members.ts'
import { checkRule, type Rule, type RuleType } from '../rule.ts'
import { listAlternatives } from '../words/names.ts'

type AnyOfOptions = {
  /** The sentence of the refusal; by default `Insufficient permissions`. */
  message?: string
  /**
   * The refusal is 403 even when the caller may not see the record (by default such a record is
   * 404).
   */
  open?: boolean
}
type AnyOfRule = Rule & { readonly rules: readonly Rule[]; readonly options: AnyOfOptions }

const members = { message: textKind, open: flag } satisfies Members<AnyOfOptions>
/** More rules would be hard to read, and each adds a condition to the query. */
const rulesMax = 4

const anyOfType: RuleType<AnyOfRule> = {
  where: ({ rules }, asked) => any(...rules.map((one) => one.type.where(one, asked))),
  judgesBy: ({ rules }, settings) => uniteFacts(rules.map((one) => one.type.judgesBy(one, settings))),
  needsKey: ({ rules }, settings) => rules.every((one) => one.type.needsKey(one, settings)),
  refusal: ({ options: { message, open = false } }) => ({ sentence: message, open }),
  asksOf: () => undefined,
  inDocument: ({ rules }, context) => rules.map((one) => one.type.inDocument(one, context)).join(', or '),
  inTable: ({ rules }, place) => listAlternatives(rules.map((one) => one.type.inTable(one, place))),
  check({ rules, options }, check) {
    const { report } = check
    if (!Array.isArray(rules)) return report(`anyOf: takes a list, anyOf([…, …]), and is given ${printValue(rules)}`)
    if (rules.length < 2 || rules.length > rulesMax)
      report(`anyOf: takes two to four rules, and is given ${rules.length}`)
    for (const one of rules) checkRule(one, check)
    const tell = ({ path, problem }: MemberProblem) => report(`anyOf: ${path === '' ? '' : `${path}: `}${problem}`)
    checkMembers(options, members, { path: '', report: tell, areOptions: true })
  },
}

type RuleList = readonly [Rule, Rule, Rule?, Rule?]
type FieldsOf<R extends RuleList> = R[number] extends infer One ? (One extends Rule<infer K> ? K : never) : never
type PathsOf<R extends RuleList> = R[number] extends infer One ? (One extends Rule<string, infer P> ? P : never) : never
type RolesOf<R extends RuleList> = R[number] extends infer One
  ? One extends Rule<string, string, infer L>
    ? L
    : never
  : never

/**
 * Callers who satisfy one of two to four rules: `anyOf([owner('authorId'), role('ADMIN')], {
 * message: '…' })`.
 */
export function anyOf<const R extends RuleList>(
  rules: R,
  options: AnyOfOptions = {},
): Rule<FieldsOf<R>, PathsOf<R>, RolesOf<R>> {
  const rule: AnyOfRule = { type: anyOfType, rules: rules as unknown as readonly Rule[], options }
  return rule as Rule as Rule<FieldsOf<R>, PathsOf<R>, RolesOf<R>>
}
