/**
 * Full-text indexing of new rows on SQLite: the service's own statements write one segment for each
 * commit.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import type { Condition } from '../../src/resource/condition.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import type { Transaction } from '../../src/storage/storage.ts'
import { lamp, lampCatalog } from './lamps.ts'
import { idOf, searching, tester } from './library.ts'

const lampOf = (n: number, { name = `Lamp ${n}`, maker = 'Lumière' } = {}) => ({
  id: idOf(n),
  name,
  maker,
  kind: 'Desk',
  inStock: true,
  price: n,
  createdAt: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
})
const tables = ['lamps_words', 'lamps_maker_folded_parts']
const byMaker = (text: string): Condition => ({ kind: 'contains', field: 'maker', text })

async function openLamps(t: TestContext) {
  const folder = temporaryFolder()
  const path = join(folder, 'rows.db')
  const storage = await openSqlite(path, lampCatalog, { heldMs: 5 })
  const other = new DatabaseSync(path)
  t.after(async () => {
    other.close()
    await storage.close()
    removeFolder(folder)
  })
  return {
    storage,
    other,
    write: <T>(work: (writing: Transaction) => Promise<T>) => storage.transaction(tester, work),
    /** Throws where the content of a full-text table differs from the rows. */
    check: () => {
      for (const table of tables) other.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`)
    },
    segments: (table: string) =>
      other.prepare(`SELECT count(DISTINCT segid) AS count FROM ${table}_idx`).get()?.count as number,
  }
}

test('rows that commit together are one segment of a full-text table', async (t) => {
  const { storage, write, check, segments } = await openLamps(t)
  if (!('setAuthorizer' in DatabaseSync.prototype)) return t.skip('this version of Node leaves it to the triggers')
  await Promise.all(Array.from({ length: 3 }, (_, i) => write((writing) => writing.insert(lamp, lampOf(i + 1)))))
  assert.deepEqual(tables.map(segments), [1, 1], 'transactions of one group')
  await write(async (writing) => {
    for (let n = 10; n < 30; n += 1) await writing.insert(lamp, lampOf(n))
  })
  assert.deepEqual(tables.map(segments), [2, 2], 'one transaction')
  check()
  assert.equal(await storage.count(lamp, searching('lamp')), 23)
})

test('full-text tables match the rows after failures, rollbacks and writes of other programs', async (t) => {
  const { storage, other, write, check } = await openLamps(t)
  await write((writing) => writing.insertAll(lamp, [lampOf(1), lampOf(2), lampOf(3, { maker: 'Söhne' })]))
  check()
  const refused = await Promise.allSettled([
    write((writing) => writing.insert(lamp, lampOf(4, { name: 'kept' }))),
    write((writing) => writing.insert(lamp, lampOf(1, { name: 'twice' }))),
    write(async (writing) => {
      await writing.insert(lamp, lampOf(5, { name: 'undone' }))
      throw new Error('changed its mind')
    }),
    write(async (writing) => {
      await writing.insert(lamp, lampOf(6, { name: 'first', maker: 'Ångström' }))
      await writing.insert(lamp, lampOf(7, { name: 'second' }))
    }),
  ])
  assert.deepEqual(
    refused.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  )
  check()
  other.exec(`INSERT INTO lamps (id, name, maker, maker_folded, kind, in_stock, price, created_at, search)
    SELECT '${idOf(8)}', name, maker, maker_folded, kind, in_stock, price, created_at, search FROM lamps WHERE price = 6`)
  check()
  await write(async (writing) => {
    const found = await writing.lock(lamp, { kind: 'compare', field: 'price', operator: 'eq', value: 7 })
    if (found) await writing.update(lamp, found.row, { name: 'second, renamed' })
    await writing.insert(lamp, lampOf(9, { name: 'after an update' }))
  })
  check()
  const wanted = { kept: 1, twice: 0, undone: 0, first: 2, second: 1, renamed: 1, after: 1 }
  const found = Object.keys(wanted).map(async (word) => [word, await storage.count(lamp, searching(word))] as const)
  assert.deepEqual(Object.fromEntries(await Promise.all(found)), wanted)
  assert.equal(await storage.count(lamp, byMaker('ngstr')), 2)
})

test('a schema that another program changes does not bring the triggers back', async (t) => {
  const { other, write, check } = await openLamps(t)
  await write((writing) => writing.insert(lamp, lampOf(1)))
  other.exec('CREATE TABLE something (else_ TEXT)') // each statement is prepared again
  await write((writing) => writing.insert(lamp, lampOf(2)))
  await write((writing) => writing.insertAll(lamp, [lampOf(3), lampOf(4)]))
  check()
})
