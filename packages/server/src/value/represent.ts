/**
 * Turns stored values into the values that callers see. Every response passes here: it leaves out
 * fields that the caller may not read or did not select.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Field, Json } from '../resource/fields/field.ts'
import { withAddress } from '../resource/fields/files/file-address.ts'
import { hiddenIn } from './hidden-fields.ts'

export type Represented = Readonly<Record<string, Json>>

/** One value. Embedded records have been represented before. */
export function representValue(field: Field, value: unknown): Json {
  if (value === null || value === undefined) return null
  return field.type.represent ? field.type.represent(value, field) : (value as Json)
}

/** The named fields of a record, in the order of the names, without those that it hides. */
export function representRecord(
  resource: Resource,
  names: Iterable<string>,
  record: Readonly<Record<string, unknown>>,
): Represented {
  const json: Record<string, Json> = {}
  const hidden = hiddenIn(record)
  for (const name of names) {
    if (hidden?.has(name)) continue
    const field = resource.fields[name] as Field
    const value = record[name]
    // Links are shown where they were asked for.
    if (field.virtual?.kind === 'links') {
      if (value !== undefined) json[name] = value as Json
    } else if (field.virtual?.kind === 'embedded') json[name] = (value ?? []) as Json
    else json[name] = representValue(field, value)
    if (field.type.holdsFiles) json[name] = withAddress(resource, record, [name, json[name] as Json])
  }
  return json
}
