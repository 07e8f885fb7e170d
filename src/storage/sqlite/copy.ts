/** A SQLite file as one end of a copy: read in one transaction, or written in one. */
import type { Catalog } from '../../resource/catalog.ts'
import type { CopySource, CopyTarget } from '../copy.ts'
import { occupationOf, refuseOccupied, refuseOldSource } from '../copy-target.ts'
import { copyMark } from '../migration.ts'
import type { Executor } from '../reader.ts'
import { modelOf } from '../schema.ts'
import { type Connection, openConnection, translateError } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { migrate, pendingSteps, readModel, writeMeta } from './migrate.ts'

function executorOf(connection: Connection): Executor {
  const translated = <A, R>(ask: (statement: A) => R) => {
    return (statement: A): R => {
      try {
        return ask(statement)
      } catch (error) {
        throw translateError(error)
      }
    }
  }
  return { all: translated(connection.all), first: translated(connection.first), run: translated(connection.run) }
}

/** Throws `StartError` when there is nothing to copy. The work sees the file as it is now, whatever others write meanwhile. */
export async function fromSqlite<T>(
  path: string,
  catalog: Catalog,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  const connection = openConnection(path, { readOnly: true })
  try {
    connection.database.exec('BEGIN')
    refuseOldSource(readModel(connection), pendingSteps(connection, catalog))
    return await work({
      dialect: sqliteDialect,
      executor: executorOf(connection),
      async lastId({ name }) {
        const cells = connection.first({ sql: 'SELECT seq FROM sqlite_sequence WHERE name = ?', parameters: [name] })
        return (cells?.[0] as number | undefined) ?? 0
      },
    })
  } finally {
    connection.database.close()
  }
}

function targetOn(connection: Connection): CopyTarget & { hasTable(name: string): Promise<boolean> } {
  return {
    dialect: sqliteDialect,
    executor: executorOf(connection),
    async hasTable(name) {
      return connection.first({ sql: 'SELECT 1 FROM sqlite_schema WHERE name = ?', parameters: [name] }) !== undefined
    },
    async countBehind({ name }, id) {
      const changed = connection.run({
        sql: 'UPDATE sqlite_sequence SET seq = ? WHERE name = ?',
        parameters: [id, name],
      })
      if (changed > 0) return
      connection.run({ sql: 'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', parameters: [name, id] })
    },
  }
}

async function inTransaction<T>({ database }: Connection, work: () => Promise<T>): Promise<T> {
  try {
    database.exec('BEGIN IMMEDIATE')
    const result = await work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw translateError(error)
  }
}

/** Throws `StartError` when the file has anything in it. It keeps all of the work or nothing, and the mark until the work is kept. */
export async function intoSqlite<T>(
  { path, mark }: { path: string; mark: string },
  catalog: Catalog,
  work: (target: CopyTarget) => Promise<T>,
): Promise<T> {
  const connection = openConnection(path, { readOnly: false })
  const target = targetOn(connection)
  const model = modelOf(catalog)
  const occupation = () => occupationOf(target, readModel(connection), model)
  const unmark = () => connection.run({ sql: 'DELETE FROM bindery_meta WHERE name = ?', parameters: [copyMark] })
  try {
    refuseOccupied(await occupation())
    await migrate(connection, catalog, { forCopy: true })
    await inTransaction(connection, async () => {
      refuseOccupied(await occupation())
      writeMeta(connection, copyMark, mark)
    })
    let late: string | undefined
    const copied = inTransaction(connection, async () => {
      late = await occupation()
      refuseOccupied(late)
      connection.database.exec('PRAGMA defer_foreign_keys = ON') // rows may refer to later ones
      const result = await work(target)
      unmark()
      return result
    })
    return await copied.catch((error: unknown) => {
      if (late !== undefined) unmark() // a server that had already begun wrote to it: the database is its
      throw error
    })
  } finally {
    connection.database.close()
  }
}
