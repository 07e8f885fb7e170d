/** Requests about an endpoint while a delivery to it is being sent: none of them is forgotten. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, it } from 'node:test'
import { startService } from '../../src/testing/index.ts'
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
