/**
 * The follower of a log: it makes the checkpoints, loses no write when the log restarts, and its
 * copies restore the same database.
 */
import assert from 'node:assert/strict'
import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { it, type TestContext } from 'node:test'
import type { LogSegment } from '../../src/storage/native-log.ts'
import { applyFrames } from '../../src/storage/sqlite/log/apply-frames.ts'
import { followLog } from '../../src/storage/sqlite/log/wal-follower.ts'
import { removeFolder, temporaryFolder } from '../helpers/application.ts'

type Kept = LogSegment & { readonly stream: string }

function setUp(t: TestContext) {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const path = join(folder, 'a.db')
  const writer = new DatabaseSync(path)
  writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
  writer.exec('CREATE TABLE bindery_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT')
  writer.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v BLOB)')
  const base = join(folder, 'base.db')
  writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  copyFileSync(path, base)
  const kept: Kept[] = []
  const warned: string[] = []
  const keeper = {
    begin: async () => undefined,
    keep: async (stream: string, segment: LogSegment) =>
      void kept.push({ stream, ...segment, bytes: Buffer.from(segment.bytes) }),
  }
  const insert = writer.prepare('INSERT INTO t (v) VALUES (randomblob(?))')
  return {
    folder,
    path,
    writer,
    base,
    kept,
    warned,
    insert,
    keeper,
    follow: (options: { bytesMax?: number } = {}) =>
      followLog({ path }, keeper, { ...options, warn: (text) => void warned.push(text) }),
    walBytes: () => statSync(`${path}-wal`).size,
    apply: (stretches: readonly Kept[]) =>
      applyFrames(
        base,
        (async function* () {
          for (const { bytes } of stretches) yield Readable.from([bytes.subarray(0, 50), bytes.subarray(50)])
        })(),
      ),
  }
}

/** Every row, and whether the file is whole. */
function contentOf(path: string): unknown[] {
  const database = new DatabaseSync(path)
  const rows = database.prepare('SELECT id, length(v) AS bytes, hex(substr(v, 1, 8)) AS start FROM t').all()
  const check = database.prepare('PRAGMA integrity_check').all()
  database.close()
  return [...check, ...rows].map((row) => ({ ...(row as object) }))
}

it('brings the log into the file when all of it was kept, and goes on when it begins anew', async (t: TestContext) => {
  const { writer, insert, follow, kept, warned, walBytes, apply, base, path } = setUp(t)
  const follower = await follow()
  assert.ok(await follower.look())
  for (let round = 0; round < 14; round += 1) {
    for (let i = 0; i < 20; i += 1) insert.run(100_000)
    if (round % 5 === 4) writer.exec('DELETE FROM t WHERE id % 3 = 0')
    await follower.look()
  }
  assert.ok(walBytes() < 40_000_000, `the log has ${walBytes()} bytes`)
  const turns = new Set(kept.map(({ bytes }) => JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(10))).salts))
  assert.ok(turns.size > 1, 'the log has begun anew')
  assert.equal(new Set(kept.map(({ stream }) => stream)).size, 1)
  assert.deepEqual(warned, [])
  assert.deepEqual(
    kept.map(({ number }) => number),
    kept.map((_, i) => i + 1),
  )
  await apply(kept)
  writer.close()
  follower.close()
  assert.deepEqual(contentOf(base), contentOf(path))
})

it('keeps whole transactions alone, once, and refuses what does not continue', async (t: TestContext) => {
  const { writer, insert, follow, kept, apply, path } = setUp(t)
  const follower = await follow()
  const other = await follow()
  await follower.look()
  assert.equal(await other.look(), undefined) // another one follows
  const before = kept.length
  writer.exec('PRAGMA cache_size = 5; BEGIN')
  for (let i = 0; i < 50; i += 1) insert.run(10_000)
  // pages of an open transaction are in the log already
  assert.ok(statSync(`${path}-wal`).size > 100_000)
  await follower.look()
  assert.equal(kept.length, before)
  writer.exec('COMMIT')
  await follower.look()
  insert.run(10)
  await follower.look()
  await follower.look()
  assert.equal(kept.length, before + 2)
  const [first, second, third] = kept.slice(-3)
  assert.ok(first && second && third)
  await assert.rejects(apply([first, third]), { name: 'StartError', message: /does not continue/ })
  const bytes = Buffer.from(second.bytes)
  bytes[bytes.length - 10] = (bytes[bytes.length - 10] as number) ^ 1
  await assert.rejects(apply([{ ...second, bytes }]), { name: 'StartError', message: /damaged/ })
  follower.close()
  assert.ok(await other.look()) // the lock is free
  writer.close()
  other.close()
})

it('begins a new stream where another checkpoint came before it', async (t: TestContext) => {
  const { writer, insert, follow, kept, warned } = setUp(t)
  const follower = await follow()
  await follower.look()
  insert.run(10)
  await follower.look()
  insert.run(10)
  writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  insert.run(10)
  await follower.look()
  assert.match(warned.join(), /do not continue: something else/)
  assert.equal(new Set(kept.map(({ stream }) => stream)).size, 2)
  writer.close()
  follower.close()
})

it('keeps a transaction that is larger than what it reads at once', async (t: TestContext) => {
  const { writer, insert, follow, kept, warned, apply, base, path } = setUp(t)
  const follower = await follow()
  await follower.look()
  insert.run(10)
  writer.exec('BEGIN')
  for (let i = 0; i < 70; i += 1) insert.run(1_000_000)
  writer.exec('COMMIT')
  await follower.look()
  insert.run(20)
  await follower.look()
  assert.deepEqual(warned, [])
  await apply(kept)
  writer.close()
  follower.close()
  assert.deepEqual(contentOf(base), contentOf(path))
})

it('measures the log by what is in it, not by its file, which never shrinks', async (t: TestContext) => {
  const { writer, insert, follow, keeper, kept, warned, walBytes } = setUp(t)
  const follower = await follow({ bytesMax: 1_000_000 })
  const progress = () => ({ ...(writer.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { checkpointed: number }) })
  await follower.look()
  for (let i = 0; i < 200; i += 1) insert.run(100_000)
  await follower.look()
  insert.run(10) // the log begins anew
  await follower.look()
  insert.run(10)
  await follower.look()
  assert.ok(walBytes() > 16_000_000)
  assert.equal(progress().checkpointed, 0, 'a short log is left alone')

  // While no copy can be stored, a long log is skipped once, and not again before it is long again
  const { keep } = keeper
  let refusals = 0
  keeper.keep = async () => {
    refusals += 1
    throw new Error('the disk is full')
  }
  for (let i = 0; i < 20; i += 1) insert.run(100_000)
  for (let i = 0; i < 4; i += 1) {
    await assert.rejects(follower.look(), /the disk is full/)
    insert.run(10)
  }
  assert.equal(refusals, 4)
  keeper.keep = keep
  await follower.look()
  assert.equal(new Set(kept.map(({ stream }) => stream)).size, 2)
  assert.match(warned.join('\n'), /do not continue: what could not be copied had grown too large/)
  assert.equal(warned.length, 1)
  writer.close()
  follower.close()
})
