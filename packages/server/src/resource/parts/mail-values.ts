/**
 * The values of a mail of an application. The write that leaves the mail checks them. The database
 * has them as JSON, and the mail prints them for its reader.
 */
import { WrongCallError } from '../code/call-options.ts'
import { type Field, type Fields, fieldError, type Json } from '../fields/field.ts'
import type { LanguageReader } from '../words/language-reader.ts'
import { findMeant } from '../words/nearest.ts'

/** Values as JSON. Those that are printed for a reader are as stored, the others as represented. */
export type WaitingValues = Readonly<Record<string, Json>>

function waitingValue(field: Field, name: string, given: unknown): Json {
  const value = given ?? (field.default as unknown) ?? null
  if (value === null) {
    if (field.required) throw fieldError(name, 'is required')
    return null
  }
  field.type.checkStored(value, name, field)
  const { printFor, represent } = field.type
  return printFor || !represent ? (value as Json) : represent(value, field)
}

/**
 * Throws `WrongCallError` for a value that the mail does not have, and `bad-request` for a wrong
 * one.
 */
export function waitingValues(fields: Fields, given: Readonly<Record<string, unknown>>): WaitingValues {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined)
    throw new WrongCallError(`the mail has no value "${unknown}"${findMeant(unknown, Object.keys(fields))}`)
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, waitingValue(field, name, given[name])]),
  )
}

/** The texts that stand for the values: empty where there is none. */
export function printedValues(
  fields: Fields,
  waiting: WaitingValues,
  reader: LanguageReader,
): Readonly<Record<string, string>> {
  const print = ([name, { type }]: readonly [string, Field]): string => {
    const value = waiting[name] ?? null
    if (value === null) return ''
    if (type.printFor) return type.printFor(value, reader)
    if (Array.isArray(value)) return value.join(', ')
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  return Object.fromEntries(Object.entries(fields).map((one) => [one[0], print(one)]))
}
