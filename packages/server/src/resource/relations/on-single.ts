/**
 * The operations of a record that its path names without an id. The server makes a `single` child
 * with its parent; a one-to-one record is created by a caller.
 */
import type { Resource } from '../catalog.ts'
import { isOneToOne } from '../fields/field-facts.ts'
import { factsOf } from '../operation-kind.ts'

type Step = { readonly resource: Pick<Resource, 'fields'>; readonly by: string }

/** Whether the server makes the record where it is missing. */
export function isMadeWithParent({ resource, by }: Step): boolean {
  return !isOneToOne(resource.fields[by])
}

export function isOnSingle(step: Step, operation: string): boolean {
  return factsOf(operation).on === 'record' || (operation === 'create' && !isMadeWithParent(step))
}
