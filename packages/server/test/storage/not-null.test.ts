/**
 * Removing and setting NOT NULL by editing the table's SQL text, as on a SQLite that has no
 * statement for it.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  addTextEditing,
  executeEdits,
  notNullSql,
  withNotNull,
  withReference,
} from '../../src/storage/sqlite/migrate/table-text.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/index.ts'

const old = '3.51.3'
const table = `CREATE TABLE "t" ("row" INTEGER PRIMARY KEY, "a" TEXT NOT NULL DEFAULT ', "b" TEXT NOT NULL', "b" INTEGER NOT NULL REFERENCES "o" ("id") ON DELETE SET NULL, "c" TEXT)`

test('only the column that is meant changes, and back', () => {
  for (const column of ['a', 'b']) {
    const without = withNotNull(table, column, false)
    assert.equal(without.length, table.length - ' NOT NULL'.length)
    assert.equal(withNotNull(without, column, true), table)
    assert.equal(withNotNull(without, column, false), without)
    assert.equal(withNotNull(table, column, true), table)
  }
  assert.match(withNotNull(table, 'c', true), /"c" TEXT NOT NULL\)$/)
  assert.match(withNotNull(`CREATE TABLE "t" ("a" TEXT DEFAULT 'x' NOT NULL)`, 'a', false), /"a" TEXT DEFAULT 'x'\)$/)
  assert.throws(() => withNotNull(table, 'id', false), /no column id/)
})

test('a reference comes, changes and goes, wherever it stands in its column', () => {
  const to = (end: string) => `REFERENCES "o"("id") ON DELETE ${end}`
  const bare = withReference(table, 'b', '')
  assert.match(bare, /"b" INTEGER NOT NULL, "c" TEXT\)$/)
  assert.equal(withReference(bare, 'b', ''), bare)
  assert.match(
    withReference(bare, 'b', to('CASCADE')),
    /"b" INTEGER NOT NULL REFERENCES "o"\("id"\) ON DELETE CASCADE, "c"/,
  )
  assert.match(withReference(table, 'c', to('SET NULL')), /"c" TEXT REFERENCES "o"\("id"\) ON DELETE SET NULL\)$/)
  // SQLite appends what it adds itself.
  const appended = withReference(bare, 'b', to('SET NULL')).replace(', "c"', ' NOT NULL, "c"')
  assert.match(withReference(appended, 'b', ''), /"b" INTEGER NOT NULL NOT NULL, "c"/)
  const quoted = `CREATE TABLE "t" ("a" TEXT DEFAULT ' REFERENCES "o"("id") ON DELETE CASCADE')`
  assert.equal(withReference(quoted, 'a', ''), quoted)
  assert.throws(() => withReference(table, 'id', ''), /no column id/)
})

test('on a file that another connection has open: rows stay, both see the change, and it survives', (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const open = () => new DatabaseSync(join(folder, 'a.db'))
  const database = open()
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE "o" ("id" INTEGER PRIMARY KEY)')
  database.exec(table)
  database.exec(`CREATE INDEX "t_c" ON "t" ("c"); INSERT INTO "o" VALUES (7); INSERT INTO "t" VALUES (1, 'x', 7, 'y')`)
  addTextEditing(database)
  const other = open()
  const insert = other.prepare('INSERT INTO "t" ("b") VALUES (NULL)')
  assert.throws(() => insert.run(), /NOT NULL constraint failed: t\.b/)

  const change = (column: string, isNotNull: boolean) => {
    database.exec('BEGIN IMMEDIATE')
    try {
      executeEdits(database, notNullSql({ table: 't', column, isNotNull }, old))
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
  change('b', false)
  insert.run()
  assert.throws(() => change('b', true), /NOT NULL constraint failed: b/)
  other.exec('DELETE FROM "t" WHERE "b" IS NULL')
  change('c', true)
  assert.throws(() => other.exec('INSERT INTO "t" ("b") VALUES (7)'), /NOT NULL constraint failed: t\.c/)
  for (const one of [database, other, open()]) {
    assert.deepEqual({ ...one.prepare('SELECT * FROM "t"').get() }, { row: 1, a: 'x', b: 7, c: 'y' })
    assert.equal(one.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
    one.close()
  }
})
