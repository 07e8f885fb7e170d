/**
 * The member `can` of records, which `expand=can` and GraphQL show: for each operation on one
 * record, whether the caller may do it.
 */
import type { TrashOperation } from '../made/declared-trash.ts'
import { factsOf, isEngineOperation } from '../operation-kind.ts'
import { memberBeside } from '../words/reserved-words.ts'

/** Its name, and the operations on one record, in their order. */
export type CanMember = {
  readonly name: string
  readonly operations: readonly string[]
  /** Operation → the one whose rule decides. No rule allows an operation that is absent here. */
  readonly judgedAs?: Readonly<Record<string, string>>
}

/** It is about records in the trash, and no other. */
const restoring: TrashOperation = 'restore'

type ChildPath = { readonly single: boolean; readonly operations: readonly string[] }
type Table = Readonly<Record<string, unknown>>
type JudgedShape = {
  readonly access: Table
  readonly path: string | undefined
  readonly parents: readonly { readonly link: ChildPath }[]
  readonly fields: Table
  readonly relations: Table
}

/** Whether a path of the child has this operation on one record. Actions are below single ones. */
export function isOffered({ single, operations }: ChildPath, operation: string): boolean {
  return isEngineOperation(operation) ? operations.includes(operation) : single
}

/**
 * Of records in a trash: that of their resource, with `restore`. A deleted record is read, comes
 * back or ends; the rule of the trash for its delete decides about the end.
 */
export function canInTrash(can: CanMember | undefined, { access }: Pick<JudgedShape, 'access'>): CanMember | undefined {
  if (!can || !access[restoring]) return undefined
  const judged = [['get', 'get'] as const, ['purge', 'delete'] as const, [restoring, restoring] as const]
  const operations = [...can.operations, restoring]
  const judgedAs = Object.fromEntries(judged.filter(([one, by]) => operations.includes(one) && access[by]))
  return { ...can, operations, judgedAs }
}

/** In the order of the declaration. An own field or relation `can` keeps its name. */
export function canOf({ access, path, parents, fields, relations }: JudgedShape): CanMember | undefined {
  const operations = Object.keys(access).filter(
    (one) =>
      access[one] !== undefined &&
      factsOf(one).on === 'record' &&
      one !== restoring &&
      (path !== undefined || parents.some(({ link }) => isOffered(link, one))),
  )
  return operations.length === 0 ? undefined : { name: memberBeside({ ...fields, ...relations }, 'can'), operations }
}
