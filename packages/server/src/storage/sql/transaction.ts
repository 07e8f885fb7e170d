/**
 * Writes records through any executor inside one transaction, and reports violated unique keys as
 * declared conflicts. Triggers, cascades and effects of a write are the caller's work.
 */
import { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import { type Condition, equal, type Scalar } from '../../resource/condition.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { Change, ChangeDetail, ChangeKind, RowImage, WrittenRecord } from '../changes.ts'
import { versionColumn } from '../model/model.ts'
import type { ScheduleWriter } from '../schedules/stored-schedules.ts'
import type { Adjustment, ChangedRecord, Row, Transaction, Values } from '../storage.ts'
import type { EffectWriter } from '../stored-effects.ts'
import type { JobWriter } from '../stored-jobs.ts'
import { conflictOf, type IntendedRows, intendedRows, type KeyNaming } from './broken-keys.ts'
import { boundValuesMax } from './dialect.ts'
import type { EraseCopies } from './erase-copies.ts'
import { fewRowsMax, firstVersion, groupsOf, recordOf, rowsMax } from './insert-groups.ts'
import { type KeptValues, keptValues, toldOf } from './logged-values.ts'
import { takeNumbersStatement } from './number-series.ts'
import { type Executor, makeReader, type SqlTools } from './reader.ts'
import type { Statement } from './statements.ts'

/** The entry in the change log for a statement, besides its rows. */
export type WriteDescription = {
  readonly resource: Resource
  readonly kind: ChangeKind
  readonly detail?: ChangeDetail | undefined
  /** The statement writes one row at most. */
  readonly isOne?: boolean
  /** The values that the log keeps of each record. */
  readonly kept?: readonly KeptValues[] | undefined
  /** The images of the written rows, for readers in memory; undefined where they are not known. */
  images?(records: readonly WrittenRecord[]): readonly RowImage[] | undefined
  /** The fields that an update without images writes. */
  readonly fields?: readonly string[]
}

/** The part of it that the change log stores. */
export type LoggedWrite = Pick<WriteDescription, 'kind' | 'isOne' | 'detail' | 'kept' | 'images' | 'fields'> & {
  readonly resource: Pick<Resource, 'name'> & Partial<Pick<Resource, 'loggedNames' | 'idField'>>
}

/** The values that readers get, and the part that only readers in memory get. */
export function seenBy(
  about: LoggedWrite,
  records: readonly WrittenRecord[],
): Pick<Change, 'detail' | 'values' | 'images' | 'fields'> {
  const { images, fields, resource } = about
  const known = images?.(records)
  return { ...toldOf(about, { resource, records }), ...(known && { images: known }), ...(fields && { fields }) }
}

/** The interface that each database implements for writes. */
export type TransactionDriver = KeyNaming & {
  readonly executor: Executor
  /**
   * Runs a statement that returns the id and the version of each row it writes, and adds a row
   * about them to the change log.
   */
  write(statement: Statement, about: WriteDescription): Promise<readonly WrittenRecord[]>
  /** The fields of each resource whose values go into the change log. */
  readonly watched: ReadonlyMap<Resource, readonly string[]>
  /**
   * Called before the insert of a row with an integer id, so that generated ids stay above it.
   * Absent where the database ensures that.
   */
  keepAhead?(resource: Resource, id: number): Promise<void>
  /** Runs a statement that writes a row of the service's own tables, and returns its cells. */
  writeOwn(statement: Statement): Promise<readonly unknown[]>
  /** The service's own rows, beside those of effects. */
  readonly own: Pick<Transaction, 'claimRequest' | 'keepRequest' | 'countUp' | 'lockName'> & {
    readonly eraseCopies: EraseCopies
  }
  readonly effects: EffectWriter
  readonly jobs: JobWriter
  readonly schedules: ScheduleWriter
  /** Absent where the driver cannot know. */
  isAwaited?(): boolean
}

/** The counter of a resource has no exact number left. */
function idsUsedUp({ label }: Resource, cause?: unknown): ApiError {
  return new ApiError('conflict', `No id is left for another ${inSentence(label)}`, { cause })
}

/**
 * Throws `conflict` where the database has generated an id beyond the exact numbers: two ids would
 * look the same.
 */
function checkCounted(resource: Resource, written: readonly WrittenRecord[]): void {
  if (!resource.hasCountedId) return
  if (written.some(({ id }) => !Number.isSafeInteger(id))) throw idsUsedUp(resource)
}

function picked(row: Values, names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]))
}

/** The values that readers of the change log watch; undefined without such readers. */
function detailOf(names: readonly string[] | undefined, before?: Values, after?: Values): ChangeDetail | undefined {
  if (!names) return undefined
  return { ...(before && { before: picked(before, names) }), ...(after && { after: picked(after, names) }) }
}

/**
 * Generated ids rise with the order of the rows, even if the database returns them in another
 * order.
 */
