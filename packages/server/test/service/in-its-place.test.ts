/**
 * A database file that another program deletes or replaces while a server has it open: no write is
 * acknowledged, and health checks report it.
 */
import assert from 'node:assert/strict'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { onPostgres, removeFolder, startService, type TestService, temporaryFolder } from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'
import { keys, notes, people } from './people.ts'

const skip = onPostgres ? 'PostgreSQL keeps its own files' : false

function linesOf({ logged }: TestService, pattern: RegExp): string[] {
  return logged.filter((line) => line.startsWith('warn ') && pattern.test(line))
}

test('the file is not where it was', { skip }, async (t) => {
  const folder = temporaryFolder()
  const file = join(folder, 'bindery.db')
  const service = await startService([notes, ...people, keys], { env: { DATA_DIR: folder } })
  t.after(async () => {
    await service.service.stop()
    removeFolder(folder)
  })
  const { ask } = service
  const write = () => ask('POST', '/api/v1/notes', { body: { title: 'kept' } })
  const readyz = async () => (await ask('GET', '/readyz')).status
  assert.equal((await write()).status, 201)
  assert.equal(await readyz(), 200)

  // Moved away: the next write is refused, at once.
  renameSync(file, `${file}.away`)
  for (let i = 0; i < 3; i += 1) {
    const refused = await write()
    assert.equal(refused.status, 503, refused.text)
    assert.deepEqual(refused.body, { error: 'The database is not in its place' })
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  }
  assert.equal(await readyz(), 503)
  const [line = '', ...more] = linesOf(service, /bindery\.db/)
  assert.deepEqual(more, [])
  assert.ok(line.includes(`${file} is gone`), line)
  assert.match(line, /Put the file back, or stop the server, restore a backup/)

  // And back: it serves again, and has what was answered.
  renameSync(`${file}.away`, file)
  assert.equal(await readyz(), 200)
  assert.equal((await write()).status, 201)
  assert.equal((await ask('GET', '/api/v1/notes')).body.meta.total, 2)
  assert.match(linesOf(service, /bindery\.db/)[1] ?? '', /in its place again/)

  // The log reports it without any request.
  rmSync(`${file}-wal`)
  await until(async () => linesOf(service, /-wal is gone/).length === 1, 'the log says so')
  assert.equal((await write()).status, 503)

  // Replaced by another database, as by a careless restore.
  const other = new DatabaseSync(`${file}.other`)
  other.exec('CREATE TABLE notes (id TEXT)')
  other.close()
  renameSync(`${file}.other`, file)
  assert.equal((await write()).status, 503)
  assert.equal(await readyz(), 503)
})

test('no write is answered as done after the file has gone', { skip }, async (t) => {
  const folder = temporaryFolder()
  const file = join(folder, 'bindery.db')
  const service = await startService([notes, ...people, keys], { env: { DATA_DIR: folder } })
  t.after(() => removeFolder(folder))
  const answered: { readonly id: string; readonly isLate: boolean }[] = []
  let isGone = false
  const clients = Array.from({ length: 8 }, async () => {
    for (let i = 0; i < 200; i += 1) {
      const reply = await service.ask('POST', '/api/v1/notes', { body: { title: 'x' } })
      if (reply.status === 503) return
      assert.equal(reply.status, 201)
      answered.push({ id: String(reply.body.id), isLate: isGone })
    }
  })
  await until(async () => answered.length >= 8, 'some writes')
  for (const end of ['-wal', '-shm', '']) renameSync(`${file}${end}`, `${file}.away${end}`)
  isGone = true
  await Promise.all(clients)
  await service.service.stop() // its last connection would else remove the log that was moved
  const kept = new DatabaseSync(`${file}.away`)
  const ids = new Set(
    kept
      .prepare('SELECT id FROM notes')
      .all()
      .map(({ id }) => id),
  )
  kept.close()
  assert.deepEqual(
    answered.filter(({ id }) => !ids.has(id)),
    [],
  )
  const late = answered.filter(({ isLate }) => isLate).length
  assert.ok(late <= 8, `${late} writes; each client may have had one whose answer was under way`)
})
