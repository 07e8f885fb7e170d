/**
 * SQLite's full-text tables. A file with the trigrams of an earlier version is converted once.
 * Other programs' writes keep the tables right. Pages by row number equal those by the sort.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { all, always, type Condition, equal } from '../../src/resource/condition.ts'
import { rowReader } from '../../src/storage/sql/row.ts'
import { type ListOptions, makeStatements } from '../../src/storage/sql/statements.ts'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts'
import { migrateSqlite, openSqlite, planSqlite } from '../../src/storage/sqlite/store.ts'
import type { ListRequest } from '../../src/storage/storage.ts'
import { lamp, lampCatalog } from './lamps.ts'
import { by, compare, idOf, libraryCatalog, searching, shelf, tester } from './library.ts'

const makers = ['Ångström & Söhne', 'Bright Ltd', 'Lumière', 'Söhne Bright']
const lampOf = (n: number) => ({
  id: idOf(n),
  name: `Lamp ${n} wi-fi`,
  maker: makers[n % makers.length],
  kind: n % 3 === 0 ? 'Desk' : 'Wall',
  inStock: n % 2 === 0,
  price: n,
  createdAt: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
})
const lampsMax = 60

async function makeFile(t: TestContext): Promise<string> {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const path = join(folder, 'texts.db')
  const storage = await openSqlite(path, lampCatalog)
  await storage.transaction(tester, (transaction) =>
    transaction.insertAll(
      lamp,
      Array.from({ length: lampsMax }, (_, i) => lampOf(i + 1)),
    ),
  )
  await storage.close()
  return path
}

function write(path: string, sql: string): void {
  const other = new DatabaseSync(path)
  other.exec(sql)
  other.close()
}

/** The trigram table of earlier versions. */
const earlierSql = `
  DROP TRIGGER lamps_words_insert; DROP TRIGGER lamps_words_delete; DROP TRIGGER lamps_words_update;
  DROP TRIGGER lamps_maker_folded_parts_insert; DROP TRIGGER lamps_maker_folded_parts_delete; DROP TRIGGER lamps_maker_folded_parts_update;
  DROP TABLE lamps_words; DROP TABLE lamps_terms; DROP TABLE lamps_maker_folded_parts;
  CREATE VIRTUAL TABLE "lamps_search" USING fts5(search, content='lamps', content_rowid='row_id', tokenize='trigram case_sensitive 1', detail=none);
  CREATE TRIGGER "lamps_search_insert" AFTER INSERT ON "lamps" BEGIN INSERT INTO "lamps_search"(rowid, search) VALUES (new."row_id", new.search); END;
  CREATE TRIGGER "lamps_search_delete" AFTER DELETE ON "lamps" BEGIN INSERT INTO "lamps_search"("lamps_search", rowid, search) VALUES ('delete', old."row_id", old.search); END;
  CREATE TRIGGER "lamps_search_update" AFTER UPDATE OF search ON "lamps" BEGIN INSERT INTO "lamps_search"("lamps_search", rowid, search) VALUES ('delete', old."row_id", old.search); INSERT INTO "lamps_search"(rowid, search) VALUES (new."row_id", new.search); END;
  INSERT INTO "lamps_search"("lamps_search") VALUES ('rebuild');
`

const tablesOf = (path: string) => {
  const database = new DatabaseSync(path)
  const found = database.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%' ORDER BY name").all()
  database.close()
  return found.map(({ name }) => name)
}
const contains = (text: string): Condition => ({ kind: 'contains', field: 'maker', text })

async function countsOf(path: string): Promise<readonly number[]> {
  const storage = await openSqlite(path, lampCatalog)
  try {
    const counts: number[] = []
    for (const where of [
      searching('lamp'),
      searching('fi'),
      searching('wi-f'),
      searching('59'),
      contains('RIGHT'),
      contains('e'),
    ])
      counts.push(await storage.count(lamp, where))
    return counts
  } finally {
    await storage.close()
  }
}

test('a file with the trigrams of an earlier version is converted once, and finds what it found', async (t) => {
  const path = await makeFile(t)
  const before = await countsOf(path)
  assert.deepEqual(before, [60, 60, 60, 1, 30, 45])
  const current = tablesOf(path)
  write(path, earlierSql)
  assert.deepEqual(tablesOf(path), ['lamps_search'])
  const { steps } = await planSqlite(path, lampCatalog, {})
  assert.deepEqual(
    steps.map(({ kind, table }) => [kind, typeof table === 'string' ? table : table.name]),
    [['create-search', 'lamps']],
  )
  assert.deepEqual(tablesOf(path), ['lamps_search'], 'a dry run changes nothing')
  assert.deepEqual(await countsOf(path), before)
  assert.deepEqual(tablesOf(path), current)
  assert.deepEqual((await planSqlite(path, lampCatalog, {})).steps, [])
  assert.deepEqual(await migrateSqlite(path, lampCatalog, {}), [])
})

