/** Users of a role or a higher one pass. */
import { always, never } from '../condition.ts'
import { shown } from '../members.ts'
import { type Role, type Rule, type RuleType, roles, simple } from '../rule.ts'
import { meantOf } from '../words/nearest.ts'

type RoleRule = Rule<never, never> & { readonly role: Role }

const roleType: RuleType<RoleRule> = {
  ...simple,
  where: ({ role: required }, { principal }) =>
    principal.kind === 'user' && roles.indexOf(principal.role) >= roles.indexOf(required) ? always : never,
  judgesBy: () => ['role'],
  inDocument: (rule) => (rule.role === roles.at(-1) ? `role ${rule.role}` : `role ${rule.role} or higher`),
  inTable: (rule) => rule.role,
  check({ role: required }, { report }) {
    if (!roles.includes(required)) report(`role(${shown(required)}): no such role${meantOf(String(required), roles)}`)
  },
}

/** Users of this role or a higher one, USER < EDITOR < ADMIN: `role('EDITOR')`. */
export function role(required: Role): Rule<never, never> {
  const rule: RoleRule = { type: roleType, role: required }
  return rule
}
