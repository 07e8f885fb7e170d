/**
 * Comparisons with fields of 64-bit integers. A filter may ask for a number between two stored
 * ones, or beyond all of them. The condition then says the same with a whole number, or with none.
 */
import { all, any, type Condition, equal, isNull, never } from '../../condition.ts'
import type { Field, Operator } from '../field.ts'
import type { WholeBound } from './number-facts.ts'
import { longMax, longMin } from './parse-whole.ts'

export type WholeOperator = Extract<Operator, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in'>

const isStorable = ({ whole, isBetween }: WholeBound) => !isBetween && whole >= longMin && whole <= longMax

function compareOrder(name: string, operator: WholeOperator, { whole, isBetween }: WholeBound): Condition {
  const isAbove = operator === 'gt' || operator === 'gte'
  const some: Condition = { kind: 'null', field: name, isNull: false }
  if (whole > longMax) return isAbove ? never : some
  if (whole < longMin) return isAbove ? some : never
  const exact = operator as 'gt' | 'gte' | 'lt' | 'lte'
  const between = isAbove ? 'gt' : 'lte'
  return { kind: 'compare', field: name, operator: isBetween ? between : exact, value: whole }
}

/** `bounds`: one, or several for `in`. */
export function compareWhole(
  { name, field }: { readonly name: string; readonly field: Field },
  operator: WholeOperator,
  bounds: readonly WholeBound[],
): Condition {
  const stored = bounds.filter(isStorable).map(({ whole }) => whole)
  const [first] = stored
  if (operator === 'in') return { kind: 'in', field: name, values: stored }
  if (operator === 'eq') return first === undefined ? never : equal(name, first)
  if (operator !== 'ne') return compareOrder(name, operator, bounds[0] as WholeBound)
  if (first === undefined) return field.nullable ? all() : { kind: 'null', field: name, isNull: false }
  const compare: Condition = { kind: 'compare', field: name, operator, value: first }
  return field.nullable ? any(compare, isNull(name)) : compare
}
