/**
 * The rows of the change log in the SQLite file: their table, and the changes that the open
 * transaction adds to it.
 */
import type { DatabaseSync } from 'node:sqlite'
import {
  type Author,
  type Change,
  changesTable,
  serviceAuthor,
  storedCredential,
  type WrittenRecord,
} from '../../changes.ts'
import type { LogPlace } from '../../derived/kept-log.ts'
import { changeColumns } from '../../sql/change-rows.ts'
import { detailText } from '../../sql/logged-values.ts'
import { type LoggedWrite, seenBy } from '../../sql/transaction.ts'
import type { SqliteConnection } from '../connection.ts'
import { addMissingColumns } from './added-columns.ts'

/**
 * No number is used twice. A sweep keeps the newest row; where another program deletes that, the
 * trigger adds one with the next number. AUTOINCREMENT would cost one more page per write.
 */
const changesTableSql = `
  CREATE TABLE IF NOT EXISTS ${changesTable} (sequence INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, resource TEXT NOT NULL, kind TEXT NOT NULL,
    id TEXT, version INTEGER, records TEXT, user_id TEXT, credential TEXT NOT NULL, detail TEXT, tx INTEGER) STRICT;
`
const cutTriggerSql = `
  DROP TRIGGER IF EXISTS bindery_log_cut;
  CREATE TRIGGER bindery_log_cut AFTER DELETE ON ${changesTable}
    WHEN OLD.sequence > (SELECT coalesce(max(sequence), 0) FROM ${changesTable})
  BEGIN
    INSERT INTO ${changesTable} (sequence, at_ms, resource, kind, records, credential, tx)
    VALUES (OLD.sequence + 1, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), '${changesTable}', 'unknown', '[]', 'unknown', 0);
  END;
`

/** Earlier versions had no column \`tx\`. */
export function makeChangesTable(database: DatabaseSync): void {
  database.exec(changesTableSql)
  addMissingColumns(database, changesTable, { tx: 'INTEGER' })
  const known = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'bindery_log_cut'").get()
  if (!String(known?.sql).includes('tx')) database.exec(cutTriggerSql)
}

export const lastSequenceSql = `SELECT coalesce(max(sequence), 0) FROM ${changesTable}`
/** The last number of the log in the snapshot of the connection. */
export const lastSequence = (connection: Pick<SqliteConnection, 'first'>) =>
  connection.first({ sql: lastSequenceSql, parameters: [] })?.[0] as number
/** Without RETURNING, which makes SQLite write the pending full-text index before the commit. */
const insertSql = `INSERT INTO ${changesTable} (${changeColumns.join()}, tx) VALUES (${changeColumns.map(() => '?').join()}, ?)`
type LogRow = Omit<Change, 'sequence' | 'detail' | 'values'> & {
  readonly told?: string | null
  /** The first row of the transaction, 0 for that row; null for rows that are not kept. */
  readonly tx?: number | null
}

/** The values of a new row, in the order of the columns. */
function cellsOf({ resource, kind, records, atMs, userId, credential, told = null, tx = null }: LogRow): unknown[] {
  const only = records.length === 1 ? records[0] : undefined
  const one = only ? [String(only.id), only.version] : [null, null]
  const many = only ? null : JSON.stringify(records.map(({ id, version }) => [id, version]))
  return [atMs, resource, kind, ...one, many, userId, credential, told, tx]
}

/** The service's own notes, as a resource without a declaration. */
const notesName = 'bindery_meta'

/**
 * Adds a row to the open transaction that says: no record was written. Without a row, other
 * processes take the commit for one of another program, and drop all cached records. Counting a
 * million records again takes most of a second. Returns its sequence.
 */
export function logNote(writer: SqliteConnection): number | undefined {
  const hasLog = { sql: `SELECT 1 FROM sqlite_schema WHERE name = '${changesTable}'`, parameters: [] }
  if (!writer.first(hasLog)) return undefined // a file of a version without the log
  const { userId, credential } = serviceAuthor
  const said = { resource: notesName, kind: 'update', records: [], userId, credential, atMs: Date.now() } as const
  return writer.insert({ sql: insertSql, parameters: cellsOf(said) })
}

/** Adds a row to the open transaction for each resource, whose records may all have changed. */
export function logUnknown(writer: SqliteConnection, resources: readonly string[]): void {
  const said = { kind: 'unknown', records: [], userId: null, credential: 'unknown', atMs: Date.now(), tx: 0 } as const
  for (const resource of resources) writer.run({ sql: insertSql, parameters: cellsOf({ resource, ...said }) })
}

/** All changes of one transaction have the place of its last one. */
function withPlaces(changes: readonly Change[]): readonly Change[] {
  const ends = new Map(changes.map(({ transaction, place }) => [transaction, place]))
  return changes.map((change) =>
    change.place === undefined ? change : { ...change, place: ends.get(change.transaction) as LogPlace },
  )
}

function keptFacts(sequence: number, tx: number, { requestId }: Author) {
  return { transaction: BigInt(tx || sequence), place: String(sequence), ...(requestId !== undefined && { requestId }) }
}

/** The changes of the open transaction, until its commit. */
export function makeOwnChanges(writer: SqliteConnection, isKept: boolean) {
  let pending: Change[] = []
  /** Where the changes of the transaction begin that writes now. */
  let memberAt = 0

  return {
    note(author: Author, about: LoggedWrite, records: readonly WrittenRecord[]): void {
      if (records.length === 0) return
      const { resource, kind } = about
      const { userId } = author
      const credential = storedCredential(author)
      const atMs = Date.now()
      const said = { resource: resource.name, kind, records, userId, credential, atMs }
      const told = detailText(about, author)
      const tx = about.resource.loggedNames ? (pending[memberAt]?.sequence ?? 0) : null
      const sequence = writer.insert({ sql: insertSql, parameters: cellsOf({ ...said, told, tx }) })
      const facts = tx === null ? undefined : keptFacts(sequence, tx, author)
      pending.push({ sequence, ...said, ...seenBy(about, records), ...facts })
    },
    begins() {
      memberAt = pending.length
      return memberAt
    },
    undone(place: number): void {
      pending.length = place
    },
    some: () => pending.length > 0,
    take(): readonly Change[] {
      const own = isKept ? withPlaces(pending) : pending
      pending = []
      memberAt = 0
      return own
    },
  }
}
