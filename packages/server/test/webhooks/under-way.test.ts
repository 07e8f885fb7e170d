/**
 * Endpoints while their deliveries wait or are being sent: no request about one is forgotten, and
 * one that hangs holds up no other.
 */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, it } from 'node:test'
import { equal } from '../../src/resource/condition.ts'
import { findWebhooks, type WebhookCatalog } from '../../src/resource/webhooks/find-webhooks.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { startService } from '../../src/testing/index.ts'
import { addDeliveries, pingDelivery, readWaiting } from '../../src/webhooks/delivery-rows.ts'
import { type EndpointPlaces, makePlaces, sharedPlaces } from '../../src/webhooks/places.ts'
import { endpointOf } from '../../src/webhooks/webhook-room.ts'
import { makeSettle } from '../events/reader.ts'
import { until } from '../helpers/until.ts'
import { library } from './library-with-hooks.ts'
import { makeEndpoints } from './test-endpoint.ts'

// No try of these tests ends by time, and none is repeated by time.
const declared = library({ waits: [24 * 3_600], timeoutSeconds: 600 })
const service = await startService(declared, { env: { OUTGOING_ALLOW: '127.0.0.1' } })
const { ask } = service
const key = await service.key(await service.person())
const settle = makeSettle(ask, { key }, 'notes', { text: 'settled' })
const { endpoint, stop } = makeEndpoints(ask, { key }, settle)
after(async () => {
  await stop()
  await service.stop()
})

const makeBook = async (title: string) => {
  const made = await ask('POST', '/api/v1/books', { body: { title }, key })
  assert.equal(made.status, 201, made.text)
}

/** An endpoint that answers when the test says so, with a delivery that is under way. */
async function busyEndpoint(body: object = {}) {
  const open: ServerResponse[] = []
  const made = await endpoint(body, (_, response) => void open.push(response))
  const since = new Date(service.now() - 60_000).toISOString()
  await makeBook('under way')
  await until(() => open.length === 1, 'it is being sent')
  const answer = (status: number) => open.shift()?.writeHead(status).end()
  const has = (count: number) => until(() => made.receiver.received.length === count, `it has ${count}`)
  const states = async () => (await made.deliveries()).map(({ state }) => state)
  const settled = () => until(async () => (await states()).every((one) => one === 'delivered'), 'all are delivered')
  return { ...made, since, answer, has, settled }
}

it('a replay of the delivery that is being sent is sent', async () => {
  const { act, answer, has, settled, since, receiver, deliveries, end } = await busyEndpoint()
  const [one] = await deliveries()
  const again = await ask('POST', `/api/v1/webhook-deliveries/${one?.id}/replay`, { key })
  assert.equal(again.status, 200, again.text)
  answer(204)
  await has(2)
  // This one is asked for while the one before is under way, and that one fails.
  assert.deepEqual((await act('replay', { since })).body, { count: 1 })
  answer(500)
  await has(3)
  answer(204)
  await settled()
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1)
  assert.deepEqual([(await deliveries())[0]?.tries, (await deliveries())[0]?.status], [1, 204])
  const { data } = (await ask('GET', `/api/v1/webhook-attempts?deliveryId=${one?.id}`, { key })).body
  assert.equal(data.length, 3)
  await end()
})

it('a test and another secret wait for nothing', async () => {
  const { act, answer, has, settled, receiver, end } = await busyEndpoint()
  const rotated = await act('rotate', { overlapSeconds: 0 })
  receiver.state.secret = rotated.body.secret
  assert.equal((await act('ping')).status, 201)
  await has(2)
  assert.equal(receiver.received[1]?.type, 'ping')
  answer(204)
  answer(204)
  await settled()
  assert.deepEqual(receiver.forged, [])
  await end()
})

it('an endpoint that is switched off and on goes on', async () => {
  const { change, answer, has, settled, read, receiver, end } = await busyEndpoint()
  await change({ active: false })
  await makeBook('while off')
  await change({ active: true })
  answer(204)
  await has(2)
  answer(204)
  await settled()
  assert.deepEqual([(await read()).active, receiver.forged], [true, []])
  await end()
})

it('an answer of the address before says nothing of the address now', async () => {
  const { change, answer, settled, read, deliveries, secret, end } = await busyEndpoint()
  const other = await endpoint({ resources: ['notes'] })
  other.receiver.state.secret = secret
  await change({ url: other.receiver.url })
  answer(410)
  await until(() => other.receiver.received.length === 1, 'the address now has it')
  await settled()
  const { active, failingSince } = await read()
  assert.deepEqual([active, failingSince], [true, null])
  assert.deepEqual([(await deliveries())[0]?.tries, other.receiver.forged], [1, []])
  await other.end()
  await end()
})

