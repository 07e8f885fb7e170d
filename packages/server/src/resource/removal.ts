/**
 * The consequences of a deletion for records that refer to the deleted one, found at start from the
 * declarations alone.
 */
import type { ReferenceRelation, Resource } from './catalog.ts'

/** Whether records with this reference may be removed with the record that it names. */
export function isCascaded({ options: { onDelete } }: ReferenceRelation): boolean {
  return onDelete === 'delete' || typeof onDelete === 'object'
}

/** The resources whose records may go with a record of this one; itself is one of them. */
export function cascadeTargets(resource: Resource): ReadonlySet<Resource> {
  const found = new Set([resource])
  for (const one of found) for (const link of one.referencedBy) if (isCascaded(link)) found.add(link.resource)
  return found
}

/**
 * Whether a reference may refuse that a record of this resource is deleted, or something that goes
 * with it.
 */
export function mayBeRestricted(resource: Resource): boolean {
  const holds = ({ options }: ReferenceRelation) => options.onDelete === 'refuse'
  return [...cascadeTargets(resource)].some((one) => one.referencedBy.some(holds))
}

/**
 * Whether a reference may name a record that is not there: it keeps the id, or the record is in the
 * trash.
 */
export function outlives(
  { onDelete }: Pick<ReferenceRelation['options'], 'onDelete'>,
  { trash }: Pick<Resource, 'trash'>,
) {
  return onDelete === 'keep' || (trash !== undefined && (onDelete === 'clear' || typeof onDelete === 'object'))
}
