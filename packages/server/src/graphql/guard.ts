/** Rules → `@auth`: the least that a caller must be for a field to answer. Documentation only; `policy/` is what refuses. */
import { type Role, type Rule, roles, type Settings } from '../resource/rule.ts'

/** From nobody to the highest role. */
const ranks: readonly (Role | null)[] = [null, ...roles]

/** The lowest role that can pass; null when no credential is needed. `guardOf(either([owner('userId'), role('ADMIN')]))` → `'USER'` */
export function guardOf(rule: Rule, settings: Settings): Role | null {
  switch (rule.kind) {
    case 'anyone':
    case 'where':
      return null
    case 'user':
    case 'owner':
      return roles[0]
    case 'role':
      return rule.role
    case 'machine':
    case 'through':
      return guardOf(rule.rule, settings)
    case 'setting':
      return guardOf(rule.when(settings) ? rule.rule : rule.otherwise, settings)
    case 'either': {
      const lowest = Math.min(...rule.rules.map((one) => ranks.indexOf(guardOf(one, settings))))
      return ranks[lowest] ?? null
    }
  }
}
