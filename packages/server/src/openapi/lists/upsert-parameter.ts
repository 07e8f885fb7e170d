/** The parameter `on`, by which an upsert or an import names a unique key. */
import { onName } from '../../perform/keyed-record.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { OpenapiNode } from '../openapi-node.ts'
import { inQuery } from './query-parameter.ts'

/** Whether a key has several fields. */
export function hasSeveral({ upsert }: Resource): boolean {
  return [...upsert.values()].some((key) => key.length > 1)
}

export function onParameter(resource: Resource): OpenapiNode {
  const words = [...resource.upsert.keys()]
  const about = `The unique ${hasSeveral(resource) ? 'key' : 'field'} that says which record it is.`
  return inQuery({ name: onName, about, schema: { type: 'string', enum: words }, example: words[0] as string })
}
