/** One record: read, saved with the version that was shown, made, deleted. */
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

/** Throws the provider's error: `status` 412 where another write came first. */
export async function saveRecord(resource: ResourceDescription, shown: Row, changes: Row): Promise<Row> {
  const id = String(shown[resource.idField])
  const asked = { id, data: { ...shown, ...changes }, previousData: shown as never }
  const saved = (await records.update(placeOf(resource), asked)).data as Row
  keepRecord(resource, saved)
  return saved
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
