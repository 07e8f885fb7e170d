/**
 * A note that another process stores in the file gets a row in the change log. So no process has to
 * drop its cached records.
 */
import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { defineResource, integerId, text } from '../../src/index.ts'
import { makeCatalog } from '../../src/resource/catalog.ts'
import { sqliteDatabase } from '../../src/storage/sqlite/kind.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import { findMetadata, writeMetadata } from '../../src/storage/sqlite/write/file-metadata.ts'
import { libraryCatalog, shelf, tester } from './library.ts'

test('readers of changes miss nothing after a note, and start over after a write of another program', async (t: TestContext) => {
  const folder = temporaryFolder()
  const path = join(folder, 'test.db')
  const storage = await openSqlite(path, libraryCatalog)
  t.after(async () => {
    await storage.close()
    removeFolder(folder)
  })
  const told: string[] = []
  storage.changes.follow({
    apply: (changes) => void told.push(...changes.map(({ resource, kind }) => `${resource} ${kind}`)),
    reset: () => void told.push('all anew'),
  })
  const look = async () => {
    await sleep(20) // until the snapshot of earlier reads has ended
    await storage.changes.catchUp()
    return told.splice(0).filter((one) => !one.startsWith('bindery'))
  }
  await writeMetadata({ path }, 'last backup', 'one')
  assert.deepEqual(await look(), [])
  await storage.transaction(tester, (writing) => writing.insert(shelf, { label: 'a' }))
  await writeMetadata({ path }, 'last backup', 'two')
  await storage.transaction(tester, (writing) => writing.insert(shelf, { label: 'b' }))
  assert.deepEqual(await look(), ['shelf insert', 'shelf insert'])
  assert.equal(findMetadata({ path }, 'last backup'), 'two')

  // Counters and sweeps of another process write no record either
  const second = await openSqlite(path, libraryCatalog, { heldMs: 0 })
  await second.countUp('log-ins', 60_000, Date.now())
  await second.changes.sweep(Date.now() + 61_000)
  await second.countUp('log-ins', 60_000, Date.now())
  assert.deepEqual(await look(), [])
  const before = (await second.changes.read(null, 1000)).changes.length
  await second.changes.sweep()
  assert.equal((await second.changes.read(null, 1000)).changes.length, before, 'a sweep of nothing leaves nothing')
  await second.close()

  const other = new DatabaseSync(path)
  other.exec("UPDATE shelves SET label = 'c' WHERE label = 'b'")
  other.close()
  assert.deepEqual(await look(), ['all anew'])
})

test('a restored file begins a kept log of another name, and one that only starts again does not', async (t: TestContext) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const catalog = makeCatalog([
    defineResource({
      name: 'cup',
      path: '/cups',
      changes: true,
      access: {},
      list: { style: 'page' },
      fields: { id: integerId(), label: text() },
    }),
  ])
  const epochIn = async (path: string) => {
    const storage = await openSqlite(path, catalog)
    const epoch = await storage.changes.kept?.epoch()
    await storage.close()
    return epoch
  }
  const [path, copy, restored] = ['a.db', 'copy.db', 'restored.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const first = await epochIn(path)
  assert.match(first ?? '', /^[0-9a-f]{16}$/)
  assert.equal(await epochIn(path), first)
  copyFileSync(path, copy)
  await sqliteDatabase.ownBackup?.putBack({ path: restored, dataDir: folder }, copy)
  assert.notEqual(await epochIn(restored), first)
  assert.equal(await epochIn(path), first)
})
