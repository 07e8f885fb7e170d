/** New records of an import that wait to be stored together, many rows in one statement. */
import type { Permitted } from '../../policy/policy.ts'
import type { PreparedRecord } from '../../record/prepared-record.ts'
import type { RecordTransaction } from '../../record/record-store.ts'
import type { Engine } from '../engine.ts'

/** As many rows as one statement inserts. Between two statements others have their turn. */
const waitingMax = 250

export type PendingInserts = {
  add(record: PreparedRecord): void
  isFull(): boolean
  /** Whether a waiting record has this id, or may get it. */
  mayHold(id: unknown): boolean
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

/** Undefined where each new record must be stored by itself. */
export function makePendingInserts(
  engine: Pick<Engine, 'stagesOf'>,
  permitted: Permitted,
  tx: RecordTransaction,
): PendingInserts | undefined {
  if (!isOnlyStored(engine, permitted)) return undefined
  const { resource } = permitted.operation
  const waiting: PreparedRecord[] = []
  const ids = new Set<unknown>()
  return {
    add(record) {
      waiting.push(record)
      ids.add(record.values[resource.idField] ?? null)
    },
    isFull: () => waiting.length >= waitingMax,
    mayHold: (id) => ids.has(id) || ids.has(null),
    async store() {
      await tx.insertAll(waiting)
      waiting.length = 0
      ids.clear()
    },
  }
}
