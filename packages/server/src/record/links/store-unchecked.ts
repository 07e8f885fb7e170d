/** Stores rows that the engine itself writes: notes of an audit, and links. */
import type { Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import type { Values } from '../../storage/storage.ts'
import { countNumbers } from '../counts/count-numbers.ts'
import { noteCounted } from '../counts/counted-fields.ts'
import { initialValue } from '../initial-value.ts'
import type { WriteContext } from '../write-context.ts'

type InsertBatch = { readonly resource: Resource; readonly all: readonly Values[] }

/**
 * Stores what the engine itself writes down, with ids, times and defaults. Nothing is checked and
 * nothing follows: such records may name what is gone, or goes now. Returns the rows, of which
 * those with counted ids have none.
 */
export async function storeUnchecked(
  context: WriteContext,
  { resource, all }: InsertBatch,
): Promise<readonly Values[]> {
  const rows = all.map((known) => {
    const values: Record<string, unknown> = {}
    for (const name of resource.storedNames)
      values[name] = Object.hasOwn(known, name) ? known[name] : initialValue(context, resource.fields[name] as Field)
    if (!resource.hasCountedId) values[resource.idField] = context.makeId()
    return values
  })
  if (rows.length === 0) return rows
  await context.transaction.insertAll(resource, await countNumbers(context, resource, rows))
  noteCounted(
    context,
    resource,
    rows.map((after) => ({ after })),
  )
  return rows
}
