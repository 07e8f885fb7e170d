/** The parameter that leads into the trash, and the members of records that are in it. */

import type { Resource } from '../resource/catalog.ts'
import { trashFields, trashParameter } from '../resource/made/declared-trash.ts'
import { restoringFrom } from '../resource/made/shown-resources.ts'
import type { Route } from '../rest/route.ts'
import { inQuery } from './lists/query-parameter.ts'
import type { OpenapiNode } from './openapi-node.ts'

const words = {
  only: 'Reads the trash instead, for callers who may restore.',
  skip: 'Deletes for good, also what is in the trash, where the rule of `purge` allows it.',
} as const

export function trashParameters({ trash }: Pick<Route, 'trash'>): readonly OpenapiNode[] {
  if (!trash) return []
  const { word } = trash
  const schema: OpenapiNode = { type: 'string', enum: [word] }
  return [inQuery({ name: trashParameter, about: words[word], schema, example: word })]
}

/** The names of the members that only a record in the trash has, with their resource. */
export function trashMembers(resource: Resource): readonly (readonly [name: string, of: Resource])[] {
  const trash = restoringFrom(resource)
  return trash ? [trashFields.at, trashFields.by].map((name) => [name, trash] as const) : []
}
