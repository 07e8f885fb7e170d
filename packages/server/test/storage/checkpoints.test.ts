/**
 * A log that has become long, through an import or a connection that reads an older state: when it
 * is checkpointed, and by which thread.
 */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { always } from '../../src/resource/condition.ts'
import { pagesOfLog } from '../../src/storage/sqlite/connection.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { pagesOfBusyLog } from '../../src/storage/sqlite/write/checkpoints.ts'
import { shortOr } from '../helpers/long.ts'
import { until } from '../helpers/until.ts'
import { heldUp, logOf } from './held-log.ts'
import { libraryCatalog, shelf, tester } from './library.ts'

/** The log after the first commit, once no reader holds it any more. */
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
  // The thread may have copied it before this process looks; the commit's own copy always shows.
  for (let more = 0; more < 10 && !seen.isLeft; more += 1) seen = await firstAfter(t)
  const { add, logNow, pages, done, isLeft } = seen
  assert.ok(isLeft, `the commit has not copied it: ${done} of ${pages}`)
  await until(() => logNow().done > pages - 1_000, 'the thread copies it, but for what was written meanwhile')
  let added = 0
  await until(async () => {
    added += 1
    await add(`again ${added}`)
    return logNow().pages < 8_000
  }, 'what is written after that begins at its beginning')
})

test('a storage closes without waiting for the reader, and loses no write', async (t: TestContext) => {
  const { file, add, close } = await heldUp(t)
  await add('while it is held')
  await close() // `closing.timed.test.ts` says how soon
  const again = new DatabaseSync(file, { readOnly: true })
  assert.deepEqual({ ...again.prepare('SELECT count(*) AS count FROM shelves').get() }, { count: 1 })
  again.close()
})

/** Holds up the syncs of the file itself, not those of its log, until the test lets them end. */
function holdFileSyncs(t: TestContext, file: string) {
  const real = fs.fdatasync
  let held: (() => void)[] = []
  let isOver = false
  let sinceMs = 0
  t.mock.method(fs, 'fdatasync', (descriptor: number, done: (error: Error | null) => void) => {
    if (fs.fstatSync(descriptor).ino !== fs.statSync(file).ino || isOver) return real(descriptor, done)
    sinceMs = performance.now()
    held.push(() => real(descriptor, done))
  })
  syncBuiltinESMExports()
  return {
    heldMs: () => (held.length > 0 ? performance.now() - sinceMs : 0),
    end(): void {
      for (const sync of held) sync()
      held = []
    },
    endAll(): void {
      isOver = true
      this.end()
    },
    restore(): void {
      t.mock.restoreAll()
      syncBuiltinESMExports()
    },
  }
}

/**
 * A storage, and another connection that writes MBs at a time. The log grows the same way for any
 * writer, and this one is cheap.
 */
async function openLong(t: TestContext, { holdsSyncs = false } = {}) {
  const folder = temporaryFolder()
  const file = join(folder, 'test.db')
  const syncs = holdFileSyncs(t, file)
  if (!holdsSyncs) syncs.endAll()
  const storage = await openSqlite(file, libraryCatalog, { heldMs: 5 })
  const other = new DatabaseSync(file)
  other.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; CREATE TABLE pieces (bytes BLOB)')
  other.exec('INSERT INTO pieces VALUES (NULL)')
  t.after(async () => {
    syncs.endAll()
    other.close()
    await storage.close()
    syncs.restore()
    removeFolder(folder)
  })
  const add = (label: string) => storage.transaction(tester, (writing) => writing.insert(shelf, { label }))
  return {
    file,
    storage,
    syncs,
    add,
    logNow: () => logOf(other),
    write: (bytes: number) => other.exec(`UPDATE pieces SET bytes = randomblob(${bytes})`),
  }
}

test('much that is written at once is copied behind the next commit', async (t: TestContext) => {
  const { write, add, logNow } = await openLong(t)
  await add('first')
  write(20_000_000)
  const { pages, done } = logNow()
  assert.ok(pages > pagesOfLog && done === 0, `a commit leaves it: ${done} of ${pages}`)
  await add('next')
  await until(() => logNow().done > pages - 1_000, 'the thread copies it')
})

/**
 * As on a fast machine that imports: a write of 10 MB ends before the progress of the copy is
 * known.
 */
test('the log is bounded however late it is known how far it was copied', async (t: TestContext) => {
  const { syncs, write, add, logNow } = await openLong(t, { holdsSyncs: true })
  const writes = 26
  let [each, longest] = [0, 0]
  let isHeld = false
  for (let i = 0; i < writes; i += 1) {
    // A write that waits for the copy waits for its sync
    const waiting = setInterval(syncs.end, 500)
    await add(`${i}`)
    clearInterval(waiting)
    write(10_000_000)
    const { pages } = logNow()
    each ||= pages
    longest = Math.max(longest, pages)
    if (isHeld) {
      await sleep(300 - syncs.heldMs()) // longer than a copy waits for readers
      syncs.end()
    }
    isHeld = syncs.heldMs() > 0
  }
  // The thread begins after the write that makes the log too long. The next write waits when as
  // much again was written meanwhile.
  const longestMax = 2 * (pagesOfBusyLog + each)
  assert.ok(writes * each > 1.5 * longestMax, 'all together is longer')
  assert.ok(longest <= longestMax, `${longest} pages, and ${longestMax} are the most`)
})

test('a log that is written and read all the time begins anew', async (t: TestContext) => {
  const { file, storage, write, logNow } = await openLong(t)
  // As for rank indexes: one short read of the file after the other.
  const reader = new DatabaseSync(file, { readOnly: true })
  const reading = setInterval(() => {
    if (reader.isTransaction) reader.exec('COMMIT')
    reader.exec('BEGIN; SELECT count(*) FROM shelves')
  }, 20)
  t.after(() => {
    clearInterval(reading)
    reader.close()
  })
  let [begunAnew, before, i] = [0, 0, 0]
  await until(
    async () => {
      write(1_000_000)
      const adding = storage.transaction(tester, (writing) => writing.insert(shelf, { label: `${i}` }))
      await Promise.all([adding, storage.find(shelf, always)]) // reads meanwhile hold up nothing
      const { pages } = logNow()
      if (pages < before) begunAnew += 1
      before = pages
      i += 1
      return begunAnew === shortOr(1, 2)
    },
    () => `it has begun anew ${begunAnew} times in ${i} writes, and has ${before} pages`,
  )
})

/** A storage whose log exceeds its limit, and the outcome of its syncs of the file itself. */
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
  await until(() => syncs > 0 && (!failure || said.length > 0), 'the file is synced')
  return { storage, said, add, syncs: () => syncs, logNow: () => logOf(other) }
}

test('what was copied is synced by no write: the last round, for which writes wait, has little to bring to the disk', async (t) => {
  const { add, syncs, logNow } = await openWatched(t, null)
  const { pages, done } = logNow()
  assert.ok(
    syncs() >= 1 && done > 4_000 && pages >= done,
    `${syncs()} syncs of the file; ${done} of ${pages} pages in it`,
  )
  let added = 0
  await until(
    async () => {
      added += 1
      await add(`what makes it begin anew ${added}`)
      return logNow().pages < 100
    },
    () => `${logNow().pages} pages`,
  )
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
