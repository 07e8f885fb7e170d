/**
 * The state of the feed as operators learn it, by metrics and by `GET /_operate/feed`. It says how
 * much is kept, how many read, and which open transaction of PostgreSQL holds changes back.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type AskOptions, startService, type TestPerson, type TestService } from 'bindery-server/test'
import pg from 'pg'
import { defineResource, id, now, text, timestamp, user, where } from '../../src/index.ts'
import { databaseOf, onPostgres } from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'
import { library } from './library.ts'
import { makeLiveClient } from './live/live-client.ts'
import { type FeedEvent, makeSettle } from './reader.ts'

/** No change says when its records are to be seen, so it cannot be followed. */
const diaries = defineResource({
  name: 'diary',
  path: '/diaries',
  changes: true,
  fields: { id: id(), words: text(), from: timestamp() },
  list: { style: 'page' },
  access: { read: where({ from: { lte: now() } }), write: user },
})

let own: TestService
let admin: TestPerson
let settle: () => Promise<void>
before(async () => {
  own = await startService([...library(), diaries], {
    env: { METRICS_PORT: '0', CHANGES_KEEP: '3d', CHANGES_KEEP_BYTES: '2 MB' },
  })
  admin = await own.admin()
  settle = makeSettle(own.ask, { token: admin.token })
})
after(() => own.stop())

const api = (method: string, path: string, options: AskOptions = { token: admin.token }) =>
  own.ask(method, `/api/v1${path}`, options)

/** Metrics of the database are a few seconds old. */
const lookMs = 200

/** Samples by their name and labels: `name{a="b"}` → 3. */
async function metrics(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${own.service.metricsAddress}/metrics`)).text()
  const samples = [...text.matchAll(/^(bindery_feed_\S+) (\S+)$/gm)]
  return new Map(samples.map(([, name, value]) => [name as string, Number(value)]))
}
async function state() {
  const { status, body, text } = await api('GET', '/_operate/feed')
  assert.equal(status, 200, text)
  return body
}
async function note(title: string): Promise<string> {
  const { body } = await api('POST', '/notes', { token: admin.token, body: { title } })
  return body.id
}

describe('What operators learn of the feed', () => {
  it('is what is kept, for how long, and a position before the last changes', async () => {
    const first = await state()
    const ids = [await note('a'), await note('b')]
    await api('POST', '/diaries', { token: (await own.person()).token, body: { words: 'mine' } })
    await settle()
    const last = await state()
    // The settling writes one more.
    assert.equal(last.rows - first.rows, 4)
    assert.ok(last.bytes > first.bytes && last.oldestAt !== null)
    assert.deepEqual([last.keepMs, last.keepBytes], [3 * 86_400_000, 2_000_000])
    assert.deepEqual(last.resources.toSorted(), ['folders', 'notes', 'posts', 'projects', 'remarks'])
    assert.notEqual(last.position, first.position)
    const query = `resources=${last.resources}&after=${encodeURIComponent(last.recent)}`
    const { status, body, text } = await api('GET', `/_changes?${query}`)
    assert.equal(status, 200, text)
    const entered = (body.data as FeedEvent[]).filter(({ type }) => type === 'enter').map(({ id }) => id)
    for (const id of ids) assert.ok(entered.includes(id), text)
    assert.ok(!text.includes('mine'))
  })

  it('is for operators alone', async () => {
    const { token } = await own.person()
    assert.equal((await api('GET', '/_operate/feed', { token })).status, 403)
    assert.equal((await api('GET', '/_operate/feed', {})).status, 401)
  })

  it('is a metric, with the readers of this moment', async () => {
    const known = await metrics()
    assert.ok(known.has('bindery_feed_lag_seconds') && known.has('bindery_feed_oldest_seconds'))
    assert.equal(known.has('bindery_feed_held_seconds'), onPostgres)
    await note('c')
    await until(
      async () => (await metrics()).get('bindery_feed_rows') === (await state()).rows,
      'the rows are counted',
      lookMs,
    )
    assert.ok(((await metrics()).get('bindery_feed_bytes') ?? 0) > 0)

    const headers = { authorization: `Bearer ${admin.token}` }
    const stream = makeLiveClient({ url: own.url, path: '/notes?_live', headers })
    await stream.connect()
    const { position } = await state()
    const query = `resources=folders&after=${encodeURIComponent(position)}&wait=30`
    let isOver = false
    const waiting = (async () => {
      while (!isOver) await api('GET', `/_changes?${query}`)
    })()
    const readers = async () => {
      const all = await metrics()
      return ['live', 'waiting'].map((kind) => all.get(`bindery_feed_readers{kind="${kind}"}`))
    }
    await until(async () => (await readers()).join() === '1,1', 'both are counted', lookMs)
    await until(async () => {
      const { live, waiting: asking } = (await state()).readers
      return live === 1 && asking === 1
    }, 'operators are shown both')
    isOver = true
    await stream.cut()
    await api('POST', '/folders', { token: admin.token, body: {} })
    await waiting
    await until(async () => (await readers()).join() === '0,0', 'both have gone', lookMs)
  })

  it('names the transaction that holds it back', { skip: !onPostgres }, async () => {
    const connectionString = (await databaseOf(own.folder)).DATABASE_URL
    const client = new pg.Client({ connectionString, application_name: 'nightly report' })
    await client.connect()
    const { pid } = (await client.query('SELECT pg_backend_pid() AS pid')).rows[0]
    try {
      await settle()
      await client.query('BEGIN')
      await client.query('SAVEPOINT one')
      await client.query('SELECT pg_current_xact_id()')
      await note('held')
      const held = await state()
      assert.ok(held.waitingRows >= 1, JSON.stringify(held))
      await until(
        async () => {
          const found = (await state()).holders.filter((one: { pid: number }) => one.pid === pid)
          return found.length === 1 && found[0].name === 'nightly report' && found[0].ms > 0
        },
        'it is named, once',
        lookMs,
      )
      await until(
        async () => {
          const all = await metrics()
          const [lag, age, holder] = ['lag_seconds', 'held_seconds', 'holder_pid'].map((name) =>
            all.get(`bindery_feed_${name}`),
          )
          return Number(lag) > 0 && Number(age) > 0 && Number(holder) > 0
        },
        'the lag grows',
        lookMs,
      )
    } finally {
      await client.end()
    }
    await settle()
    await until(async () => (await state()).waitingRows === 0, 'nothing waits', lookMs)
  })
})
