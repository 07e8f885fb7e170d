/**
 * A record changed where it is shown. The write names the version that was read, and so does the
 * write that undoes it.
 */

import { RequestError } from 'bindery-server/client'
import { client } from './client.ts'
import { keepRecord } from './records.ts'
import { isRequested, lacksRequested, naming, wholeRecord, withRequested } from './requested-fields.ts'
import { isSameValue, type Located, pathIdOf, type Row } from './rows.ts'

export type Edited = { readonly row: Row; readonly etag: string | undefined }

const pathOf = ({ path }: Located) => `/api/v1${path}/{id}`

function isUnchanged(now: Row, shown: Row): boolean {
  return Object.keys(shown).every((name) => !(name in now) || isSameValue(now[name], shown[name]))
}

/** A list gives no versions, so the record is read. Throws 412 where it is not as it was shown. */
async function versionOf(resource: Located, shown: Row): Promise<string | undefined> {
  const path = { id: pathIdOf(resource, shown) }
  const { body, etag } = await client.send('GET', pathOf(resource), { path, query: wholeRecord(resource) })
  const now = body as Row
  if (isUnchanged(now, shown)) return etag
  keepRecord(resource, now)
  throw new RequestError('The record has changed since it was read', { status: 412, code: 'precondition-failed' })
}

/** The answer of a write, with the links of the record, which it lacks. */
async function completed(resource: Located, saved: Row, shown: Row): Promise<Row> {
  if (!lacksRequested(resource, saved)) return saved
  const asked = { path: { id: pathIdOf(resource, shown) }, query: naming(resource.fields.filter(isRequested)) }
  // The write is done: a failed read does not undo it.
  const read = await client.send('GET', pathOf(resource), asked).catch(() => undefined)
  return withRequested(resource, saved, (read?.body as Row | undefined) ?? shown)
}

export type Edit = { readonly shown: Row; readonly changes: Row; readonly etag?: string | undefined }

/** Throws `RequestError`: 412 where another write came first. */
export async function editRecord(resource: Located, { shown, changes, etag }: Edit): Promise<Edited> {
  const ifMatch = etag ?? (await versionOf(resource, shown))
  const path = { id: pathIdOf(resource, shown) }
  const saved = await client.send('PATCH', pathOf(resource), { path, body: changes, ifMatch })
  const row = await completed(resource, saved.body as Row, shown)
  keepRecord(resource, row)
  return { row, etag: saved.etag }
}

/** The number in an ETag: `"3-Yx8"` is version 3. */
export function versionIn(etag: string | undefined): string | undefined {
  return /^(?:W\/)?"(\d+)/.exec(etag ?? '')?.[1]
}
