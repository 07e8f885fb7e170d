/**
 * Done requests (idempotency keys) in each database: one transaction at a time claims a key, and
 * age and size are limited.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  removeFolder,
  sharedCluster,
  temporaryFolder,
} from 'bindery-server/test'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { openPools } from '../../src/storage/postgres/connect/pool.ts'
import { openPostgres } from '../../src/storage/postgres/store.ts'
import { requestsDialect as onServer } from '../../src/storage/postgres/write/requests.ts'
import { makeDoneRequests } from '../../src/storage/sql/done-requests.ts'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { requestsDialect as inFile } from '../../src/storage/sqlite/write/requests.ts'
import { type RequestLimits, requestsKept, type Storage } from '../../src/storage/storage.ts'
import { until } from '../helpers/until.ts'
import { libraryCatalog } from './library.ts'

const enough = { bytesMax: 1_000_000, ownerBytesMax: 1_000_000 }

type Swept = { readonly storage: Storage; sweep(limits: RequestLimits): Promise<boolean> }

async function onSqlite(t: TestContext): Promise<Swept> {
  const folder = temporaryFolder()
  const path = join(folder, 'requests.db')
  const storage = await openSqlite(path, libraryCatalog)
  const writer = openConnection(path, { readOnly: false })
  t.after(async () => {
    writer.database.close()
    await storage.close()
    removeFolder(folder)
  })
  return { storage, sweep: makeDoneRequests({ dialect: inFile, reads: writer, write: (work) => work(writer) }).sweep }
}

async function onPostgres(t: TestContext): Promise<Swept> {
  const name = `requests_${randomBytes(6).toString('hex')}`
  const url = await makePostgresDatabase(sharedCluster(), name)
  const storage = await openPostgres({ url, connectionsMax: 3, prepare: true }, libraryCatalog)
  const pools = openPools({ url, connectionsMax: 1, prepare: true, onFault: () => undefined })
  t.after(async () => {
    await Promise.all([storage.close(), pools.end()])
    await dropPostgresDatabase(sharedCluster(), name)
  })
  const reads = pools.executorOf(pools.work)
  return { storage, sweep: makeDoneRequests({ dialect: onServer, reads, write: (work) => work(reads) }).sweep }
}

function keep(
  { transaction }: Storage,
  key: string,
  { atMs, owner = 'ann' }: { atMs: number; owner?: string },
): Promise<boolean> {
  const request = { key, owner, print: 'print', answer: 'x'.repeat(1_000), atMs }
  return transaction(serviceAuthor, (one) => one.keepRequest(request, atMs - 1_000))
}

for (const [name, open] of [
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const) {
  test(`${name}: requests are found until they are too old, and the oldest go where there are too many`, async (t) => {
    const { storage, sweep } = await open(t)
    const now = Date.now()
    const found = async () => {
      const all = await Promise.all(['a', 'b', 'c', 'd'].map((key) => storage.findRequest(key, 0)))
      return all.map((one) => one?.key ?? '-').join('')
    }
    for (const [i, key] of ['a', 'b', 'c', 'd'].entries()) await keep(storage, key, { atMs: now - 40_000 + i * 10_000 })
    assert.deepEqual(await storage.findRequest('a', now - 40_000), {
      key: 'a',
      print: 'print',
      answer: 'x'.repeat(1_000),
      atMs: now - 40_000,
    })
    assert.equal(await storage.findRequest('a', now - 39_999), undefined)
    await sweep({ ...enough, ms: 60_000 })
    assert.equal(await found(), 'abcd')
    await sweep({ ...enough, ms: 35_000 })
    assert.equal(await found(), '-bcd')
    await sweep({ ...enough, ms: 60_000, bytesMax: 2_600 })
    assert.equal(await found(), '--cd')
    assert.equal(await keep(storage, 'c', { atMs: now }), true)
    assert.equal((await storage.findRequest('c', now))?.atMs, now)
    await sweep({ ...enough, ms: -60_000, bytesMax: 2_600 })
    assert.equal(await found(), '----')
  })

  test(`${name}: the caller that has kept most makes room, however late the others came`, async (t) => {
    const { storage, sweep } = await open(t)
    const now = Date.now()
    await keep(storage, 'mine', { atMs: now - 50_000, owner: 'ben' })
    const names = Array.from({ length: 6 }, (_, i) => `much${i}`)
    for (const [i, key] of names.entries()) await keep(storage, key, { atMs: now - 40_000 + i, owner: 'ann' })
    await keep(storage, 'few', { atMs: now - 30_000, owner: 'cid' })
    while (await sweep({ ...enough, ms: 60_000, bytesMax: 5 * 1_400 }));
    const left = await Promise.all(
      ['mine', ...names, 'few'].map(async (key) => (await storage.findRequest(key, 0))?.key),
    )
    assert.deepEqual(
      left.filter((key) => key !== undefined),
      ['mine', 'much3', 'much4', 'much5', 'few'],
    )
  })

  test(`${name}: what one caller keeps has a bound of its own`, async (t) => {
    const { storage } = await open(t)
    const now = Date.now()
    await keep(storage, 'mine', { atMs: now, owner: 'ben' })
    const large = (i: number) => ({
      key: `large${i}`,
      owner: 'ann',
      print: '',
      answer: 'x'.repeat(250_000),
      atMs: now + i,
    })
    const count = Math.ceil(requestsKept.ownerBytesMax / 250_000) + 20
    for (let i = 0; i < count; i += 1) await storage.transaction(serviceAuthor, (one) => one.keepRequest(large(i), 0))
    const isKept = async (key: string) => (await storage.findRequest(key, 0)) !== undefined
    // The check runs each time this much is added, beside the writes
    await until(async () => !(await isKept('large0')), 'the oldest one goes')
    assert.deepEqual(
      [await isKept('large0'), await isKept(`large${count - 1}`), await isKept('mine')],
      [false, true, true],
    )
  })

  test(`${name}: a transaction that fails leaves its key free; one that commits has done it`, async (t) => {
    const { storage } = await open(t)
    const claim = (end: () => void) =>
      storage.transaction(serviceAuthor, async (one) => {
        const claimed = await one.claimRequest('k', 0)
        if (claimed === 'free') await one.keepRequest({ key: 'k', owner: '', print: '', answer: '', atMs: 1 }, 0)
        end()
        return claimed
      })
    await assert.rejects(
      claim(() => {
        throw new Error('it fails')
      }),
      /it fails/,
    )
    const both = await Promise.all([claim(() => undefined), claim(() => undefined)])
    assert.ok(both.includes('free') && both[0] !== both[1], both.join())
    assert.equal(await claim(() => undefined), 'done')
  })
}
