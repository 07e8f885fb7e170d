/** Ids of records, UUIDv7 or integer, and the types of references to them. */
import { isUuid } from '../../base/ids.ts'
import { type Members, takeOptions, textKind } from '../members.ts'
import { type Field, type FieldOf, type FieldType, fieldError, makeField, operators, orderOperators } from './field.ts'
import { wholeWithin } from './numbers/parse-decimal.ts'
import { isPlainText, parsePart, type TextLimits } from './text.ts'

function parseUuid(text: string, name: string): string {
  const id = text.toLowerCase()
  if (!isUuid(id)) throw fieldError(name, 'must be an id')
  return id
}

/** The common part of UUIDs as ids and as references. */
const uuid = {
  column: 'text',
  operators,
  scalar: 'ID',
  /** Ids are lower-cased, because two spellings of one id would be two records. */
  checkStored(value: unknown, name: string) {
    if (typeof value !== 'string' || !isUuid(value)) throw fieldError(name, 'must be an id')
  },
  isComparable: isPlainText,
  parse: parseUuid,
  parsePart: (text: string, name: string, field: FieldOf<TextLimits>) => parsePart(text, name, field).toLowerCase(),
  schema: () => ({ type: 'string', format: 'uuid', maxLength: 36 }),
} as const

/** A text that is not an id names no record, and the error says so. */
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

/**
 * Digits only, read as a number: `'01'` is 1. A filter may ask for a number that is no id, such as
 * −1.
 */
function parseInteger(text: string, name: string): number {
  if (!/^-?\d+$/.test(text)) throw fieldError(name, 'must be an integer')
  return wholeWithin(Number(text)) + 0 // of -0 it makes 0
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
  schema: () => ({ type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
}

/**
 * The largest id that an import or an action may give to a record. The database counts on from
 * there, and has as many ids again.
 */
const givenIdMax = 2 ** 52

/**
 * Beyond it a counter would soon have no number left. Ids that databases have counted may lie
 * between the two.
 */
export const countedIdMax = Number.MAX_SAFE_INTEGER - 2 ** 32

function checkGivenId(value: unknown, name: string): number {
  const given = checkInteger(value, name)
  if (given < 1 || given > givenIdMax) throw fieldError(name, `must be from 1 to ${givenIdMax}`)
  return given
}

export const integerIdType: FieldType = {
  ...integerReferenceType,
  name: 'integerId',
  referredBy: integerReferenceType,
  check: checkGivenId,
  checkStored: checkGivenId,
}

type IdOptions = {
  /** One sentence for the documents. */
  readonly description?: string
}
const members = { description: textKind } satisfies Members<IdOptions>

/** `id: id()`: a UUIDv7. The field may have any name; a resource has exactly one. */
export function id(options?: IdOptions): Field<string, string, { kind: 'id'; filled: true }> {
  const { known, mistakes } = takeOptions(options, members)
  return makeField(uuidType, { ...known, setBy: 'engine', nullable: false, mistakes })
}

/** `id: integerId()`: 1, 2, 3, … No number is used twice. */
export function integerId(options?: IdOptions): Field<number, string, { kind: 'id'; filled: true }> {
  const { known, mistakes } = takeOptions(options, members)
  return makeField(integerIdType, { ...known, setBy: 'engine', nullable: false, mistakes })
}
