/**
 * Checks of a record: what must hold between its fields, whichever way it is written. A check is a
 * condition on the record and what it refers to, or a pure function of the record. It changes
 * nothing and knows no caller.
 */
import type { Scalar } from '../condition.ts'
import type { DerivedContext, Fields } from '../fields/field.ts'
import { flag, isTable, type MemberKind, type Members, objectOf, printValue, tableOf, textKind } from '../members.ts'
import type { FieldName, ListedName, RecordOf, StoredName } from '../record-of.ts'
import { isRule, type Rule, type ServiceSettings } from '../rule.ts'
import type { FieldValue, NowValue } from '../rules/where/rule-values.ts'
import { where } from '../rules/where/where.ts'

/** A value of a field that is not null; of a list, one of its items. */
type ItemOf<V> = Extract<V extends readonly (infer I)[] ? I : V, Scalar>
type ComparedTo<F extends Fields, V> = ItemOf<V> | FieldValue<ListedName<F>> | NowValue

/** The operators of filters. `V`: the values of the field. */
type CheckOperators<F extends Fields, V> = {
  readonly eq?: ComparedTo<F, V>
  readonly ne?: ComparedTo<F, V>
  readonly gt?: ComparedTo<F, V>
  readonly gte?: ComparedTo<F, V>
  readonly lt?: ComparedTo<F, V>
  readonly lte?: ComparedTo<F, V>
  readonly in?: readonly (ItemOf<V> | NowValue)[]
  readonly contains?: string | ItemOf<V>
  readonly startsWith?: string
  readonly null?: boolean
  readonly overlaps?: readonly ItemOf<V>[]
  readonly empty?: boolean
}

type ConditionOf<F extends Fields, V> = ComparedTo<F, V> | null | CheckOperators<F, V>

/** Fields with their values, null for none, or conditions: as in the rule `where`. */
export type CheckConditions<F extends Fields = Fields> = {
  readonly [K in ListedName<F>]?: ConditionOf<F, RecordOf<F>[K & StoredName<F>]>
}

/**
 * `F`: the fields of the resource; `K`: the names that a rule may mention; `P`: the fields of other
 * records that it names.
 */
export type RecordCheck<F extends Fields = Fields, K extends string = FieldName<F>, P extends string = string> = {
  /** The field at which the mistake is told. Without one, the sentence is told alone. */
  readonly at?: ListedName<F>
  /** The sentence of the refusal (400). */
  readonly message: string
} & (
  | {
      /** For a function that depends on the time: it receives `now`, the time of the write. */
      readonly clock?: false
      /**
       * A condition that the record satisfies: `{ endsAt: { gt: field('startsAt') } }`, or a rule
       * about the record, such as `through`. A null leaves a comparison open. Or a function of the
       * record, which returns true where the record is right.
       */
      readonly require:
        | CheckConditions<F>
        | Rule<K, P, never>
        | ((record: RecordOf<F>, context: ServiceSettings) => boolean)
    }
  | { readonly clock: true; readonly require: (record: RecordOf<F>, context: DerivedContext) => boolean }
)

/** The same where the fields are not known. */
export type DeclaredCheck = {
  readonly require: unknown
  readonly at?: string
  readonly message: string
  readonly clock?: boolean
}

export type CheckFunction = (record: Readonly<Record<string, unknown>>, context: DerivedContext) => unknown
/** A check with its name. It has a function or a rule. */
export type ResolvedCheck = Pick<DeclaredCheck, 'at' | 'message'> & {
  readonly name: string
  readonly clock: boolean
} & ({ readonly judge: CheckFunction; readonly rule?: never } | { readonly rule: Rule; readonly judge?: never })

/** The rule of a condition, or the one that stands in its place; undefined for a function. */
export function ruleOfCheck({ require }: DeclaredCheck): Rule | undefined {
  if (isRule(require)) return require
  return isTable(require) ? where(require as Record<string, Scalar>) : undefined
}

export function resolveChecks(declared: Readonly<Record<string, DeclaredCheck>> = {}): readonly ResolvedCheck[] {
  return Object.entries(declared).map(([name, check]) => {
    const { at, message, clock = false } = check
    const common = { name, message, clock, ...(at !== undefined && { at }) }
    const rule = ruleOfCheck(check)
    return rule ? { ...common, rule } : { ...common, judge: check.require as CheckFunction }
  })
}

const requireKind: MemberKind = (value, path, report) => {
  if (typeof value !== 'function' && !isTable(value))
    report({ path, problem: `must be a condition, a rule or a function, and is ${printValue(value)}` })
}

const members = {
  require: requireKind,
  at: textKind,
  message: textKind,
  clock: flag,
} satisfies Members<DeclaredCheck>

export const checksKind = tableOf(objectOf(members, { needed: ['require', 'message'] }))
