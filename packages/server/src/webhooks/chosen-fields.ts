/** The fields of a record that an endpoint has chosen. */
import type { Values } from '../storage/storage.ts'
import type { OwnerChange } from './owner-feed.ts'
import type { Endpoint } from './webhook-room.ts'

function only(values: unknown, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values as Values).filter(([name]) => names.includes(name)))
}

/**
 * The change with these fields alone, and the id; undefined where it has changed none of them. It
 * is whole where the endpoint has chosen none of its resource.
 */
export function chosenOf(
  { recordFields }: Pick<Endpoint, 'recordFields'>,
  change: OwnerChange,
): OwnerChange | undefined {
  const { resource, event } = change
  const names = recordFields?.[resource.slug]
  const { record, before, ...rest } = change.data as Values
  if (!names || record === undefined) return change
  if (event === 'change' && !Object.keys((before as Values | undefined) ?? {}).some((one) => names.includes(one)))
    return undefined
  const shown = {
    record: only(record, [resource.idField, ...names]),
    ...(before !== undefined && { before: only(before, names) }),
  }
  return { ...change, data: { ...rest, ...shown } }
}
