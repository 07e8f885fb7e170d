/**
 * Changes rows and runs everything that follows from a change: write steps, checks, computed values
 * and touched parents.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import { withArticle } from '../resource/words/names.ts'
import type { Row, Values } from '../storage/storage.ts'
import { isCountedBy, noteCounted } from './counts/counted-fields.ts'
import { judgeResult, noteForRejudging } from './judge-result.ts'
import { partLinks } from './links/part-links.ts'
import { checkLinks, storeLinks } from './links/store-links.ts'
import { isPlacedBy, partPlace, withPlace } from './places/place-records.ts'
import { checkBranch } from './references/check-branch.ts'
import { checkJudgedReferences } from './references/judged.ts'
import { isShared, refuseParted } from './references/parted.ts'
import { checkTenantStays } from './references/tenant-of-record.ts'
import { checkMayWrite, runBeforeUpdate } from './run-stages.ts'
import { mustRead } from './stages.ts'
import { applyOnWrite, checkNames, checkReferences, checkValues } from './stored-values.ts'
import { touchParents } from './touch-parents.ts'
import type { RecordsBeingRemoved, WriteContext } from './write-context.ts'

type BulkChange = { readonly resource: Resource; readonly ids: readonly Scalar[]; readonly changes: Values }

/**
 * Changes rows without reading them, so nothing may follow from the changed values. Throws an
 * `Error` where something would.
 */
export async function changeAll(context: WriteContext, { resource, ids, changes }: BulkChange): Promise<number> {
  checkNames(resource, changes)
  checkMayWrite(context, resource, 'update')
  const isPart = resource.storedNames.some((name) => resource.fields[name]?.reference?.touch)
  const isSearched = resource.list.search.some((name) => Object.hasOwn(changes, name))
  const isJudged = context.result?.resource === resource
  const isBound = isShared(resource, Object.keys(changes))
  const isCounted = isCountedBy(resource, Object.keys(changes))
  const isRead = mustRead(context.stagesOf(resource), changes) || isPlacedBy(resource, Object.keys(changes))
  const isBranch = resource.tree && Object.hasOwn(changes, resource.tree.by)
  if (resource.onWrite.length > 0 || isBranch || isPart || isSearched || isJudged || isBound || isRead || isCounted)
    throw new Error(`${resource.name} records are changed one by one: something follows from them`)
  const values = resource.updatedField ? { ...changes, [resource.updatedField]: context.now } : changes
  const changing = { resource, row: values, changed: Object.keys(values) }
  await checkJudgedReferences(context, changing)
  await checkReferences(context, changing)
  checkValues(resource, values)
  return context.transaction.updateAll(resource, ids, values)
}

type RowChangeRequest = {
  readonly resource: Resource
  readonly before: Row
  readonly changes: Values
  /**
   * Given where the change clears a reference to a record that is removed: no caller edits this
   * record, so its `updatedAt` stays.
   */
  readonly clearing?: RecordsBeingRemoved
}

/** The values that will differ, which have passed all that may refuse the change. */
export async function settleChange(context: WriteContext, changing: RowChangeRequest): Promise<Values> {
  const { resource, before, changes: sent, clearing } = changing
  checkNames(resource, sent)
  checkMayWrite(context, resource, 'update')
  const stages = context.stagesOf(resource)
  const changes =
    stages.beforeUpdate.length === 0 ? sent : await runBeforeUpdate(context, { resource, before, changes: sent })
  const next: Record<string, unknown> = { ...before, ...changes }
  applyOnWrite(resource, next)
  if (resource.updatedField && !clearing) next[resource.updatedField] = context.now
  const differing = resource.storedNames.filter((name) => !isDeepStrictEqual(next[name], before[name]))
  if (differing.includes(resource.idField)) throw new Error(`the id of ${withArticle(resource.name)} never changes`)
  const values = Object.fromEntries(differing.map((name) => [name, next[name]]))
  if (resource.scope) await checkTenantStays(context, { resource, before, next, differing })
  await checkJudgedReferences(context, { resource, row: next, changed: differing })
  await judgeResult(context, { resource, row: next, before, changed: differing })
  // A hook may have set what is cleared again, so that it does not differ.
  const changed = clearing ? [...new Set([...differing, ...Object.keys(sent)])] : differing
  await checkReferences(context, { resource, row: next, changed, going: clearing })
  if (resource.tree) await checkBranch(context, { resource, row: next, changed: differing })
  checkValues(resource, values)
  await refuseParted(context, { resource, before, row: next, changed: differing, clearing })
  for (const settled of stages.settled) await settled({ tx: context.tx, resource, before, row: next })
  return values
}

export async function changeRow(context: WriteContext, changing: RowChangeRequest): Promise<Row> {
  const { resource, before, clearing: going } = changing
  const { values: sent, links } = partLinks(resource, changing.changes)
  const { values: changes, place } = partPlace(resource, sent, before)
  const settled = await settleChange(context, { ...changing, changes })
  await checkLinks(context, { resource, row: { ...before, ...settled } }, links)
  const values = await withPlace(context, { resource, before, place }, settled)
  const row = await context.transaction.update(resource, before, values)
  const linksBefore = await storeLinks(context, { resource, row }, links)
  noteForRejudging(context, resource, { row, before })
  noteCounted(context, resource, [{ before, after: row }])
  // A part that moves from one record to another changes both.
  await touchParents(context, { resource, rows: [before, row], ...(going && { going }) })
  for (const after of context.stagesOf(resource).afterUpdate)
    await after({ tx: context.tx, resource, before, row, linksBefore })
  return row
}
