/** The field that names a record: a UUIDv7 by default, an integer where the declaration says so. */
import { isUuid } from '../../ids.ts'
import { type Field, type FieldType, fieldError, makeField, operators, orderOperators } from './field.ts'
import { parsePart } from './text.ts'

export const uuidType: FieldType = {
  name: 'id',
  column: 'text',
  operators,
  scalar: 'ID',
  check(value, name) {
    if (typeof value !== 'string') throw fieldError(name, 'must be a string')
    const text = value.toLowerCase()
    if (!isUuid(text)) throw fieldError(name, 'must be an id')
    return text
  },
  /** Lower case: two spellings of one id would be two records. */
  checkStored(value, name) {
    if (typeof value !== 'string' || !isUuid(value)) throw fieldError(name, 'must be an id')
  },
  parse: (text, name, field) => uuidType.check(text, name, field),
  parsePart: (text, name, field) => parsePart(text, name, field).toLowerCase(),
  schema: () => ({ type: 'string', format: 'uuid' }),
}

function checkIntegerId(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw fieldError(name, 'must be an integer')
  return value
}

export const integerIdType: FieldType = {
  name: 'integerId',
  column: 'integer',
  operators: orderOperators,
  scalar: 'ID',
  check: checkIntegerId,
  checkStored: checkIntegerId,
  /** Digits only, by numeric value: `'01'` is 1. */
  parse(text, name) {
    const value = /^0*\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (!Number.isSafeInteger(value)) throw fieldError(name, 'must be an integer')
    return value
  },
  schema: () => ({ type: 'integer', minimum: 1 }),
}

/** `id: id()`: a UUIDv7. The field may have any name; a resource has exactly one. */
export function id(): Field<string> {
  return makeField(uuidType, { setBy: 'engine', nullable: false })
}

/** `id: integerId()`: 1, 2, 3, … never used twice. */
export function integerId(): Field<number> {
  return makeField(integerIdType, { setBy: 'engine', nullable: false })
}
