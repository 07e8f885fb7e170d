/** SQLite's threads for costly reads. */
import assert from 'node:assert/strict'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { limits } from '../../src/limits.ts'
import type { CostlyLimits } from '../../src/storage/costly-reads.ts'
import type { Statement } from '../../src/storage/sql/statements.ts'
import { translateError } from '../../src/storage/sqlite/connection.ts'
import { identityOf } from '../../src/storage/sqlite/file/served-file.ts'
import { makeReadThreads, type ReadThreads } from '../../src/storage/sqlite/read/read-threads.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { aliveIn, watched } from '../../src/storage/sqlite/watched.ts'
import { makeAsker } from './costly-suite.ts'
import { fill, libraryCatalog, shelf, tester } from './library.ts'

const folder = temporaryFolder()
const path = join(folder, 'test.db')
before(async () => {
  const storage = await openSqlite(path, libraryCatalog)
  await fill(storage, [])
  await storage.close()
})
after(() => removeFolder(folder))

async function using(
  costly: Partial<CostlyLimits> & { readonly heapMbMax?: number },
  work: (threads: ReadThreads) => Promise<void>,
): Promise<void> {
  const threads = makeReadThreads({
    file: { path },
    ...(costly.heapMbMax && { heapMbMax: costly.heapMbMax }),
    limits: { ...limits.costly, ...costly },
    fail(error) {
      throw error
    },
  })
  await work(threads).finally(() => threads.close())
}

const asking = { readClient: makeAsker('a') }
const labels: Statement = { sql: 'select "label" from "shelves" where 1 = 1 order by "id"', parameters: [] }
const counting = 'with recursive n(i) as (select 1 union all select i + 1 from n where'
const endless: Statement = { sql: `${counting} bindery_alive()) select max(i) from n`, parameters: [] }

test('every scan of a statement asks whether it is to go on', () => {
  const inner = 'select "shelves"."id" from "shelves" where "label" = ?'
  const sql = `select * from "volumes" where ("rank" > ? or "shelf_id" in (${inner})) limit ?`
  const expected = sql
    .replace('"volumes" where', `"volumes" where ${aliveIn('volumes')} and`)
    .replace('"shelves" where', `"shelves" where ${aliveIn('shelves')} and`)
  assert.equal(watched(sql), expected)
  assert.equal(watched(endless.sql), endless.sql, 'one that asks already stays as it is')
})

test('a read sees what was committed before it was asked for, and says up to which change', () =>
  using({}, async (threads) => {
    const before = await threads.all(labels, asking)
    assert.deepEqual(before.rows, [['Left'], ['Right']])
    const storage = await openSqlite(path, libraryCatalog)
    await storage.transaction(tester, (transaction) => transaction.insert(shelf, { label: 'Top' }))
    const { results, position } = await threads.together([labels, labels], asking)
    assert.deepEqual(results, Array(2).fill([['Left'], ['Right'], ['Top']]))
    assert.ok(position > before.position)
    assert.equal(position, Number((await storage.changes.read(null, 100)).place))
    await storage.close()
  }))

test('numbers come as numbers', () =>
  using({}, async (threads) => {
    const sql = `${counting} i < 5000) select i * 3 from n`
    const { numbers } = await threads.numbers({ sql, parameters: [] }, asking)
    assert.deepEqual(
      [...numbers],
      Array.from({ length: 5000 }, (_, i) => (i + 1) * 3),
    )
  }))

test('without advice a late read is refused as unavailable', () =>
  using({ readMsMax: 1_000 }, async (threads) => {
    const told = { code: 'unavailable', message: 'The read took too long, try again', retryAfterSeconds: 1 }
    await assert.rejects(threads.all(endless, asking), told)
    assert.equal((await threads.all(labels, asking)).rows.length, 3)
  }))

test('a statement that fails leaves the thread as it was', () =>
  using({ atOnce: 1 }, async (threads) => {
    await assert.rejects(threads.all({ sql: 'select nothing', parameters: [] }, asking), { errcode: 1 })
    assert.equal((await threads.all(labels, asking)).rows.length, 3)
  }))

test('a thread that dies takes only its own read with it', () =>
  using({ atOnce: 1, readMsMax: 60_000, heapMbMax: 16 }, async (threads) => {
    const sql = `${counting} i < 1000000) select hex(randomblob(1000)) from n`
    const told = { code: 'unavailable', message: 'The read was interrupted, try again', retryAfterSeconds: 1 }
    await assert.rejects(threads.all({ sql, parameters: [] }, asking), told)
    assert.equal((await threads.all(labels, asking)).rows.length, 3)
  }))

test('a table that is missing is an error of the read', async () => {
  const other = join(folder, 'other.db')
  const made = new DatabaseSync(other)
  made.exec('CREATE TABLE other (id TEXT)')
  made.close()
  const threads = makeReadThreads({
    file: { path: other },
    limits: limits.costly,
    fail(error) {
      throw error
    },
  })
  await assert.rejects(threads.all(labels, asking), /no such table/)
  await threads.close()
})

test('a thread that begins late opens the file that is served, or none', async () => {
  const away = join(folder, 'away.db')
  await (await openSqlite(away, libraryCatalog)).close()
  const joined = identityOf(away)
  const read = async () => {
    const threads = makeReadThreads({
      file: { path: away, joined },
      limits: limits.costly,
      fail(error) {
        throw translateError(error)
      },
    })
    return threads.all(labels, asking).finally(() => threads.close())
  }
  assert.deepEqual((await read()).rows, [])
  const told = { name: 'ApiError', message: 'The database is not in its place' }
  renameSync(away, `${away}.away`)
  await assert.rejects(read(), told)
  assert.ok(!existsSync(away))
  await (await openSqlite(away, libraryCatalog)).close()
  await assert.rejects(read(), told)
})