it('another filter decides what is sent from then on', async () => {
  const { change, answer, act, has, receiver, since, deliveries, end } = await busyEndpoint()
  await change({ filters: { books: 'stock[gte]=1' } })
  // Its run knows the filter when it sends a test that came later.
  await act('ping')
  await has(2)
  for (let i = 0; i < 2; i += 1) answer(204)
  await makeBook('left out')
  await ask('POST', '/api/v1/books', { body: { title: 'in stock', stock: 2 }, key })
  await has(3)
  assert.equal((receiver.received[2]?.data.record as { title: string }).title, 'in stock')
  assert.deepEqual((await act('replay', { since })).body, { count: 3 })
  for (let i = 0; i < 3; i += 1) answer(204)
  await has(5)
  for (let i = 0; i < 2; i += 1) answer(204)
  // The first one is judged by the filter of now.
  const states = async () => (await deliveries()).map(({ state }) => state).toSorted()
  await until(async () => `${await states()}` === 'delivered,delivered,failed', 'one is left out')
  await end()
})

it('endpoints that hang have one request each, and hold up none at their host', async () => {
  const good = await endpoint()
  const held: ServerResponse[] = []
  let ended = 0
  good.receiver.state.others = (request, response) => {
    held.push(response)
    request.socket.once('close', () => {
      ended += 1
    })
  }
  // More of them than the connections that other requests have to one host
  const dead: string[] = []
  for (let i = 0; i < 51; i += 1) {
    const body = { url: `${good.receiver.url}/dead`, resources: ['notes'] }
    dead.push((await ask('POST', '/api/v1/webhook-endpoints', { body, key })).body.id)
  }
  for (const text of ['one', 'another'])
    assert.equal((await ask('POST', '/api/v1/notes', { body: { text }, key })).status, 201)
  await until(
    () => held.length === 51,
    () => `each that hangs has one: ${held.length}`,
  )
  for (let i = 0; i < 12; i += 1) await makeBook(`of many ${i}`)
  await until(
    () => good.receiver.received.length === 12,
    () => `the other one has all: ${good.receiver.received.length}`,
  )
  assert.deepEqual([held.length, ended], [51, 0], 'no try of those has ended')
  for (const id of dead) await ask('DELETE', `/api/v1/webhook-endpoints/${id}`, { key })
  await good.end()
  await good.receiver.stop()
})

it('an endpoint that answers has more requests at once, up to ten', async () => {
  const { receiver, end } = await endpoint()
  const held: ServerResponse[] = []
  const most: number[] = []
  receiver.state.answer = (_, response) => {
    held.push(response)
    most.push(held.length)
  }
  for (let i = 0; i < 70; i += 1) await makeBook(`answered ${i}`)
  for (const places of [1, 2, 4, 8, 10, 10]) {
    await until(
      () => held.length === places,
      () => `${held.length} of ${places}`,
    )
    for (const one of held.splice(0)) one.writeHead(500).end()
  }
  assert.equal(Math.max(...most), 10)
  await end()
  await receiver.stop()
})

it('requests besides the first of each endpoint come from places that all share', () => {
  const shared = sharedPlaces(2)
  const [one, other] = [makePlaces(shared), makePlaces(shared)]
  const answer = (places: EndpointPlaces) => {
    places.take()
    places.end(true)
  }
  const takeAll = (places: EndpointPlaces) => {
    let taken = 0
    for (; places.isFree(); taken += 1) places.take()
    return taken
  }
  for (let i = 0; i < 3; i += 1) answer(one)
  for (let i = 0; i < 3; i += 1) answer(other)
  assert.deepEqual([takeAll(one), takeAll(other)], [3, 1])
  one.end(undefined)
  assert.deepEqual([takeAll(other), takeAll(one)], [1, 0])
  for (let i = 0; i < 2; i += 1) other.end(false)
  assert.deepEqual([shared.free, takeAll(other)], [1, 1], 'two without an answer leave one of four')
})

it('a run reads all deliveries that wait, however many, in their order', async () => {
  const { id, change, end } = await endpoint()
  await change({ active: false })
  const { engine } = service.service
  const tables = findWebhooks(engine.catalog) as WebhookCatalog
  const made = Array.from({ length: 1_001 }, (_, at) => pingDelivery(new Date(at).toISOString()))
  await engine.records.transaction(serviceAuthor, async (tx) => {
    const row = (await tx.find(tables.endpoints, equal('id', id)))?.row
    assert.ok(row)
    await addDeliveries(tx, { tables }, { endpoint: endpointOf(tables, row), made })
  })
  const waiting = await readWaiting({ engine, tables }, id)
  assert.deepEqual(
    waiting.map(({ at }) => Date.parse(at)),
    made.map((_, at) => at),
  )
  await end()
})
