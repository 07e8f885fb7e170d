/** The option `trash` of a declaration: a deleted record moves to the trash, and can come back. */
import { countKind, type Members, objectOf } from '../members.ts'

export type TrashDeclaration = {
  /** The days after which a record in the trash is removed for good. */
  readonly days: number
}

const members = { days: countKind } satisfies Members<TrashDeclaration>
export const trashKind = objectOf(members, { needed: ['days'] })

/**
 * The operations of a resource with `trash`, beside those of all: `restore` brings a record back,
 * `purge` deletes one for good.
 */
export const trashOperations = ['restore', 'purge'] as const
export type TrashOperation = (typeof trashOperations)[number]

/** The query parameter that leads into the trash, or past it. */
export const trashParameter = '_trash'

/**
 * The fields of a record in the trash that are not its own. A declaration with `trash` cannot use
 * their names.
 */
export const trashFields = {
  at: 'trashedAt',
  by: 'trashedBy',
  /** The records that one deletion moved share it. */
  group: 'trashGroup',
  /** True in the record that was asked to be deleted. The others come back with it alone. */
  root: 'trashRoot',
} as const

/** `plan` → `planTrash` */
export function trashName(resource: string): string {
  return `${resource}Trash`
}
