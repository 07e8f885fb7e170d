/** What names a record: a UUIDv7 by default, an integer where the declaration says so. And what refers to one by it. */
import { isUuid } from '../../ids.ts'
import { type Field, type FieldOf, type FieldType, fieldError, makeField, operators, orderOperators } from './field.ts'
import { isPlainText, parsePart, type TextLimits } from './text.ts'

function parseUuid(text: string, name: string): string {
  const id = text.toLowerCase()
  if (!isUuid(id)) throw fieldError(name, 'must be an id')
  return id
}

/** What names a record by a UUID and what refers to one have this in common. */
const uuid = {
  column: 'text',
  operators,
  scalar: 'ID',
  /** Lower case: two spellings of one id would be two records. */
  checkStored(value: unknown, name: string) {
    if (typeof value !== 'string' || !isUuid(value)) throw fieldError(name, 'must be an id')
  },
  isComparable: isPlainText,
  parse: parseUuid,
  parsePart: (text: string, name: string, field: FieldOf<TextLimits>) => parsePart(text, name, field).toLowerCase(),
  schema: () => ({ type: 'string', format: 'uuid' }),
} as const

/** A text that is no id names no record, and is told so. */
export const referenceType: FieldType<TextLimits> = {
  ...uuid,
  name: 'reference',
  check(value, name) {
    if (typeof value !== 'string') throw fieldError(name, 'must be a string')
    return value.toLowerCase()
  },
}

export const uuidType: FieldType<TextLimits> = {
  ...uuid,
  name: 'id',
  referredBy: referenceType,
  check(value, name) {
    if (typeof value !== 'string') throw fieldError(name, 'must be a string')
    return parseUuid(value, name)
  },
}

function checkInteger(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw fieldError(name, 'must be an integer')
  return value
}

/** Digits only, by numeric value: `'01'` is 1. */
function parseInteger(text: string, name: string): number {
  return checkInteger(/^0*\d{1,16}$/.test(text) ? Number(text) : Number.NaN, name)
}

const integerReferenceType: FieldType = {
  name: 'integerReference',
  column: 'integer',
  operators: orderOperators,
  scalar: 'ID',
  check: checkInteger,
  checkStored: checkInteger,
  isComparable: Number.isSafeInteger,
  parse: parseInteger,
  parseCell: (cell, name) => parseInteger(cell.trim(), name),
  /** GraphQL's ids are texts. */
  parseScalar: (value, name) => (typeof value === 'string' ? parseInteger(value, name) : value),
  schema: () => ({ type: 'integer', minimum: 1 }),
}

export const integerIdType: FieldType = { ...integerReferenceType, name: 'integerId', referredBy: integerReferenceType }

/** `id: id()`: a UUIDv7. The field may have any name; a resource has exactly one. */
export function id(): Field<string> {
  return makeField(uuidType, { setBy: 'engine', nullable: false })
}

/** `id: integerId()`: 1, 2, 3, … never used twice. */
export function integerId(): Field<number> {
  return makeField(integerIdType, { setBy: 'engine', nullable: false })
}
