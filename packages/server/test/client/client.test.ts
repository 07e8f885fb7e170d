/** The client in Node, on a real server: log-in, refresh, repeats, pages, versions, errors. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createClient, memoryStore, RequestError } from 'bindery-server/client'
import { defineResource, id, role, text } from '../../src/index.ts'
import { adminEmail, password, startService, type TestService } from '../../src/testing/index.ts'
import { resources } from '../helpers/application.ts'
import { type Came, type Fault, type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'

const leaflets = defineResource({
  name: 'leaflet',
  path: '/leaflets',
  fields: { id: id(), topic: text({ required: true }) },
  list: { style: 'page', bulk: true },
  access: { list: role('ADMIN'), create: role('ADMIN'), delete: role('ADMIN') },
})

let service: TestService
let proxy: FaultyProxy
before(async () => {
  service = await startService([...resources, leaflets])
  proxy = await startFaultyProxy(service.url)
})
after(async () => {
  await proxy?.stop()
  await service?.stop()
})
beforeEach(() => {
  proxy.came.length = 0
})

const minuteMs = 60_000
const busy = (retryAfter: string): Fault => ({ kind: 'answer', status: 503, headers: { 'retry-after': retryAfter } })
const lost: Fault = { kind: 'lose' }
const asked = (method: string, path: string) => (came: Came) => came.method === method && came.path.startsWith(path)
const countOf = (method: string, path: string) => proxy.came.filter(asked(method, path)).length
const connect = (options = {}) => createClient({ url: proxy.url, ...options })

async function connectAs(credentials = { email: adminEmail, password }, options = {}) {
  const client = connect(options)
  await client.logIn(credentials)
  return client
}

async function refusalOf(work: Promise<unknown>): Promise<RequestError> {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  )
  assert.ok(error instanceof RequestError, String(error))
  return error
}

async function makeEdition(title: string): Promise<string> {
  const { token } = await service.admin()
  const made = await service.ask('POST', '/api/v1/editions', { token, body: { title, price: 1, copies: 0 } })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

test('it logs in, and says who that is', async () => {
  const client = connect()
  assert.equal(await client.session(), undefined)
  const wrong = await refusalOf(client.logIn({ email: adminEmail, password: 'wrong horse' }))
  assert.deepEqual([wrong.status, wrong.code, wrong.message], [401, 'unauthenticated', 'Invalid credentials'])
  assert.equal(countOf('POST', '/api/v1/auth/refresh'), 0, 'a refused log-in is no reason to refresh')
  const session = await client.logIn({ email: adminEmail, password })
  assert.deepEqual([session?.role, session?.email], ['ADMIN', adminEmail])
  assert.deepEqual(await client.session(), session)
})

test('many requests with an expired token refresh it once, and all of them succeed', async () => {
  const client = await connectAs()
  service.turn(16 * minuteMs)
  const lists = await Promise.all(Array.from({ length: 8 }, () => client.get('/api/v1/members')))
  assert.ok(lists.every(({ data }) => data.length > 0))
  assert.equal(countOf('POST', '/api/v1/auth/refresh'), 1)
  service.turn(16 * minuteMs)
  await client.get('/api/v1/members')
  assert.equal(countOf('POST', '/api/v1/auth/refresh'), 2, 'the successor of the refresh token was kept')
})

test('a refresh whose answer is lost is repeated; one that fails does not log out', async () => {
  const client = await connectAs(undefined, { retries: 1 })
  service.turn(16 * minuteMs)
  proxy.fail(asked('POST', '/api/v1/auth/refresh'), lost)
  assert.ok((await client.get('/api/v1/members')).data.length > 0)
  service.turn(16 * minuteMs)
  proxy.fail(asked('POST', '/api/v1/auth/refresh'), busy('0'), busy('0'))
  assert.equal((await refusalOf(client.get('/api/v1/members'))).status, 503)
  assert.ok((await client.get('/api/v1/members')).data.length > 0)
})

test('when the session has ended, it says so once, and asks no more', async () => {
  let told = 0
  const onLogOut = () => {
    told += 1
  }
  const client = await connectAs(undefined, { onLogOut })
  service.turn(8 * 24 * 60 * minuteMs)
  const refusals = await Promise.all([1, 2, 3].map(() => refusalOf(client.get('/api/v1/members'))))
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [401, 401, 401],
  )
  await refusalOf(client.get('/api/v1/members'))
  assert.deepEqual([told, countOf('POST', '/api/v1/auth/refresh'), await client.session()], [1, 1, undefined])
})

test('logging out ends the session on the server, and a refresh under way does not bring it back', async () => {
  const tokens = memoryStore()
  const client = await connectAs(undefined, { tokens })
  const kept = await tokens.read()
  service.turn(16 * minuteMs)
  const [, list] = await Promise.all([client.logOut(), refusalOf(client.get('/api/v1/members'))])
  assert.equal(list.status, 401)
  assert.equal(await tokens.read(), undefined)
  await tokens.write(kept)
  assert.equal((await refusalOf(connect({ tokens }).get('/api/v1/members'))).status, 401)
})

test('what a store has kept goes on after a restart', async () => {
  const tokens = memoryStore()
  await connectAs(undefined, { tokens })
  const later = connect({ tokens })
  assert.equal(await later.resume(), true)
  assert.equal((await later.session())?.email, adminEmail)
  assert.equal(await connect().resume(), false)
})

test('a program sends its key', async () => {
  const apiKey = await service.key(await service.admin())
  const client = connect({ apiKey })
  assert.ok((await client.get('/api/v1/members')).data.length > 0)
  const lines = '{"title":"First line","price":1}\n{"title":"Second line","price":2}\n'
  const headers = { 'content-type': 'application/x-ndjson' }
  const report = await client.post('/api/v1/editions/import', { body: lines, headers })
  assert.equal(report.created, 2)
  const text = await client.get('/api/v1/editions/export', { parseAs: 'text' })
  assert.match(text, /"Second line".*\n.*"First line"/)
  assert.equal((await refusalOf(connect({ apiKey: 'bk_wrong' }).get('/api/v1/editions'))).message, 'Invalid API key')
})

test('what does the same twice is repeated, after the wait that the server names', async () => {
  const client = await connectAs()
  const id = await makeEdition('Repeated')
  proxy.fail(asked('GET', '/api/v1/editions'), busy('0'), lost)
  assert.equal((await client.get('/api/v1/editions/{id}', { path: { id } })).title, 'Repeated')
  proxy.fail(asked('PUT', '/api/v1/editions'), lost)
  await client.put('/api/v1/editions/{id}', { path: { id }, body: { title: 'Again', price: 2 } })
  proxy.fail(asked('DELETE', '/api/v1/editions'), lost)
  assert.equal(
    await client.delete('/api/v1/editions/{id}', { path: { id } }),
    undefined,
    'the lost answer was a success',
  )
  assert.equal((await refusalOf(client.delete('/api/v1/editions/{id}', { path: { id } }))).status, 404)
  assert.equal(countOf('GET', '/api/v1/editions'), 3)
})

test('POST and PATCH are repeated with the same key, and not without one', async () => {
  const client = await connectAs()
  const id = await makeEdition('Keyed')
  proxy.fail(asked('PATCH', '/api/v1/editions'), busy('0'))
  await client.patch('/api/v1/editions/{id}', { path: { id }, body: { price: 3 } })
  const keys = proxy.came.filter(asked('PATCH', '/api/v1/editions')).map(({ headers }) => headers['idempotency-key'])
  assert.equal(keys.length, 2)
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
  assert.equal(keys[0], keys[1])
  proxy.fail(asked('POST', '/api/v1/editions'), busy('0'))
  const body = { title: 'Not keyed', price: 1 }
  assert.equal((await refusalOf(client.post('/api/v1/editions', { body, idempotencyKey: false }))).status, 503)
  const plain = await connectAs(undefined, { idempotencyKeys: false })
  proxy.fail(asked('POST', '/api/v1/editions'), busy('0'))
  assert.equal((await refusalOf(plain.post('/api/v1/editions', { body }))).status, 503)
  assert.equal(countOf('POST', '/api/v1/editions'), 2)
})

test('a creation whose answer was lost happens once', async () => {
  const client = await connectAs()
  proxy.fail(asked('POST', '/api/v1/editions'), lost, lost)
  const made = await client.post('/api/v1/editions', { body: { title: 'Once', subject: 'Once', price: 1 } })
  assert.equal(countOf('POST', '/api/v1/editions'), 3)
  const { data } = await client.get('/api/v1/editions', { query: { subject: 'Once' } })
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    [made.id],
  )
})

test('a write for one version whose answer was lost is not refused for what it did itself', async () => {
  const client = await connectAs()
  const id = await makeEdition('Versioned')
  const at = '/api/v1/editions/{id}'
  const path = { id }
  const read = await client.get(at, { path })
  proxy.fail(asked('PUT', '/api/v1/editions'), lost, busy('0'))
  const body = { title: 'Replaced', price: 1 }
  const replaced = await client.put(at, { path, body, ifMatch: read })
  assert.equal(replaced.title, 'Replaced')
  assert.equal(countOf('PUT', '/api/v1/editions'), 3)
  assert.equal((await refusalOf(client.put(at, { path, body, ifMatch: read }))).status, 412)
  proxy.fail(asked('DELETE', '/api/v1/editions'), lost, busy('0'))
  await client.delete(at, { path, ifMatch: replaced })
  assert.equal((await refusalOf(client.get(at, { path }))).status, 404)
})

test('a removal by a filter whose answer was lost says what it removed', async () => {
  const client = await connectAs()
  for (const topic of ['Old', 'Old', 'New']) await client.post('/api/v1/leaflets', { body: { topic } })
  proxy.fail(asked('DELETE', '/api/v1/leaflets'), lost, busy('0'))
  const { deleted } = await client.delete('/api/v1/leaflets', { query: { topic: 'Old', limit: 10 } })
  assert.equal(deleted, 2)
  assert.equal(countOf('DELETE', '/api/v1/leaflets'), 3)
})

test('waits that are too long, and too many repeats, are left to the caller; so is its own signal', async () => {
  const client = connect({ retries: 1 })
  proxy.fail(asked('GET', '/api/v1/editions'), busy('3600'))
  const late = await refusalOf(client.get('/api/v1/editions'))
  assert.deepEqual([late.status, late.code, late.retryAfter], [503, 'unavailable', 3600])
  proxy.fail(asked('GET', '/api/v1/editions'), busy('0'), busy('0'))
  assert.equal((await refusalOf(client.get('/api/v1/editions'))).status, 503)
  assert.equal(countOf('GET', '/api/v1/editions'), 3)
  proxy.fail(asked('GET', '/api/v1/editions'), busy('20'))
  const aborting = client.get('/api/v1/editions', { signal: AbortSignal.timeout(100) })
  await assert.rejects(aborting, { name: 'TimeoutError' })
  const nobody = await refusalOf(createClient({ url: 'http://127.0.0.1:9', retries: 0 }).get('/api/v1/editions'))
  assert.deepEqual([nobody.status, nobody.code], [0, 'no-answer'])
})

test('an answer that stops half-way is waited for as long as one that does not come', async () => {
  const client = connect({ timeoutMs: 1_000, retries: 0 })
  await service.make('edition', { title: 'Half of it', price: 1 })
  proxy.fail(asked('GET', '/api/v1/editions'), { kind: 'stall' })
  const stalled = await refusalOf(client.get('/api/v1/editions'))
  assert.deepEqual([stalled.status, stalled.code], [0, 'no-answer'])
  assert.match(stalled.message, /\/api\/v1\/editions stopped for 1000 ms$/)
  proxy.fail(asked('GET', '/api/v1/editions'), { kind: 'cut' })
  const cut = await refusalOf(client.get('/api/v1/editions'))
  assert.deepEqual([cut.status, cut.code], [0, 'no-answer'])
  assert.match(cut.message, /\/api\/v1\/editions broke off$/)
})

test('credentials go nowhere else', async () => {
  const client = await connectAs()
  const other = await startFaultyProxy(service.url)
  try {
    proxy.fail(asked('GET', '/api/v1/members'), {
      kind: 'answer',
      status: 307,
      headers: { location: `${other.url}/api/v1/members` },
    })
    assert.equal((await refusalOf(client.get('/api/v1/members'))).code, 'redirected')
    assert.deepEqual(other.came, [])
  } finally {
    await other.stop()
  }
  await assert.rejects(client.get('@127.0.0.1:1/api'), TypeError)
  // A comma would make two values of one.
  const commas = client.get('/api/v1/editions', { query: { 'title[in]': ['a,b', 'c'] } })
  await assert.rejects(commas, /^TypeError: title\[in\] .*filter/)
  for (const id of ['', '.', '..', undefined])
    await assert.rejects(client.delete('/api/v1/editions/{id}', { path: { id } }), TypeError)
  assert.equal((await refusalOf(client.get('/api/v1/editions/{id}', { path: { id: '../members' } }))).status, 404)
  assert.equal(countOf('DELETE', ''), 0)
})

test('all records of a list of any style, also while others write', async () => {
  const client = await connectAs()
  const query = { subject: 'Walks' }
  for (const title of ['A', 'B', 'C', 'D', 'E'])
    await client.post('/api/v1/editions', { body: { ...query, title, price: 1 } })
  const titles: string[] = []
  for await (const { title } of client.all('/api/v1/editions', { query: { ...query, sort: ['title'], limit: 2 } })) {
    titles.push(title)
    if (title === 'B') await client.post('/api/v1/editions', { body: { ...query, title: 'AA', price: 1 } })
  }
  assert.deepEqual(titles, ['A', 'B', 'C', 'D', 'E'])
  const byPage: string[] = []
  for await (const { title } of client.all('/api/v1/editions', {
    query: { ...query, sort: 'title', page: 2, limit: 2 },
  }))
    byPage.push(title)
  assert.deepEqual(byPage, ['B', 'C', 'D', 'E'])

  for (const label of ['one', 'two', 'three']) await client.post('/api/v1/shelves', { body: { label, room: 'Attic' } })
  const labels = async (more: object) => {
    const found: string[] = []
    for await (const { label } of client.all('/api/v1/shelves', { query: { room: 'attic', ...more } }))
      found.push(label)
    return found
  }
  assert.deepEqual(await labels({}), ['one', 'two', 'three'])
  assert.deepEqual(await labels({ page: 1, limit: 2 }), ['one', 'two', 'three'])
  // The server gives a hundred at most, whatever it is asked for.
  const room = 'long'
  const many = Array.from({ length: 101 }, (_, i) => ({ label: `L${i}`, room }))
  for (const body of many) await client.post('/api/v1/shelves', { body })
  assert.equal((await labels({ room, page: 1, limit: 200 })).length, many.length)

  const { userId } = (await client.session()) ?? {}
  for (const text of ['first', 'second', 'third'])
    await client.post('/api/v1/letters', { body: { recipientId: userId, text } })
  const texts: string[] = []
  for await (const { text } of client.all('/api/v1/letters', { query: { limit: 2 } })) texts.push(text)
  assert.deepEqual(texts, ['third', 'second', 'first'])

  const wrong = client.all('/api/v1/editions', { query: { colour: 'red' } })
  assert.match((await refusalOf(wrong.next())).message, /colour/)
})

test('a write names the version that was read, and parallel edits lose none', async () => {
  const client = await connectAs()
  const id = await makeEdition('Edited')
  const path = { id }
  const read = await client.get('/api/v1/editions/{id}', { path })
  await client.patch('/api/v1/editions/{id}', { path, body: { price: 5 }, ifMatch: read })
  const stale = await refusalOf(client.patch('/api/v1/editions/{id}', { path, body: { price: 6 }, ifMatch: read }))
  assert.deepEqual([stale.status, stale.code], [412, 'precondition-failed'])
  assert.match(client.etagOf(read) ?? '', /^"1\./)
  assert.equal(client.etagOf({ ...read }), undefined)
  const copied = client.patch('/api/v1/editions/{id}', { path, body: { price: 7 }, ifMatch: { ...read } })
  await assert.rejects(copied, TypeError)
  const edits = Array.from({ length: 5 }, () =>
    client.edit('/api/v1/editions/{id}', { path }, ({ copies }) => ({ copies: copies + 1 })),
  )
  await Promise.all(edits)
  const { body, etag } = await client.send('GET', '/api/v1/editions/{id}', { path })
  assert.equal((body as { copies: number }).copies, 5)
  assert.match(etag ?? '', /^"7\./)
})

test('errors carry what the server says of them', async () => {
  const client = await connectAs()
  const wrong = await refusalOf(client.post('/api/v1/editions', { body: { title: 'Wrong', price: 'much' } }))
  assert.deepEqual([wrong.status, wrong.code, wrong.message], [400, 'bad-request', 'price must be a number'])
  assert.deepEqual(wrong.fields, { price: 'price must be a number' })
  const both = await refusalOf(client.post('/api/v1/editions', { body: { title: 3, price: 'much' } }))
  assert.deepEqual(Object.keys(both.fields).sort(), ['price', 'title'])
  assert.ok(wrong.requestId && service.logged.some((line) => line.includes(String(wrong.requestId))))
  const html: Fault = { kind: 'answer', status: 502, headers: { 'content-type': 'text/html' } }
  proxy.fail(asked('POST', '/api/v1/editions'), html)
  const body = { title: 'x', price: 1 }
  const gateway = await refusalOf(client.post('/api/v1/editions', { body, idempotencyKey: false }))
  assert.deepEqual([gateway.status, gateway.code, gateway.message], [502, 'internal', 'The server answered 502'])
})
