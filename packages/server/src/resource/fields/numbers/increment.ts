/**
 * Increments: `{"stock": {"increment": -1}}` in the body of an update adds to the stored number.
 * The server adds inside the write transaction, to the locked record, so no increment is lost.
 */
import { ApiError } from '../../../errors.ts'
import { flag, type Members } from '../../members.ts'
import { type Field, fieldError, type Json, type JsonSchema } from '../field.ts'

export type IncrementOption = {
  /**
   * An update may send `{"increment": -1}` in place of the value. It needs no `If-Match`, also
   * where the resource requires one.
   */
  increment?: boolean
}
export const incrementMembers = { increment: flag } satisfies Members<IncrementOption>

const mark: unique symbol = Symbol('increment')
/** Stands for the value until the stored one is known. */
export type Increment = { readonly [mark]: number | bigint }

export function isIncrement(value: unknown): value is Increment {
  return typeof value === 'object' && value !== null && mark in value
}

/** The name of an increment in GraphQL, where a value has one type: `stockIncrement`. */
export const incrementName = (name: string): string => `${name}Increment`

/** An increment may be beyond the least and the most value of its field. */
function withoutEnds(field: Field): Field {
  const { min: _, max: __, ...limits } = field.limits as Readonly<Record<string, unknown>>
  return { ...field, limits }
}

/**
 * `{ increment: -1 }` → an increment; undefined for every other value. Throws `bad-request` for an
 * amount that the type does not take.
 */
export function parseIncrement(value: unknown, name: string, field: Field): Increment | undefined {
  if (!field.increment || typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { increment: amount, ...rest } = value as Record<string, unknown>
  if (amount === undefined || Object.keys(rest).length > 0)
    throw fieldError(name, 'must be a value, or an object with the member increment alone')
  const by = field.type.check(amount, `${name}.increment`, withoutEnds(field))
  return { [mark]: by as number | bigint }
}

/**
 * Throws `bad-request` for `{ increment: -1 }` in place of a number that takes none, or in a write
 * that adds nothing.
 */
export function refuseIncrement(value: unknown, name: string, { type, increment }: Field): void {
  if (!type.adds || typeof value !== 'object' || value === null || !Object.hasOwn(value, 'increment')) return
  throw fieldError(name, `takes ${increment ? 'an increment in an update alone' : 'no increment'}; send the value`)
}

/**
 * The stored value and the increment → the value to store. Throws `conflict` where the field would
 * refuse it from a caller, or the record has no value.
 */
export function addIncrement(
  stored: unknown,
  { [mark]: by }: Increment,
  { name, field }: { name: string; field: Field },
) {
  const { type } = field
  if (stored === null || stored === undefined) throw refused(fieldError(name, 'has no value yet; send one'))
  const sum = typeof by === 'bigint' ? (stored as bigint) + by : (stored as number) + by
  try {
    return type.check(type.represent?.(sum, field) ?? sum, name, field)
  } catch (error) {
    throw error instanceof ApiError ? refused(error) : error
  }
}

/** The request is right, and would be with another stored value. */
function refused({ message, mistakes }: ApiError): ApiError {
  return new ApiError('conflict', message, { mistakes })
}

/** The schema of the value in the body of an update. */
export function withIncrement(field: Field, schema: JsonSchema): JsonSchema {
  const { description, ...value } = schema
  const { type } = field
  const { description: _, ...amount } = type.schema(withoutEnds(field))
  const added: Record<string, Json> = { type: 'object', required: ['increment'], additionalProperties: false }
  const properties = { increment: { ...amount, description: 'Added to the stored value.' } }
  return { ...(description !== undefined && { description }), anyOf: [value, { ...added, properties }] }
}
