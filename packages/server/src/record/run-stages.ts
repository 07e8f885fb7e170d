/** Runs the write stages that may change values, and the one that may refuse the write. */
import type { Resource } from '../resource/catalog.ts'
import type { Values } from '../storage/storage.ts'
import type { CreatingEvent, UpdatingEvent } from './stages.ts'
import { checkNames } from './stored-values.ts'
import type { WriteContext } from './write-context.ts'

/** Throws what the steps of such records say about writing any. */
export function checkMayWrite({ tx, stagesOf }: WriteContext, resource: Resource, verb: 'update' | 'delete'): void {
  for (const mayWrite of stagesOf(resource).mayWrite) mayWrite({ tx, resource, verb })
}

/**
 * The values of a write with the changes of a step. Throws an `Error` for a name that is not a
 * field.
 */
function together(resource: Resource, values: Values, changed: Values | undefined): Values {
  if (!changed) return values
  checkNames(resource, changed)
  return { ...values, ...changed }
}

/**
 * The values of a new record as the steps leave them; each is given what the one before it left.
 */
export async function runBeforeCreate(
  context: WriteContext,
  { resource, sent, values }: Omit<CreatingEvent, 'tx'>,
): Promise<Values> {
  let left = values
  for (const before of context.stagesOf(resource).beforeCreate)
    left = together(resource, left, await before({ tx: context.tx, resource, sent, values: left }))
  return left
}

/** The same for the changes of a record. */
export async function runBeforeUpdate(
  context: WriteContext,
  { resource, before, changes }: Omit<UpdatingEvent, 'tx'>,
): Promise<Values> {
  let left = changes
  for (const step of context.stagesOf(resource).beforeUpdate)
    left = together(resource, left, await step({ tx: context.tx, resource, before, changes: left }))
  return left
}
