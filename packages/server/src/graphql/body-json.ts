/** The input of a mutation as the JSON body of REST, with the children in it. */
import type { Resource } from '../resource/catalog.ts'
import { isTable } from '../resource/members.ts'
import type { BodyKind } from '../resource/operation-kind.ts'
import { jsonOf, withIncrements, withMoves } from './schema/input-types.ts'
import type { FieldArguments } from './schema/list-arguments.ts'

/** Throws `bad-request`. */
export function bodyJson(resource: Resource, kind: BodyKind, input: unknown): FieldArguments {
  const json = jsonOf(resource.fields, input)
  const own = withMoves(resource, kind === 'update' ? withIncrements(resource, json) : json)
  const sent: Record<string, unknown> = { ...own }
  for (const name of resource.nestedNames) {
    const [changes, link] = [sent[name], resource.children[name]]
    if (!link || !isTable(changes)) continue
    const lists = Object.entries(changes).map(([verb, list]) => {
      if ((verb !== 'create' && verb !== 'update') || !Array.isArray(list)) return [verb, list]
      return [verb, list.map((one) => bodyJson(link.resource, verb, one))]
    })
    sent[name] = Object.fromEntries(lists)
  }
  return sent
}
