/** The common part of `anyOf` and `allOf`, which join several rules. */
import { uniteFacts } from '../caller-facts.ts'
import { checkMembers, flag, type MemberProblem, type Members, printValue, textKind } from '../members.ts'
import { checkRule, isOfCaller, type Rule, type RuleCheck, type RuleType } from '../rule.ts'

export type JoinOptions = {
  /** The sentence of the refusal; by default `Insufficient permissions`. */
  message?: string
  /**
   * The refusal is 403 even when the caller may not see the record (by default such a record is
   * 404).
   */
  open?: boolean
}
export type JoinedRule = Rule & { readonly rules: readonly Rule[]; readonly options: JoinOptions }

const members = { message: textKind, open: flag } satisfies Members<JoinOptions>
/** More rules would be hard to read, and each adds a condition to the query. */
const rulesMax = 8

function checkJoined(word: string, { rules, options }: JoinedRule, check: RuleCheck): void {
  const { report } = check
  if (!Array.isArray(rules)) {
    report(`${word}: takes a list, ${word}([…, …]), and is given ${printValue(rules)}`)
    return
  }
  if (rules.length < 2 || rules.length > rulesMax)
    report(`${word}: takes two to eight rules, and is given ${rules.length}`)
  for (const one of rules) checkRule(one, check)
  const tell = ({ path, problem }: MemberProblem) => report(`${word}: ${path === '' ? '' : `${path}: `}${problem}`)
  checkMembers(options, members, { path: '', report: tell, areOptions: true })
}

/** Everything that does not depend on whether all of the rules must hold or one of them. */
export function joinedRule(word: 'anyOf' | 'allOf') {
  return {
    judgesBy: ({ rules }, scope) => uniteFacts(rules.map((one) => one.type.judgesBy(one, scope))),
    refusal: ({ options: { message, open = false } }) => ({ sentence: message, open }),
    isOfCaller: ({ rules }) => rules.every(isOfCaller),
    check: (rule, check) => checkJoined(word, rule, check),
    parts: ({ rules }, { resource }) =>
      rules.map((rule, i) => ({
        rule,
        resource,
        at: `${word}[${i}]`,
        ...(word === 'anyOf' && { isAlternative: true }),
      })),
    forOperation({ type, rules, options }, operation) {
      const settled: JoinedRule = { type, rules: rules.map((one) => one.type.forOperation(one, operation)), options }
      return settled
    },
  } satisfies Partial<RuleType<JoinedRule>>
}

export type RuleList = readonly [Rule, Rule, ...Rule[]]
export type FieldsOf<R extends RuleList> = R[number] extends infer One ? (One extends Rule<infer K> ? K : never) : never
export type PathsOf<R extends RuleList> = R[number] extends infer One
  ? One extends Rule<string, infer P>
    ? P
    : never
  : never
export type RolesOf<R extends RuleList> = R[number] extends infer One
  ? One extends Rule<string, string, infer L>
    ? L
    : never
  : never
