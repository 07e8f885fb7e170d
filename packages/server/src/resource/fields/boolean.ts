/** The boolean field: true or false. */
import { takeOptions } from '../members.ts'
import {
  type CommonOptions,
  commonMembers,
  type DefaultOf,
  type Field,
  type FieldType,
  fieldError,
  type HasDefault,
  makeField,
  orderOperators,
  type ValueOf,
} from './field.ts'

function checkBoolean(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw fieldError(name, 'must be a boolean')
  return value
}

export const booleanType: FieldType = {
  name: 'boolean',
  column: 'boolean',
  operators: orderOperators,
  scalar: 'Boolean',
  check: checkBoolean,
  checkStored: checkBoolean,
  isComparable: (value) => typeof value === 'boolean',
  parse(text, name) {
    if (text !== 'true' && text !== 'false') throw fieldError(name, 'must be true or false')
    return text === 'true'
  },
  /** Spreadsheets write `TRUE`. */
  parseCell: (cell, name, field) => booleanType.parse(cell.trim().toLowerCase(), name, field),
  schema: () => ({ type: 'boolean' }),
}

/** True or false: `boolean({ default: true })`. It takes the options of every field. */
export function boolean<
  const R extends boolean = false,
  const D extends DefaultOf<boolean> | undefined = DefaultOf<boolean> | undefined,
  L extends string = never,
  Q extends string = never,
>(
  options?: CommonOptions<R, D, boolean, never, L, Q>,
): Field<ValueOf<boolean, R, D>, string, { kind: 'boolean'; filled: HasDefault<D>; roles: L; mentions: Q }> {
  const { known, mistakes } = takeOptions(options, commonMembers)
  return makeField(booleanType, { ...known, mistakes })
}
