/**
 * Conditions on records, as data. Policy and filters make them, and storage compiles them to SQL;
 * no other code reads their parts.
 */

export type Scalar = string | number | boolean | bigint

/** A scalar of JSON. */
export type MemberValue = string | number | boolean | null

export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'

export type Condition =
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  /**
   * Every record that does not match the condition, also one whose null leaves a comparison
   * unknown.
   */
  | { readonly kind: 'not'; readonly of: Condition }
  | {
      readonly kind: 'compare'
      readonly field: string
      readonly operator: ComparisonOperator
      readonly value: Scalar
    }
  /** Two fields of one record, of one kind of column. A null on either side matches nothing. */
  | {
      readonly kind: 'compareFields'
      readonly field: string
      readonly operator: ComparisonOperator
      readonly other: string
    }
  /**
   * A field of a changed record, compared with a field of the record before. Only the rule on the
   * result of a write has it, and it is replaced by a `compare` before storage sees it.
   */
  | {
      readonly kind: 'comparePrevious'
      readonly field: string
      readonly operator: ComparisonOperator
      readonly previous: string
    }
  | { readonly kind: 'in'; readonly field: string; readonly values: readonly Scalar[] }
  | { readonly kind: 'null'; readonly field: string; readonly isNull: boolean }
  /** A list has this item; null is any item. An item is as JSON has it. */
  | { readonly kind: 'has'; readonly field: string; readonly item: Scalar | null }
  /** Texts are compared ignoring case. */
  | { readonly kind: 'contains' | 'startsWith'; readonly field: string; readonly text: string }
  /**
   * Each word is a prefix of a word in one of the resource's search fields. The words are folded
   * and marked.
   */
  | { readonly kind: 'search'; readonly words: readonly string[] }
  /**
   * The member of a JSON value that a path through objects leads to. `has`: there is one. The
   * others compare it with a value of its own type: a member of another type matches nothing.
   */
  | {
      readonly kind: 'member'
      readonly field: string
      readonly path: readonly string[]
      readonly operator: 'has' | Exclude<ComparisonOperator, 'ne'>
      readonly value: MemberValue
    }
  /**
   * Some record of the other resource whose field `at` equals this field satisfies a condition of
   * its own. Without `at` it is the other record's id: the record that a reference names.
   */
  | {
      readonly kind: 'related'
      readonly field: string
      readonly resource: string
      readonly at?: string
      readonly where: Condition
    }
  /**
   * The field names a record that a walk through a tree finds. The walk begins at the record `of`,
   * which has the level 0. It goes down to the records whose reference `by` names it, or up, and
   * only through records that satisfy the condition. It finds those of the levels `from` to `to`.
   * `below` begins with the records below `of`, which need not be stored.
   */
  | {
      readonly kind: 'within'
      readonly field: string
      readonly tree: string
      readonly by: string
      readonly of: Scalar
      readonly way: 'down' | 'up' | 'below'
      readonly from: number
      readonly to: number
      readonly where: Condition
    }

export const always: Condition = { kind: 'true' }
export const never: Condition = { kind: 'false' }

export function equal(field: string, value: Scalar): Condition {
  return { kind: 'compare', field, operator: 'eq', value }
}

export function isNull(field: string): Condition {
  return { kind: 'null', field, isNull: true }
}

/** All of the conditions, flattened and without those that are always true. */
export function all(...conditions: readonly Condition[]): Condition {
  if (conditions.length === 1) return conditions[0] as Condition
  if (conditions.length === 2) {
    const [first, second] = conditions as [Condition, Condition]
    if (first.kind === 'true') return second
    if (second.kind === 'true') return first
  }
  const of = conditions.flatMap((c) => (c.kind === 'and' ? c.of : c.kind === 'true' ? [] : [c]))
  if (of.some((c) => c.kind === 'false')) return never
  return of.length === 0 ? always : of.length === 1 ? (of[0] as Condition) : { kind: 'and', of }
}

/** At least one of the conditions, flattened and without those that are never true. */
export function any(...conditions: readonly Condition[]): Condition {
  const of = conditions.flatMap((c) => (c.kind === 'or' ? c.of : c.kind === 'false' ? [] : [c]))
  if (of.some((c) => c.kind === 'true')) return always
  return of.length === 0 ? never : of.length === 1 ? (of[0] as Condition) : { kind: 'or', of }
}

/** Exactly the other records. */
export function not(condition: Condition): Condition {
  if (condition.kind === 'true') return never
  if (condition.kind === 'false') return always
  return condition.kind === 'not' ? condition.of : { kind: 'not', of: condition }
}

/** Records with all of these values. */
export function matching(values: Readonly<Record<string, unknown>>): Condition {
  return all(
    ...Object.entries(values).map(([field, value]) => (value === null ? isNull(field) : equal(field, value as Scalar))),
  )
}

type Conditions = readonly Condition[]

/** The values of which a field must have one; undefined for other conditions. */
function valuesIn(condition: Condition): readonly Scalar[] | undefined {
  if (condition.kind === 'in') return condition.values
  return condition.kind === 'compare' && condition.operator === 'eq' ? [condition.value] : undefined
}

/** Whether two of them want different values of one field. Letters in another case may be equal. */
function disagree(conditions: Conditions): boolean {
  const wanted = new Map<string, ReadonlySet<string>>()
  for (const one of conditions) {
    const values = valuesIn(one)
    if (!values || !('field' in one)) continue
    const earlier = wanted.get(one.field)
    const texts = values.map((value) => String(value).toLowerCase())
    const left = new Set(earlier ? texts.filter((text) => earlier.has(text)) : texts)
    if (left.size === 0) return true
    wanted.set(one.field, left)
  }
  return false
}

/** The conditions on the records that references name: one for each reference. */
function wantedOfNamed(conditions: Conditions): Iterable<Condition> {
  const wanted = new Map<string, Condition>()
  for (const one of conditions)
    if (one.kind === 'related' && one.at === undefined)
      wanted.set(one.field, all(wanted.get(one.field) ?? always, one.where))
  return wanted.values()
}

/** Whether the parts of a condition show that no record matches it; false where that is unknown. */
export function matchesNothing(condition: Condition): boolean {
  if (condition.kind === 'or') return condition.of.every(matchesNothing)
  if (condition.kind === 'related') return matchesNothing(condition.where)
  if (condition.kind !== 'and')
    return condition.kind === 'false' || (condition.kind === 'in' && condition.values.length === 0)
  const { of } = condition
  if (of.some(matchesNothing) || disagree(of) || [...wantedOfNamed(of)].some(matchesNothing)) return true
  const others = of.filter(({ kind }) => kind !== 'or')
  return of.some((one) => one.kind === 'or' && one.of.every((part) => matchesNothing(all(...others, part))))
}

/** Whether the condition compares a record with what it was before a write. */
export function comparesPrevious(condition: Condition): boolean {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.of.some(comparesPrevious)
  return condition.kind === 'not' ? comparesPrevious(condition.of) : condition.kind === 'comparePrevious'
}
