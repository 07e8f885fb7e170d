/**
 * The place of a record in a manual order, as a write gives it. It is an end, beside another
 * record, or a key of the order. It stands for the value until the record is stored.
 */
import { isOrderKey } from '../../../base/order-keys.ts'
import { fieldError } from '../field.ts'

/** `at`: the key of the place, or the one behind it where another record has that. */
export type Place =
  | { readonly end: 'first' | 'last' }
  | { readonly side: 'before' | 'after'; readonly id: unknown }
  | { readonly at: string }

const mark: unique symbol = Symbol('place')
export type PlaceChange = { readonly [mark]: Place }

const ends: readonly unknown[] = ['first', 'last']
const sides = ['before', 'after'] as const

export const placeForms = '"first", "last", {"before": id}, {"after": id}, or a key as it is shown'

/** The names of a move in GraphQL, where a value has one type: `positionBefore`. */
export const placeNames = (name: string) => [
  { beside: `${name}Before`, side: 'before' as const },
  { beside: `${name}After`, side: 'after' as const },
]

function placeOf(value: unknown): Place | undefined {
  if (ends.includes(value)) return { end: value as 'first' | 'last' }
  if (isOrderKey(value)) return { at: value }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const side = sides.find((one) => Object.hasOwn(value, one))
  const id = side && (value as Readonly<Record<string, unknown>>)[side]
  const isId = typeof id === 'string' || typeof id === 'number'
  return side && isId && Object.keys(value).length === 1 ? { side, id } : undefined
}

/** A value of a body → a key as it is shown, or what stands for one. Throws `bad-request`. */
export function parsePlace(value: unknown, name: string): string | PlaceChange {
  const place = placeOf(value)
  if (place === undefined) throw fieldError(name, `must be ${placeForms}`)
  return 'at' in place ? place.at : { [mark]: place }
}

/**
 * The same for values that have been parsed, or that code of the application gives. Undefined
 * where none is given. Throws `bad-request`.
 */
export function givenPlace(value: unknown, name: string): Place | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object' && mark in value) return (value as PlaceChange)[mark]
  const place = placeOf(value)
  if (place === undefined) throw fieldError(name, `must be ${placeForms}`)
  return place
}

/** Whether a parsed value places its record beside another one. */
export function namesNeighbour(value: unknown): boolean {
  return typeof value === 'object' && value !== null && mark in value && 'side' in (value as PlaceChange)[mark]
}
