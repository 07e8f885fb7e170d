/** Parts the values of a write: those that are stored in the record, and changes of its links. */
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import type { LinkChange } from '../../resource/fields/link-change.ts'
import { linkChangeOf } from '../../resource/fields/many-to-many.ts'
import type { Values } from '../../storage/storage.ts'

/** By the names of the fields. */
export type LinkChanges = Readonly<Record<string, LinkChange>>
export type PartedValues = { readonly values: Values; readonly links: LinkChanges }

const none: LinkChanges = {}

/** Throws `bad-request`. */
export function partLinks(resource: Resource, sent: Values): PartedValues {
  if (resource.linkNames.length === 0) return { values: sent, links: none }
  const links: Record<string, LinkChange> = {}
  const values: Record<string, unknown> = { ...sent }
  for (const name of resource.linkNames) {
    const value = sent[name]
    if (value !== undefined) links[name] = linkChangeOf(value ?? [], name, resource.fields[name] as Field)
    delete values[name]
  }
  return { values, links }
}
