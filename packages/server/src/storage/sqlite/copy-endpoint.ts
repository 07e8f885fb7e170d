/** A SQLite file as the source or target of a copy: read in one transaction, or written in one. */
import type { Catalog } from '../../resource/catalog.ts'
import { type CopySource, type CopyTarget, sourceOf } from '../copy/copy-tables.ts'
import { copyInto, type DatabaseCopy, refuseOldSource, type TargetDatabase } from '../copy/copy-target.ts'
import { tablesOf } from '../copy/own-rows.ts'
import { openConnection, type SqliteConnection, translateError } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { writeMeta } from './meta.ts'
import { inTransaction, migrate, modelSteps, readModel } from './migrate/apply-migration.ts'

async function hasTable(connection: SqliteConnection, name: string): Promise<boolean> {
  return connection.first({ sql: 'SELECT 1 FROM sqlite_schema WHERE name = ?', parameters: [name] }) !== undefined
}

async function columnsOf(connection: SqliteConnection, table: string): Promise<readonly unknown[]> {
  return connection.all({ sql: 'SELECT name FROM pragma_table_info(?)', parameters: [table] }).map(([name]) => name)
}

/**
 * Whether generated ids stay above every id that ever was; otherwise they continue after the
 * highest existing one.
 */
function remembersIds(connection: SqliteConnection, name: string): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'"
  return connection.first({ sql, parameters: [name] }) !== undefined
}

/**
 * Throws `StartError` when there is nothing to copy. The work reads one snapshot of the file,
 * despite concurrent writes.
 */
export async function fromSqlite<T>(
  path: string,
  catalog: Catalog,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  const connection = openConnection(path, { readOnly: true })
  try {
    connection.database.exec('BEGIN')
    refuseOldSource(readModel(connection), modelSteps(connection, catalog))
    const end = { dialect: sqliteDialect, executor: connection }
    const source = sourceOf({
      ...end,
      tables: await tablesOf({ ...end, catalog, columnsOf: (name) => columnsOf(connection, name) }),
      async lastId({ name }) {
        if (!remembersIds(connection, name)) return 0
        const cells = connection.first({ sql: 'SELECT seq FROM sqlite_sequence WHERE name = ?', parameters: [name] })
        return (cells?.[0] as number | undefined) ?? 0
      },
    })
    return await work(source)
  } finally {
    connection.database.close()
  }
}

function targetOn(connection: SqliteConnection, catalog: Catalog): TargetDatabase {
  const { database } = connection
  return {
    dialect: sqliteDialect,
    executor: connection,
    hasTable: (name) => hasTable(connection, name),
    async countBehind({ name }, id) {
      if (!remembersIds(connection, name)) return
      const changed = connection.run({
        sql: 'UPDATE sqlite_sequence SET seq = ? WHERE name = ?',
        parameters: [id, name],
      })
      if (changed > 0) return
      connection.run({ sql: 'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', parameters: [name, id] })
    },
    readModel: async () => readModel(connection),
    migrate: () => migrate(connection, catalog, { forCopy: true }),
    setMeta: async (name, value) => writeMeta(connection, name, value),
    async removeMeta(name) {
      connection.run({ sql: 'DELETE FROM bindery_meta WHERE name = ?', parameters: [name] })
    },
    inTransaction: (work) =>
      inTransaction(connection, work).catch((error) => {
        throw translateError(error)
      }),
    lock: async () => undefined, // BEGIN IMMEDIATE has locked the file
    withLateReferences(_tables, work) {
      database.exec('PRAGMA defer_foreign_keys = ON')
      return work()
    },
  }
}

/** Throws `StartError` when the file is not empty. */
export async function intoSqlite<T>(
  path: string,
  { catalog, ...copy }: DatabaseCopy,
  work: (target: CopyTarget) => Promise<T>,
): Promise<T> {
  const connection = openConnection(path, { readOnly: false, make: true, stamps: true })
  try {
    return await copyInto(targetOn(connection, catalog), copy, work)
  } finally {
    connection.database.close()
  }
}
