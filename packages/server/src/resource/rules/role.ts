/** Users of a role or a higher one pass. */
import { always, never } from '../condition.ts'
import { type Role, type Rule, type RuleType, roles, simple } from '../rule.ts'

type RoleRule = Rule<never> & { readonly role: Role }

const roleType: RuleType<RoleRule> = {
  ...simple,
  where: ({ role: required }, { principal }) =>
    principal.kind === 'user' && roles.indexOf(principal.role) >= roles.indexOf(required) ? always : never,
  inDocument: (rule) => (rule.role === roles.at(-1) ? `role ${rule.role}` : `role ${rule.role} or higher`),
  inTable: (rule) => rule.role,
  check: () => undefined,
}

/** Users of this role or a higher one. */
export function role(required: Role): Rule<never> {
  const rule: RoleRule = { type: roleType, role: required }
  return rule
}
