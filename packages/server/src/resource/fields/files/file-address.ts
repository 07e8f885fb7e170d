/** The addresses of files: below their record, so that they stay while the record has the field. */
import { apiPrefix } from '../../words/api-prefix.ts'
import { kebabOf } from '../../words/names.ts'
import type { Field, Json } from '../field.ts'

type Addressed = {
  readonly path: string | undefined
  readonly single: boolean
  readonly idField: string
  readonly fields: Readonly<Record<string, Field>>
}
type ShownFileValue = { readonly [member: string]: Json }
type RecordValues = Readonly<Record<string, unknown>>

/** `/api/v1/things/7/photo` */
function addressOf({ path, single, idField }: Addressed, record: RecordValues, name: string): string {
  const of = single ? '' : `/${encodeURIComponent(String(record[idField]))}`
  return `${apiPrefix}${path}${of}/${kebabOf(name)}`
}

/**
 * Adds the address to the shown value of a field that holds files. A record without a path has
 * none: it is a version, or it is in the trash.
 */
export function withAddress(resource: Addressed, record: RecordValues, [name, shown]: readonly [string, Json]): Json {
  if (shown === null || resource.path === undefined || record[resource.idField] === undefined) return shown
  const address = addressOf(resource, record, name)
  if (!Array.isArray(shown)) return { ...(shown as ShownFileValue), url: address }
  return shown.map((one) => ({ ...(one as ShownFileValue), url: `${address}/${(one as ShownFileValue).id}` }))
}
