/**
 * Finds the fields of a record that a query selects. Virtual fields that are not selected are not
 * computed, and totals are not counted.
 */
import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql'

export type Fragments = GraphQLResolveInfo['fragments']

/**
 * The fields of these selection sets, with fragments expanded. Each fragment is expanded once: the
 * result is a union.
 */
function childrenOf(sets: readonly (SelectionSetNode | undefined)[], fragments: Fragments): FieldNode[] {
  const found: FieldNode[] = []
  const opened = new Set<string>()
  const pending = sets.filter((set) => set !== undefined)
  for (let set = pending.pop(); set; set = pending.pop()) {
    for (const selection of set.selections) {
      if (selection.kind === 'Field') found.push(selection)
      else if (selection.kind === 'InlineFragment') pending.push(selection.selectionSet)
      else if (!opened.has(selection.name.value)) {
        opened.add(selection.name.value)
        const fragment = fragments[selection.name.value]
        if (fragment) pending.push(fragment.selectionSet)
      }
    }
  }
  return found
}

type FieldsOrOperation = {
  readonly fieldNodes: readonly { readonly selectionSet?: SelectionSetNode | undefined }[]
  readonly fragments: Fragments
}

/** The fields selected below the field being resolved. */
export function fieldsBelow({ fieldNodes, fragments }: FieldsOrOperation) {
  return childrenOf(
    fieldNodes.map((node) => node.selectionSet),
    fragments,
  )
}

/**
 * The names selected below the field being resolved, or below the fields on `path`:
 * `namesBelow(info, 'meta')` → `{ 'total' }`
 */
export function namesBelow(
  info: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
  ...path: readonly string[]
): ReadonlySet<string> {
  let nodes: readonly FieldNode[] = info.fieldNodes
  for (const name of path) {
    const below = childrenOf(
      nodes.map((node) => node.selectionSet),
      info.fragments,
    )
    nodes = below.filter((node) => node.name.value === name)
  }
  return new Set(
    childrenOf(
      nodes.map((node) => node.selectionSet),
      info.fragments,
    ).map((node) => node.name.value),
  )
}
