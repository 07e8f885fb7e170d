/**
 * Losses: the log does not have a change any more. Followers of the feed get a 410 with the
 * position to begin from, and live streams a `lost` with the records anew.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import {
  type AskOptions,
  databaseOf,
  onPostgres,
  runSql,
  startService,
  type TestPerson,
  type TestService,
} from 'bindery-server/test'
import { eraseRecord } from '../../src/accounts/erasure/erase-record.ts'
import { equal } from '../../src/resource/condition.ts'
import { consolePrincipal } from '../../src/resource/principal.ts'
import { until } from '../helpers/until.ts'
import { library } from './library.ts'
import { makeLiveClient } from './live/live-client.ts'
import { makeSettle } from './reader.ts'

const dayMs = 86_400_000
let own: TestService
let admin: TestPerson
let settle: () => Promise<void>
before(async () => {
  own = await startService(library())
  admin = await own.admin()
  settle = makeSettle(own.ask, { token: admin.token })
})
after(() => own.stop())

const api = (method: string, path: string, options: AskOptions = {}) =>
  own.ask(method, `/api/v1${path}`, { token: admin.token, ...options })

async function note(values: object): Promise<string> {
  const { status, body, text } = await api('POST', '/notes', { body: values })
  assert.equal(status, 201, text)
  return body.id
}

/** Another program writes into a table. */
async function writePast(sql: string): Promise<void> {
  const { DATABASE_URL } = await databaseOf(own.folder)
  if (DATABASE_URL !== undefined) return void (await runSql(DATABASE_URL, sql))
  const file = new DatabaseSync(join(own.folder, 'bindery.db'), { timeout: 60_000 })
  try {
    file.exec(sql)
  } finally {
    file.close()
  }
}

/** A way to lose changes. It gets the title of a note that it may change. */
type Losing = { readonly name: string; readonly says: RegExp; lose(title: string): Promise<void> }
const ways: readonly Losing[] = [
  {
    name: 'changes that are older than the log',
    says: /The log goes back less far/,
    async lose() {
      const { changes } = own.service.engine.storage
      while (await changes.sweep(Date.now() + 8 * dayMs));
    },
  },
  {
    name: 'a write past the service',
    says: /changed past the log/,
    lose: (title) => writePast(`UPDATE notes SET title = 'past' WHERE title = '${title}'`),
  },
  {
    name: 'rows that another program removes from the log',
    says: /removed from the log past the service/,
    lose: () => writePast('DELETE FROM bindery_changes'),
  },
  {
    name: 'an erasure',
    says: /Values of the changes were erased/,
    async lose() {
      const { engine } = own.service
      const resource = engine.catalog.get('note')
      const principal = consolePrincipal(engine.catalog)
      const id = await note({ title: 'to be erased', state: 'OPEN' })
      await eraseRecord(engine, { resource, where: equal(resource.idField, id), principal, dry: false })
    },
  },
]

describe('A follower is told of', () => {
  for (const { name, says, lose } of ways) {
    it(`${name}, and why`, async () => {
      await note({ title: name, state: 'OPEN' })
      await settle()
      const { body } = await api('GET', '/_changes?resources=notes')
      const live = makeLiveClient({
        url: own.url,
        path: '/notes?_live',
        headers: { authorization: `Bearer ${admin.token}` },
      })
      await live.connect()
      await live.next('ready')
      await live.cut()
      await note({ title: `${name} again`, state: 'OPEN' })
      await settle()
      await lose(name)
      const from = (position: string) => api('GET', `/_changes?resources=notes&after=${position}`)
      let reply = await from(body.meta.position)
      // A write past the service is noticed with the next look at the database.
      async function isLost(): Promise<boolean> {
        reply = await from(body.meta.position)
        return reply.status === 410
      }
      await until(isLost, 'a 410 of the feed')
      assert.match(reply.body.error, says)
      await settle()
      await note({ title: `${name} afterwards`, state: 'OPEN' })
      await settle()
      const next = await from(reply.body.position)
      assert.equal(next.status, 200, next.text)
      assert.equal(next.body.data.at(-1).record.title, `${name} afterwards`)
      await live.connect()
      const { error } = (await live.next('lost')).data
      assert.match(error, /: begin anew$/)
      assert.match(error, says)
      // The records follow, or the stream ends and the client connects again.
      let isOver = false
      const ended = live.ended().then(() => {
        isOver = true
      })
      await until(() => isOver || live.events.at(-1)?.event === 'ready', 'ready, or the end')
      if (isOver) await live.connect()
      await live.next('ready')
      const titles = (await api('GET', '/notes?limit=100')).body.data.map((one: { title: string }) => one.title)
      assert.deepEqual([...live.table.values()].map(({ title }) => title).toSorted(), titles.toSorted())
      await live.cut()
      await ended
    })
  }

  it('nothing, where another process begins the log of SQLite anew with its commit', async (t) => {
    if (onPostgres) return t.skip('SQLite alone has such a log')
    await note({ title: 'anew', state: 'OPEN' })
    const { body } = await api('GET', '/_changes?resources=notes')
    const file = new DatabaseSync(join(own.folder, 'bindery.db'), { timeout: 60_000 })
    try {
      const copied = () => file.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as Record<string, number>
      await until(() => copied().checkpointed === copied().log, 'the file has all of the log')
      // It writes pages before its commit, so others see that the log has begun, and no change.
      file.exec(`PRAGMA cache_size = 5; PRAGMA cache_spill = 5; BEGIN IMMEDIATE;
        CREATE TABLE wide (text TEXT); INSERT INTO wide WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
          SELECT hex(randomblob(2000)) FROM n`)
      assert.equal((await api('GET', '/notes?rank=77')).status, 200)
      const told = `INSERT INTO bindery_changes (at_ms, resource, kind, records, credential)
        VALUES (${Date.now()}, 'bindery_meta', 'update', '[]', 'service'); COMMIT`
      file.exec(told)
      await note({ title: 'anew, afterwards', state: 'OPEN' })
      await settle()
      const reply = await api('GET', `/_changes?resources=notes&after=${body.meta.position}`)
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.body.data.at(-1).record.title, 'anew, afterwards')
      file.exec(`BEGIN IMMEDIATE; DROP TABLE wide; ${told}`)
    } finally {
      file.close()
    }
  })

  it('another database, as after a restore', async () => {
    const other = await startService(library())
    let position: string
    try {
      const boss = await other.admin()
      position = (await other.ask('GET', '/api/v1/_changes?resources=notes', { token: boss.token })).body.meta.position
    } finally {
      await other.stop()
    }
    const reply = await api('GET', `/_changes?resources=notes&after=${position}`)
    assert.equal(reply.status, 410, reply.text)
    assert.match(reply.body.error, /of another database, of a copy, or of one before a restore/)
    assert.equal((await api('GET', `/_changes?resources=notes&after=${reply.body.position}`)).status, 200)
    const headers = { authorization: `Bearer ${admin.token}`, 'last-event-id': position }
    const live = makeLiveClient({ url: own.url, path: '/notes?_live', headers })
    await live.connect()
    assert.match((await live.next('lost')).data.error, /of another database/)
    await live.cut()
  })
})
