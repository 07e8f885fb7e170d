/** Changes to rows, with everything that follows from them. */
import { isDeepStrictEqual } from 'node:util'
import type { Resource } from '../resource/catalog.ts'
import type { Scalar } from '../resource/condition.ts'
import type { Row, Values } from '../storage/storage.ts'
import { judgeResult, noteResult } from './judge-result.ts'
import { beforeUpdate, refuseWriting } from './run-stages.ts'
import { mustRead } from './stages.ts'
import { applyFollowing, checkNames, checkReferences, checkValues } from './stored-values.ts'
import { touchParents } from './touch.ts'
import type { Door, Going } from './write-context.ts'

type ChangingAll = { readonly resource: Resource; readonly ids: readonly Scalar[]; readonly changes: Values }

/** Changes rows without reading them, so nothing may follow from the changed values. Throws an `Error` where something would. */
export async function changeAll(door: Door, { resource, ids, changes }: ChangingAll): Promise<number> {
  checkNames(resource, changes)
  refuseWriting(door, resource, 'update')
  const isPart = resource.storedNames.some((name) => resource.fields[name]?.reference?.touch)
  const isSearched = resource.list.search.some((name) => Object.hasOwn(changes, name))
  const isJudged = door.result?.resource === resource
  if (resource.follow.length > 0 || isPart || isSearched || isJudged || mustRead(door.stagesOf(resource), changes))
    throw new Error(`${resource.name} records are changed one by one: something follows from them`)
  const values = resource.updatedField ? { ...changes, [resource.updatedField]: door.now } : changes
  await checkReferences(door, { resource, values })
  checkValues(resource, values)
  return door.transaction.updateAll(resource, ids, values)
}

type Changing = {
  readonly resource: Resource
  readonly before: Row
  readonly changes: Values
  /**
   * Given where the change clears a reference to a record that goes: nobody edits this one, so its
   * `updatedAt` stays.
   */
  readonly clearing?: Going
}

/** The values that will differ, which have passed all that may refuse the change. */
export async function settleChange(door: Door, changing: Changing): Promise<Values> {
  const { resource, before, changes: sent, clearing } = changing
  checkNames(resource, sent)
  refuseWriting(door, resource, 'update')
  const stages = door.stagesOf(resource)
  const changes =
    stages.beforeUpdate.length === 0 ? sent : await beforeUpdate(door, { resource, before, changes: sent })
  const next: Record<string, unknown> = { ...before, ...changes }
  applyFollowing(resource, next)
  if (resource.updatedField && !clearing) next[resource.updatedField] = door.now
  const differing = resource.storedNames.filter((name) => !isDeepStrictEqual(next[name], before[name]))
  if (differing.includes(resource.idField)) throw new Error(`the id of a ${resource.name} never changes`)
  const values = Object.fromEntries(differing.map((name) => [name, next[name]]))
  await judgeResult(door, { resource, row: next, changed: differing })
  // A hook may have set what is cleared again, so that it does not differ.
  const cleared = clearing && Object.fromEntries(Object.keys(sent).map((name) => [name, next[name]]))
  await checkReferences(door, { resource, values: { ...values, ...cleared }, going: clearing })
  checkValues(resource, values)
  for (const settled of stages.settled) await settled({ writing: door.writing, resource, before, row: next })
  return values
}

export async function changeRow(door: Door, changing: Changing): Promise<Row> {
  const { resource, before, clearing: going } = changing
  const values = await settleChange(door, changing)
  const row = await door.transaction.update(resource, before, values)
  noteResult(door, resource, row)
  // A part that moves from one record to another changes both.
  await touchParents(door, { resource, rows: [before, row], ...(going && { going }) })
  for (const after of door.stagesOf(resource).afterUpdate) await after({ writing: door.writing, resource, before, row })
  return row
}
