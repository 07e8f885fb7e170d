/** The inputs of computed fields, and their values: the same for writes, migrations and copies. */
import type { Field, Fields } from '../field.ts'

/**
 * Why a computed field cannot read this one of its own record; undefined where it can. Its value is
 * known only after the computation, or changes without a write of the record.
 */
export function notComputedFrom(fields: Fields, { name, other }: { readonly name: string; readonly other: string }) {
  const { virtual, counted, computed, type, setBy } = fields[other] as Field
  if (other === name) return 'itself'
  if (virtual) return 'which is not stored'
  if (counted) return 'which follows from other records'
  if (type.secret) return 'which is secret'
  if (type.series || (type.referredBy && type.column === 'integer')) return 'which is counted when the record is stored'
  if (type.madeFrom) return 'which is made when the record is stored'
  if (setBy === 'write') return 'which changes at each write'
  const names = Object.keys(fields)
  if (computed && names.indexOf(other) > names.indexOf(name))
    return 'which is computed after it: declare that one first'
  return undefined
}

type RecordValues = Readonly<Record<string, unknown>>

/** Makes the value of the field from a record, which it never changes. */
export function valueMaker(fields: Fields, name: string): (record: RecordValues) => unknown {
  const inputs = Object.keys(fields).filter((other) => notComputedFrom(fields, { name, other }) === undefined)
  const { compute } = (fields[name] as Field).computed as NonNullable<Field['computed']>
  return (record) => compute(Object.fromEntries(inputs.map((one) => [one, record[one] ?? null]))) ?? null
}
