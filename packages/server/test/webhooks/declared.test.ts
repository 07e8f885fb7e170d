/**
 * Endpoints that the application declares: each start makes their records equal to the
 * declaration, and requests change no more than whether they are on.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { adminEmail, databaseOf, onPostgres, removeDatabase, removeFolder, temporaryFolder } from 'bindery-server/test'
import type { WebhookEndpointDeclaration } from '../../src/index.ts'
import { startService, type TestService } from '../../src/testing/index.ts'
import { makeSettle } from '../events/reader.ts'
import { until } from '../helpers/until.ts'
import { hookSettings, library } from './library-with-hooks.ts'
import { startReceiver } from './receiver.ts'

const folder = temporaryFolder()
const receiver = await startReceiver()
after(async () => {
  await receiver.stop()
  await removeDatabase(folder)
  removeFolder(folder)
})
const [secret, later] = ['whsec_c2l4dGVlbiBieXRlcyBvZiBrZXk=', 'whsec_YW5vdGhlciBzaXh0ZWVuIGJ5dGVz']
const signing = { JWT_SECRET: 'a secret that all instances of this test have' }

const warehouse: WebhookEndpointDeclaration = {
  url: ({ settings }) => settings.of(hookSettings).warehouseUrl,
  secret: ({ settings }) => settings.of(hookSettings).warehouseSecret,
  resources: ['books'],
  recordFields: { books: ['stock'] },
  inOrder: true,
}
type Endpoints = Readonly<Record<string, WebhookEndpointDeclaration>>

async function start(endpoints: Endpoints, env: Readonly<Record<string, string>> = {}, place = folder) {
  const settings = { WAREHOUSE_URL: receiver.url, WAREHOUSE_SECRET: secret, OUTGOING_ALLOW: '127.0.0.1' }
  const database = await databaseOf(folder)
  return startService(library({ endpoints, waits: [24 * 3_600], timeoutSeconds: 600 }), {
    env: { DATA_DIR: place, ...database, ...signing, ...settings, ...env },
  })
}
async function adminOf({ ask, logIn }: TestService) {
  const { token } = await logIn(adminEmail)
  const settle = makeSettle(ask, { token }, 'notes', { text: 'settled' })
  const endpoints = async () => (await ask('GET', '/api/v1/webhook-endpoints', { token })).body.data
  return {
    token,
    settle,
    endpoints,
    send: (method: string, path: string, body: object = {}) => ask(method, `/api/v1${path}`, { body, token }),
  }
}
const has = (count: number) => until(() => receiver.received.length === count, `it has ${count}`)

it('an endpoint follows its declaration from start to start', async () => {
  receiver.state.secret = secret
  const first = await start({ warehouse, elsewhere: { ...warehouse, url: () => null } })
  const admin = await adminOf(first)
  const [row, ...others] = await admin.endpoints()
  assert.deepEqual(others, [], 'one without an address is not there')
  const { id } = row
  assert.deepEqual(
    [row.declaredAs, row.userId, row.url, row.active, row.inOrder, row.recordFields],
    ['warehouse', null, receiver.url, true, true, { books: ['stock'] }],
  )
  await admin.settle()

  // It is told of the fields that it has chosen.
  const book = (await admin.send('POST', '/books', { title: 'Emma', stock: 1 })).body.id
  await has(1)
  assert.deepEqual(receiver.received[0]?.data.record, { id: book, stock: 1 })
  await admin.send('PATCH', `/books/${book}`, { title: 'Persuasion' })
  await admin.send('PATCH', `/books/${book}`, { title: 'Sanditon', stock: 2 })
  await has(2)
  const { record, before } = receiver.received[1]?.data as Record<string, unknown>
  assert.deepEqual([record, before], [{ id: book, stock: 2 }, { stock: 1 }])

  const path = `/webhook-endpoints/${id}`
  const refused: [string, string, object, RegExp][] = [
    ['PATCH', path, { url: 'https://example.com/' }, /"warehouse" in the declaration of webhooks, which says its url/],
    ['PATCH', path, { resources: ['notes'], active: true }, /which says its resources/],
    ['POST', `${path}/rotate`, {}, /its secret is that of the setting/],
    ['DELETE', path, {}, /remove it there/],
  ]
  for (const [method, at, body, says] of refused) {
    const reply = await admin.send(method, at, body)
    assert.equal(reply.status, 409, reply.text)
    assert.match(reply.body.error, says)
  }
  const other = await first.person()
  const foreign = await first.ask('GET', `/api/v1${path}`, { token: other.token })
  assert.equal(foreign.status, 404)
  for (const active of [false, true]) assert.equal((await admin.send('PATCH', path, { active })).body.active, active)
  assert.equal((await admin.send('POST', `${path}/ping`)).status, 201)
  await has(3)
  await first.stop()

  // Another setting: both secrets sign for a day.
  const second = await start(
    { warehouse: { ...warehouse, resources: ['books', 'notes'] } },
    { WAREHOUSE_SECRET: later },
  )
  receiver.state.secret = later
  const changed = await adminOf(second)
  const [same] = await changed.endpoints()
  assert.deepEqual([same.id, same.resources, same.active], [id, ['books', 'notes'], true])
  await changed.send('POST', `${path}/ping`)
  await has(4)
  assert.equal(receiver.received[3]?.headers['webhook-signature']?.toString().split(' ').length, 2)
  await second.stop()

  // Without a declaration it is off, and its deliveries stay. Declared again, it goes on.
  const third = await start({})
  const without = await adminOf(third)
  const [off] = await without.endpoints()
  assert.equal(off.active, false)
  assert.match(off.disabledReason, /not in the declaration any more/)
  const on = await without.send('PATCH', path, { active: true })
  assert.equal(on.status, 409, on.text)
  const deliveries = await third.ask('GET', `/api/v1/webhook-deliveries?endpointId=${id}`, { token: without.token })
  assert.equal(deliveries.body.data.length, 4)
  await without.send('POST', '/books', { title: 'while off', stock: 7 })
  await third.stop()
  const fourth = await start({ warehouse }, { WAREHOUSE_SECRET: later })
  await has(5)
  assert.equal((receiver.received[4]?.data.record as { stock: number }).stock, 7)
  assert.deepEqual(receiver.forged, [])
  await fourth.stop()
})

it('instances that start at once keep one record', { skip: !onPostgres }, async () => {
  const places = [folder, temporaryFolder(), temporaryFolder()]
  const names = { ...{ WAREHOUSE_SECRET: later } }
  const started = await Promise.all(places.map((place) => start({ warehouse, second: warehouse }, names, place)))
  const admin = await adminOf(started[0] as TestService)
  const found = (await admin.endpoints()) as { declaredAs: string }[]
  assert.deepEqual(found.map(({ declaredAs }) => declaredAs).toSorted(), ['second', 'warehouse'])
  for (const one of started) await one.stop()
  for (const place of places.slice(1)) removeFolder(place)
})

it('a wrong setting or filter ends the start', async () => {
  const wrong: [Endpoints, object, RegExp][] = [
    [{ warehouse }, { WAREHOUSE_SECRET: 'short' }, /endpoints\.warehouse\.secret: the setting is not whsec_/],
    [{ warehouse }, { WAREHOUSE_SECRET: '' }, /endpoints\.warehouse\.secret: the setting has no value/],
    [{ warehouse }, { WAREHOUSE_URL: 'ftp://example.com' }, /endpoints\.warehouse: url/],
    [{ warehouse: { ...warehouse, filters: { books: 'colour=red' } } }, {}, /endpoints\.warehouse: .*colour/],
  ]
  for (const [endpoints, env, says] of wrong) await assert.rejects(start(endpoints, env as never), says)
})
