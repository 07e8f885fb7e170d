/**
 * Values of jobs as JSON text: inputs and results. They are stored values, checked by their fields;
 * a 64-bit integer is a text in it.
 */
import { jsonText } from '../../base/json-text.ts'
import { ApiError } from '../../errors.ts'
import { type Field, type Fields, fieldError } from '../fields/field.ts'
import type { RequestTenant } from '../principal.ts'

/** The tenant of a job, as it is stored. */
export const tenantText = ({ name, id }: RequestTenant): string => jsonText([name, id])

type JobValues = Readonly<Record<string, unknown>>

function checkedValue(name: string, field: Field, value: unknown): unknown {
  if (value !== null && value !== undefined) {
    field.type.checkStored(value, name, field)
    return value
  }
  if (field.required || !field.nullable) throw fieldError(name, 'is required')
  return null
}

/** `defaultOf`: null where a field has none. */
type JobValuesCheck = { readonly lengthMax: number; defaultOf(field: Field): unknown }

/**
 * Checks values by their fields → JSON text. Throws `bad-request` with the field, and for values
 * that are too long.
 */
export function jobText(fields: Fields, given: object, { lengthMax, defaultOf }: JobValuesCheck): string {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(fields, name)) throw new ApiError('bad-request', `Unknown field ${name.slice(0, 100)}`)
  const values = Object.entries(fields).map(([name, field]) => {
    const { [name]: value = defaultOf(field) } = given as JobValues
    return [name, checkedValue(name, field, value)]
  })
  const text = jsonText(Object.fromEntries(values))
  if (text.length > lengthMax)
    throw new ApiError('bad-request', `The values of a job have at most ${lengthMax} characters as JSON`)
  return text
}

function revived({ type }: Field, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (type.item && Array.isArray(value)) return value.map((one) => revived(type.item as Field, one))
  return type.column === 'long' ? BigInt(value as string) : value
}

/** JSON text → stored values. A field that the text lacks has none. */
export function jobValues(fields: Fields, text: string): JobValues {
  const values = JSON.parse(text) as JobValues
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, revived(field, values[name])]))
}
