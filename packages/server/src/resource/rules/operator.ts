/**
 * The rule `operator`: users with the operator's role, a higher one or all of its abilities pass,
 * whatever its name is.
 */
import { always, never } from '../condition.ts'
import { type Rule, type RuleType, simpleRule } from '../rule.ts'
import { role } from './role.ts'

const operatorType: RuleType = {
  ...simpleRule,
  where: (_rule, { principal, catalog: { roles } }) =>
    principal.kind === 'user' && roles.reaches(principal.role, roles.operator) ? always : never,
  whereNot: (_rule, { principal, catalog: { roles } }) =>
    principal.kind === 'user' && !roles.reaches(principal.role, roles.operator) ? always : never,
  judgesBy: () => ['role'],
  inDocument(_rule, context) {
    const rule = role(context.catalog.roles.operator)
    return rule.type.inDocument(rule, context)
  },
  inTable: (_rule, { catalog: { roles } }) => roles.operator,
  isOfCaller: () => true,
  check: () => undefined,
}

/**
 * Users of the role that operates the service, or of a higher one. It names no role, so it fits
 * every application.
 */
export const operator: Rule<never, never, never> = { type: operatorType }
