/**
 * Cursors: the position of the next page, as the sort values of the last record of this page. A
 * cursor is opaque and bound to the filter and sort that made it. Its values become bound
 * parameters of the query, and reveal nothing that the page did not show.
 */
import { hash } from 'node:crypto'
import { jsonText } from '../base/json-text.ts'
import type { Resource, SortKey } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { Field } from '../resource/fields/field.ts'
import { fieldOfKey } from '../resource/relations/far-field.ts'
import type { CursorPosition } from './operation.ts'
import { parameterError } from './parameters.ts'

const cursorBytesMax = 16_384

function invalidCursor(cause?: unknown): Error {
  return parameterError('cursor', 'Invalid cursor', cause)
}

function digest(value: unknown): string {
  return hash('sha256', jsonText(value), 'base64url').slice(0, 16)
}

type CursorOrder = { readonly resource: Resource; readonly sort: readonly SortKey[] }

/**
 * The fingerprint of the list that a cursor is bound to. The order of the filters does not matter.
 */
export function fingerprintOf({
  resource,
  under,
  where,
  sort,
}: CursorOrder & { under: string; where: Condition }): string {
  const filters = where.kind === 'and' ? where.of.map((one) => jsonText(one)).toSorted() : where
  // The records behind references depend on rules, which may read the clock.
  const keys = sort.map(({ field, descending }) => ({ field, descending }))
  return digest([resource.name, under, filters, keys])
}

function encode(fingerprint: string, values: readonly unknown[]): string {
  return Buffer.from(jsonText([digest([fingerprint, values]), ...values])).toString('base64url')
}

export function writeCursor(
  fingerprint: string,
  sort: readonly SortKey[],
  record: Readonly<Record<string, unknown>>,
): string {
  return encode(
    fingerprint,
    sort.map((key) => record[key.field]),
  )
}

/** Throws `bad-request`: `Invalid cursor`. */
export function readCursor(text: string, fingerprint: string, { resource, sort }: CursorOrder): CursorPosition {
  if (text.length > cursorBytesMax || !/^[A-Za-z0-9_-]+$/.test(text)) throw invalidCursor()
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch (cause) {
    throw invalidCursor(cause)
  }
  if (!Array.isArray(parts) || parts.length !== sort.length + 1 || encode(fingerprint, parts.slice(1)) !== text)
    throw invalidCursor()
  const values = sort.map((key, index) => checkValue(resource, key, parts[index + 1]))
  return { values }
}

/**
 * The cursor of a list that is walked by id: the id of the last record, which may be gone. Throws
 * `bad-request`.
 */
export function readIdCursor(text: string, { fields, idField }: Resource): CursorPosition {
  const field = fields[idField] as Field
  let id: unknown
  try {
    id = field.type.parse(text, idField, field)
  } catch (cause) {
    throw invalidCursor(cause)
  }
  if (!field.type.isComparable(id)) throw invalidCursor()
  return { values: [id as Scalar] }
}

/** Only values that the field's type can compare reach the database. */
function checkValue(resource: Resource, key: SortKey, value: unknown): Scalar | null {
  const field = fieldOfKey(resource, key)
  if (value === null && (field.nullable || key.far)) return null
  const known = field.type.column === 'long' ? longOf(value) : value
  if (!field.type.isComparable(known)) throw invalidCursor()
  return known as Scalar
}

/** A 64-bit integer is a text in the cursor. */
function longOf(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined
}
