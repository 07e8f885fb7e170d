/**
 * Parses the order of a list: `sort=category,-price`. The id always comes last, in the direction of
 * the key before it, so that pages never overlap.
 */
import type { Resource, SortKey } from '../resource/catalog.ts'
import { listLimits } from './list-limits.ts'
import { parameterError } from './parameters.ts'
import { isShownByAll, type VisibleFields } from './visible-fields.ts'

/**
 * Throws `bad-request` that lists the sortable fields. The order would tell the values of a field
 * that some records do not show, so no list is sorted by one.
 */
export function parseSort(
  seen: VisibleFields & { readonly resource: Resource },
  text: string | undefined,
): readonly SortKey[] {
  const { resource } = seen
  if (text === undefined || text.trim() === '') return resource.list.defaultSort
  const keys: SortKey[] = []
  // Each part names another field, so one more than there are is one too many.
  for (const part of text.split(',', resource.list.sortable.size + 1)) {
    const name = part.trim()
    const descending = name.startsWith('-')
    const field = descending ? name.slice(1) : name
    if (!isShownByAll(seen, field) || !resource.list.sortable.has(field)) {
      const sortable = [...resource.list.sortable].filter((known) => isShownByAll(seen, known))
      throw parameterError(
        'sort',
        `Cannot sort by ${field.slice(0, 100) || 'nothing'}; sortable: ${sortable.join(', ')}`,
      )
    }
    if (keys.some((key) => key.field === field)) throw parameterError('sort', `sort names ${field} twice`)
    keys.push({ field, descending })
  }
  const { sortKeysMax } = listLimits
  if (keys.length > sortKeysMax) throw parameterError('sort', `sort takes at most ${sortKeysMax} fields`)
  const idAt = keys.findIndex((key) => key.field === resource.idField)
  if (idAt !== -1) return keys.slice(0, idAt + 1) // ids are unique, so later keys change nothing
  // As long as it must be and no longer: kept answers hold thousands of these.
  return keys.concat({ field: resource.idField, descending: keys.at(-1)?.descending ?? false })
}
