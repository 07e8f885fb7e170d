/**
 * The filter `within`: `categoryId[within]=ID` finds records of the category and of those below it.
 * The way down goes only through records that exist for the caller.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { Condition, Scalar } from '../../resource/condition.ts'
import { namesWithin } from '../../resource/relations/tree.ts'

/** The tree of a reference, and its records that the caller may see. */
export type FilteredBranch = { readonly resource: Resource; readonly seen: Condition }

type Filtered = {
  readonly resource: Resource
  readonly viewOf?: ((resource: Resource) => { readonly where: Condition }) | undefined
}

/** Undefined where the field names no record of a tree, or no filter reaches other records. */
export function filteredBranch({ resource, viewOf }: Filtered, name: string): FilteredBranch | undefined {
  const tree = resource.branches[name]
  return tree && viewOf && { resource: tree, seen: viewOf(tree).where }
}

export function compareBranch(name: string, { resource, seen }: FilteredBranch, id: Scalar): Condition {
  return namesWithin(name, { resource, id, where: seen })
}
