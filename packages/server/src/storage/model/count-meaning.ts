/** The meaning of a counted column. A migration counts all rows again where it changes. */
import { jsonText } from '../../base/json-text.ts'
import type { Field } from '../../resource/fields/field.ts'
import { storedAs } from '../../resource/fields/field-facts.ts'
import type { CountedIn, Resource } from '../../resource/resolved-resource.ts'

/** Other meanings of the values that it reads count again; an integer has the plain one. */
export function countsOf({ counts, fields }: Resource, name: string): string {
  const said = fields[name]?.counted?.where
  const { resource, by, kind, field, where } = counts[name] as CountedIn
  const source = kind === 'sum' ? storedAs(resource.fields[field as string] as Field) : 'integer'
  const read = [...(field === undefined ? [] : [field]), ...Object.keys(said ?? {})]
  const computed = read.flatMap((one) => resource.fields[one]?.computed?.meaning ?? [])
  const meant = {
    ...(source !== 'integer' && { source }),
    ...(computed.length > 0 && { computed }),
  }
  return jsonText({ kind, resource: resource.name, by, field, where, ...meant })
}
