/** New records of an import that wait to be stored together, many rows in one statement. */
import { foldName } from '../../base/fold.ts'
import type { ImportOperation } from '../../operation/operation.ts'
import type { Permitted } from '../../policy/policy.ts'
import type { PreparedRecord } from '../../record/prepared-record.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { Engine } from '../engine.ts'
import { parseId } from '../read/find.ts'

/** As many rows as one statement inserts. Between two statements others have their turn. */
const waitingMax = 250

export type PendingInserts = {
  add(record: PreparedRecord): void
  isFull(): boolean
  /** Whether a waiting record has this id, or may get it. */
  mayHold(sent: unknown): boolean
  /** Whether a waiting record may have the values by which the line names a record. */
  mayHoldKey(input: Readonly<Record<string, unknown>>): boolean
  /** Throws `conflict`. */
  store(): Promise<void>
}

/**
 * Whether a new record only has to be stored. Nothing else follows from it, no write step looks at
 * the stored row, and no other new record depends on it.
 */
function isOnlyStored({ stagesOf }: Pick<Engine, 'stagesOf'>, permitted: Permitted): boolean {
  const { operation, result, guardedWhere } = permitted
  const { resource } = operation
  const references = resource.storedNames.flatMap((name) => resource.fields[name]?.reference ?? [])
  return (
    result === undefined &&
    guardedWhere.size === 0 &&
    stagesOf(resource).created.length === 0 &&
    stagesOf(resource).beforeCreate.length === 0 &&
    resource.embeddedIn.length === 0 &&
    resource.addOnCreate.length === 0 &&
    references.every((one) => !one.touch && one.resource !== resource.name) &&
    Object.values(resource.links).every(({ target }) => target !== resource)
  )
}

/** The same for all values that the database treats as one. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? foldName(value) : String(value)
}

/** Undefined where each new record must be stored by itself. */
export function makePendingInserts(
  engine: Pick<Engine, 'stagesOf'>,
  permitted: Permitted<ImportOperation>,
  tx: RecordTransaction,
): PendingInserts | undefined {
  if (!isOnlyStored(engine, permitted)) return undefined
  const { resource, on = [] } = permitted.operation
  const names = on.filter((name) => resource.fields[name]?.setBy === undefined)
  const keyOf = (values: Readonly<Record<string, unknown>>) => names.map((name) => textOf(values[name])).join('\0')
  const keys = new Set<string>()
  const waiting: PreparedRecord[] = []
  const ids = new Set<unknown>()
  return {
    add(record) {
      waiting.push(record)
      if (on.length > 0) keys.add(keyOf(record.values))
      ids.add(record.values[resource.idField] ?? null)
    },
    isFull: () => waiting.length >= waitingMax,
    mayHold: (sent) => ids.has(parseId(resource, String(sent))) || ids.has(null),
    mayHoldKey: (input) => keys.has(keyOf(input)),
    async store() {
      await tx.insertAll(waiting)
      waiting.length = 0
      ids.clear()
      keys.clear()
    },
  }
}
