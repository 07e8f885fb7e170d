/**
 * The roles that pass a rule. It asks the rule about each role and about callers without a
 * credential, so documents and refusals cannot contradict the rule.
 */
import type { Condition } from '../resource/condition.ts'
import { anonymous } from '../resource/principal.ts'
import type { Rule, RuleScope } from '../resource/rule.ts'

/** Which callers pass with all records never depends on the time. */
const anyTime = () => '2000-01-01T00:00:00.000Z'

/** Of some tenant and some group of each kind, with the highest role: the record decides which. */
function someMemberships({ memberTables }: RuleScope['catalog']) {
  const tables = [...memberTables].map(([name, { roles }]) => [name, [{ id: '', role: roles.highest }]] as const)
  return Object.fromEntries(tables)
}

/**
 * The records that some user with this role may reach; null means a caller without a credential.
 */
function whereFor(rule: Rule, scope: RuleScope, role: string | null): Condition {
  const memberships = someMemberships(scope.catalog)
  const principal =
    role === null ? anonymous : ({ kind: 'user', userId: '', role, via: 'key', scopes: null, memberships } as const)
  return rule.type.where(rule, { ...scope, principal, now: anyTime })
}

/** Whether every caller passes with every record. */
export function passesAll(rule: Rule, scope: RuleScope): boolean {
  return whereFor(rule, scope, null).kind === 'true'
}

/** Whether callers without a credential pass, with all records or with some. */
export function isOpen(rule: Rule, scope: RuleScope): boolean {
  return whereFor(rule, scope, null).kind !== 'false'
}

/**
 * The roles that satisfy a rule, whatever the record is; undefined where none does.
 * `passingRoles(anyOf([owner('userId'), role('EDITOR')]), scope)` → that role and the higher ones
 */
export function passingRoles(rule: Rule, scope: RuleScope): readonly string[] | undefined {
  const enough = scope.catalog.roles.names.filter((role) => whereFor(rule, scope, role).kind === 'true')
  return enough.length === 0 ? undefined : enough
}

/** The roles that pass with some record; null when no credential is needed. */
export function admittedRoles(rule: Rule, scope: RuleScope): readonly string[] | null {
  if (isOpen(rule, scope)) return null
  return scope.catalog.roles.names.filter((role) => whereFor(rule, scope, role).kind !== 'false')
}
