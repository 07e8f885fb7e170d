/**
 * Loads the children of many records at once, for REST's `expand` and GraphQL's fields. It loads
 * the records that the list below each record would show the caller. A record that the caller may
 * not get has no children here.
 */

import { jsonText } from '../../base/json-text.ts'
import { listLimits } from '../../operation/list-limits.ts'
import type { Relation, Resource, SortKey } from '../../resource/catalog.ts'
import type { Condition, Scalar } from '../../resource/condition.ts'
import { isOfOne } from '../../resource/relations/relations.ts'
import { makeYieldWhenLong } from '../imports/yield-when-long.ts'
import { makeMissing } from '../single.ts'
import { type LoadContext, loadRelated, type RelatedRecords } from './related.ts'
import { readTied } from './tied-rows.ts'

/** Records that the caller has before it. */
export type ParentRecords = {
  readonly resource: Resource
  readonly ids: ReadonlySet<unknown>
  /**
   * The condition by which they were found; `got`: that of getting them one by one; undefined where
   * it is unknown.
   */
  readonly foundBy: Condition | 'got' | undefined
}

export type ChildrenRequest = {
  /** To children, or to the single one. */
  readonly link: Relation
  readonly names: readonly string[] | null
  /** For each of the records. */
  readonly limit: number | undefined
  readonly where?: Condition
  /** The order of the list of such records if absent. */
  readonly sort?: readonly SortKey[]
  /** Of all together. */
  readonly most?: number
}

/** Those that the caller may get by themselves: the paths to their children go through them. */
async function gettable(
  loading: LoadContext,
  { resource, ids, foundBy }: ParentRecords,
): Promise<ReadonlySet<unknown>> {
  if (foundBy === 'got') return ids
  const { where } = loading.engine.policy.view(loading.principal, resource)
  if (where.kind === 'true' || (foundBy && jsonText(where) === jsonText(foundBy))) return ids
  if (where.kind === 'false') return new Set()
  const tied = { resource, by: resource.idField, ids: [...ids] as Scalar[], where, sort: undefined }
  const found = await readTied({ reader: loading.reader, yieldWhenLong: makeYieldWhenLong() }, tied)
  return new Set(found.map((row) => row[resource.idField]))
}

/**
 * Grouped by the ids of the parents. Single records that are missing are made, as where they are
 * asked for alone.
 */
export async function loadChildren(
  loading: LoadContext,
  parents: ParentRecords,
  wanted: ChildrenRequest,
): Promise<RelatedRecords> {
  const { link, limit = listLimits.pageSize, ...rest } = wanted
  const { resource, by } = link
  const relation = { ...rest, resource, by, ids: await gettable(loading, parents), as: 'child' } as const
  if (!isOfOne(link))
    return loadRelated(loading, { ...relation, sort: relation.sort ?? resource.list.defaultSort, limitEach: limit })
  await makeMissing(loading.engine, loading.principal, relation)
  return loadRelated(loading, relation)
}
