/**
 * Trees: records that refer to others of their own resource, as a category names the one above it.
 * Conditions on the records below or above one are made here.
 */
import { type Condition, never, type Scalar } from '../condition.ts'
import type { Field } from '../fields/field.ts'

/** `by`: the reference to the record above. `depth`: the most records on a way, first and last. */
export type Tree = { readonly by: string; readonly depth: number }

/** The lists at a record of a tree, by their names in paths. */
export const branches = ['descendants', 'ancestors'] as const
export type Branch = (typeof branches)[number]

export function treeOf(fields: Readonly<Record<string, Field>>): Tree | undefined {
  for (const [by, { reference, virtual }] of Object.entries(fields))
    if (reference?.tree && !virtual) return { by, depth: reference.tree.depth }
  return undefined
}

type TreeResource = { readonly name: string; readonly idField: string; readonly tree: Tree | undefined }
type BranchRequest = {
  readonly resource: TreeResource
  readonly id: Scalar
  /** The records that exist for the caller: a way ends at any other. */
  readonly where: Condition
}

type Within = Condition & { readonly kind: 'within' }

function walkOf({ resource, id, where }: BranchRequest): Omit<Within, 'field' | 'way' | 'from' | 'to'> {
  const { tree, name } = resource
  if (!tree) throw new Error(`${name} has no tree`)
  return { kind: 'within', tree: name, by: tree.by, of: id, where }
}

const depthOf = ({ resource }: BranchRequest) => resource.tree?.depth ?? 1

/** The records below one, or above it. */
export function branchOf(branch: Branch, asked: BranchRequest): Condition {
  if (asked.where.kind === 'false') return never
  const { idField } = asked.resource
  const to = depthOf(asked) - 1
  return { ...walkOf(asked), field: idField, way: branch === 'descendants' ? 'down' : 'up', from: 1, to }
}

/** Records whose field names the record, or one below it. */
export function namesWithin(field: string, asked: BranchRequest): Condition {
  if (asked.where.kind === 'false') return never
  return { ...walkOf(asked), field, way: 'down', from: 0, to: depthOf(asked) - 1 }
}

/** The record and those above it, whether or not it is stored as such. */
export function wayUp(asked: BranchRequest): Condition {
  return { ...walkOf(asked), field: asked.resource.idField, way: 'up', from: 0, to: depthOf(asked) }
}

/** Records that stand so many levels below it. The record itself need not be stored. */
export function levelBelow(asked: BranchRequest, level: number): Condition {
  return { ...walkOf(asked), field: asked.resource.idField, way: 'below', from: level, to: level }
}
