/** The unique keys by which a request replaces or creates a record, as declarations name them. */
import type { DeclaredResource } from '../define.ts'

type WithUpsert = Pick<DeclaredResource, 'upsert'>

/** `['sku', ['shelfId', 'place']]` → `[['sku'], ['shelfId', 'place']]` */
export function upsertKeys({ upsert = [] }: WithUpsert): readonly (readonly string[])[] {
  return upsert.map((key) => (typeof key === 'string' ? [key] : key))
}

/** Whether a key of upserts has the field. */
export function isUpserted(declared: WithUpsert, name: string): boolean {
  return upsertKeys(declared).some((key) => key.includes(name))
}
