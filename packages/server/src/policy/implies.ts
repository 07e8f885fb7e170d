/**
 * Whether one condition matches only records that another one matches, as far as their structure
 * shows it. `false` says only that no proof was found.
 */

import { jsonText } from '../base/json-text.ts'
import type { Condition } from '../resource/condition.ts'

type CompareCondition = Condition & { readonly kind: 'compare' }

/** The same text for conditions that differ only in the order of their parts and lists. */
function textOf(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return `${condition.kind}(${condition.of.map(textOf).sort().join()})`
    case 'not':
      return `not(${textOf(condition.of)})`
    case 'related':
    case 'within':
      return jsonText({ ...condition, where: textOf(condition.where) })
    case 'in':
      return jsonText({
        ...condition,
        values: [...new Set(condition.values)].map((one) => jsonText(one)).sort(),
      })
    case 'true':
    case 'false':
    case 'compare':
    case 'compareFields':
    case 'comparePrevious':
    case 'null':
    case 'has':
    case 'contains':
    case 'startsWith':
    case 'member':
    case 'search':
      return jsonText(condition)
  }
}

export function isSameCondition(a: Condition, b: Condition): boolean {
  return textOf(a) === textOf(b)
}

/** The values of a field that a condition allows; undefined where it names no list of them. */
function valuesOf(condition: Condition): readonly unknown[] | undefined {
  if (condition.kind === 'in') return condition.values
  return condition.kind === 'compare' && condition.operator === 'eq' ? [condition.value] : undefined
}

const rising = new Set(['gt', 'gte'])
const falling = new Set(['lt', 'lte'])

/** Whether each value in the first range is in the second one. */
function isWithin(a: CompareCondition, b: CompareCondition): boolean {
  if (typeof a.value !== 'number' || typeof b.value !== 'number') return false
  const sides = [rising, falling].find((side) => side.has(b.operator) && (side.has(a.operator) || a.operator === 'eq'))
  if (!sides) return false
  if (a.value === b.value) return b.operator.endsWith('e') || a.operator === b.operator
  return sides === rising ? a.value > b.value : a.value < b.value
}

/** Whether a comparison of a field implies one of the same field. */
function comparesWithin(a: Condition, b: Condition): boolean {
  if (!('field' in a) || !('field' in b) || a.field !== b.field) return false
  if (b.kind === 'null') return !b.isNull && a.kind !== 'null'
  const [ours, theirs] = [valuesOf(a), valuesOf(b)]
  if (ours && theirs) return ours.every((one) => theirs.includes(one))
  if (ours && b.kind === 'compare' && b.operator === 'ne') return !ours.includes(b.value)
  if (a.kind === 'related' && b.kind === 'related')
    return a.resource === b.resource && a.at === b.at && implies(a.where, b.where)
  return a.kind === 'compare' && b.kind === 'compare' && isWithin(a, b)
}

/** `implies(where state is DRAFT, where state is DRAFT or OPEN)` → true */
export function implies(a: Condition, b: Condition): boolean {
  if (a.kind === 'false' || b.kind === 'true' || isSameCondition(a, b)) return true
  if (a.kind === 'or') return a.of.every((one) => implies(one, b))
  if (b.kind === 'and') return b.of.every((one) => implies(a, one))
  if (a.kind === 'and' && a.of.some((one) => implies(one, b))) return true
  if (b.kind === 'or' && b.of.some((one) => implies(a, one))) return true
  if (a.kind === 'not' && b.kind === 'not') return implies(b.of, a.of)
  return comparesWithin(a, b)
}
