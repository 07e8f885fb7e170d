/**
 * Opens and closes a copy on the target's side. The target must be empty before the copy begins,
 * and carries a mark while it runs. The mark tells an incomplete copy from a complete database, and
 * from another service's database.
 */
import { timestampOf } from '../../base/clock.ts'
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { MigrationStep } from '../migrate/steps.ts'
import type { ModelTable, SchemaModel } from '../model/model.ts'
import { type CopyMark, copyMark } from './copy-mark.ts'
import type { CopyTarget } from './copy-tables.ts'
import { hasRows, ownRows } from './own-rows.ts'

/** An open database to copy into, with the operations that every target needs. */
export type TargetDatabase = CopyTarget & {
  hasTable(name: string): Promise<boolean>
  /** The model that it was last started with. */
  readModel(): Promise<SchemaModel | undefined>
  /** Migrates it to the current declarations, even while it carries the mark of a copy. */
  migrate(): Promise<unknown>
  setMeta(name: string, value: string): Promise<void>
  removeMeta(name: string): Promise<void>
  /** Commits all of the work or nothing. */
  inTransaction<T>(work: () => Promise<T>): Promise<T>
  /** In a transaction: from here on no other connection writes to the database. */
  lock(): Promise<void>
  /**
   * In a transaction: rows may refer to rows that are inserted later. `tables`: in the order in
   * which they are filled.
   */
  withLateReferences<T>(tables: readonly ModelTable[], work: () => Promise<T>): Promise<T>
}

/**
 * A copy into a database. `tables`: all tables of the model, in the order in which the copy fills
 * them.
 */
export type DatabaseCopy = { readonly catalog: Catalog; readonly tables: readonly ModelTable[]; readonly mark: string }

/**
 * The reason why the target cannot take a copy, as a sentence, or undefined. `before`: the model of
 * its last start.
 */
async function occupationOf(
  { hasTable, ...end }: TargetDatabase,
  before: SchemaModel | undefined,
  tables: readonly ModelTable[],
): Promise<string | undefined> {
  const known = before ? [...before.tables, ...ownRows].map(({ name }) => name) : []
  for (const name of new Set([...known, ...tables.map((table) => table.name)])) {
    if (!(await hasTable(name))) continue
    if (!known.includes(name)) return `The target has a table ${name} of something else; take a new database`
    if (await hasRows(end, name))
      return `The target is not empty: ${name} has rows. Nothing was changed; take a new database`
  }
  return undefined
}

function refuseOccupied(occupation: string | undefined): void {
  if (occupation !== undefined) throw new StartError(occupation)
}

/**
 * Throws `StartError` when the target is not empty. Commits all of the work or nothing, and leaves
 * the mark in place until then.
 */
export async function copyInto<T>(
  database: TargetDatabase,
  { tables, mark }: Omit<DatabaseCopy, 'catalog'>,
  work: (target: CopyTarget) => Promise<T>,
): Promise<T> {
  const occupation = async () => occupationOf(database, await database.readModel(), tables)
  refuseOccupied(await occupation())
  await database.migrate()
  await database.inTransaction(async () => {
    refuseOccupied(await occupation())
    await database.setMeta(copyMark, mark)
  })
  let late: string | undefined
  try {
    return await database.inTransaction(async () => {
      await database.lock()
      late = await occupation()
      refuseOccupied(late)
      const done = await database.withLateReferences(tables, () => work(database))
      await database.removeMeta(copyMark)
      return done
    })
  } catch (error) {
    // another server has started on the database meanwhile: it owns the database now
    if (late !== undefined) await database.removeMeta(copyMark)
    throw error
  }
}

/** `command`: the command that makes such a copy, for an operator who finds it interrupted. */
export function markOf(from: string, command: string, begunAtMs: number): string {
  const mark: CopyMark = { from, command, begunAt: timestampOf(begunAtMs) }
  return JSON.stringify(mark)
}

/** Throws `StartError` when the source does not match the current declarations. */
export function refuseOldSource(before: SchemaModel | undefined, steps: readonly MigrationStep[]): void {
  if (before === undefined) throw new StartError('The source is no database of Bindery: it has no tables of it')
  if (steps.length > 0)
    throw new StartError(
      `The source does not fit the declarations of today (${steps.length} to do): run bindery migrate on it first, with its address as DATABASE_URL`,
    )
}
