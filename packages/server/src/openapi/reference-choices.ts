/** Names the list of the records that a reference with `match` takes, for those who build forms. */

import type { Catalog } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'

/** One sentence; undefined where any record will do, or no list has the filters. */
export function describeChoices(catalog: Catalog, { reference }: Field): string | undefined {
  if (!reference || reference.match.length === 0) return undefined
  const { path, access, list } = catalog.get(reference.resource)
  if (path === undefined || !access.list || reference.match.some((one) => !list.filterable.has(one))) return undefined
  const query = reference.match.map((one) => `${one}=…`).join('&')
  return `\`GET ${apiPrefix}${path}?${query}\` lists those to choose from.`
}
