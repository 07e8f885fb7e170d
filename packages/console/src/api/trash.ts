/** The trash of a list: its records, which come back or end. */
import { useQuery } from '@tanstack/react-query'
import type { ResourceDescription } from 'bindery-server/client'
import { client } from './client.ts'
import { queries } from './queries.ts'
import { forgetRows, pageOf, type Row, type RowPage } from './rows.ts'

const shownAtOnce = 50
const keyOf = ({ slug }: ResourceDescription) => [slug, 'trash']

export function useTrash(resource: ResourceDescription) {
  return useQuery({
    queryKey: keyOf(resource),
    queryFn: async ({ signal }): Promise<RowPage> => {
      const query = { _trash: 'only', limit: shownAtOnce }
      return pageOf((await client.send('GET', `/api/v1${resource.path}`, { query, signal })).body)
    },
  })
}

function forget(resource: ResourceDescription): void {
  forgetRows(resource)
  void queries.invalidateQueries({ queryKey: keyOf(resource) })
}

export function canRestore({ operations, path }: ResourceDescription): boolean {
  return path !== undefined && operations.includes('restore')
}

export async function restoreRecord(resource: ResourceDescription, id: string): Promise<Row> {
  const answer = await client.send('POST', `/api/v1${resource.path}/{id}/restore`, { path: { id } })
  void queries.resetQueries({ queryKey: [resource.slug, 'record', id] })
  forget(resource)
  return answer.body as Row
}

/** It is gone for good afterwards. */
export async function purgeRecord(resource: ResourceDescription, id: string): Promise<void> {
  await client.send('DELETE', `/api/v1${resource.path}/{id}`, { path: { id }, query: { _trash: 'skip' } })
  forget(resource)
}
