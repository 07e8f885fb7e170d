/**
 * A first start on a full disk: one line says so. The files that it leaves do not prevent a later
 * start in the same folder.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { onPostgres, removeFolder, type ServerProcess, spawnServer, temporaryFolder } from '../../src/testing/index.ts'
import { shortOr } from '../helpers/long.ts'

const folder = temporaryFolder()
after(() => removeFolder(folder))

/**
 * No file may grow beyond `kilobytes`; the system then refuses writes as it does on a full disk.
 */
function spawnLimited(name: string, kilobytes?: number, main = 'notes-main.ts'): ServerProcess {
  const limit = kilobytes === undefined ? '' : `ulimit -f ${kilobytes}; `
  return spawnServer({
    command: ['bash', '-c', `${limit}exec "${process.execPath}" ${main}`],
    cwd: import.meta.dirname,
    env: { DATA_DIR: join(folder, name), ADMIN_EMAIL: '', ADMIN_PASSWORD: '' },
  })
}

const skip = onPostgres ? 'PostgreSQL has a disk of its own' : false
test('wherever the space runs out', { skip }, async () => {
  const said = new Set<string>()
  for (const kilobytes of shortOr([0, 64], [0, 16, 64])) {
    const name = `limit${kilobytes}`
    const server = spawnLimited(name, kilobytes)
    const ready = await server.ready().then(
      () => true,
      () => false,
    )
    if (ready) {
      await server.stop() // the limit was large enough
      continue
    }
    assert.equal((await server.ended).code, 1, `${kilobytes} kB: ${server.stderr()}`)
    const lines = server.stderr().trimEnd().split('\n')
    assert.equal(lines.length, 1, `${kilobytes} kB: ${server.stderr()}`)
    assert.match(lines[0] ?? '', /^Cannot (open the database|write|make|start)/)
    said.add((lines[0] ?? '').replaceAll(join(folder, name), ''))
    const later = spawnLimited(name)
    await later.ready()
    assert.match(later.stderr(), /^First ADMIN: .* \(shown once\)\n(Open the console: .*\n)?$/)
    assert.equal((await later.stop()).code, 0)
  }
  assert.ok(said.size > 0, 'no limit was small enough')
})

test('a disk that is full while it is served: each write is refused, and one line says it', { skip }, async (t) => {
  const server = spawnLimited('running', 1_024)
  t.after(() => server.stop('SIGKILL'))
  const address = await server.ready()
  const write = () =>
    fetch(`${address}/api/v1/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'x'.repeat(1_000) }),
    })
  let statuses: number[] = []
  for (let i = 0; i < 60 && !statuses.includes(503); i += 1)
    statuses = await Promise.all(Array.from({ length: 20 }, async () => (await write()).status))
  let refused = 0
  for (let i = 0; i < 200 && refused < 20; i += 1) {
    const reply = await write() // a small one may find room where a group did not
    if (reply.status === 201) continue
    assert.equal(reply.status, 503)
    // by how a limit stops it
    assert.match(await reply.text(), /The disk is full, nothing was written|The database cannot be written/)
    assert.ok(Number(reply.headers.get('retry-after')) > 0)
    refused += 1
  }
  assert.equal(refused, 20)
  assert.equal((await fetch(`${address}/api/v1/notes`)).status, 200)
  await server.stop()
  const said = server.lines().filter(({ level }) => level === 'warn' || level === 'error')
  const about = said.filter(({ msg }) => String(msg).includes('bindery.db'))
  // one for each way to refuse
  assert.ok(about.length >= 1 && about.length <= 2, JSON.stringify(said))
  assert.ok(String(about[0]?.msg).includes(join(folder, 'running', 'bindery.db')))
  assert.equal(said.filter(({ err }) => err !== undefined).length, 0, JSON.stringify(said))
})

test('a disk that is full when a server with a feed starts: it is read', { skip }, async (t) => {
  const first = spawnLimited('feed', undefined, 'songs-main.ts')
  const body = JSON.stringify({ title: 'x'.repeat(1_000) })
  const headers = { 'content-type': 'application/json' }
  const address = await first.ready()
  for (let i = 0; i < 50; i += 1)
    assert.equal((await fetch(`${address}/api/v1/songs`, { method: 'POST', headers, body })).status, 201)
  await first.stop('SIGKILL') // the log stays as long as it is
  const again = spawnLimited('feed', 64, 'songs-main.ts')
  t.after(() => again.stop('SIGKILL'))
  const songs = `${await again.ready()}/api/v1/songs`
  assert.equal((await fetch(songs)).status, 200)
  assert.equal((await fetch(songs, { method: 'POST', headers, body })).status, 503)
})
