/** Every caller with a good credential passes. */
import { always, never } from '../condition.ts'
import { type Rule, type RuleType, simple } from '../rule.ts'

const userType: RuleType = {
  ...simple,
  where: (_rule, { principal }) => (principal.kind === 'user' ? always : never),
  inDocument: () => 'any user',
  inTable: () => 'any user',
  check: () => undefined,
}

/** Any authenticated user. */
export const user: Rule<never, never> = { type: userType }
