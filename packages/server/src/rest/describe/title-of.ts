/** Chooses the field whose value names a record for people, where `display` names none. */
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'

/** `name`, `productName`, `headline` */
const nameLike = /^(name|title|label|subject|headline)$|(Name|Title|Label)$/
/** Shorter texts are codes, such as a currency. */
const nameLengthMin = 20

function isLong(field: Field): boolean {
  const { maxLength } = field.type.schema(field) as { readonly maxLength?: number }
  return maxLength === undefined || maxLength >= nameLengthMin
}

/**
 * A text of the search comes first, then one with the name of a name. A unique value and a text
 * that callers write follow. The id is the last.
 */
export function titleOf(resource: Resource, seen: ReadonlySet<string>): string {
  const { fields, fieldNames, idField, list, display } = resource
  if (display.title !== undefined && seen.has(display.title)) return display.title
  const shown = fieldNames.filter((name) => {
    const { type, hidden } = fields[name] as Field
    return type.secret === undefined && !hidden && seen.has(name)
  })
  const isText = (name: string) => fields[name]?.type.isProse === true
  const texts = shown.filter(isText)
  const written = texts.filter((name) => isLong(fields[name] as Field) && fields[name]?.setBy === undefined)
  return (
    texts.find((name) => list.search.includes(name)) ??
    texts.find((name) => nameLike.test(name)) ??
    shown.find((name) => (isText(name) && fields[name]?.unique) || fields[name]?.type.series) ??
    written.find((name) => fields[name]?.required) ??
    written[0] ??
    idField
  )
}
