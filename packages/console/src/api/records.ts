/** One record: read, made, deleted, and shown as it was saved. */
import { useQuery } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import { records } from './client.ts'
import { queries } from './queries.ts'
import { forgetRows, type Row, showInRows } from './rows.ts'

const keyOf = (slug: string, id: string) => [slug, 'record', id] as const
/** The provider names resources by their paths. */
const placeOf = ({ path }: ResourceDescription) => (path ?? '').slice(1)

/** `key`: for a record whose path has no id of its own. */
export function useRecord(resource: ResourceDescription, id: string, key = id) {
  return useQuery({
    queryKey: keyOf(resource.slug, key),
    queryFn: async ({ signal }): Promise<Row> => (await records.getOne(placeOf(resource), { id, signal })).data as Row,
  })
}

/** Shows the record as it is now wherever it is shown. */
export function keepRecord(resource: ResourceDescription, saved: Row): void {
  queries.setQueryData(keyOf(resource.slug, String(saved[resource.idField])), saved)
  showInRows(resource, saved)
}

export async function createRecord(resource: ResourceDescription, values: Row): Promise<Row> {
  const made = (await records.create(placeOf(resource), { data: values })).data as Row
  forgetRows(resource)
  return made
}

export async function deleteRecord(resource: ResourceDescription, shown: Row): Promise<void> {
  await records.delete(placeOf(resource), { id: String(shown[resource.idField]), previousData: shown as never })
  queries.removeQueries({ queryKey: keyOf(resource.slug, String(shown[resource.idField])) })
  forgetRows(resource)
}
