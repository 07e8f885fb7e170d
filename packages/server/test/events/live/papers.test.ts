/**
 * Live lists of records that are long, and whose texts and ids are unusual: their readers get all
 * of them, and each change.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createClient } from 'bindery-server/client'
import { password, startService, type TestPerson, type TestService } from 'bindery-server/test'
import { defineResource, id, role, text, user } from '../../../src/index.ts'
import { until } from '../../helpers/until.ts'
import { people } from '../library.ts'
import { type LiveClient, makeLiveClient } from './live-client.ts'

const papers = defineResource({
  name: 'paper',
  path: '/papers',
  changes: true,
  trash: { days: 30 },
  fields: {
    key: id(),
    name: text({ required: true, unique: true, maxLength: 50 }),
    body: text({ maxLength: 20_000 }),
  },
  list: { style: 'page', filterable: ['name'], sortable: ['name'] },
  access: { read: user, write: role('ADMIN') },
})

/** More than 1,000,000 characters, and less than a page has at most. */
const count = 80
const body = 'x'.repeat(15_000)

let own: TestService
let admin: TestPerson
before(async () => {
  own = await startService([papers, ...people] as never)
  admin = await own.admin()
  for (let i = 0; i < count; i += 1) await make(`long ${i}`, body)
})
after(() => own.stop())

async function make(name: string, more: string | null = null): Promise<string> {
  const reply = await own.ask('POST', '/api/v1/papers', { body: { name, body: more }, token: admin.token })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.key
}

const change = async (key: string, changes: object) => {
  const reply = await own.ask('PATCH', `/api/v1/papers/${key}`, { body: changes, token: admin.token })
  assert.equal(reply.status, 200, reply.text)
}

async function live(path: string): Promise<LiveClient> {
  const client = makeLiveClient({ url: own.url, path, headers: { authorization: `Bearer ${admin.token}` } })
  await client.connect()
  return client
}

describe('A live page', () => {
  it('is of no other list than its route has: not of the trash, whose rule is another, and of no explanation', async () => {
    const ann = await own.person()
    const path = '/papers?_trash=only&limit=5'
    for (const [person, status] of [
      [admin, 200],
      [ann, 403],
    ] as const)
      assert.equal((await own.ask('GET', `/api/v1${path}`, { token: person.token })).status, status)
    const opened = await Promise.all(
      [admin, ann].flatMap((person) =>
        [path, '/papers?limit=5&_explain=access'].map(async (asked) => {
          const headers = { authorization: `Bearer ${person.token}` }
          const client = makeLiveClient({ url: own.url, path: `${asked}&_live`, headers })
          await client.connect().catch(() => undefined)
          await client.cut()
          return client.status()
        }),
      ),
    )
    assert.deepEqual(opened, [400, 400, 400, 400])
    const several = makeLiveClient({
      url: own.url,
      path: '/_live',
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}` },
      body: { subscriptions: [{ name: 'gone', path }] },
    })
    await assert.rejects(several.connect(), /400 .*the trash cannot be live/)
  })
})

describe('A live list', () => {
  it('of long records comes whole, as a page', async () => {
    const client = await live('/papers?limit=100&_live')
    const { data } = await client.next('page')
    assert.equal(data.records.length, count)
    assert.deepEqual(client.losses(), [])
    await client.cut()
  })

  it('of long records comes whole, as a set', async () => {
    // Another open transaction may hold the last ones back on PostgreSQL; these enter.
    const client = await live('/papers?_live')
    await client.next('ready')
    await until(() => client.table.size === count || client.losses().length > 0, 'all papers')
    assert.deepEqual(client.losses(), [])
    await client.cut()
  })

  it('has all changes, however many come at once, or while it was away', async () => {
    const [key, last] = [await make('changed 0'), await make('changed last')]
    const filter = encodeURIComponent(JSON.stringify({ name: { in: ['changed 0', 'changed last'] } }))
    const path = `/papers?filter=${filter}&_live`
    const times = 50
    const [there, away] = [await live(path), await live(path)]
    for (const client of [there, away]) await client.next('ready')
    await until(() => there.table.size === 2 && away.table.size === 2, 'both are settled')
    await away.cut()
    const { kept } = own.service.engine.storage.changes
    assert.ok(kept)
    const { read } = kept
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(kept, { read: (...asked: Parameters<typeof read>) => promise.then(() => read(...asked)) })
    try {
      for (let i = 0; i < times; i += 1) await change(key, { body: String(i % 10).repeat(15_000) })
      await change(last, { body: 'last' })
    } finally {
      Object.assign(kept, { read })
      resolve()
    }
    await away.connect()
    for (const client of [there, away]) {
      await until(
        () => client.losses().length > 0 || client.table.get(last)?.body === 'last',
        () => JSON.stringify(client.events.at(-1)),
      )
      assert.deepEqual(client.losses(), [])
      assert.equal(client.events.filter(({ event, data }) => event === 'change' && data.id === key).length, times)
      await client.cut()
    }
  })

  for (const [stored, asked] of [
    ['5 \u00b5m', '5 \u03bcM'],
    ['Cafe\u0301', 'CAF\u00c9'],
    ['\u03b4\u03c1\u03cc\u03bc\u03bf\u03c3', '\u03b4\u03c1\u03cc\u03bc\u03bf\u03c2'],
  ] as const)
    it(`has the changes of ${stored} for a filter by ${asked}, as its list has the record`, async () => {
      const path = `/papers?name=${encodeURIComponent(asked)}`
      const client = await live(`${path}&_live`)
      await client.next('ready')
      const key = await make(stored)
      const { body: page } = await own.ask('GET', `/api/v1${path}`, { token: admin.token })
      assert.deepEqual(
        page.data.map((one: { key: string }) => one.key),
        [key],
      )
      await make(`behind ${stored}`)
      assert.equal((await client.next('enter')).data.id, key)
      await client.cut()
    })

  it('is a store by the ids of its records, whatever their field is called', async () => {
    const client = createClient({ url: own.url })
    await client.logIn({ email: admin.email, password })
    const filter = { name: { in: ['key a', 'key b'] } }
    const [set, page] = [
      client.live('papers', { filter }),
      client.live('papers', { filter, query: { sort: 'name', limit: 5 } }),
    ]
    const ends = [set, page].map((one) => one.subscribe(() => undefined))
    await until(() => [set, page].every((one) => one.getSnapshot().isReady), 'both are ready')
    const shown = () =>
      [set, page].map((one) => (one.getSnapshot().records as { body: string }[]).map((paper) => paper.body).sort())
    const key = await make('key a', 'a')
    await make('key b', 'b')
    const shows = (...bodies: string[]) =>
      until(
        () => JSON.stringify(shown()) === JSON.stringify([bodies, bodies]),
        () => JSON.stringify(shown()),
      )
    await shows('a', 'b')
    await change(key, { body: 'c' })
    await shows('b', 'c')
    for (const end of ends) end()
  })
})
