/**
 * The only process that serves a file: no write gets a response before its fsync, and no read sees
 * it earlier. During an fsync the next transactions run. A failed fsync ends all writes until a
 * restart has copied the log into the file.
 */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../src/limits.ts'
import { always, type Condition } from '../../src/resource/condition.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'
import { makeAsker } from './costly-suite.ts'
import { by, libraryCatalog, shelf, tester } from './library.ts'

type Done = (error: NodeJS.ErrnoException | null) => void

/**
 * A store in a folder of its own. Syncs of its log wait until the test lets them end, in their
 * order.
 */
async function openSlow(t: TestContext) {
  const waiting: Done[] = []
  let isSlow = false
  const real = fs.fdatasync
  t.mock.method(fs, 'fdatasync', (file: number, done: Done) => {
    if (isSlow) waiting.push(done)
    else real(file, done)
  })
  syncBuiltinESMExports()
  const folder = temporaryFolder()
  const path = join(folder, 'test.db')
  const said: string[] = []
  const open = (file = path) =>
    openSqlite(file, libraryCatalog, { heldMs: 5, costly: limits.costly, report: (line) => said.push(line) })
  let storage = await open()
  t.after(async () => {
    isSlow = false
    for (const done of waiting) done(null)
    await storage.close()
    t.mock.restoreAll()
    syncBuiltinESMExports()
    removeFolder(folder)
  })
  isSlow = true
  return {
    path,
    said,
    storage: () => storage,
    /** Resolves when this many syncs wait. */
    async waits(count = 1): Promise<void> {
      await until(() => waiting.length >= count, `${count} syncs`)
      assert.equal(waiting.length, count)
    },
    end: (error: NodeJS.ErrnoException | null = null) => waiting.shift()?.(error),
    async reopen(other: string): Promise<void> {
      await storage.close()
      isSlow = false
      storage = await open(other)
    },
  }
}

const add = (storage: Storage, label: string) => {
  const adding = storage.transaction(tester, (writing) => writing.insert(shelf, { label }))
  adding.catch(() => undefined)
  return adding
}
const labelsOf = async (storage: Storage) =>
  (await storage.list(shelf, { where: always, sort: by('id'), limit: 100 })).map(({ label }) => label)
/** The labels as another program sees them. */
function storedLabels(path: string): unknown[] {
  const other = new DatabaseSync(path, { readOnly: true })
  const rows = other.prepare('SELECT label FROM shelves ORDER BY id').all()
  other.close()
  return rows.map(({ label }) => label)
}
const isPending = async (promise: Promise<unknown>) =>
  (await Promise.race([promise, sleep(30).then(() => 'pending')])) === 'pending'
const ioError = () => Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })

test('no response, read or change of a write comes before its fsync', async (t) => {
  const { path, storage, waits, end } = await openSlow(t)
  let told = 0
  storage().changes.follow({
    apply(changes) {
      told += changes.length
    },
    reset: () => assert.fail('missed a change'),
  })
  const adding = add(storage(), 'one')
  await waits()
  assert.deepEqual(storedLabels(path), ['one'])
  assert.ok(await isPending(adding))
  assert.deepEqual(await labelsOf(storage()), [])
  assert.equal(await storage().count(shelf, always), 0)
  await sleep(20) // longer than reads share a snapshot
  assert.deepEqual(await labelsOf(storage()), [])
  assert.equal(told, 0)
  end()
  await adding
  assert.equal(told, 1)
  assert.deepEqual(await labelsOf(storage()), ['one'])
  assert.equal(await storage().count(shelf, always), 1)
})

test('a read in a thread, which sees it, is answered when the disk has it', async (t) => {
  const { path, storage, waits, end } = await openSlow(t)
  const other = new DatabaseSync(path)
  other.exec(`INSERT INTO shelves (label, version)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT 'shelf ' || i, 1 FROM n`)
  other.close()
  const adding = add(storage(), 'one')
  await waits()
  const where: Condition = { kind: 'contains', field: 'label', text: 'one' }
  let isRead = false
  const reading = storage().by({
    ...makeAsker('someone'),
    onLeft() {
      isRead = true // it is in the thread
      return () => undefined
    },
  })
  const counting = Promise.resolve(reading.count(shelf, where))
  assert.ok(await isPending(counting))
  assert.ok(isRead)
  await sleep(200)
  assert.ok(await isPending(counting))
  end()
  await adding
  assert.equal(await counting, 1)
})

test('while the disk is waited for, the next transactions run; they commit when it has the one before', async (t) => {
  const { path, storage, waits, end } = await openSlow(t)
  const first = add(storage(), 'one')
  await waits()
  let seen: unknown
  const second = storage().transaction(tester, async (writing) => {
    seen = (await writing.list(shelf, { where: always, sort: by('id'), limit: 9 })).map(({ label }) => label)
    return writing.insert(shelf, { label: 'two' })
  })
  const refused = add(storage(), 'one')
  await until(() => seen !== undefined, 'the second one runs')
  assert.deepEqual(seen, ['one'], 'a transaction sees what was committed before it')
  assert.ok(await isPending(refused), 'no write is refused because it may be lost')
  assert.deepEqual(storedLabels(path), ['one'])
  end()
  await first
  await waits()
  assert.deepEqual(await labelsOf(storage()), ['one'])
  assert.ok(await isPending(second))
  end()
  await second
  await assert.rejects(refused, /label must be unique/)
  assert.deepEqual(await labelsOf(storage()), ['one', 'two'])
})

test('a disk that fails: nothing is acknowledged any more, reads go on, and a start goes on with what the log has', async (t) => {
  const { path, said, storage, waits, end, reopen } = await openSlow(t)
  const first = add(storage(), 'one')
  await waits()
  const running = add(storage(), 'two')
  await sleep(30)
  end(ioError())
  await assert.rejects(first, {
    code: 'unavailable',
    message: 'The disk did not confirm the write; look before you try again',
  })
  for (const later of [running, add(storage(), 'three')])
    await assert.rejects(later, { code: 'unavailable', message: 'The database cannot be written, nothing was changed' })
  assert.deepEqual(storedLabels(path), ['one'], 'of what came after it, nothing is stored')
  assert.deepEqual(await labelsOf(storage()), ['one'])
  assert.equal(await storage().check(), 'read-only')
  assert.equal(await storage().check(), 'read-only', 'no look at the disk ends it')
  assert.equal(said.length, 1, said.join('\n'))
  assert.match(said[0] as string, /test\.db-wal: EIO.*until the server is started again/)
  const copy = join(dirname(path), 'copy.db') // as a process leaves it that ends here
  for (const file of ['', '-wal']) fs.copyFileSync(`${path}${file}`, `${copy}${file}`)
  await reopen(copy)
  const other = new DatabaseSync(copy)
  const { log, checkpointed } = other.prepare('PRAGMA wal_checkpoint(NOOP)').get() as Record<string, number>
  other.close()
  assert.ok(log !== undefined && log > 0 && log === checkpointed, `${checkpointed} of ${log}`)
  await add(storage(), 'four')
  assert.deepEqual(await labelsOf(storage()), ['one', 'four'])
})
