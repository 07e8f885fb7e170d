/** True or false. */
import {
  type CommonOptions,
  type Field,
  type FieldType,
  fieldError,
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

/** `boolean({ default: true })`. */
export function boolean<const O extends CommonOptions>(options?: O): Field<ValueOf<boolean, O>> {
  return makeField(booleanType, options)
}
