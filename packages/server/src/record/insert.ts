/** New records. Fills in the id, the times, the defaults and the values that follow from others, and touches the records above. */
import type { AuditEvent } from '../resource/accounts/audit-events.ts'
import type { Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import type { Row, Values } from '../storage/storage.ts'
import { isAudited, tellInserted } from './audit-writes.ts'
import { checkLetter } from './check-letter.ts'
import { initialValue } from './initial-value.ts'
import { judgeResult, noteResult } from './judge-result.ts'
import type { Door } from './records.ts'
import { applyFollowing, checkDraft, checkNames, checkReferences, seenKey } from './stored-values.ts'
import { touchParents } from './touch.ts'

/** A new record, complete and checked. Only `prepare` makes one. */
export class Prepared {
  readonly #checked = true
  readonly resource: Resource
  readonly values: Values

  constructor(resource: Resource, values: Values) {
    this.resource = resource
    this.values = values
  }

  /** Whether the object was made by this class. */
  static is(record: object): boolean {
    return #checked in record && record.#checked
  }
}

export async function prepare(door: Door, resource: Resource, values: Values): Promise<Prepared> {
  checkNames(resource, values)
  const draft: Record<string, unknown> = {}
  for (const name of resource.storedNames) {
    draft[name] = values[name] === undefined ? initialValue(door, resource.fields[name] as Field) : values[name]
  }
  if (!resource.hasCountedId) draft[resource.idField] ??= door.makeId()
  applyFollowing(resource, draft)
  await judgeResult(door, { resource, row: draft })
  await checkReferences(door, resource, draft)
  checkDraft(resource, draft, values)
  checkLetter(door, resource, { row: draft })
  return new Prepared(resource, draft)
}

export async function insertPrepared(door: Door, { resource, values }: Prepared, event?: AuditEvent): Promise<Row> {
  const row = await door.transaction.insert(resource, values)
  door.seen.add(seenKey(resource, row[resource.idField]))
  noteResult(door, resource, row)
  await touchParents(door, { resource, rows: [row] })
  await tellInserted(door, { resource, rows: [row], event })
  return row
}

export async function storePrepared(door: Door, records: readonly Prepared[]): Promise<void> {
  for (const [resource, group] of Map.groupBy(records, (record) => record.resource)) {
    // The audit, and a rule that is asked again, name them by the ids that the database gives.
    if (door.result?.resource === resource || (resource.hasCountedId && isAudited(door, resource))) {
      for (const record of group) await insertPrepared(door, record)
      continue
    }
    const rows = group.map(({ values }) => values)
    await door.transaction.insertAll(resource, rows)
    await touchParents(door, { resource, rows })
    await tellInserted(door, { resource, rows })
  }
}
