/**
 * A database file with unreadable pages, or one that cannot be written: the responses, the log, and
 * the recovery.
 */
import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { onPostgres, removeFolder, startService, type TestService, temporaryFolder } from '../../src/testing/index.ts'
import { keys, notes, people } from './people.ts'

const skip = onPostgres ? 'PostgreSQL keeps its own files' : false
const folder = temporaryFolder()
const file = join(folder, 'bindery.db')
after(() => removeFolder(folder))

const uncaught: unknown[] = []
process.on('uncaughtException', (error) => uncaught.push(error))
const start = () => startService([notes, ...people, keys], { env: { DATA_DIR: folder } })

/** Every page of the notes table except its root, which is read at start. */
function pagesOfNotes(): { pages: number[]; bytes: number } {
  const database = new DatabaseSync(file)
  const { page_size: bytes } = database.prepare('PRAGMA page_size').get() as { page_size: number }
  const root = (
    database.prepare("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'notes'").get() as { page: number }
  ).page
  const rows = database.prepare("SELECT pageno AS page FROM dbstat WHERE name = 'notes'").all() as { page: number }[]
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return { pages: rows.map(({ page }) => page).filter((page) => page !== root), bytes }
}

/** Overwrites these pages with nonsense; returns a function that restores them. */
function damage(): () => void {
  const { pages, bytes } = pagesOfNotes()
  assert.ok(pages.length > 3, `${pages}`)
  const handle = openSync(file, 'r+')
  const before = pages.map((page) => {
    const content = Buffer.alloc(bytes)
    readSync(handle, content, 0, bytes, (page - 1) * bytes)
    writeSync(handle, Buffer.alloc(bytes, 0xa5), 0, bytes, (page - 1) * bytes)
    return [page, content] as const
  })
  closeSync(handle)
  return () => {
    const again = openSync(file, 'r+')
    for (const [page, content] of before) writeSync(again, content, 0, bytes, (page - 1) * bytes)
    closeSync(again)
  }
}

function aboutDamage({ logged }: TestService): string[] {
  return logged.filter((line) => !line.startsWith('{') && !/^(ready|info)|Open to anyone/.test(line))
}

test('pages that cannot be read', { skip }, async (t) => {
  const first = await start()
  const { records, catalog, makeId } = first.service.engine
  const resource = catalog.get('note')
  const ids = Array.from({ length: 2000 }, () => makeId())
  await records.transaction(serviceAuthor, async (tx) => {
    const values = ids.map((id) => ({ id, title: `A note ${id} ${'x'.repeat(100)}`, published: true }))
    await tx.insertAll(await Promise.all(values.map((one) => tx.prepare(resource, one))))
  })
  await first.stop()
  const mend = damage()
  const service = await start()
  t.after(() => service.stop())
  const { ask } = service
  const id = ids[1000] as string

  const send = { body: { title: 'changed' } }
  for (const [method, path, more] of [
    ['GET', `/api/v1/notes/${id}`, {}],
    ['GET', '/api/v1/notes?published=true', {}],
    ['PATCH', `/api/v1/notes/${id}`, send],
    ['DELETE', `/api/v1/notes/${id}`, {}],
  ] as const) {
    const reply = await ask(method, path, more)
    assert.equal(reply.status, 503, `${method} ${path} ${reply.text}`)
    assert.deepEqual(reply.body, { error: 'The database cannot be read' })
    assert.ok(Number(reply.headers.get('retry-after')) > 0)
    await sleep(20) // until the snapshot of that read ends
  }
  const graphql = await ask('POST', '/graphql', { body: { query: `{ note(id: "${id}") { title } }` } })
  assert.match(graphql.text, /The database cannot be read/)
  for (let i = 0; i < 5; i += 1) assert.equal((await ask('GET', '/readyz')).status, 503)
  assert.equal((await ask('GET', '/livez')).status, 200)
  await sleep(600) // builds of rank indexes begin half a second after the start
  assert.deepEqual(uncaught, [])

  const lines = aboutDamage(service)
  assert.equal(lines.length, 1, lines.join('\n'))
  assert.ok(lines[0]?.includes(file), lines.join())
  assert.match(lines[0] ?? '', /malformed.*bindery doctor --deep.*restore a backup/i)

  mend()
  assert.equal((await ask('GET', '/readyz')).status, 200)
  assert.equal((await ask('PATCH', `/api/v1/notes/${id}`, send)).status, 200)
  assert.equal((await ask('GET', `/api/v1/notes/${id}`)).body.title, 'changed')
  assert.equal(aboutDamage(service).length, 2)
  assert.match(aboutDamage(service)[1] ?? '', /can be read again/)
  assert.deepEqual(uncaught, [])
  assert.ok(readFileSync(file).length > 0)
})
