/** A log that has grown long, while somebody read one state of the file or by an import: who brings it into the file, and when. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { always } from '../../src/resource/condition.ts'
import { pagesOfBusyLog } from '../../src/storage/sqlite/checkpoints.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { libraryCatalog, shelf, tester } from './library.ts'

/** How long the log is, and how much of it is in the file. */
function logOf(database: DatabaseSync): { pages: number; done: number } {
  const { log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as Record<string, number>
  return { pages: log as number, done: checkpointed as number }
}

/** A storage, and somebody who holds the state of the file as it is, with a log of 40 MB written since. */
async function heldUp(t: TestContext) {
  const folder = temporaryFolder()
  const file = join(folder, 'test.db')
  const storage = await openSqlite(file, libraryCatalog)
  let isOpen = true
  const close = async () => {
    if (isOpen) await storage.close()
    isOpen = false
  }
  const add = (label: string) => storage.transaction(tester, (writing) => writing.insert(shelf, { label }))
  const holder = new DatabaseSync(file, { readOnly: true })
  t.after(async () => {
    holder.close()
    await close()
    removeFolder(folder)
  })
  holder.exec('BEGIN')
  holder.prepare('SELECT count(*) FROM shelves').get()
  const other = new DatabaseSync(file)
  other.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE pieces (bytes BLOB)')
  other.exec('INSERT INTO pieces VALUES (randomblob(40000000))')
  const logNow = () => logOf(other)
  t.after(() => other.close())
  return { file, add, release: () => holder.exec('COMMIT'), logNow, close }
}

/** What the first commit leaves of a long log that nobody holds any more. */
async function firstAfter(t: TestContext) {
  const held = await heldUp(t)
  assert.ok(held.logNow().pages > 9_000, 'the log is long')
  assert.ok(held.logNow().done < 100, 'and held')
  held.release()
  await held.add('first after')
  const { pages, done } = held.logNow()
  return { ...held, pages, done, isLeft: done < pages - 8_000 }
}

test('no commit copies it, a thread does, and the log begins anew', async (t: TestContext) => {
  let seen = await firstAfter(t)
  // The thread may have copied it before this process looks; where the commit does, it always has.
  for (let more = 0; more < 2 && !seen.isLeft; more += 1) seen = await firstAfter(t)
  const { add, logNow, pages, done, isLeft } = seen
  assert.ok(isLeft, `the commit has not copied it: ${done} of ${pages}`)
  for (let tries = 0; tries < 200 && logNow().done < pages; tries += 1) await sleep(50)
  assert.ok(logNow().done >= pages, 'the thread has')
  // What is written after that begins at its beginning, and commits copy it again as it grows
  for (let i = 0; i < 100 && logNow().pages > 8_000; i += 1) {
    await add(`again ${i}`)
    await sleep(20)
  }
  assert.ok(logNow().pages < 8_000, 'the log has begun anew')
})

test('a storage that closes meanwhile waits for nobody, and has lost nothing', async (t: TestContext) => {
  const { file, add, close } = await heldUp(t)
  await add('while it is held')
  const sinceMs = performance.now()
  await close()
  const tookMs = performance.now() - sinceMs
  assert.ok(tookMs < 4_500, `${tookMs} ms; a connection that waits for another does so for five seconds`)
  const again = new DatabaseSync(file, { readOnly: true })
  assert.deepEqual({ ...again.prepare('SELECT count(*) AS count FROM shelves').get() }, { count: 1 })
  again.close()
})

test('what an import writes is copied when it has become much, or behind it', async (t: TestContext) => {
  const folder = temporaryFolder()
  const file = join(folder, 'test.db')
  const storage = await openSqlite(file, libraryCatalog)
  const other = new DatabaseSync(file)
  t.after(async () => {
    other.close()
    await storage.close()
    removeFolder(folder)
  })
  const logNow = () => logOf(other)
  let added = 0
  const addAll = (records: number, bytes: number) =>
    storage.transaction(tester, (writing) => {
      const labels = Array.from({ length: records }, () => {
        added += 1
        return `${added} `.padEnd(bytes / records, 'x')
      })
      return writing.insertAll(
        shelf,
        labels.map((label) => ({ label })),
      )
    })
  await addAll(250, 5_000_000)
  const first = logNow()
  assert.ok(first.pages > 4_000 && first.done === 0, `a commit leaves it: ${first.done} of ${first.pages}`)
  await addAll(1, 100)
  for (let tries = 0; tries < 200 && logNow().done < first.pages; tries += 1) await sleep(50)
  assert.ok(logNow().done >= first.pages, 'behind the next commit the thread copies it')
  const imports = 12
  let longest = 0
  for (let i = 0; i < imports; i += 1) {
    await addAll(250, 5_000_000)
    longest = Math.max(longest, logNow().pages)
  }
  // However late the thread has its turn: it begins after the transaction that makes the log too long, and who writes as much again meanwhile waits.
  const longestMax = 2 * (pagesOfBusyLog + first.pages)
  assert.ok(imports * first.pages > 1.3 * longestMax, 'the imports together are longer')
  assert.ok(longest < longestMax, `an import makes it no longer: ${longest}`)
})

test('a log that is written and read all the time begins anew, and is copied by no commit', async (t: TestContext) => {
  const folder = temporaryFolder()
  const file = join(folder, 'test.db')
  const storage = await openSqlite(file, libraryCatalog, { heldMs: 5 })
  const other = new DatabaseSync(file)
  // As fences are counted: one look at the file after the other.
  const reader = new DatabaseSync(file, { readOnly: true })
  const reading = setInterval(() => {
    if (reader.isTransaction) reader.exec('COMMIT')
    reader.exec('BEGIN; SELECT count(*) FROM shelves')
  }, 20)
  t.after(async () => {
    clearInterval(reading)
    reader.close()
    other.close()
    await storage.close()
    removeFolder(folder)
  })
  const label = 'x'.repeat(200_000) // 100 pages, with its index
  let [longest, begunAnew, before] = [0, 0, 0]
  for (let i = 0; i < 150; i += 1) {
    const adding = storage.transaction(tester, (writing) => writing.insert(shelf, { label: `${i} ${label}` }))
    await Promise.all([adding, storage.find(shelf, always)]) // whoever reads meanwhile holds up nothing
    const { pages } = logOf(other)
    if (pages < before) begunAnew += 1
    before = pages
    longest = Math.max(longest, pages)
  }
  assert.ok(begunAnew >= 1, `it has begun anew ${begunAnew} times; the longest had ${longest} pages`)
  assert.ok(longest < 26_000, `${longest} pages`)
})

/** A storage that has written more than a log may have, and what its syncs of the file, not of the log, come to. */
async function openWatched(t: TestContext, failure: Error | null) {
  const folder = temporaryFolder()
  const path = join(folder, 'test.db')
  const said: string[] = []
  const real = fs.fdatasync
  let syncs = 0
  t.mock.method(fs, 'fdatasync', (file: number, done: (error: Error | null) => void) => {
    if (fs.fstatSync(file).ino !== fs.statSync(path).ino) return real(file, done)
    syncs += 1
    return failure ? void setImmediate(done, failure) : real(file, done)
  })
  syncBuiltinESMExports()
  const storage = await openSqlite(path, libraryCatalog, { heldMs: 5, report: (line) => said.push(line) })
  const other = new DatabaseSync(path)
  t.after(async () => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
    other.close()
    await storage.close()
    removeFolder(folder)
  })
  const add = (label: string) => storage.transaction(tester, (writing) => writing.insert(shelf, { label }))
  for (let i = 0; i < 40 && logOf(other).pages <= 4_000; i += 1) await add(`${i} `.padEnd(1_000_000, 'x'))
  await add('behind which it is copied')
  for (let tries = 0; tries < 200 && syncs === 0; tries += 1) await sleep(20)
  await sleep(100)
  return { storage, said, add, syncs: () => syncs, logNow: () => logOf(other) }
}

test('what was copied is synced by no write: the last round, for which writes wait, has little to bring to the disk', async (t) => {
  const { add, syncs, logNow } = await openWatched(t, null)
  const { pages, done } = logNow()
  assert.ok(
    syncs() >= 1 && done > 4_000 && pages >= done,
    `${syncs()} syncs of the file; ${done} of ${pages} pages in it`,
  )
  await add('what makes it begin anew')
  await add('at its beginning')
  assert.ok(logNow().pages < 100, `${logNow().pages} pages`)
})

test('where the disk does not confirm what was copied, nothing is written any more and the log stays', async (t) => {
  const error = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
  const { storage, said, add, logNow } = await openWatched(t, error)
  const before = logNow()
  const refusal = { code: 'unavailable', message: 'The database cannot be written, nothing was changed' }
  for (const label of ['one', 'two']) await assert.rejects(add(label), refusal)
  assert.equal(await storage.check(), 'read-only')
  await sleep(300)
  await assert.rejects(add('three'), refusal)
  assert.deepEqual(logNow(), before, 'the log has all of it, and does not begin anew')
  assert.equal(said.length, 1, said.join('\n'))
  assert.match(said[0] as string, /test\.db: EIO.*until the server is started again/)
})
