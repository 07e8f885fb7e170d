/** New records of an import that wait to be stored together, many rows in one statement. */
import type { Permitted } from '../../policy/policy.ts'
import type { Prepared } from '../../record/prepared.ts'
import type { Writing } from '../../record/records.ts'
import type { Engine } from '../engine.ts'

/** As many rows as one statement inserts. Between two statements others have their turn. */
const waitingMax = 250

export type Pending = {
  add(record: Prepared): void
  isFull(): boolean
  /** Whether a waiting record has this id, or may get it. */
  mayHold(id: unknown): boolean
  /** Throws `conflict`. */
  store(): Promise<void>
}

/**
 * Whether a new record only has to be stored: nothing else follows, no step looks at what is
 * stored, and no other new record depends on it.
 */
function isOnlyStored({ stagesOf }: Pick<Engine, 'stagesOf'>, { operation, result }: Permitted): boolean {
  const { resource } = operation
  const references = resource.storedNames.flatMap((name) => resource.fields[name]?.reference ?? [])
  return (
    result === undefined &&
    stagesOf(resource).created.length === 0 &&
    stagesOf(resource).beforeCreate.length === 0 &&
    resource.embeddedIn.length === 0 &&
    resource.addOnCreate.length === 0 &&
    references.every((one) => !one.touch && one.resource !== resource.name)
  )
}

/** Undefined where each new record must be stored by itself. */
export function makePending(
  engine: Pick<Engine, 'stagesOf'>,
  permitted: Permitted,
  writing: Writing,
): Pending | undefined {
  if (!isOnlyStored(engine, permitted)) return undefined
  const { resource } = permitted.operation
  const waiting: Prepared[] = []
  const ids = new Set<unknown>()
  return {
    add(record) {
      waiting.push(record)
      ids.add(record.values[resource.idField] ?? null)
    },
    isFull: () => waiting.length >= waitingMax,
    mayHold: (id) => ids.has(id) || ids.has(null),
    async store() {
      await writing.insertAll(waiting)
      waiting.length = 0
      ids.clear()
    },
  }
}
