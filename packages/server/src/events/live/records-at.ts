/**
 * The records of a list as they were at a place of the log, from which its events go on. Writes may
 * happen while they are read.
 */
import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { Scalar } from '../../resource/condition.ts'
import type { LogPlace } from '../../storage/derived/kept-log.ts'
import type { Values } from '../../storage/storage.ts'
import type { Represented } from '../../value/represent.ts'
import { represent } from '../events-of.ts'
import type { SeenRecords } from '../followed.ts'
import { type MatchingParts, matchingAt } from '../matching.ts'
import { type FeedParts, partsOf } from '../read-feed.ts'
import { lookedInto } from '../verdicts.ts'

type SnapshotOf = { readonly resource: Resource; readonly seen: SeenRecords; readonly place: LogPlace }

const { recordsMax } = limits.live

/** Whether no record that decides the rows has changed since. Call it behind their read. */
async function isUntouched({ catalog, log }: FeedParts, { resource, seen, place }: SnapshotOf): Promise<boolean> {
  const names = lookedInto(seen.where, new Set([resource.name]))
  for (const name of names) {
    const touched = await log.touched(catalog.get(name), place, 1)
    if (typeof touched === 'string' || touched.size > 0) return false
  }
  return true
}

async function rowsAt(feed: FeedParts, parts: MatchingParts, of: SnapshotOf): Promise<readonly Values[]> {
  const { resource, seen } = of
  const { where } = seen
  const sort = [{ field: resource.idField, descending: false }]
  const rows = await feed.storage.list(resource, { where, sort, limit: recordsMax + 1 })
  if (rows.length > recordsMax)
    throw new ApiError(
      'bad-request',
      `More than ${recordsMax} ${resource.plural} match: filter them, or set limit to follow a page`,
    )
  if (await isUntouched(feed, of)) return rows as readonly Values[]
  return matchingAt(parts, { resource, where, most: recordsMax }, 0)
}

export type SnapshotRecord = { readonly id: Scalar; readonly record: Represented }

/** Throws `bad-request` for too many records, and `LostPlace` where too many have changed since. */
export async function readSnapshot(feed: FeedParts, of: SnapshotOf): Promise<readonly SnapshotRecord[]> {
  const { resource, seen, place } = of
  const parts = partsOf(feed, [], place)
  const rows = await rowsAt(feed, parts, of)
  return parts.world.settled(() =>
    rows.map((row) => ({
      id: row[resource.idField] as Scalar,
      record: represent(parts, resource, { row, seen, moment: 0 }),
    })),
  )
}
