/** Finds mistakes in trees: references to other resources, two trees, paths that are taken. */
import { type DeclarationCheck, movesOf } from '../checks/declaration-check.ts'
import { kebabOf } from '../words/names.ts'
import { branches } from './tree.ts'

const depthMax = 64

export function checkTree(context: DeclarationCheck): void {
  const { declared, report } = context
  const { fields, children = {}, actions = {} } = declared
  const trees = Object.entries(fields).filter(([, { reference, virtual }]) => reference?.tree && !virtual)
  for (const [name, { reference, read, hidden }] of trees) {
    const at = `field "${name}"`
    const depth = reference?.tree?.depth ?? 0
    if (reference?.resource !== declared.name)
      report(at, `tree: refers to "${reference?.resource}"; a tree is of records that refer to their own resource`)
    if (depth < 2 || depth > depthMax) report(at, `tree: depth is from 2 to ${depthMax}, and is ${depth}`)
    if (name !== trees[0]?.[0]) report(at, `tree: "${trees[0]?.[0]}" makes a tree of these records already`)
    if (read || hidden) report(at, 'tree: the lists of a tree tell this field, so all who read records may read it')
  }
  if (trees.length === 0) return
  const taken = [...Object.keys(children), ...movesOf(declared), ...Object.keys(actions)]
  for (const name of taken)
    if (branches.some((branch) => branch === kebabOf(name)))
      report(`field "${trees[0]?.[0]}"`, `tree: makes the path "${kebabOf(name)}", which a child or an action has`)
}
