/** Sparse fields: `fields=name,price` shows exactly those and the id. */
import { ApiError } from '../errors.ts'
import type { Resource } from '../resource/catalog.ts'

/** `null` when nothing is selected, which means all fields. Throws `bad-request` for a field that the caller may not read. */
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
