/**
 * The roles that pass a rule. It asks the rule about each role and about callers without a
 * credential, so documents and refusals cannot contradict the rule.
 */
import type { Condition } from '../resource/condition.ts'
import { anonymous, type Principal } from '../resource/principal.ts'
import type { Rule, RuleScope } from '../resource/rule.ts'

/** Which callers pass with all records never depends on the time. */
const anyTime = () => '2000-01-01T00:00:00.000Z'

/** Of some tenant and some group of each kind, with the highest role: the record decides which. */
function someMemberships({ memberTables }: RuleScope['catalog']) {
  const tables = [...memberTables].map(([name, { roles }]) => [name, [{ id: '', role: roles.highest }]] as const)
  return Object.fromEntries(tables)
}

/** A value of each field and claim: the record decides what it equals. */
const someValues: Readonly<Record<string, string>> = new Proxy({}, { get: () => 'some' })

/** Users with this role: one who has all facts by which rules judge, and one who has none. */
function usersWith(role: string, { catalog }: RuleScope): readonly Principal[] {
  const base = { kind: 'user', userId: '', role, via: 'key', scopes: null } as const
  return [{ ...base, memberships: someMemberships(catalog), user: someValues, claims: someValues }, base]
}

function whereFor(rule: Rule, scope: RuleScope, principal: Principal): Condition {
  return rule.type.where(rule, { ...scope, principal, now: anyTime })
}

/** Whether every caller passes with every record. */
export function passesAll(rule: Rule, scope: RuleScope): boolean {
  return whereFor(rule, scope, anonymous).kind === 'true'
}

/** Whether callers without a credential pass, with all records or with some. */
export function isOpen(rule: Rule, scope: RuleScope): boolean {
  return whereFor(rule, scope, anonymous).kind !== 'false'
}

/**
 * The roles that satisfy a rule, whatever the record is; undefined where none does.
 * `passingRoles(anyOf([owner('userId'), role('EDITOR')]), scope)` → that role and the higher ones
 */
export function passingRoles(rule: Rule, scope: RuleScope): readonly string[] | undefined {
  const passes = (one: Principal) => whereFor(rule, scope, one).kind === 'true'
  const enough = scope.catalog.roles.names.filter((role) => usersWith(role, scope).every(passes))
  return enough.length === 0 ? undefined : enough
}

/** The roles that pass with some record; null when no credential is needed. */
export function admittedRoles(rule: Rule, scope: RuleScope): readonly string[] | null {
  if (isOpen(rule, scope)) return null
  const passes = (one: Principal) => whereFor(rule, scope, one).kind !== 'false'
  return scope.catalog.roles.names.filter((role) => usersWith(role, scope).some(passes))
}
