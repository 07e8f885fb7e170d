/** The fields of a record under their headings, as the declaration groups them. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'

export type FieldsUnderHeading = {
  /** Undefined for the fields of no group, which come first. */
  readonly heading: string | undefined
  readonly fields: readonly FieldDescription[]
}

/** `fields`: those that a page shows, all of them unless it says so. No group is empty. */
export function groupFields(
  { groups = [], fields: all }: Pick<ResourceDescription, 'groups' | 'fields'>,
  fields: readonly FieldDescription[] = all,
): readonly FieldsUnderHeading[] {
  const grouped = new Set(groups.flatMap((group) => group.fields))
  const headed = groups.map(({ label, fields: names }) => ({
    heading: label,
    fields: names.flatMap((name) => fields.filter((field) => field.name === name)),
  }))
  const others = { heading: undefined, fields: fields.filter(({ name }) => !grouped.has(name)) }
  return [others, ...headed].filter((one) => one.fields.length > 0)
}
