/**
 * A file and a log that do not belong together: every command refuses the pair and changes neither.
 * A pair that belongs together opens, also one of a version without stamps. The tests copy the
 * files of a killed process while a store has them open.
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { always } from '../../src/resource/condition.ts'
import { parseDatabase } from '../../src/storage/open.ts'
import { sqliteDatabase } from '../../src/storage/sqlite/kind.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { libraryCatalog, shelf, tester } from './library.ts'

const ends = ['', '-wal'] as const

/** The file and its log, as they are now. */
function copyBoth(from: string, to: string): string {
  for (const end of ends) copyFileSync(`${from}${end}`, `${to}${end}`)
  return to
}

async function add(storage: Storage, labels: readonly string[]): Promise<void> {
  for (const label of labels) await storage.transaction(tester, (writing) => writing.insert(shelf, { label }))
}
const many = (name: string, count = 40) => Array.from({ length: count }, (_, i) => `${name} ${i} ${'x'.repeat(200)}`)

async function shelvesIn(path: string): Promise<number> {
  const storage = await openSqlite(path, libraryCatalog)
  const count = await storage.count(shelf, always)
  await storage.close()
  return count
}

/** Copies all of the log into the file, so that the next write restarts the log. */
function checkpoint(path: string): void {
  const other = new DatabaseSync(path)
  other.exec('PRAGMA wal_checkpoint(RESTART)')
  other.close()
}

/** Removes the stamps, as in files of a version without them. */
function withoutStamps(path: string): void {
  const other = new DatabaseSync(path)
  other.exec('PRAGMA user_version = 0; PRAGMA application_id = 0')
  other.close()
}

/**
 * `old`: the file alone, after a clean end. `middle`: the file alone, while its log was partly in
 * it. `killed`: both, after three restarts of the log.
 */
async function makeFiles(t: TestContext) {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const at = (name: string) => join(folder, `${name}.db`)
  const path = at('served')
  const first = await openSqlite(path, libraryCatalog, { heldMs: 5 })
  await add(first, many('first'))
  await first.close()
  copyFileSync(path, at('old'))
  const storage = await openSqlite(path, libraryCatalog, { heldMs: 5 })
  await add(storage, many('second'))
  const atOnce = copyBoth(path, at('early'))
  await add(storage, many('third'))
  const other = new DatabaseSync(path)
  other.exec('PRAGMA wal_checkpoint(PASSIVE)')
  copyFileSync(path, at('middle'))
  other.close()
  checkpoint(path)
  await add(storage, many('fourth'))
  checkpoint(path)
  await add(storage, many('fifth'))
  const killed = copyBoth(path, at('killed'))
  await storage.close()
  return { folder, at, old: at('old'), middle: at('middle'), early: atOnce, killed }
}

const sums = (path: string) => ends.map((end) => hash('sha256', readFileSync(`${path}${end}`)))

/** The file of another moment, with the log of a killed process. */
function pair(to: string, file: string, log: string): string {
  copyFileSync(file, to)
  copyFileSync(`${log}-wal`, `${to}-wal`)
  rmSync(`${to}-shm`, { force: true })
  return to
}

/** Every way to open an existing file. */
function ways(path: string, folder: string): Readonly<Record<string, () => Promise<unknown>>> {
  const { setup } = parseDatabase({ DATABASE_URL: `sqlite:${path}` }, folder)
  const kind = sqliteDatabase
  const own = setup as Parameters<typeof kind.open>[0]
  mkdirSync(join(folder, 'work'), { recursive: true })
  return {
    open: () => kind.open(own, libraryCatalog, { heldMs: 0, making: 'fresh' }),
    plan: () => kind.plan(own, libraryCatalog, {}),
    migrate: () => kind.migrate(own, libraryCatalog, {}),
    rehearse: () => kind.rehearse(own, async () => undefined),
    findNote: () => kind.findNote(own, 'x'),
    keepNote: () => kind.keepNote(own, 'x', 'y'),
    capture: async () => kind.ownBackup?.capture(own, { folder: join(folder, 'work'), idleShare: 0 }),
    copyFrom: () => kind.copyFrom(own, libraryCatalog, async () => undefined),
    copyInto: () =>
      kind.copyInto(own, { catalog: libraryCatalog, tables: [], mark: '' }, async () => undefined as never),
  }
}

