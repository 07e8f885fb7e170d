/**
 * Parses filters by a member of a JSON value: `{"path":"theme","eq":"dark"}`. A path leads through
 * objects, by a text with dots or a list of names. A value is compared with members of its type.
 */
import { all, any, type Condition, type MemberValue, not } from '../../resource/condition.ts'
import { fieldError } from '../../resource/fields/field.ts'
import { listOf } from '../../resource/words/names.ts'
import { listLimits } from '../list-limits.ts'

export const memberOperators = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'exists'] as const
type MemberOperator = (typeof memberOperators)[number]

const namesMax = 32
const nameLengthMax = 1000

export type FilteredMember = {
  readonly name: string
  /** Its name in errors. */
  readonly parameter: string
  /** The records that show the field to the caller; undefined where all do. */
  readonly shownBy: Condition | undefined
}

/** Databases take no others. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}

function isName(name: unknown): name is string {
  return isText(name) && name.length <= nameLengthMax
}

function parsePath(path: unknown, parameter: string): readonly string[] {
  const names: unknown = typeof path === 'string' ? path.split('.') : path
  if (!Array.isArray(names) || names.length === 0 || !names.every(isName))
    throw fieldError(`${parameter}[path]`, 'must be names with dots between, or a list of names')
  if (names.length > namesMax) throw fieldError(`${parameter}[path]`, `must have at most ${namesMax} names`)
  return names
}

function scalarOf(value: unknown, parameter: string): MemberValue {
  if (isText(value)) return value
  if (typeof value === 'boolean' || value === null || (typeof value === 'number' && Number.isFinite(value)))
    return value === 0 ? 0 : value
  throw fieldError(parameter, 'must be a text, a number, true, false or null')
}

function orderedOf(value: unknown, parameter: string): MemberValue {
  if (typeof value !== 'string' && typeof value !== 'number') throw fieldError(parameter, 'must be a text or a number')
  return scalarOf(value, parameter)
}

function valuesOf(value: unknown, parameter: string): readonly MemberValue[] {
  const { inValuesMax } = listLimits
  if (!Array.isArray(value) || value.length === 0) throw fieldError(parameter, 'must be a list of values')
  if (value.length > inValuesMax) throw fieldError(parameter, `takes at most ${inValuesMax} values`)
  return value.map((one) => scalarOf(one, parameter))
}

type ComparedMember = { readonly name: string; readonly path: readonly string[]; readonly parameter: string }

/** `ne`, as `eq` not, also finds records without the member. */
function compareOne({ name, path, parameter }: ComparedMember, operator: MemberOperator, sent: unknown): Condition {
  const member = { kind: 'member', field: name, path } as const
  switch (operator) {
    case 'exists': {
      if (typeof sent !== 'boolean') throw fieldError(parameter, 'must be true or false')
      const has: Condition = { ...member, operator: 'has', value: null }
      return sent ? has : not(has)
    }
    case 'eq':
      return { ...member, operator, value: scalarOf(sent, parameter) }
    case 'ne':
      return not({ ...member, operator: 'eq', value: scalarOf(sent, parameter) })
    case 'in':
      return any(...valuesOf(sent, parameter).map((value): Condition => ({ ...member, operator: 'eq', value })))
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { ...member, operator, value: orderedOf(sent, parameter) }
  }
}

/** The conditions of the object, one for each operator. Throws `bad-request`. */
export function compareMembers(
  { name, parameter, shownBy }: FilteredMember,
  { path: sentPath, ...compared }: Readonly<Record<string, unknown>>,
): readonly Condition[] {
  const path = parsePath(sentPath, parameter)
  const operators = Object.entries(compared)
  if (operators.length === 0) throw fieldError(parameter, `needs one of ${listOf(memberOperators)} beside path`)
  return operators.map(([sent, value]) => {
    const operator = memberOperators.find((one) => one === sent)
    const shown = `${parameter}[${sent.slice(0, 20)}]`
    if (!operator) throw fieldError(shown, `is no filter of a member; it takes ${listOf(memberOperators)}`)
    const where = compareOne({ name, path, parameter: shown }, operator, value)
    if (!shownBy) return where
    return where.kind === 'not' ? any(not(shownBy), where) : all(shownBy, where)
  })
}
