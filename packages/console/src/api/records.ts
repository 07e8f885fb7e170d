/** One record: read, made, deleted, and shown as it was saved. */
import { useQuery } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import { client, records } from './client.ts'
import { queries } from './queries.ts'
import { lacksRequested, wholeRecord, withRequested } from './requested-fields.ts'
import { askTitles } from './row-titles.ts'
import { forgetRows, isSameValue, type Located, pathIdOf, type Row, rowsKey, showInRows } from './rows.ts'

function keyOf({ slug, path, segment }: Located, id: string): readonly string[] {
  return [slug, 'record', segment === undefined ? id : `${path}/${segment}`]
}

/** The provider names resources by their paths. */
const placeOf = ({ path }: ResourceDescription) => (path ?? '').slice(1)

export function useRecord(resource: Located, id: string) {
  return useQuery({
    queryKey: keyOf(resource, id),
    queryFn: async ({ signal }): Promise<Row> => {
      const place = placeOf(resource)
      const record = (await records.getOne(place, { id, signal, meta: { query: wholeRecord(resource) } })).data as Row
      askTitles(resource, [record], async (query) => {
        const path = { id }
        return [(await client.send('GET', `/api/v1${resource.path ?? ''}/{id}`, { path, query })).body as Row]
      })
      return record
    },
  })
}

/** Reads a record that is shown. Returns whether it differs from what was shown. */
export async function readRecordAgain(resource: Located, id: string): Promise<boolean> {
  const queryKey = keyOf(resource, id)
  const before = queries.getQueryData<Row>(queryKey)
  await queries.refetchQueries({ queryKey, exact: true })
  return before !== undefined && !isSameValue(before, queries.getQueryData<Row>(queryKey))
}

/**
 * Shows the record as it is now wherever it is shown. A write may change the records below it.
 * Links that the answer lacks stay until they are read again.
 */
export function keepRecord(resource: Located, saved: Row): void {
  for (const child of resource.children) void queries.invalidateQueries({ queryKey: rowsKey(child.resource) })
  const queryKey = keyOf(resource, String(saved[resource.idField]))
  queries.setQueryData<Row>(queryKey, (shown) => withRequested(resource, saved, shown))
  if (lacksRequested(resource, saved)) void queries.invalidateQueries({ queryKey })
  showInRows(resource, saved)
}

export async function createRecord(resource: ResourceDescription, values: Row): Promise<Row> {
  const made = (await records.create(placeOf(resource), { data: values })).data as Row
  forgetRows(resource)
  return made
}

/** A record whose path has no id is made anew by the server when it is read next. */
export async function deleteRecord(resource: Located, shown: Row): Promise<void> {
  const id = pathIdOf(resource, shown)
  await records.delete(placeOf(resource), { id, previousData: shown as never })
  const queryKey = keyOf(resource, id)
  if (resource.segment === undefined) queries.removeQueries({ queryKey })
  else await queries.resetQueries({ queryKey })
  forgetRows(resource)
}