test('a matching file and log open, after any checkpoint', async (t) => {
  const { at, old, early, killed } = await makeFiles(t)
  assert.equal(await shelvesIn(copyBoth(killed, at('copy'))), 200)
  assert.equal(await shelvesIn(copyBoth(early, at('copy'))), 80)
  assert.equal(await shelvesIn(old), 40)
})

test('every way to a file refuses a log that is not of it, and touches neither', async (t) => {
  const { folder, at, old, middle, early, killed } = await makeFiles(t)
  const another = await makeFiles(t)
  const wrong: Readonly<Record<string, (to: string) => string>> = {
    'an older file': (to) => pair(to, old, killed),
    'the file of the last end': (to) => pair(to, old, early),
    'a file that had some of the log before': (to) => pair(to, middle, killed),
    'an older log': (to) => pair(to, killed, early),
    'the log of another database': (to) => pair(to, killed, another.killed),
    'a log that is none'(to) {
      copyFileSync(killed, to)
      writeFileSync(`${to}-wal`, Buffer.alloc(8_192, 7))
      return to
    },
  }
  for (const [what, make] of Object.entries(wrong)) {
    const path = make(at('wrong'))
    const before = sums(path)
    for (const [way, go] of Object.entries(ways(path, folder))) {
      await assert.rejects(
        go,
        { name: 'StartError', message: /do not belong together.*mv .*-wal.*put back/s },
        `${what}: ${way}`,
      )
      assert.deepEqual(sums(path), before, `${what}: ${way}`)
    }
  }
})

test('files without stamps are looked at page by page', async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const path = join(folder, 'served.db')
  await (await openSqlite(path, libraryCatalog)).close()
  withoutStamps(path)
  const writer = new DatabaseSync(path)
  writer.exec('PRAGMA wal_autocheckpoint = 0')
  const values = "VALUES (0, 'shelf', 'insert', 'x')"
  const change = writer.prepare(`INSERT INTO bindery_changes (at_ms, resource, kind, credential) ${values}`)
  const write = () => {
    for (let i = 0; i < 200; i += 1) change.run()
  }
  write()
  const old = join(folder, 'old.db')
  writer.exec('PRAGMA wal_checkpoint(RESTART)')
  copyFileSync(path, old)
  write()
  writer.exec('PRAGMA wal_checkpoint(RESTART)')
  write()
  const killed = copyBoth(path, join(folder, 'killed.db'))
  writer.close()
  await assert.rejects(
    openSqlite(pair(join(folder, 'wrong.db'), old, killed), libraryCatalog),
    /do not belong together: together they/,
  )
  await (await openSqlite(killed, libraryCatalog)).close()
})

test('a log that was deleted is told, and its empty beginning is none', async (t) => {
  const { at, killed } = await makeFiles(t)
  const path = copyBoth(killed, at('copy'))
  truncateSync(`${path}-wal`, 0)
  await (await openSqlite(path, libraryCatalog)).close()
  rmSync(`${path}-wal`, { force: true })
  writeFileSync(`${path}-shm`, Buffer.alloc(32_768))
  const told: string[] = []
  await (await openSqlite(path, libraryCatalog, { heldMs: 0, report: (line) => told.push(line) })).close()
  assert.match(told.join('\n'), /The log of .*copy\.db is gone/)
})

test('a clock that was set back leaves no gap in the changes, which would be taken for a lost log', async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const path = join(folder, 'served.db')
  const storage = await openSqlite(path, libraryCatalog)
  const nowMs = Date.now()
  const times = [nowMs + 3_600_000, nowMs + 3_600_000, 0, 0, nowMs, nowMs]
  const other = new DatabaseSync(path)
  const change = other.prepare(
    "INSERT INTO bindery_changes (at_ms, resource, kind, credential) VALUES (?, 'shelf', 'insert', 'x')",
  )
  for (const ms of times) change.run(ms)
  while (await storage.changes.sweep(nowMs));
  withoutStamps(path)
  change.run(nowMs)
  other.close()
  const killed = copyBoth(path, join(folder, 'killed.db'))
  await storage.close()
  await (await openSqlite(killed, libraryCatalog)).close()
})
