/** Callers who satisfy one of several rules pass. */
import { uniteFacts } from '../caller-facts.ts'
import { any } from '../condition.ts'
import { checkMembers, flag, type Members, type Mistake, shown, word } from '../members.ts'
import { checkRule, type Rule, type RuleType } from '../rule.ts'
import { choiceOf } from '../words/names.ts'

type EitherOptions = {
  /** The sentence of the refusal; by default `Insufficient permissions`. */
  otherwise?: string
  /** The refusal is 403 even when the caller may not see the record (by default such a record is 404). */
  open?: boolean
}
type EitherRule = Rule & { readonly rules: readonly Rule[]; readonly options: EitherOptions }

const members = { otherwise: word, open: flag } satisfies Members<EitherOptions>
/** More would be hard to read, and each is a condition of the query. */
const rulesMax = 4

const eitherType: RuleType<EitherRule> = {
  where: ({ rules }, asked) => any(...rules.map((one) => one.type.where(one, asked))),
  judgesBy: ({ rules }, settings) => uniteFacts(rules.map((one) => one.type.judgesBy(one, settings))),
  needsKey: ({ rules }, settings) => rules.every((one) => one.type.needsKey(one, settings)),
  refusal: ({ options: { otherwise, open = false } }) => ({ sentence: otherwise, open }),
  asksOf: () => undefined,
  inDocument: ({ rules }, court) => rules.map((one) => one.type.inDocument(one, court)).join(', or '),
  inTable: ({ rules }, place) => choiceOf(rules.map((one) => one.type.inTable(one, place))),
  check({ rules, options }, check) {
    const { report } = check
    if (!Array.isArray(rules)) return report(`either: takes a list, either([…, …]), and is given ${shown(rules)}`)
    if (rules.length < 2 || rules.length > rulesMax)
      report(`either: takes two to four rules, and is given ${rules.length}`)
    for (const one of rules) checkRule(one, check)
    const tell = ({ path, problem }: Mistake) => report(`either: ${path === '' ? '' : `${path}: `}${problem}`)
    checkMembers(options, members, { path: '', report: tell, areOptions: true })
  },
}

type Several = readonly [Rule, Rule, Rule?, Rule?]
type FieldsOf<R extends Several> = R[number] extends infer One ? (One extends Rule<infer K> ? K : never) : never
type PathsOf<R extends Several> = R[number] extends infer One ? (One extends Rule<string, infer P> ? P : never) : never
type RolesOf<R extends Several> = R[number] extends infer One
  ? One extends Rule<string, string, infer L>
    ? L
    : never
  : never

/** Whoever satisfies one of two to four rules: `either([owner('authorId'), role('ADMIN')], { otherwise: '…' })`. */
export function either<const R extends Several>(
  rules: R,
  options: EitherOptions = {},
): Rule<FieldsOf<R>, PathsOf<R>, RolesOf<R>> {
  const rule: EitherRule = { type: eitherType, rules: rules as unknown as readonly Rule[], options }
  return rule as Rule as Rule<FieldsOf<R>, PathsOf<R>, RolesOf<R>>
}
