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
import type { Door } from './write-context.ts'

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
  await checkReferences(door, resource, values)
  checkValues(resource, values)
  return door.transaction.updateAll(resource, ids, values)
}

type Changing = { readonly resource: Resource; readonly before: Row; readonly changes: Values }

export async function changeRow(door: Door, { resource, before, changes: sent }: Changing): Promise<Row> {
  checkNames(resource, sent)
  refuseWriting(door, resource, 'update')
  const stages = door.stagesOf(resource)
  const changes =
    stages.beforeUpdate.length === 0 ? sent : await beforeUpdate(door, { resource, before, changes: sent })
  const next: Record<string, unknown> = { ...before, ...changes }
  applyFollowing(resource, next)
  if (resource.updatedField) next[resource.updatedField] = door.now
  const differing = resource.storedNames.filter((name) => !isDeepStrictEqual(next[name], before[name]))
  if (differing.includes(resource.idField)) throw new Error(`the id of a ${resource.name} never changes`)
  const values = Object.fromEntries(differing.map((name) => [name, next[name]]))
  await judgeResult(door, { resource, row: next, changed: differing })
  await checkReferences(door, resource, values)
  checkValues(resource, values)
  for (const settled of stages.settled) await settled({ writing: door.writing, resource, before, row: next })
  const row = await door.transaction.update(resource, before, values)
  noteResult(door, resource, row)
  await touchParents(door, { resource, rows: [before, row] }) // a part that moves from one record to another changes both
  for (const after of stages.afterUpdate) await after({ writing: door.writing, resource, before, row })
  return row
}
