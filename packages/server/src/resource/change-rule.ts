/**
 * The rules of one operation. A rule judges a record before a write and also its result. `update`
 * and `replace` may have one rule for the record as it is stored, and another for the changed
 * record.
 */
import { type MemberKind, objectOf } from './members.ts'
import { notARule, type Rule, ruleKind } from './rule.ts'

/** `before`: judges the stored record. `after`: judges the changed record. */
export type ChangeRule<K extends string = string, P extends string = string, L extends string = string> = {
  readonly before: Rule<K, P, L>
  readonly after: Rule<K, P, L>
}

/** The operations that take one: they change a record that is there. */
const changing = ['update', 'replace'] as const
export type ChangeKindName = (typeof changing)[number]

const changeMembers = { before: ruleKind, after: ruleKind }
const changeKind = objectOf(changeMembers, { needed: ['before', 'after'] })

function isPair(value: unknown): value is ChangeRule {
  return typeof value === 'object' && value !== null && ('before' in value || 'after' in value)
}

/** The rule of an operation: `path` ends with its name. */
export const accessKind: MemberKind = (value, path, report) => {
  if (value === undefined) return
  if (!isPair(value)) return ruleKind(value, path, report)
  if (changing.some((one) => path === `access.${one}`)) return changeKind(value, path, report)
  report({ path, problem: `${notARule(value)}; only ${changing.join(' and ')} take { before, after }` })
}

type AccessRules = Readonly<Record<string, Rule | ChangeRule | undefined>>
type RulesByName = Readonly<Record<string, Rule | undefined>>

/** The rules by which operations are admitted. */
export function rulesBefore(access: AccessRules): RulesByName {
  return Object.fromEntries(Object.entries(access).map(([name, rule]) => [name, isPair(rule) ? rule.before : rule]))
}

/** The rules for results that differ from those. */
export function rulesAfter(access: AccessRules): RulesByName {
  return Object.fromEntries(
    Object.entries(access).flatMap(([name, rule]) => (isPair(rule) ? [[name, rule.after]] : [])),
  )
}

/** Each rule with its place under `access`: `update.after`. */
export function namedRules(access: AccessRules): (readonly [operation: string, place: string, rule: Rule])[] {
  return Object.entries(access).flatMap(([name, rule]) => {
    if (!isPair(rule)) return rule ? [[name, name, rule] as const] : []
    return [[name, `${name}.before`, rule.before] as const, [name, `${name}.after`, rule.after] as const]
  })
}
