/**
 * Creates by SQLite alone: no HTTP, no callers, no checks. The program removes the last rows of
 * Bindery's own table of products and inserts them again with the service's statements, several in
 * each transaction. As in the service, the next transaction runs while the disk syncs. Prints rows
 * per second. Arguments: file, rows in a transaction, seconds.
 */
import type { SQLInputValue } from 'node:sqlite'
import { resources } from '../apps/shop/resources/index.ts'
import { makeCatalog } from '../packages/server/src/resource/catalog.ts'
import { changesTable } from '../packages/server/src/storage/changes.ts'
import { changeColumns } from '../packages/server/src/storage/sql/change-rows.ts'
import { openConnection } from '../packages/server/src/storage/sqlite/connection.ts'
import { makeLogStamps } from '../packages/server/src/storage/sqlite/file/log-stamp.ts'
import { makeNewRowIndex } from '../packages/server/src/storage/sqlite/texts/new-rows.ts'
import { newRowColumns } from '../packages/server/src/storage/sqlite/texts/text-tables.ts'
import { makeCheckpoints } from '../packages/server/src/storage/sqlite/write/checkpoints.ts'
import { makeFsyncMonitor } from '../packages/server/src/storage/sqlite/write/fsync.ts'
import { makeLogSync } from '../packages/server/src/storage/sqlite/write/log-sync.ts'

const [path, sizeText, secondsText] = process.argv.slice(2) as [string, string, string]
const size = Number(sizeText)
/** More than any round puts back. */
const rowsMax = Math.ceil(6_000 * Number(secondsText))

const catalog = makeCatalog(resources)
const products = catalog.get('product')
const writer = openConnection(path, { readOnly: false })
const { database } = writer

const namesOf = (columns: readonly string[]) => columns.map((name) => `"${name}"`).join(', ')
const insertionInto = (table: string, columns: readonly string[], { or = '' } = {}) =>
  `INSERT ${or} INTO ${table} (${namesOf(columns)}) VALUES (${columns.map(() => '?').join(', ')})`

const latest = writer.prepare(`SELECT * FROM ${products.table} ORDER BY row_id DESC LIMIT ?`)
const columns = latest.columns().map(({ name }) => name)
const rows = (latest.all(rowsMax) as unknown as SQLInputValue[][]).reverse()
const change = writer.prepare(`SELECT ${namesOf(changeColumns)} FROM ${changesTable} ORDER BY sequence DESC LIMIT 1`)
const changeCells = change.get() as unknown as SQLInputValue[]
const firstNumber = rows[0]?.[columns.indexOf('row_id')] as SQLInputValue
database.prepare(`DELETE FROM ${products.table} WHERE row_id >= ?`).run(firstNumber)
database.exec('PRAGMA wal_checkpoint(TRUNCATE)')

const newRows = makeNewRowIndex(writer, catalog)
const returned = namesOf(['id', 'version', ...newRowColumns(products)])
const insertion = `${insertionInto(products.table, columns, { or: 'OR FAIL' })} RETURNING ${returned}`
const logging = insertionInto(changesTable, changeColumns)
const fsync = makeFsyncMonitor((error) => error)
const checkpoints = makeCheckpoints({ file: { path }, writer, fsync })
const stamps = makeLogStamps(writer.database)
const { synced } = makeLogSync({ path, writer, checkpoints: true, fsync })

/** Begins a transaction with these rows. */
function putBack(some: readonly SQLInputValue[][]): void {
  database.exec('BEGIN IMMEDIATE')
  for (const parameters of some) {
    newRows.index(products, writer.all({ sql: insertion, parameters }))
    writer.run({ sql: logging, parameters: changeCells })
  }
}

const began = performance.now()
let synchronised: Promise<void> = Promise.resolve()
let put = 0
while (put < rows.length && performance.now() - began < Number(secondsText) * 1000) {
  if (checkpoints.isDue(stamps.look())) {
    await synchronised
    await checkpoints.finish()
  }
  putBack(rows.slice(put, put + size))
  await synchronised
  database.exec('COMMIT')
  synchronised = synced()
  if (size === 1) await synchronised // a lone client has its answer before it sends the next
  put = Math.min(put + size, rows.length)
}
await synchronised
process.stdout.write(JSON.stringify((put * 1000) / (performance.now() - began)))
putBack(rows.slice(put)) // the next round finds the table as it was
database.exec('COMMIT')
await checkpoints.close()
process.exit(0)
