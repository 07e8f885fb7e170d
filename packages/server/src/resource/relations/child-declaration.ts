/** The children of a declaration: records that are reached below each of its own. */
import { flag, listOfKind, type Members, objectOf, oneOf, tableOf, textKind } from '../members.ts'
import { type CrudKind, crudKinds } from '../operation-kind.ts'

export type ChildDeclaration = {
  /** The name of the resource below. */
  readonly resource: string
  /** The field of the child that names this record. */
  readonly by: string
  /** Each parent has exactly one, without an id in the path. It is made when it is first read. */
  readonly single?: boolean
  /**
   * The operations that the nested path offers; all that the child's `access` names when absent.
   */
  readonly operations?: readonly CrudKind[]
  /**
   * A body of this record may create, update and delete the children with it, all or nothing:
   * `POST /folders` with `pages: [{ … }]`.
   */
  readonly inBody?: boolean
}

export type ChildDeclarations = Readonly<Record<string, ChildDeclaration>>

/** A member that children do not have is of no type. */
export type OnlyChildMembers<C> = {
  readonly [K in keyof C]: { readonly [M in keyof C[K]]: M extends keyof ChildDeclaration ? unknown : never }
}

const childMembers = {
  resource: textKind,
  by: textKind,
  single: flag,
  operations: listOfKind(oneOf(crudKinds)),
  inBody: flag,
} satisfies Members<ChildDeclaration>

export const childrenKind = tableOf(objectOf(childMembers, { needed: ['resource', 'by'] }))
