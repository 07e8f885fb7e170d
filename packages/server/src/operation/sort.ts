/**
 * Parses the order of a list: `sort=category,-price`. The id always comes last, in the direction of
 * the key before it, so that pages never overlap.
 */
import type { Resource, SortKey } from '../resource/catalog.ts'
import { followsOf } from '../resource/fields/following/followers.ts'
import { followPath, type PathContext } from './far/follow-path.ts'
import { listLimits } from './list-limits.ts'
import { parameterError } from './parameters.ts'
import { isShownByAll, sortableNames } from './visible-fields.ts'

/** A derived field is sorted as the stored one that it follows, which the caller must see too. */
function isSortable(seen: PathContext, name: string): boolean {
  const { list, fields } = seen.resource
  const isListed = list.sortable.has(name) || (seen.listsAll && sortableNames(seen).includes(name))
  if (!isListed || !isShownByAll(seen, name)) return false
  return isShownByAll(seen, followsOf(fields[name])?.field ?? name)
}

function sortedBy({ fields }: Resource, { field, descending }: SortKey): SortKey {
  const follows = followsOf(fields[field])
  if (!follows) return { field, descending }
  return { field: follows.field, descending: descending !== (follows.direction === 'desc') }
}

/** A key by a field of the record, or by one behind references. Throws `bad-request`. */
function parseKey(seen: PathContext, field: string, descending: boolean): SortKey {
  if (isSortable(seen, field)) return sortedBy(seen.resource, { field, descending })
  const { place, through, prefix, rest } = followPath(seen, field, { parameter: 'sort', isKnown: isSortable })
  if (isSortable(place, rest)) {
    const key = sortedBy(place.resource, { field: rest, descending })
    return { ...key, field: `${prefix}${key.field}`, far: { through, field: key.field } }
  }
  const sortable = sortableNames(place).filter((known) => isSortable(place, known))
  const possible = sortable.map((name) => `${prefix}${name}`).join(', ')
  throw parameterError('sort', `Cannot sort by ${field.slice(0, 100) || 'nothing'}; sortable: ${possible}`)
}

/**
 * Throws `bad-request` that lists the sortable fields. The order would tell the values of a field
 * that some records do not show, so no list is sorted by one.
 */
export function parseSort(seen: PathContext, text: string | undefined): readonly SortKey[] {
  const { resource } = seen
  if (text === undefined || text.trim() === '') return resource.list.defaultSort
  const keys: SortKey[] = []
  // Records with one value of it are in the order of the field that it follows.
  let follower: string | undefined
  // Each part names another field, so one more than there may be is one too many.
  const { sortKeysMax } = listLimits
  for (const part of text.split(',', Math.max(resource.list.sortable.size, sortKeysMax) + 1)) {
    const name = part.trim()
    const descending = name.startsWith('-')
    const field = descending ? name.slice(1) : name
    const key = parseKey(seen, field, descending)
    if (keys.some((one) => one.field === key.field)) throw parameterError('sort', `sort names ${field} twice`)
    const [before] = keys.slice(-1)
    if (before !== undefined && follower !== undefined)
      throw parameterError('sort', `${follower} sorts as ${before.field}, so it is the last field of sort`)
    if (key.field !== field) follower = field
    keys.push(key)
  }
  if (keys.length > sortKeysMax) throw parameterError('sort', `sort takes at most ${sortKeysMax} fields`)
  const idAt = keys.findIndex((key) => key.field === resource.idField)
  if (idAt !== -1) return keys.slice(0, idAt + 1) // ids are unique, so later keys change nothing
  // As long as it must be and no longer: kept answers hold thousands of these.
  return keys.concat({ field: resource.idField, descending: keys.at(-1)?.descending ?? false })
}
