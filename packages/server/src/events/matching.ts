/**
 * Finds the records that matched a condition at a moment, also those that match no more. The
 * database finds those that match now; others have changed since, or lead to records that have.
 */
import type { Resource } from '../resource/catalog.ts'
import type { Condition, Scalar } from '../resource/condition.ts'
import type { ReadStorage, Values } from '../storage/storage.ts'
import type { AffectedParts } from './affected.ts'
import { lost } from './lost.ts'
import { lookedInto, nodesIn, type RelatedNode, type WithinNode } from './verdicts.ts'
import type { Moment } from './world.ts'

export type MatchingParts = AffectedParts & { readonly storage: Pick<ReadStorage, 'list'> }

type Sought = { readonly resource: Resource; readonly where: Condition; readonly most: number }
type Ids = Map<string, Scalar>

/** Throws `LostPlace` where records that the condition looks into have changed since. */
async function refuseMoved(
  { catalog, world }: MatchingParts,
  { resource, node }: { readonly resource: Resource; readonly node: RelatedNode | WithinNode },
  moment: Moment,
): Promise<void> {
  for (const name of lookedInto(node))
    if ((await world.moved(catalog.get(name), moment)).size > 0)
      throw lost(`Records by which ${resource.plural} are found have changed since`)
}

/** Records that may match otherwise now: they have changed, or a record that they lead to. */
async function suspects(
  parts: MatchingParts,
  { resource, where }: Pick<Sought, 'resource' | 'where'>,
  moment: Moment,
): Promise<Ids> {
  const { catalog, world } = parts
  const { idField } = resource
  const moved = await world.moved(resource, moment)
  const ids: Ids = new Map([...moved].map(([id, row]) => [id, (row?.[idField] ?? id) as Scalar]))
  for (const node of nodesIn(where)) {
    if (node.kind === 'related' && node.at === undefined) {
      const other = { resource: catalog.get(node.resource), where: node.where }
      const values = [...(await suspects(parts, other, moment)).values()]
      const rows = await world.settled(() =>
        values.flatMap((value) => world.rows({ resource, field: node.field, value }, moment)),
      )
      for (const row of rows) ids.set(String(row[idField]), row[idField] as Scalar)
    } else await refuseMoved(parts, { resource, node }, moment)
  }
  return ids
}

/**
 * The ids of all records that match at that moment, and of some others. Throws `LostPlace` for more
 * than `most`.
 */
export async function candidatesAt(parts: MatchingParts, sought: Sought, moment: Moment): Promise<readonly Scalar[]> {
  const { resource, where, most } = sought
  const { idField } = resource
  const sort = [{ field: idField, descending: false }]
  const rows = await parts.storage.list(resource, { where, sort, limit: most + 1 })
  if (rows.length > most) throw lost(`One change moved more than ${most} ${resource.plural}`)
  const ids = await suspects(parts, sought, moment)
  for (const row of rows) ids.set(String(row[idField]), row[idField] as Scalar)
  return [...ids.values()]
}

/** In the order of the ids. */
export async function matchingAt(parts: MatchingParts, sought: Sought, moment: Moment): Promise<readonly Values[]> {
  const { world, verdicts } = parts
  const { resource, where } = sought
  const ids = await candidatesAt(parts, sought, moment)
  const verdict = verdicts.of(resource, where)
  const rows = await world.settled(() =>
    ids.flatMap((id) => {
      const row = world.row(resource, id, moment)
      return row && verdict(row, moment) ? [row] : []
    }),
  )
  const idOf = (row: Values) => row[resource.idField] as Scalar
  return rows.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
}