function insertedImages(resource: Resource, records: readonly Values[]): NonNullable<WriteDescription['images']> {
  const { idField } = resource
  return (written) => {
    if (written.length !== records.length) return undefined
    if (Object.hasOwn(records[0] as Values, idField)) return records.map((after) => ({ before: null, after }))
    const ids = written.map(({ id }) => id as number).toSorted((a, b) => a - b)
    return records.map((record, i) => ({ before: null, after: { ...record, [idField]: ids[i] } }))
  }
}

/** The same image for each row, if the statement wrote all of them. */
function imagesOf(
  rows: readonly Values[],
  imageOf: (row: Values) => RowImage,
): NonNullable<WriteDescription['images']> {
  return (written) => (written.length === rows.length ? rows.map(imageOf) : undefined)
}

function idsOf({ idField }: Resource, rows: readonly Row[]): Scalar[] {
  return rows.map((row) => row[idField] as Scalar)
}

function addedTo(row: Values, add: Adjustment['add']): Values {
  const sumOf = (stored: unknown, by: unknown) =>
    typeof by === 'bigint' ? (stored as bigint) + by : (stored as number) + (by as number)
  return Object.fromEntries(Object.entries(add).map(([name, by]) => [name, sumOf(row[name], by)]))
}

type Write = (
  statement: Statement,
  about: WriteDescription,
  /** Asked for only where the statement is refused. */
  intended?: () => IntendedRows,
) => Promise<readonly WrittenRecord[]>

function makeWrite(writing: TransactionDriver): Write {
  return async (statement, about, intended) => {
    try {
      const written = await writing.write(statement, about)
      if (about.kind === 'insert') checkCounted(about.resource, written)
      return written
    } catch (error) {
      // The driver reports so that an integer is not exact as a number.
      if (error instanceof RangeError && about.resource.hasCountedId) throw idsUsedUp(about.resource, error)
      throw await conflictOf(writing, about.resource, { error, intended })
    }
  }
}

function makeAdjust(
  { watched }: TransactionDriver,
  { statements, writerOf }: SqlTools,
  write: Write,
): Transaction['adjust'] {
  return async (resource, rows, { add, set }) => {
    if (rows.length === 0 || Object.keys(add).length + Object.keys(set).length === 0) return
    const writer = writerOf(resource)
    const [added, written] = [writer.changed(add, add), writer.changed(set, set)]
    const where: Condition = { kind: 'in', field: resource.idField, values: idsOf(resource, rows) }
    const nextOf = (row: Values): Values => ({ ...row, ...set, ...addedTo(row, add) })
    const [only] = rows.length === 1 ? rows : []
    const detail = only && detailOf(watched.get(resource), only, nextOf(only))
    const images = imagesOf(rows, (row) => ({ before: row, after: nextOf(row) }))
    const kept = keptValues(resource, () =>
      rows.map((before) => ({ before, changes: { ...set, ...addedTo(before, add) } })),
    )
    const statement = statements.adjust(resource, where, { added, written })
    await write(statement, { resource, kind: 'update', isOne: only !== undefined, detail, kept, images })
  }
}

function makeLocks(executor: Executor, { statements, readerOf }: SqlTools): Pick<Transaction, 'lock' | 'lockAll'> {
  return {
    async lock(resource, where, { test, toDelete = false, shared = false, toName = false } = {}) {
      const lock = toDelete ? 'delete' : toName ? 'name' : shared ? 'share' : 'change'
      const cells = await executor.first(statements.find(resource, where, { test, lock }))
      if (!cells) return undefined
      return { row: readerOf(resource)(cells), passes: test === undefined || cells.at(-1) === 1 }
    },
    async lockAll(resource, request, { toDelete = false } = {}) {
      const statement = statements.list(resource, request, { lock: toDelete ? 'delete' : 'change' })
      return (await executor.all(statement)).map(readerOf(resource))
    },
  }
}

function makeUpdateAll(
  { statements, writerOf }: SqlTools,
  write: Write,
  lockAll: Transaction['lockAll'],
): Transaction['updateAll'] {
  return async (resource, ids, changes) => {
    if (ids.length === 0) return 0
    const set = writerOf(resource).changed(changes, changes)
    const fields = Object.keys(changes)
    const where: Condition = { kind: 'in', field: resource.idField, values: ids }
    // The log needs the values before, so the rows are locked and read first.
    const rows = resource.loggedNames ? await lockAll(resource, { where, sort: [], limit: ids.length }) : []
    const kept = keptValues(resource, () => rows.map((before) => ({ before, changes })))
    const about = { resource, kind: 'update', isOne: ids.length === 1, kept, fields } as const
    return (await write(statements.update(resource, where, set), about)).length
  }
}