test('what another program writes with plain SQL is found', async (t) => {
  const path = await makeFile(t)
  write(
    path,
    "DELETE FROM lamps WHERE price <= 10; UPDATE lamps SET search = char(1) || 'changed', maker_folded = 'else' WHERE price = 59",
  )
  assert.deepEqual(await countsOf(path), [49, 49, 49, 0, 24, 38])
  const connection = openConnection(path, { readOnly: false })
  for (const table of ['lamps_words', 'lamps_maker_folded_parts'])
    connection.database.exec(`INSERT INTO "${table}"("${table}") VALUES ('integrity-check')`)
  connection.database.close()
})

const statements = makeStatements(lampCatalog, sqliteDialect)
const requests: readonly (readonly [string, Condition])[] = [
  ['a word', searching('lamp')],
  ['a word of two parts', searching('wi-f')],
  ['a part', contains('right')],
  ['a word and a filter', all(searching('desk'), equal('inStock', true))],
  ['a word and a part', all(searching('lamp'), contains('söhne'))],
  ['a word with many longer ones', searching('lam', '1')],
  ['nothing', searching('nothing')],
]
for (const [name, where] of requests) {
  test(`${name}: by row numbers, by comparing and by the index are the same pages`, async (t) => {
    const connection = openConnection(await makeFile(t), { readOnly: true })
    t.after(() => connection.database.close())
    const read = rowReader(sqliteDialect, lamp)
    const ask = (request: ListRequest, options: ListOptions) =>
      connection.all(statements.list(lamp, request, options)).map((cells) => read(cells).price)
    for (const sort of [by('createdAt', 'id'), by('-createdAt', '-id'), by('-id'), by('price', 'id')]) {
      const expected = ask({ where, sort, limit: 100 }, {})
      const pages: readonly Omit<ListRequest, 'where' | 'sort'>[] = [
        { limit: 100 },
        { limit: 4, offset: 3 },
        ...[0, 5, expected.length - 1].flatMap((at) => {
          const n = expected[at] as number | undefined
          if (n === undefined) return []
          const values = sort.map(({ field }) => (lampOf(n) as Record<string, unknown>)[field] as string | number)
          return [{ limit: 5, after: { values } }]
        }),
        { limit: 5, after: { values: sort.map(({ field }) => (field === 'price' ? 10_000 : 'z')) } },
      ]
      for (const page of pages) {
        const plain = ask({ where, sort, ...page }, {})
        assert.deepEqual(ask({ where, sort, ...page }, { byRowOrder: true }), plain, JSON.stringify(page))
        assert.deepEqual(ask({ where, sort, ...page }, { comparesTexts: true }), plain, JSON.stringify(page))
      }
    }
  })
}

test('each way reads what it says', () => {
  const sqlOf = (where: Condition, options: ListOptions) =>
    statements.list(lamp, { where, sort: by('-createdAt', '-id'), limit: 5 }, options).sql
  assert.match(sqlOf(searching('lamp'), {}), /"lamps"."row_id" in \(select rowid from "lamps_words"/)
  assert.match(
    sqlOf(searching('lamp'), { byRowOrder: true }),
    /from "lamps_words" cross join "lamps".* order by "lamps_words"."rowid" desc/s,
  )
  assert.doesNotMatch(sqlOf(searching('lamp'), { comparesTexts: true }), /lamps_words/)
  assert.doesNotMatch(sqlOf(searching('lamp'), { byRowOrder: true }), /instr/, 'the index decides')
  assert.match(sqlOf(searching('wi-fi'), { byRowOrder: true }), /instr/)
  assert.match(statements.count(lamp, searching('lamp')).sql, /^select count\(\*\) as "count" from "lamps_words"/)
  assert.doesNotMatch(sqlOf(compare('price', 'gt', 1), { byRowOrder: true }), /lamps_words/, 'no text to walk')
  const counted = makeStatements(libraryCatalog, sqliteDialect)
  assert.doesNotMatch(counted.list(shelf, { where: always, sort: by('id'), limit: 5 }).sql, /cross join/)
})
