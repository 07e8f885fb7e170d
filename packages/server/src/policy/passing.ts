/** Who passes a rule, found by asking the rule about nobody and about each role: what documents and refusals say cannot differ from it. */
import type { Condition } from '../resource/condition.ts'
import { anonymous } from '../resource/principal.ts'
import { type Place, type Role, type Rule, roles } from '../resource/rule.ts'

/** The records that somebody of this role may have, of whom no more is known; null: without a credential. */
function whereFor(rule: Rule, place: Place, role: Role | null): Condition {
  const principal = role === null ? anonymous : ({ kind: 'user', userId: '', role, via: 'key', scopes: null } as const)
  return rule.type.where(rule, { ...place, principal })
}

/** Whether everybody passes, with any record. */
export function isForAll(rule: Rule, place: Place): boolean {
  return whereFor(rule, place, null).kind === 'true'
}

/** Whether somebody without a credential passes, with all records or with some. */
export function isOpen(rule: Rule, place: Place): boolean {
  return whereFor(rule, place, null).kind !== 'false'
}

/**
 * The roles that satisfy a rule, whatever the record is; undefined where none does.
 * `rolesFor(either([owner('userId'), role('EDITOR')]), place)` → `['EDITOR', 'ADMIN']`
 */
export function rolesFor(rule: Rule, place: Place): readonly Role[] | undefined {
  const enough = roles.filter((role) => whereFor(rule, place, role).kind === 'true')
  return enough.length === 0 ? undefined : enough
}

/** The lowest role that passes with some record; null when no credential is needed. The highest where none does. */
export function lowestRole(rule: Rule, place: Place): Role | null {
  if (isOpen(rule, place)) return null
  return roles.find((role) => whereFor(rule, place, role).kind !== 'false') ?? (roles.at(-1) as Role)
}
