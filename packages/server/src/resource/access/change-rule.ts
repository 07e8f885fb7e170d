/**
 * The rules of a declaration's `access`, and those of each operation that follow from them. `read`
 * and `write` stand for operations without a rule of their own. A rule under `forbid` wins over
 * every other. `update` and `replace` may have one rule for the record as it is stored, and another
 * for the changed record.
 */
import { type MemberKind, objectOf, tableOf } from '../members.ts'
import { factsOf } from '../operation-kind.ts'
import { isRule, notARule, type Rule, ruleKind } from '../rule.ts'
import { except } from '../rules/except.ts'

/** `before`: judges the stored record. `after`: judges the changed record. */
export type ChangeRule<K extends string = string, P extends string = string, L extends string = string> = {
  readonly before: Rule<K, P, L>
  readonly after: Rule<K, P, L>
}

/** The operations that take one: they change a record that is there. */
const changing = ['update', 'replace'] as const
export type ChangeKindName = (typeof changing)[number]

/** Words for several operations, and those that get a rule by each. */
const shorthands = { read: ['list', 'get'], write: ['create', 'replace', 'update', 'delete'] } as const
export type AccessWord = keyof typeof shorthands
export const accessWords = Object.keys(shorthands) as readonly AccessWord[]

/** The word that stands for an operation without a rule of its own: `update` → `write`. */
export function accessWordOf(operation: string): AccessWord | undefined {
  return accessWords.find((word) => (shorthands[word] as readonly string[]).includes(operation))
}

/**
 * Callers and records that an operation never admits, by the name of an operation, or by `read` or
 * `write` for all that read or write.
 */
export type ForbidRules<K extends string = string, P extends string = string, L extends string = string> = {
  readonly [operation: string]: Rule<K, P, L> | undefined
}
export type DeclaredAccess = Readonly<Record<string, Rule | ChangeRule | ForbidRules | undefined>>
/** The access of a declaration whose form was not checked yet. */
type UncheckedAccess = Readonly<Record<string, unknown>>

const changeMembers = { before: ruleKind, after: ruleKind }
const changeKind = objectOf(changeMembers, { needed: ['before', 'after'] })
const forbidKind = tableOf(ruleKind)

function isPair(value: unknown): value is ChangeRule {
  return typeof value === 'object' && value !== null && ('before' in value || 'after' in value)
}

/** The rule of an operation: `path` ends with its name. */
export const accessKind: MemberKind = (value, path, report) => {
  if (value === undefined) return
  if (path === 'access.forbid') return forbidKind(value, path, report)
  if (!isPair(value)) return ruleKind(value, path, report)
  if (changing.some((one) => path === `access.${one}`)) return changeKind(value, path, report)
  report({ path, problem: `${notARule(value)}; only ${changing.join(' and ')} take { before, after }` })
}

type RulesByName = Readonly<Record<string, Rule | undefined>>
/** The rule under the name of each operation, with the shorthands spelt out. */
type WrittenRules = Readonly<Record<string, Rule | ChangeRule>>

function forbidOf({ forbid }: UncheckedAccess): ForbidRules {
  return (forbid ?? {}) as ForbidRules
}

function writtenIn({ forbid: _, ...access }: UncheckedAccess): WrittenRules {
  const named = Object.entries(access as Readonly<Record<string, Rule | ChangeRule | undefined>>)
  const short = named.flatMap(([name, rule]) => {
    const operations = Object.hasOwn(shorthands, name) ? shorthands[name as AccessWord] : []
    return rule ? operations.map((one) => [one, rule] as const) : []
  })
  const own = named.flatMap(([name, rule]) => (rule && !Object.hasOwn(shorthands, name) ? [[name, rule] as const] : []))
  return { ...Object.fromEntries(short), ...Object.fromEntries(own) }
}

/** The operations that have a rule, whatever it is. */
export function operationsIn(access: UncheckedAccess): ReadonlySet<string> {
  return new Set(Object.keys(writtenIn(access)))
}

/** Whether the transition or action has a rule. A name that every object has is another mistake. */
export function hasRule(access: UncheckedAccess, name: string): boolean {
  return operationsIn(access).has(name) || name in Object.prototype
}

function effective(access: UncheckedAccess, operation: string, rule: Rule): Rule {
  const forbid = forbidOf(access)
  const settle = (one: Rule) => one.type.forOperation(one, operation)
  const forbidden = [forbid[factsOf(operation).reads ? 'read' : 'write'], forbid[operation]]
  return forbidden.reduce<Rule>((allowed, one) => (isRule(one) ? except(allowed, settle(one)) : allowed), settle(rule))
}

export type ResolvedAccess = {
  /** The rules by which operations are admitted, and which judge a record before a write. */
  readonly access: RulesByName
  /** The rules for results that differ from those. */
  readonly accessAfter: RulesByName
}

export function resolveAccess(access: DeclaredAccess): ResolvedAccess {
  const written = Object.entries(writtenIn(access))
  const rules = (pick: (rule: Rule | ChangeRule) => Rule | undefined): RulesByName =>
    Object.fromEntries(
      written.flatMap(([name, rule]) => {
        const picked = pick(rule)
        // Tables of versions and of trash are made before the form of rules is reported.
        return isRule(picked) ? [[name, effective(access, name, picked)] as const] : []
      }),
    )
  return {
    access: rules((rule) => (isPair(rule) ? rule.before : rule)),
    accessAfter: rules((rule) => (isPair(rule) ? rule.after : undefined)),
  }
}

/** A rule as it was written. */
export type WrittenRule = {
  /** The operation, or the word for several. */
  readonly operation: string
  /** Under `access`: `update.after`. */
  readonly place: string
  readonly rule: Rule
  /** Whether it judges the result of a change. */
  readonly isAfter: boolean
}

/** Each rule with its place under `access`. */
export function writtenRules(access: DeclaredAccess): readonly WrittenRule[] {
  const { forbid: _, ...rules } = access
  const allowed = Object.entries(rules).flatMap(([operation, rule]): WrittenRule[] => {
    if (!isPair(rule)) return rule ? [{ operation, place: operation, rule: rule as Rule, isAfter: false }] : []
    const { before, after } = rule
    return [
      { operation, place: `${operation}.before`, rule: before, isAfter: false },
      { operation, place: `${operation}.after`, rule: after, isAfter: true },
    ]
  })
  const forbidden = Object.entries(forbidOf(access)).flatMap(([operation, rule]): WrittenRule[] =>
    rule ? [{ operation, place: `forbid.${operation}`, rule, isAfter: false }] : [],
  )
  return [...allowed, ...forbidden]
}
