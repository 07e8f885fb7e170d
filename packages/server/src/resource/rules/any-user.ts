/** The rule `user`: every caller with a valid credential passes. */
import { always, never } from '../condition.ts'
import { type Rule, type RuleType, simpleRule } from '../rule.ts'

const userType: RuleType = {
  ...simpleRule,
  where: (_rule, { principal }) => (principal.kind === 'user' ? always : never),
  whereNot: () => never,
  judgesBy: () => ['user'],
  inDocument: () => 'any user',
  inTable: () => 'any user',
  isOfCaller: () => true,
  check: () => undefined,
}

/** Any user who is logged in, or whose API key is sent. */
export const user: Rule<never, never, never> = { type: userType }