function makeInsertAll(
  writing: TransactionDriver,
  { statements, writerOf }: SqlTools,
  write: Write,
): Transaction['insertAll'] {
  return async (resource, all) => {
    const writer = writerOf(resource)
    for (const { columns, rows, records, highestId } of groupsOf(writer, resource, all)) {
      if (highestId !== undefined) await writing.keepAhead?.(resource, highestId)
      for (let at = 0; at < rows.length; ) {
        const most = Math.min(rows.length - at, Math.max(1, Math.floor(boundValuesMax / columns.length)))
        const count = most >= rowsMax ? rowsMax : Math.min(most, fewRowsMax)
        const written = records.slice(at, at + count)
        const images = insertedImages(resource, written)
        const statement = statements.insert(resource, columns, rows.slice(at, at + count))
        const intended = () => intendedRows(writer, resource, { records: written })
        const kept = keptValues(resource, () => written.map((changes) => ({ changes })))
        await write(statement, { resource, kind: 'insert', isOne: count === 1, kept, images }, intended)
        at += count
      }
    }
  }
}

function removedOf({ name, idField, traits: { made } }: Resource, row: Row): ChangedRecord {
  return { resource: name, of: made?.kind === 'trash' ? made.of : name, id: row[idField] as ChangedRecord['id'] }
}

type ErasedRecords = { readonly removed: readonly ChangedRecord[]; readonly emptied: readonly ChangedRecord[] }

async function eraseRemoved(erase: EraseCopies, { removed, emptied }: ErasedRecords, words: readonly string[]) {
  const records: Record<string, number> = {}
  for (const { resource } of removed) records[resource] = (records[resource] ?? 0) + 1
  return { records, ...(await erase([...removed, ...emptied], words)) }
}

export function makeTransaction(writing: TransactionDriver, tools: SqlTools): Transaction {
  const { executor, watched } = writing
  const { statements, writerOf } = tools
  const reader = makeReader(executor, tools)
  const removed: ChangedRecord[] = []

  const write = makeWrite(writing)
  const intending = (resource: Resource, records: readonly Values[], id?: Scalar) => () =>
    intendedRows(writerOf(resource), resource, { records, ...(id !== undefined && { id }) })

  const locks = makeLocks(executor, tools)

  return {
    ...reader,
    ...writing.own,
    ...writing.effects,
    ...writing.jobs,
    ...writing.schedules,
    eraseCopies: (words, emptied) => eraseRemoved(writing.own.eraseCopies, { removed, emptied }, words),
    isAwaited: writing.isAwaited ?? (() => true),
    takeNumbers: async (series, by) =>
      (await writing.writeOwn(takeNumbersStatement(tools.dialect, series, by)))[0] as number,
    ...locks,
    async insert(resource, values) {
      const record = recordOf(resource, values)
      const id = record[resource.idField]
      if (typeof id === 'number') await writing.keepAhead?.(resource, id)
      const { columns, values: cells } = writerOf(resource).whole(record)
      const statement = statements.insertOne(resource, [...columns, versionColumn], [...cells, firstVersion(values)])
      const detail = detailOf(watched.get(resource), undefined, record)
      const images = insertedImages(resource, [record])
      const kept = keptValues(resource, () => [{ changes: record }])
      const about = { resource, kind: 'insert', isOne: true, detail, kept, images } as const
      const [written] = await write(statement, about, intending(resource, [record]))
      return { ...record, [resource.idField]: written?.id, version: firstVersion(values) }
    },
    insertAll: makeInsertAll(writing, tools, write),
    async update(resource, row, changes) {
      const next = { ...row, ...changes, version: row.version + 1 }
      const set = writerOf(resource).changed(changes, next)
      const where = equal(resource.idField, row[resource.idField] as Scalar)
      const detail = detailOf(watched.get(resource), row, next)
      const images = imagesOf([row], (before) => ({ before, after: next }))
      const kept = keptValues(resource, () => [{ before: row, changes }])
      const about = { resource, kind: 'update', isOne: true, detail, kept, images } as const
      const intended = intending(resource, [next], row[resource.idField] as Scalar)
      await write(statements.update(resource, where, set), about, intended)
      return next
    },
    updateAll: makeUpdateAll(tools, write, locks.lockAll),
    adjust: makeAdjust(writing, tools, write),
    async deleteAll(resource, rows) {
      if (rows.length === 0) return
      const ids = idsOf(resource, rows)
      const detail = rows.length === 1 ? detailOf(watched.get(resource), rows[0]) : undefined
      const where: Condition = { kind: 'in', field: resource.idField, values: ids }
      const images = imagesOf(rows, (before) => ({ before, after: null }))
      const kept = keptValues(resource, () => rows.map((before) => ({ before })))
      const isOne = rows.length === 1
      await write(statements.remove(resource, where), { resource, kind: 'delete', isOne, detail, kept, images })
      removed.push(...rows.map((row) => removedOf(resource, row)))
    },
  }
}
