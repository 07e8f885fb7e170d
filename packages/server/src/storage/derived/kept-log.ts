/**
 * The part of the change log that is kept for readers who come back. It has the changes of the
 * resources with `changes`, and of those that their rules look into. It has one order for all
 * processes, in whole transactions. Changes of one record follow each other in it.
 */
import type { Resource } from '../../resource/catalog.ts'
import { type Change, changesTable } from '../changes.ts'
import type { Values } from '../stored-row.ts'

/** A point between two transactions of the log. `comparePlaces` compares points of one epoch. */
export type LogPlace = string

/** Before all changes. */
export const firstPlace: LogPlace = '0'

/** Negative where the first comes before the second, and 0 where they are the same. */
export function comparePlaces(a: LogPlace, b: LogPlace): number {
  const [one, other] = [a, b].map((place) => place.split(' ').map(BigInt)) as [bigint[], bigint[]]
  for (let i = 0; i < Math.max(one.length, other.length); i++) {
    const [left, right] = [one[i] ?? 0n, other[i] ?? 0n]
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

export function laterPlace(a: LogPlace, b: LogPlace): LogPlace {
  return comparePlaces(a, b) < 0 ? b : a
}

/** `values` have the id of the record besides the logged fields. */
export type KeptChange = Change & {
  /** The same for all changes of one transaction. */
  readonly transaction: bigint
  /** The end of its transaction: the same for all changes of one transaction. */
  readonly place: LogPlace
  /** Whether no other change of its transaction follows. */
  readonly isLast: boolean
}

export type KeptChanges = {
  readonly changes: readonly KeptChange[]
  /** The place behind them. */
  readonly place: LogPlace
  /** Whether there was no more; then the place is behind all that is settled. */
  readonly isEnd: boolean
  /** Why its reader must begin anew, at the place. */
  readonly loss: Extract<LogLoss, 'cut' | 'ahead'> | undefined
}

/**
 * Why a reader of the log must begin anew. `cut`: the log does not go back so far. `ahead`: it has
 * not come to that place. `many`: too many changes to undo. `past`: another program wrote the
 * records. `removed`: it removed rows of the log. `erased`: an erasure took values.
 */
export type LogLoss = 'cut' | 'ahead' | 'many' | 'past' | 'removed' | 'erased'

/** Undefined where the change says what became of each record. */
export function lossIn({ kind, resource, records, values, isErased }: Change): LogLoss | undefined {
  if (isErased) return 'erased'
  if (kind === 'unknown') return resource === changesTable ? 'removed' : 'past'
  return values?.length === records.length ? undefined : 'past'
}

/** Records by id as they were; null where there was none. */
export type TouchedRecords = ReadonlyMap<string, Values | null>

/**
 * `held`: committed changes that readers do not get yet. `oldestMs`: undefined where there is none.
 */
export type KeptFigures = {
  readonly rows: number
  readonly bytes: number
  readonly oldestMs: number | undefined
  readonly held: { readonly rows: number; readonly oldestMs: number | undefined }
}

/** An open transaction. Readers do not get what was committed since it began. */
export type LogHolder = {
  /** Null for a prepared transaction, which has no session. */
  readonly pid: number | null
  readonly prepared: string | null
  /** As the session calls itself. */
  readonly name: string | null
  readonly user: string | null
  readonly state: string | null
  /** Null where the database does not tell this user. */
  readonly ms: number | null
}

/** `secret`: drawn with the name of the log. It stays in the database. */
export type LogSealing = {
  readonly secret: string
  /** The mark that holds at a place (`log-marks.ts`). */
  markAt(place: LogPlace): string
}

export type KeptLog = {
  /** The random name of this log, 16 hexadecimal digits. A restore and a copy begin a new one. */
  epoch(): Promise<string>
  /** Seals its positions. */
  sealing(): Promise<LogSealing>
  /** Reads the marks again: while this process was away, another one may have drawn a mark. */
  renewMarks(): Promise<void>
  /** The place behind all that is settled now. No change is ever inserted before it. */
  end(): Promise<LogPlace>
  /**
   * Reads whole transactions behind a place, of all resources that the log keeps. The limit is a
   * number of changes; a single longer transaction is read whole.
   */
  read(after: LogPlace, limit: number): Promise<KeptChanges>
  /** The first place from which the log has every change of these resources. */
  since(resources: readonly Resource[]): Promise<LogPlace>
  /**
   * The values of records as they were at a place, by id: null where there was no record. They are
   * of the records that have changed since. Read it after the rows, which have all others as they
   * were.
   */
  touched(resource: Resource, after: LogPlace, limit: number): Promise<TouchedRecords | LogLoss>
  figures(): Promise<KeptFigures>
  /** The oldest first. None where one writer settles each commit at once. */
  holders(): Promise<readonly LogHolder[]>
  /** A place with so many changes behind it, and the rest of the transaction of the first. */
  recent(count: number): Promise<LogPlace>
}

/** Which values the first change behind a place found, by the ids of records. */
export function valuesBefore(changes: readonly Change[]): TouchedRecords | LogLoss {
  const found = new Map<string, Values | null>()
  for (const change of changes) {
    const loss = lossIn(change)
    if (loss) return loss
    for (const [i, { id }] of change.records.entries())
      if (!found.has(String(id))) found.set(String(id), change.values?.[i]?.before ?? null)
  }
  return found
}
