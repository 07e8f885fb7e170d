/**
 * The cached responses that a write invalidates, and those that survive it. The test sees whether
 * the service reads the records again.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/application.ts'
import { countReads } from './counted-reads.ts'

let service: TestService
let editor: TestPerson
let reads: () => number
const editions: Record<string, string> = {}

/** An edition with this price; the later it is made, the earlier it stands in the list. */
async function makeEdition(title: string, values: Record<string, unknown> = {}): Promise<string> {
  const body = { title, price: 10, subject: 'Maps', ...values }
  const reply = await service.ask('POST', '/api/v1/editions', { body, token: editor.token })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
const patch = async (id: string | undefined, body: object, path = 'editions') => {
  const reply = await service.ask('PATCH', `/api/v1/${path}/${id}`, { body, token: editor.token })
  assert.equal(reply.status, 200, reply.text)
}

before(async () => {
  service = await startService()
  editor = await service.person('EDITOR')
  reads = countReads(service.service.engine)
  for (let n = 1; n <= 9; n += 1) editions[n] = await makeEdition(`Edition ${n}`, { price: n })
})
after(() => service.stop())

type Reading = { readonly path: string; readonly token?: string; readonly query?: string }

const send = async ({ path, token, query }: Reading) => {
  const reply = await service.ask(query === undefined ? 'GET' : 'POST', path, {
    ...(token ? { token } : {}),
    ...(query === undefined ? {} : { body: { query } }),
  })
  assert.equal(reply.status, 200, reply.text)
  return reply
}

/**
 * Asks until the answer is kept, writes, and asks again. Returns how often records were read for
 * the last answer.
 */
async function readsAfter(reading: Reading, write: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 3; i += 1) await send(reading)
  const kept = reads()
  await send(reading)
  assert.equal(reads(), kept, 'the answer is kept')
  await write()
  const before = reads()
  const reply = await send(reading)
  const count = reads() - before
  const again = await send({ ...reading, path: `${reading.path}${reading.path.includes('?') ? '&' : '?'}` })
  assert.deepEqual(reply.body, again.body, 'as it is made anew')
  return count
}

const cheap = '/api/v1/editions?maxPrice=3&sort=price&limit=2'
const list = '/api/v1/editions?limit=3'
const second = '/api/v1/editions?limit=3&page=2'
const record = () => `/api/v1/editions/${editions[5]}`

const survives: readonly (readonly [string, () => Reading, () => Promise<unknown>])[] = [
  ['a record: a write to another', () => ({ path: record() }), () => patch(editions[6], { summary: 'x' })],
  ['a record: a new one', () => ({ path: record() }), () => makeEdition('New')],
  ['a filtered list: a record that does not match', () => ({ path: cheap }), () => patch(editions[7], { price: 8 })],
  ['a filtered list: a new one that does not match', () => ({ path: cheap }), () => makeEdition('Dear', { price: 99 })],
  ['a first page: a record behind it', () => ({ path: list }), () => patch(editions[1], { summary: 'y' })],
  ['a later page: a record ahead of it', () => ({ path: second }), () => patch(editions[9], { summary: 'z' })],
  ['a list: a write to another resource', () => ({ path: list }), () => service.ask('POST', '/shelves', { body: { label: 'a', room: 'b' } })],
  ['a query: a record that it does not show', () => ({ path: '/graphql', query: '{ editions(maxPrice: 2) { data { title } } }' }), () => patch(editions[8], { price: 7 })],
] // biome-ignore format: a table

for (const [what, reading, write] of survives)
  test(`survives: ${what}`, async () => assert.equal(await readsAfter(reading(), write), 0))

test('survives: hundreds of writes behind a page', async () => {
  const write = async () => {
    for (let n = 0; n < 300; n += 1) await patch(editions[1], { summary: `Again ${n}` })
  }
  assert.equal(await readsAfter({ path: list }, write), 0)
})

test('survives: where only the total has changed, the rows are not read again', async () => {
  const reading = { path: '/api/v1/editions?sort=price&limit=2' }
  const before = (await send(reading)).body.meta.total
  assert.equal(await readsAfter(reading, () => makeEdition('Last', { price: 500 })), 1, 'a total, which is kept')
  assert.equal((await send(reading)).body.meta.total, before + 1)
})

