/**
 * The choice of a part's trigrams: those in the fewest texts of the table, independent of their
 * letters.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { openConnection, type SqliteConnection } from '../../src/storage/sqlite/connection.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { rareLettersFirst } from '../../src/storage/sqlite/texts/text-match.ts'
import { makeTrigramSizes } from '../../src/storage/sqlite/texts/trigram-sizes.ts'
import { lamp, lampCatalog } from './lamps.ts'
import { idOf, tester } from './library.ts'

const table = 'lamps_maker_folded_parts'

/** 400 makers whose rare letters are everywhere, and one of frequent letters. */
async function openLamps(
  t: TestContext,
): Promise<{ readonly connection: SqliteConnection; readonly read: () => number }> {
  const folder = temporaryFolder()
  const path = join(folder, 'lamps.db')
  const storage = await openSqlite(path, lampCatalog)
  const lamps = Array.from({ length: 400 }, (_, n) => ({
    id: idOf(n),
    name: `Lamp ${n}`,
    maker: n === 7 ? 'Xyzzq tea' : `Xyzzq ${n}`,
    kind: 'Desk',
    inStock: true,
    price: n,
    createdAt: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
  }))
  await storage.transaction(tester, (transaction) => transaction.insertAll(lamp, lamps))
  await storage.close()
  const connection = openConnection(path, { readOnly: true })
  t.after(() => {
    connection.database.close()
    removeFolder(folder)
  })
  let reads = 0
  const first: SqliteConnection['first'] = (statement) => {
    reads += 1
    return connection.first(statement)
  }
  return { connection: { ...connection, first }, read: () => reads }
}

const trigrams = ['xyz', 'yzz', 'zzq', 'zq ', 'q t', ' te', 'tea']

test('the rarest of the table come first once they are counted, some at a time', async (t) => {
  const { connection, read } = await openLamps(t)
  assert.equal(rareLettersFirst(table, trigrams).ranked[0], 'zzq', 'by letters alone it would be one of 400')
  const rank = makeTrigramSizes(connection)
  for (let i = 1; i <= 3; i += 1) {
    const { ranked } = rank(table, trigrams)
    assert.deepEqual(ranked.toSorted(), trigrams.toSorted(), 'all of them, each once')
    assert.equal(read(), Math.min(i * 3, trigrams.length))
  }
  const { ranked, most } = rank(table, trigrams)
  assert.deepEqual([ranked.slice(0, 3).toSorted(), most], [[' te', 'q t', 'tea'].toSorted(), 1])
  assert.equal(read(), trigrams.length, 'and nothing is counted again')
})

test('a trigram that no text has is the rarest', async (t) => {
  const { connection } = await openLamps(t)
  const { ranked, most } = makeTrigramSizes(connection)(table, ['xyz', 'aaa', 'aaa'])
  assert.deepEqual([ranked, most], [['aaa', 'xyz'], 0])
})
