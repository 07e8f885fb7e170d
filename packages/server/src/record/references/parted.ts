/**
 * Refuses to change a field that other records share with this one by `match` of their references.
 * The record would part from those that refer to it. Where a removal clears the field, nothing
 * refuses: the shared record goes.
 */
import type { Resource } from '../../resource/catalog.ts'
import { all, any, type Condition, equal, not, type Scalar } from '../../resource/condition.ts'
import type { Row, Values } from '../../storage/storage.ts'
import type { RecordsBeingRemoved, RestrictingReference, WriteContext } from '../write-context.ts'
import { refuseHeld } from './restricted.ts'

/** Whether a match of its own references, or of those to it, reads one of these fields. */
export function isShared({ fields, matchingNames, referencedBy }: Resource, changed: readonly string[]): boolean {
  const reads = (match: readonly string[] = []) => match.some((one) => changed.includes(one))
  return (
    matchingNames.some((name) => changed.includes(name) || reads(fields[name]?.reference?.match)) ||
    referencedBy.some(({ options }) => reads(options.match))
  )
}

type ChangedRow = {
  readonly resource: Resource
  readonly before: Row
  readonly row: Values
  readonly changed: readonly string[]
  readonly clearing?: RecordsBeingRemoved | undefined
}

/** Throws `RestrictedError` with the records that refer to this one and share a changed field. */
export async function refuseParted(context: WriteContext, changing: ChangedRow): Promise<void> {
  const { resource, before, row, changed, clearing } = changing
  const id = before[resource.idField] as Scalar
  const root = { resource, ids: [id] }
  const held: RestrictingReference[] = []
  const parted = new Set<string>()
  for (const { resource: by, field, options } of resource.referencedBy) {
    const names = options.match.filter((name) => {
      const isCleared = clearing !== undefined && (row[name] ?? null) === null
      return changed.includes(name) && (before[name] ?? null) !== null && !isCleared
    })
    if (names.length === 0) continue
    const shares = any(...names.map((name) => equal(name, before[name] as Scalar)))
    const also: Condition = by === resource ? all(shares, not(equal(by.idField, id))) : shares
    held.push({ root, of: resource, ids: [id], by, field, also })
    for (const name of names) parted.add(name)
  }
  await refuseHeld(context, held, [...parted])
}
