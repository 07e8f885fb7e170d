/** New records. Fills in the id, the times, the defaults and the values that follow from others, and touches the records above. */
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import type { Row, Values } from '../storage/storage.ts'
import { initialValue } from './initial-value.ts'
import { judgeResult, noteResult } from './judge-result.ts'
import { Prepared } from './prepared.ts'
import { beforeCreate } from './run-stages.ts'
import { applyFollowing, checkDraft, checkNames, checkReferences, seenKey } from './stored-values.ts'
import { touchParents } from './touch.ts'
import type { Door } from './write-context.ts'

export async function prepare(door: Door, resource: Resource, values: Values): Promise<Prepared> {
  checkNames(resource, values)
  const draft: Record<string, unknown> = {}
  for (const name of resource.storedNames) {
    draft[name] = values[name] === undefined ? initialValue(door, resource.fields[name] as Field) : values[name]
  }
  if (!resource.hasCountedId) draft[resource.idField] ??= door.makeId()
  let given = values
  if (door.stagesOf(resource).beforeCreate.length > 0) {
    given = await beforeCreate(door, { resource, sent: values, values: draft })
    Object.assign(draft, given)
  }
  applyFollowing(resource, draft)
  await judgeResult(door, { resource, row: draft })
  await checkReferences(door, { resource, values: draft })
  checkDraft(resource, draft, given)
  for (const settled of door.stagesOf(resource).settled)
    await settled({ writing: door.writing, resource, before: undefined, row: draft })
  return new Prepared(resource, draft)
}

export async function insertPrepared(door: Door, { resource, values }: Prepared, reason?: string): Promise<Row> {
  const row = await door.transaction.insert(resource, values)
  door.seen.add(seenKey(resource, row[resource.idField]))
  noteResult(door, resource, row)
  await touchParents(door, { resource, rows: [row] })
  for (const after of door.stagesOf(resource).afterCreate)
    await after({ writing: door.writing, resource, rows: [row], reason })
  return row
}

export async function storePrepared(door: Door, records: readonly Prepared[]): Promise<void> {
  for (const [resource, group] of Map.groupBy(records, (record) => record.resource)) {
    const { afterCreate } = door.stagesOf(resource)
    // A step, and a rule that is asked again, know them by the ids that the database gives.
    if (door.result?.resource === resource || (resource.hasCountedId && afterCreate.length > 0)) {
      for (const record of group) await insertPrepared(door, record)
      continue
    }
    const rows = group.map(({ values }) => values)
    await door.transaction.insertAll(resource, rows)
    await touchParents(door, { resource, rows })
    for (const after of afterCreate) await after({ writing: door.writing, resource, rows })
  }
}

type Many = { readonly resource: Resource; readonly all: readonly Values[] }

/**
 * Stores what the engine itself writes down, with ids, times and defaults. Nothing is checked and
 * nothing follows: such records may name what is gone, or goes now.
 */
export async function storeNotes(door: Door, { resource, all }: Many): Promise<void> {
  const rows = all.map((known) => {
    const values: Record<string, unknown> = {}
    for (const name of resource.storedNames)
      values[name] = Object.hasOwn(known, name) ? known[name] : initialValue(door, resource.fields[name] as Field)
    if (!resource.hasCountedId) values[resource.idField] = door.makeId()
    return values
  })
  if (rows.length > 0) await door.transaction.insertAll(resource, rows)
}
