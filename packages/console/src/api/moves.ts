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

/** Beside another record, or at an end of the whole order. */
export type MoveTo = 'first' | 'last' | { readonly before: unknown } | { readonly after: unknown }
export type Move = { readonly row: Row; readonly field: string; readonly to: MoveTo }

/** The rows that are shown are read again, and stay until they come. */
export async function moveRecord(resource: ResourceDescription, { row, field, to }: Move): Promise<void> {
  const { slug, idField, path } = resource
  const id = String(row[idField])
  await client.send('PATCH', `/api/v1${path}/{id}`, { path: { id }, body: { [field]: to } })
  void queries.invalidateQueries({ queryKey: [slug, 'record', id] })
  await queries.invalidateQueries({ queryKey: rowsKey(slug) })
}
