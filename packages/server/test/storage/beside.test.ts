/**
 * A SQLite file with a server and commands beside it. All of them write through Bindery, so no
 * reader of the kept log is told of writes past it.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { all } from '../../src/resource/condition.ts'
import { firstPlace, type KeptLog, lossIn } from '../../src/storage/derived/kept-log.ts'
import { openSqlite } from '../../src/storage/sqlite/store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { mugCatalog, mugs, servedHeldMs } from './beside.ts'
import { tester } from './library.ts'

const command = new URL('./beside-command.ts', import.meta.url).pathname
const times = 25

let folder: string
let path: string
let server: Storage
beforeEach(async () => {
  folder = temporaryFolder()
  path = join(folder, 'test.db')
  server = await openSqlite(path, mugCatalog, { heldMs: servedHeldMs })
})
afterEach(async () => {
  await server.close()
  removeFolder(folder)
})

const insert = (storage: Storage, label: string) =>
  storage.transaction(tester, (transaction) => transaction.insert(mugs, { label }))

/** Every change that the log has, also those that a process adds a moment later. */
async function changesOf(storage: Storage) {
  await insert(storage, 'the last')
  await storage.changes.catchUp()
  return (await (storage.changes.kept as KeptLog).read(firstPlace, 100_000)).changes
}

test('a commit of a server without a record is no unknown write for a command', async () => {
  const other = await openSqlite(path, mugCatalog, { heldMs: 0 }) // sees each commit at once
  await insert(server, 'a')
  await other.changes.catchUp()
  await server.countUp('tries', 1_000, Date.now())
  await other.changes.catchUp()
  assert.deepEqual((await changesOf(other)).filter(lossIn), [])
  await other.close()
})

test('a command that ends during a snapshot of the server is no unknown write', async () => {
  const held = await openSqlite(path, mugCatalog, { heldMs: 200 })
  await insert(held, 'a') // leaves no snapshot open
  const other = await openSqlite(path, mugCatalog, { heldMs: servedHeldMs })
  await insert(other, 'b')
  await held.find(mugs, all()) // begins a snapshot: it has the write, not the stamp of the end
  await other.close()
  await held.changes.catchUp()
  await insert(held, 'c')
  await held.changes.catchUp()
  const changes = await changesOf(held)
  assert.deepEqual(changes.filter(lossIn), [])
  await held.close()
})

test('a checkpoint of another process is no unknown write', async () => {
  const looking = await openSqlite(path, mugCatalog, { heldMs: 0 })
  await insert(server, 'a')
  await looking.changes.catchUp()
  const other = new DatabaseSync(path)
  other.exec('PRAGMA wal_checkpoint(RESTART)')
  await looking.changes.catchUp()
  await insert(looking, 'b')
  assert.deepEqual((await changesOf(looking)).filter(lossIn), [])
  // A write of that program is one, behind a checkpoint too.
  other.exec("UPDATE mugs SET label = 'past'")
  other.close()
  await looking.changes.catchUp()
  assert.equal((await changesOf(looking)).filter(lossIn).length, 1)
  await looking.close()
})

test('commands beside a server that writes and looks all the time are no unknown writes', async () => {
  const child = spawn(process.execPath, [command, path, String(times)], { stdio: ['ignore', 'inherit', 'inherit'] })
  let code: number | null | undefined
  void once(child, 'close').then(([ended]) => {
    code = ended
  })
  let written = 0
  while (code === undefined) {
    for (let i = 0; i < 20; i += 1) {
      await insert(server, `server ${written}`)
      written += 1
      await server.changes.catchUp()
    }
    await server.changes.sweep()
    await breathe()
  }
  assert.equal(code, 0)
  const changes = await changesOf(server)
  assert.deepEqual(changes.filter(lossIn), [])
  const labels = changes.map(({ values }) => String(values?.[0]?.after?.label))
  assert.equal(labels.filter((label) => label.startsWith('command')).length, times)
  assert.equal(new Set(changes.map(({ sequence }) => sequence)).size, written + times + 1)
})
