/**
 * Follows the references of a path such as `team.club.name`, as filters across references do. Each
 * is a field that the caller may read and filter by. Of the records on the way, only those that the
 * caller may get count.
 */
import type { Resource } from '../../resource/catalog.ts'
import type { FarField } from '../../resource/relations/far-field.ts'
import type { FilterContext } from '../filter-tree.ts'
import { listLimits } from '../list-limits.ts'
import { parameterError } from '../parameters.ts'
import { isFilterable, isShownByAll, type VisibleFields } from '../visible-fields.ts'

/** A resource as the caller sees it, and how it sees others; without `viewOf` no path leads on. */
export type PathContext = VisibleFields & { readonly resource: Resource } & Pick<FilterContext, 'viewOf'>

/** How far a path leads: the place, the references to it, and the rest of the path. */
export type FollowedPath = {
  readonly place: PathContext
  readonly through: FarField['through']
  /** The references as they were named, with a dot behind each: `team.club.` */
  readonly prefix: string
  readonly rest: string
}

/** The references by which paths lead on from here, by their names. */
export function referencesFrom({ viewOf, ...seen }: PathContext): string[] {
  if (!viewOf) return []
  return Object.entries(seen.resource.relations).flatMap(([name, { kind, by }]) =>
    kind === 'reference' && isFilterable(seen, by) && isShownByAll(seen, by) ? [name] : [],
  )
}

function stepFrom({ place, through, prefix, rest }: FollowedPath): FollowedPath | undefined {
  const dot = rest.indexOf('.')
  const name = rest.slice(0, Math.max(dot, 0))
  if (!referencesFrom(place).includes(name)) return undefined
  const { resource, viewOf, listsAll } = place
  const relation = resource.relations[name]
  const seen = relation && viewOf?.(relation.resource)
  if (!relation || !seen) return undefined
  const { visible, visibleWhere, where } = seen
  return {
    place: { resource: relation.resource, visible, visibleWhere, viewOf, ...(listsAll && { listsAll }) },
    through: [...through, { by: relation.by, resource: relation.resource.name, where }],
    prefix: `${prefix}${name}.`,
    rest: rest.slice(dot + 1),
  }
}

/**
 * Follows references until the place knows the rest of the path, or none leads on. `parameter`: the
 * name for the error. Throws `bad-request` for too many references.
 */
export function followPath(
  from: PathContext,
  path: string,
  { parameter, isKnown }: { readonly parameter: string; isKnown(place: PathContext, rest: string): boolean },
): FollowedPath {
  const { relationLevelsMax } = listLimits
  let at: FollowedPath = { place: from, through: [], prefix: '', rest: path }
  while (!isKnown(at.place, at.rest)) {
    const next = stepFrom(at)
    if (!next) return at
    if (next.through.length > relationLevelsMax)
      throw parameterError(parameter, `${parameter} follows at most ${relationLevelsMax} references`)
    at = next
  }
  return at
}
