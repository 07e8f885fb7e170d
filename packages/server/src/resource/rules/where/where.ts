/** The rule `where`: callers pass on records whose fields satisfy conditions. */
import { uniteFacts } from '../../caller-facts.ts'
import { all, any, type Condition, type Scalar } from '../../condition.ts'
import { isTable, printValue } from '../../members.ts'
import { isAboutRecord, type Rule, type RuleInput, type RuleType, simpleRule } from '../../rule.ts'
import { comparisonMistake } from './check-comparison.ts'
import {
  comparisonsOf,
  type FieldComparison,
  factsOfComparison,
  fieldsOfComparison,
  sidesOf,
} from './field-comparison.ts'
import { type CallerValue, describeValue, type FieldValue, type NowValue, type PreviousValue } from './rule-values.ts'

type RequestValue = CallerValue | NowValue
type ComparedValue = Scalar | RequestValue | FieldValue | PreviousValue

/** The operators of filters, with their values. */
export type FieldConditions = {
  /** It equals the value; a list has it as an item. */
  readonly eq?: ComparedValue
  /** It has another value. */
  readonly ne?: ComparedValue
  /** It is above the value. */
  readonly gt?: ComparedValue
  /** It is above the value, or equals it. */
  readonly gte?: ComparedValue
  /** It is below the value. */
  readonly lt?: ComparedValue
  /** It is below the value, or equals it. */
  readonly lte?: ComparedValue
  /** It equals one of the values. */
  readonly in?: readonly (Scalar | RequestValue)[] | CallerValue
  /** The text has this part, in either case of letters; a list has it as an item. */
  readonly contains?: Scalar | CallerValue
  /** The text begins with this part, in either case of letters. */
  readonly startsWith?: string | CallerValue
  /** True: it has no value. False: it has one. */
  readonly null?: boolean
  /** The list has one of the values as an item. */
  readonly overlaps?: readonly (Scalar | RequestValue)[] | CallerValue
  /** True: the list has no item. False: it has one. */
  readonly empty?: boolean
}

/** A value that the field equals, null for none, or conditions. */
export type WhereCondition = ComparedValue | null | FieldConditions
export type WhereValues = Readonly<Record<string, WhereCondition>>

type WhereRule = Rule & { readonly values: WhereValues }

function comparisonsIn({ values }: WhereRule): readonly FieldComparison[] {
  return Object.entries(values).flatMap(([name, condition]) => comparisonsOf(name, condition))
}

function sides(rule: WhereRule, asked: RuleInput, side: 'holds' | 'fails'): Condition[] {
  return comparisonsIn(rule).map((one) => sidesOf(one, asked.resource.fields[one.field], asked)[side])
}

const operatorWords: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is above',
  gte: 'is at least',
  lt: 'is below',
  lte: 'is at most',
  in: 'is one of',
  contains: 'contains',
  overlaps: 'has one of',
  startsWith: 'begins with',
}

function inWords({ operator, operand }: FieldComparison): string {
  if (operator === 'null') return operand === true ? 'has no value' : 'has a value'
  if (operator === 'empty') return operand === true ? 'has no item' : 'has an item'
  return `${operatorWords[operator]} ${describeValue(operand)}`
}

/** The caller, as far as the comparisons speak of one. */
function subjectOf(comparisons: readonly FieldComparison[]): string {
  return comparisons.some((one) => factsOfComparison(one).some((fact) => fact !== 'clock')) ? 'a user' : 'anyone'
}

const whereType: RuleType<WhereRule> = {
  ...simpleRule,
  where: (rule, asked) => all(...sides(rule, asked, 'holds')),
  whereNot: (rule, asked) => any(...sides(rule, asked, 'fails')),
  judgesBy: (rule) => uniteFacts(comparisonsIn(rule).map(factsOfComparison)),
  judgedFields: (rule, { resource: { name } }) =>
    comparisonsIn(rule).flatMap((one) => fieldsOfComparison(one).map((field) => ({ resource: name, field }))),
  inDocument(rule) {
    const comparisons = comparisonsIn(rule)
    const conditions = comparisons.map((one) => `\`${one.field}\` ${inWords(one)}`)
    return `${subjectOf(comparisons)} where ${conditions.join(' and ')}`
  },
  inTable(rule) {
    const comparisons = comparisonsIn(rule)
    const conditions = comparisons.map((one) =>
      one.operand === true && one.operator === 'eq' ? one.field : `${one.field} ${inWords(one)}`,
    )
    return `${subjectOf(comparisons)} if ${conditions.join(' and ')}`
  },
  check(rule, check) {
    const { values } = rule
    if (!isTable(values) || Object.keys(values).length === 0) {
      return check.report(
        `where: needs values of fields, such as { published: true }, and is given ${printValue(values)}`,
      )
    }
    if (!isAboutRecord('where', check)) return
    for (const [name, condition] of Object.entries(values)) {
      const comparisons = comparisonsOf(name, condition)
      if (comparisons.length === 0) check.report(`where: ${name}: needs an operator, such as { gte: 5 }`)
      for (const one of comparisons) {
        const problem = comparisonMistake(one, check)
        if (problem) check.report(`where: ${problem}`)
      }
    }
  },
}

/** The names of a source of values in conditions, at any depth. */
type NamedIn<V, S extends string> = V extends { readonly source: infer T; readonly name: infer N extends string }
  ? T extends S
    ? N
    : never
  : V extends readonly (infer One)[]
    ? NamedIn<One, S>
    : V extends object
      ? { [O in keyof V]: NamedIn<V[O], S> }[keyof V]
      : never

/** An operator that there is not is no member of a condition. */
type OnlyOperators<V> = V extends { readonly source: string } | Scalar | null
  ? V
  : { readonly [O in keyof V]: O extends keyof FieldConditions ? V[O] : never }

/**
 * Records whose fields satisfy conditions: `where({ state: 'PUBLISHED', endsAt: { gt: now() } })`.
 * The operators are those of filters. A value may be one of the caller (`caller('id')`), another
 * field (`field('startsAt')`) or the time (`now()`). A null of the record satisfies only `null`.
 */
export function where<const W extends WhereValues>(
  values: W & { readonly [K in keyof W]: OnlyOperators<W[K]> },
): Rule<
  Extract<keyof W, string> | NamedIn<W[keyof W], 'field' | 'previous'>,
  `caller:${NamedIn<W[keyof W], 'caller'>}`,
  never
> {
  const rule: WhereRule = { type: whereType, values }
  return rule as Rule as ReturnType<typeof where<W>>
}
