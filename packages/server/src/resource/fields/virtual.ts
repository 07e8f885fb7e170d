/** Fields that are not stored: they are read from other records or computed from the record's own values. */
import type { Settings } from '../rule.ts'
import { type DerivedInput, type Field, type FieldType, fieldError, type Json, makeField } from './field.ts'

function refuse(_value: unknown, name: string): never {
  throw fieldError(name, 'is read-only')
}

export const embeddedType: FieldType = {
  name: 'embedded',
  column: 'json',
  operators: [],
  scalar: null,
  check: refuse,
  checkStored: refuse,
  isComparable: () => false,
  parse: refuse,
  schema: () => ({ type: 'array' }),
}

const embeddedMax = 1_000

type EmbeddedOptions = {
  /** The most that a record may have: another one is refused with 409. 1,000 by default. */
  readonly max?: number
}

/** The records of another resource whose field `by` names this one, oldest first: `embedded('orderItem', 'orderId', { max: 100 })`. */
export function embedded(
  resource: string,
  by: string,
  { max = embeddedMax }: EmbeddedOptions = {},
): Field<readonly Readonly<Record<string, unknown>>[]> {
  return makeField(embeddedType, { setBy: 'engine', nullable: false, virtual: { kind: 'embedded', resource, by, max } })
}

/** A field of the record that a reference names: `lookedUp(money(), { via: 'productId', field: 'price' })`. */
export function lookedUp<V>(like: Field<V>, source: { via: string; field: string }): Field<V> {
  return makeField(
    { ...like.type, operators: [] },
    { ...like, setBy: 'engine', virtual: { kind: 'looked-up', ...source } },
  )
}

/** Computed from the record's other fields: `derived(money(), (item) => item.unitPrice * item.quantity)`. */
export function derived<V>(like: Field<V>, compute: (record: DerivedInput, settings: Settings) => Json): Field<V> {
  return makeField(
    { ...like.type, operators: [] },
    { ...like, nullable: false, setBy: 'engine', virtual: { kind: 'derived', compute } },
  )
}
