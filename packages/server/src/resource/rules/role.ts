/** The rule `role`: users with this role or a higher one, or with all of its abilities, pass. */

import { always, never } from '../condition.ts'
import { printValue } from '../members.ts'
import { type Rule, type RuleType, simpleRule } from '../rule.ts'
import { listAlternatives } from '../words/names.ts'
import { didYouMean } from '../words/nearest.ts'
import { type Roles, rolesFrom } from './role-order.ts'
import { rolesOf } from './roles.ts'

type RoleRule<L extends string = string> = Rule<never, never, L> & { readonly role: L }

/** `role EDITOR or higher`; where roles have no order, all that pass: `role TREASURER or BOARD`. */
function printRoles(roles: Roles, required: string): string {
  if (!roles.isOrdered) return `role ${listAlternatives(rolesFrom(roles, required))}`
  return required === roles.highest ? `role ${required}` : `role ${required} or higher`
}

const roleType: RuleType<RoleRule> = {
  ...simpleRule,
  where: ({ role: required }, { principal, catalog: { roles } }) =>
    principal.kind === 'user' && roles.reaches(principal.role, required) ? always : never,
  whereNot: ({ role: required }, { principal, catalog: { roles } }) =>
    principal.kind === 'user' && !roles.reaches(principal.role, required) ? always : never,
  judgesBy: () => ['role'],
  inDocument: ({ role: required }, { catalog: { roles } }) => printRoles(roles, required),
  inTable: (rule) => rule.role,
  isOfCaller: () => true,
  check({ role: required }, { byName, report }) {
    const { names } = rolesOf(byName.values())
    // A missing or wrong mark of users is reported as a mistake of its own.
    if (typeof required === 'string' && (names.length === 0 || names.includes(required))) return
    report(`role(${printValue(required)}): no such role${didYouMean(String(required), names)}`)
  },
}

/**
 * Users of this role or a higher one: `role('EDITOR')`. The roles and their order are those that
 * the application says in `accounts`. Where roles are sets of abilities, users pass whose role has
 * all of its abilities.
 */
export function role<const L extends string>(required: L): Rule<never, never, L> {
  const rule: RoleRule<L> = { type: roleType, role: required }
  return rule
}