const drops: readonly (readonly [string, () => Reading, () => Promise<unknown>])[] = [
  ['a record: a write to it', () => ({ path: record() }), () => patch(editions[5], { summary: 'q' })],
  ['a list: a record that it shows', () => ({ path: cheap }), () => patch(editions[1], { summary: 'w' })],
  ['a list: a record that begins to match', () => ({ path: cheap }), () => patch(editions[8], { price: 1.5 })],
  ['a list: a record that ceases to match', () => ({ path: cheap }), () => patch(editions[8], { price: 8 })],
  ['a list: a record that moves into the page', () => ({ path: '/api/v1/editions?sort=price&limit=3' }), () => patch(editions[9], { price: 0.5 })],
  ['a first page: a new first record', () => ({ path: list }), () => makeEdition('Newest')],
  ['a later page: a new record ahead of it', () => ({ path: second }), () => makeEdition('Newer')],
  ['a page that is not full: a new last record', () => ({ path: '/api/v1/editions?minPrice=400&sort=price' }), () => makeEdition('End', { price: 900 })],
  ['a query: a record that a relation shows', () => ({ path: '/graphql', query: '{ editions(limit: 100) { data { title shelf { label } } } }' }), async () => {
    await service.ask('PATCH', '/shelves/1', { body: { label: 'changed' } })
  }],
] // biome-ignore format: a table

for (const [what, reading, write] of drops)
  test(`is dropped: ${what}`, async () => {
    await patch(editions[2], { shelfId: 1 })
    assert.ok((await readsAfter(reading(), write)) > 0)
  })

test('a looked-up and an embedded value drop what shows them', async () => {
  const person = await service.person()
  const basket = { path: `/api/v1/members/${person.id}/basket`, token: person.token }
  await send(basket)
  const lines = `${basket.path}/lines`
  const added = await service.ask('POST', lines, { body: { editionId: editions[3], count: 2 }, token: person.token })
  assert.equal(added.status, 201, added.text)
  assert.equal((await send(basket)).body.worth, 6)
  assert.ok((await readsAfter(basket, () => patch(editions[3], { price: 7 }))) > 0)
  assert.equal((await send(basket)).body.worth, 14)
  assert.equal(await readsAfter(basket, () => patch(editions[4], { price: 7 })), 0)
})

test('nobody gets what another may see', async () => {
  const [author, stranger] = [await service.person(), await service.person()]
  const body = { title: 'A draft', published: false }
  const { id } = (await service.ask('POST', '/api/v1/articles', { body, token: author.token })).body
  const path = `/api/v1/articles/${id}`
  for (let i = 0; i < 4; i += 1) await send({ path, token: author.token })
  for (const token of [stranger.token, undefined])
    for (let i = 0; i < 4; i += 1) assert.equal((await service.ask('GET', path, token ? { token } : {})).status, 404)
  const cost = `/api/v1/editions/${editions[4]}`
  await patch(editions[4], { cost: 3 })
  for (let i = 0; i < 4; i += 1) assert.equal((await send({ path: cost, token: editor.token })).body.cost, 3)
  for (let i = 0; i < 4; i += 1) assert.ok(!('cost' in (await send({ path: cost })).body))
  const query = '{ me { email } }'
  for (const one of [author, stranger, author, stranger, author, stranger])
    assert.equal((await send({ path: '/graphql', query, token: one.token })).body.data.me.email, one.email)
})

test('a credential that is taken away takes the kept answers with it', async () => {
  const person = await service.person()
  const key = await service.key(person)
  const path = `/api/v1/members/${person.id}`
  for (let i = 0; i < 4; i += 1) assert.equal((await service.ask('GET', path, { key })).status, 200)
  const keys = (await service.ask('GET', '/api/v1/access-keys', { token: person.token })).body.data
  await service.ask('PATCH', `/api/v1/access-keys/${keys[0].id}`, { body: { active: false }, token: person.token })
  assert.equal((await service.ask('GET', path, { key })).status, 401)
})

test('a kept record answers If-None-Match and HEAD as a fresh one', async () => {
  const path = record()
  let etag = ''
  for (let i = 0; i < 4; i += 1) etag = (await send({ path })).headers.get('etag') ?? ''
  for (let i = 0; i < 2; i += 1) {
    const same = await service.ask('GET', path, { headers: { 'if-none-match': `W/${etag}` } })
    assert.deepEqual([same.status, same.text, same.headers.get('etag')], [304, '', etag])
    assert.equal((await service.ask('GET', path, { headers: { 'if-none-match': '"99"' } })).status, 200)
    const head = await service.ask('HEAD', path)
    assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', etag])
    assert.equal((await service.ask('GET', path, { headers: { accept: 'text/html' } })).status, 406)
  }
})

test('a short stream is kept when it has been sent', async () => {
  const reading = { path: '/shelves?room=b' }
  const add = () => service.ask('POST', '/shelves', { body: { label: 'c', room: 'Bb' } })
  assert.equal(await readsAfter(reading, async () => undefined), 0)
  assert.ok((await readsAfter(reading, add)) > 0)
})
