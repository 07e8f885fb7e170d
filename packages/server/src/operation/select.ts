/** Sparse fields: `fields=id,name,price` shows exactly those, and the id. */
import { ApiError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'

/** `null` when nothing is selected: all of it. Throws `bad-request` for a name that the caller does not see. */
export function parseSelect(
  resource: Resource,
  visible: ReadonlySet<string>,
  text: string | undefined,
): readonly string[] | null {
  if (text === undefined || text.trim() === '') return null
  const asked = new Set(text.split(',').map((name) => name.trim()))
  for (const name of asked) {
    if (!visible.has(name)) throw new ApiError('bad-request', `Unknown field ${name.slice(0, 100)} in fields`)
  }
  asked.add(resource.idField)
  return resource.fieldNames.filter((name) => asked.has(name))
}
