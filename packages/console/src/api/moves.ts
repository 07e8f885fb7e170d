/** Moves of records in an order that people make. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { client } from './client.ts'
import { queries } from './queries.ts'
import { type Row, rowsKey } from './rows.ts'

/** The field of the order, where the caller may move records of the resource. */
export function orderOf({ fields, operations, path }: ResourceDescription): FieldDescription | undefined {
  const field = fields.find(({ type, settable }) => type === 'manualOrder' && settable.includes('update'))
  return path !== undefined && operations.includes('update') ? field : undefined
}

export type Move = { readonly row: Row; readonly side: 'before' | 'after'; readonly beside: Row }

/** The rows that are shown are read again, and stay until they come. */
export async function moveRecord(resource: ResourceDescription, field: string, move: Move): Promise<void> {
  const { slug, idField, path } = resource
  const id = String(move.row[idField])
  const body = { [field]: { [move.side]: move.beside[idField] } }
  await client.send('PATCH', `/api/v1${path}/{id}`, { path: { id }, body })
  void queries.invalidateQueries({ queryKey: [slug, 'record', id] })
  await queries.invalidateQueries({ queryKey: rowsKey(slug) })
}
