/**
 * Deliveries of webhooks: signed as Standard Webhooks says, tried again, given up, in order where
 * asked, and sent again.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startService } from '../../src/testing/index.ts'
import { verify, WebhookVerificationError } from '../../src/webhook/verify.ts'
import { makeSettle } from '../events/reader.ts'
import { until } from '../helpers/until.ts'
import { library } from './library-with-hooks.ts'
import { startReceiver } from './receiver.ts'
import { makeEndpoints } from './test-endpoint.ts'

const service = await startService(library(), { env: { OUTGOING_ALLOW: '127.0.0.1', METRICS_PORT: '0' } })
after(async () => {
  await service.stop()
  await stop()
})
const { ask } = service
const [ann, admin] = [await service.person(), await service.admin()]
const key = await service.key(ann)
const operatorKey = await service.key(admin)

/** On PostgreSQL an endpoint would be told of changes before it, which were not settled. */
const settle = makeSettle(ask, { key }, 'notes', { text: 'settled' })

const { endpoint, receivers, stop } = makeEndpoints(ask, { key }, settle)
const attemptsOf = async (delivery: string) =>
  (await ask('GET', `/api/v1/webhook-attempts?deliveryId=${delivery}`, { key })).body.data as {
    [name: string]: unknown
  }[]
const makeBook = async (title: string) => {
  const made = await ask('POST', '/api/v1/books', { body: { title }, key })
  assert.equal(made.status, 201, made.text)
  return made.body.id as string
}
const rename = (id: string, title: string) => ask('PATCH', `/api/v1/books/${id}`, { body: { title }, key })
const titleOf = ({ data }: { data: Record<string, unknown> }) => (data.record as { title: string } | undefined)?.title

describe('a delivery', () => {
  it('is signed, and tells what its owner sees', async () => {
    const { receiver, end, deliveries, secret } = await endpoint()
    const id = await makeBook('Emma')
    await rename(id, 'Persuasion')
    await ask('DELETE', `/api/v1/books/${id}`, { key })
    await until(() => receiver.received.length === 3, 'all are received')
    assert.deepEqual(receiver.forged, [])
    assert.deepEqual(receiver.received.map(({ type }) => type).toSorted(), [
      'books.change',
      'books.delete',
      'books.enter',
    ])
    const [entered] = receiver.received.filter(({ type }) => type === 'books.enter')
    assert.equal(entered?.data.id, id)
    assert.equal(titleOf(entered as never), 'Emma')
    await until(async () => (await deliveries()).every(({ state }) => state === 'delivered'), 'all are stored')
    const [one] = (await deliveries()).filter(({ event }) => event === 'books.enter')
    assert.equal(entered?.id, `msg_${one?.id}`)
    const [attempt] = await attemptsOf(one?.id as string)
    assert.deepEqual([attempt?.status, attempt?.error, attempt?.answer], [204, null, ''])
    const other = await service.person()
    const foreign = await ask('GET', '/api/v1/webhook-deliveries', { token: other.token })
    assert.deepEqual(foreign.body.data, [])
    const all = await ask('GET', '/api/v1/webhook-deliveries', { key: operatorKey })
    assert.equal(all.body.data.length, 3)
    const stored = await ask('GET', `/api/v1/webhook-endpoints`, { key })
    assert.ok(!stored.text.includes(secret), 'the secret is shown once')
    await end()
  })

  it('tells changes of a resource with one record', async () => {
    const write = (text: string) => ask('PATCH', '/api/v1/notice', { body: { text }, key })
    await write('Open')
    const { receiver, end } = await endpoint({ resources: ['notice'] })
    assert.equal((await write('Closed on Mondays')).status, 200)
    await until(() => receiver.received.length > 0, 'the change is received')
    const told = receiver.received.map(({ type, data }) => [type, (data.record as { text: string }).text])
    assert.deepEqual([told, receiver.forged], [[['notice.change', 'Closed on Mondays']], []])
    await end()
  })

  it('is verified by its receiver, and forged or old ones are not', async () => {
    const { receiver, end, secret, act } = await endpoint()
    const other = 'whsec_c2l4dGVlbiBieXRlcyBvZiBrZXk='
    assert.equal((await act('ping')).status, 201)
    await until(() => receiver.received.length === 1, 'the test is received')
    const { headers, type, timestamp, data } = receiver.received[0] as (typeof receiver.received)[number]
    assert.equal(type, 'ping')
    const body = JSON.stringify({ type, timestamp, data })
    const event = verify(body, headers, { secret })
    assert.deepEqual(event, { id: headers['webhook-id'], type, timestamp, data })
    assert.deepEqual(
      verify(Buffer.from(body), new Headers(headers as Record<string, string>), { secret: [other, secret] }),
      event,
    )
    const wrong: [string, () => unknown][] = [
      ['another body', () => verify(`${body} `, headers, { secret })],
      ['another id', () => verify(body, { ...headers, 'webhook-id': 'msg_1' }, { secret })],
      ['another time', () => verify(body, { ...headers, 'webhook-timestamp': '1' }, { secret })],
      ['no signature', () => verify(body, { ...headers, 'webhook-signature': undefined }, { secret })],
      ['another secret', () => verify(body, headers, { secret: other })],
      ['bytes that are no text', () => verify(Uint8Array.of(0xff), headers, { secret })],
      ['an old one', () => verify(body, headers, { secret, now: Date.now() + 301_000 })],
    ]
    for (const [what, work] of wrong) assert.throws(work, WebhookVerificationError, what)
    await end()
  })

  it('is tried again, and keeps its id', async () => {
    let failures = 2
    const { receiver, end, deliveries } = await endpoint({}, (_, response) => {
      failures -= 1
      response.writeHead(failures >= 0 ? 500 : 200).end(failures >= 0 ? 'x'.repeat(10_000) : 'ok')
    })
    await makeBook('tried')
    await until(() => receiver.received.length === 3, 'the third try is received')
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1)
    await until(async () => (await deliveries())[0]?.state === 'delivered', 'it is stored')
    const [one] = await deliveries()
    assert.deepEqual([one?.tries, one?.status, one?.nextAt], [3, 200, null])
    const attempts = await attemptsOf(one?.id as string)
    assert.deepEqual(attempts.map(({ status }) => status).toSorted(), [200, 500, 500])
    assert.equal((attempts.find(({ status }) => status === 500)?.answer as string).length, 4_096)
    await end()
  })

  it('is given up after its last try, and can be sent again', async () => {
    let isBroken = true
    const { receiver, end, deliveries, read, act } = await endpoint({}, (_, response, request) => {
      if (isBroken) request.socket.destroy()
      else response.writeHead(200).end()
    })
    await makeBook('given up')
    const since = new Date(service.now() - 60_000).toISOString()
    await until(async () => (await deliveries())[0]?.state === 'failed', 'it is given up')
    assert.equal(receiver.received.length, 4)
    const [one] = await deliveries()
    const attempts = await attemptsOf(one?.id as string)
    assert.ok(attempts.every(({ status, error }) => status === null && typeof error === 'string'))
    assert.notEqual((await read()).failingSince, null)
    isBroken = false
    const again = await ask('POST', `/api/v1/webhook-deliveries/${one?.id}/replay`, { key })
    assert.equal(again.status, 200, again.text)
    await until(() => receiver.received.length === 5, 'it is sent again')
    await until(async () => (await read()).failingSince === null, 'it works again')
    const range = await act('replay', { since })
    assert.deepEqual([range.status, range.body], [200, { count: 1 }], range.text)
    await until(() => receiver.received.length === 6, 'the range is sent again')
    assert.deepEqual((await act('replay', { since, onlyFailed: true })).body, { count: 0 })
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1)
    await end()
  })

  it('is not sent to addresses inside, and follows no redirect', async () => {
    const inside = [
      '10.0.0.1',
      '169.254.169.254/latest',
      '192.168.1.1:8080',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '0x7f000002',
    ]
    const to = await Promise.all(inside.map((address) => endpoint({ url: `http://${address}` })))
    await makeBook('inside')
    for (const { end, deliveries } of to) {
      await until(async () => (await deliveries())[0]?.state === 'failed', 'it is given up')
      const [one] = await deliveries()
      const [attempt] = await attemptsOf(one?.id as string)
      assert.deepEqual([attempt?.status, attempt?.answer], [null, null])
      assert.match(String(attempt?.error), /is not an address of the public internet/)
      await end()
    }
    const receiver = await startReceiver()
    receivers.push(receiver)
    const moved = await endpoint({}, (_, response) => {
      response.writeHead(307, { location: receiver.url }).end()
    })
    await makeBook('moved')
    await until(async () => (await moved.deliveries())[0]?.state === 'failed', 'it is given up')
    assert.equal((await moved.deliveries())[0]?.status, 307)
    assert.equal(receiver.received.length, 0)
    await moved.end()
  })

  it('waits for those before it about its record, where that is asked', async () => {
    const order: string[] = []
    const failed = new Set<string>()
    const taken = new Set<string>()
    const { end, receiver } = await endpoint({ inOrder: true }, (one, response) => {
      const isFirst = !failed.has(one.id)
      failed.add(one.id)
      // An answer that comes too late on a busy machine is repeated, with the same id.
      if (!isFirst && !taken.has(one.id)) order.push(`${titleOf(one)}`)
      if (!isFirst) taken.add(one.id)
      response.writeHead(isFirst ? 503 : 200).end()
    })
    const id = await makeBook('1')
    for (let i = 2; i <= 8; i += 1) await rename(id, `${i}`)
    await until(() => order.length === 8, 'all are received')
    assert.deepEqual(order, ['1', '2', '3', '4', '5', '6', '7', '8'])
    assert.deepEqual(receiver.forged, [])
    await end()
  })

  it('waits as long as its endpoint says', async () => {
    const { end, receiver, deliveries } = await endpoint({}, (_, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end()
    })
    await makeBook('later')
    await until(async () => (await deliveries())[0]?.tries === 1, 'its try is stored')
    const [one] = await deliveries()
    assert.ok(Date.parse(String(one?.nextAt)) >= service.now() + 3_500_000)
    await makeBook('later too')
    await until(async () => (await deliveries()).length === 2, 'the other one waits')
    await service.runEffects()
    assert.equal(receiver.received.length, 1)
    receiver.state.answer = (_, response) => response.writeHead(200).end()
    service.turn(3_700_000)
    await service.runEffects()
    await until(() => receiver.received.length === 3, 'both are sent')
    await end()
  })
})

describe('an endpoint', () => {
  it('that answers 410 is switched off, and begins where it was when it is on again', async () => {
    const { receiver, read, end, change } = await endpoint({}, (_, response) => response.writeHead(410).end())
    await makeBook('gone')
    await until(async () => (await read()).active === false, 'it is off')
    const off = await read()
    assert.match(off.disabledReason, /410/)
    await service.runEffects()
    const mail = service.sentMails.find(({ name }) => name === 'webhook-off')
    assert.equal(mail?.to, ann.email)
    assert.match(String(mail?.text), new RegExp(`${receiver.url} \\(It answered 410`))
    const audit = await ask('GET', '/api/v1/audit-events?event=webhook-switched-off', { key: operatorKey })
    assert.equal(audit.body.data.length, 1, audit.text)
    receiver.state.answer = (_, response) => response.writeHead(200).end()
    await makeBook('while off')
    assert.equal(receiver.received.length, 1)
    await change({ active: true })
    await until(() => receiver.received.length === 2, 'it gets what it has missed')
    assert.equal(titleOf(receiver.received[1] as never), 'while off')
    const on = await read()
    assert.deepEqual([on.active, on.disabledAt, on.disabledReason], [true, null, null])
    await end()
  })

  it('of a user who is blocked is switched off', async () => {
    const bea = await service.person()
    await settle()
    const receiver = await startReceiver()
    receivers.push(receiver)
    const made = await ask('POST', '/api/v1/webhook-endpoints', {
      body: { url: receiver.url, resources: ['books'] },
      token: bea.token,
    })
    await ask('PATCH', `/api/v1/users/${bea.id}`, { body: { status: 'BLOCKED' }, key: operatorKey })
    await makeBook('for a blocked user')
    const read = async () => (await ask('GET', `/api/v1/webhook-endpoints/${made.body.id}`, { key: operatorKey })).body
    await until(async () => (await read()).active === false, 'it is off')
    assert.match((await read()).disabledReason, /owner may not act/)
    assert.equal(receiver.received.length, 0)
  })

  it('that fails for days is switched off', async () => {
    const { read, end } = await endpoint({}, (_, response) => response.writeHead(500).end())
    await makeBook('failing')
    await until(async () => (await read()).failingSince !== null, 'it fails')
    service.turn(5 * 24 * 3_600_000 + 1)
    await makeBook('failing still')
    await until(async () => (await read()).active === false, 'it is off')
    assert.match((await read()).disabledReason, /5 days/)
    const text = await (await fetch(`${service.service.metricsAddress}/metrics`)).text()
    assert.match(text, /bindery_webhook_endpoints\{state="switched-off"\} [1-9]/)
    assert.match(text, /bindery_webhook_endpoints\{state="failing"\} \d/)
    await end()
  })

  it('has two secrets during a rotation', async () => {
    const { receiver, act, secret, end } = await endpoint()
    const rotated = await act('rotate', { overlapSeconds: 60 })
    assert.equal(rotated.status, 200, rotated.text)
    assert.notEqual(rotated.body.secret, secret)
    await act('ping')
    await until(() => receiver.received.length === 1, 'the old secret verifies')
    receiver.state.secret = rotated.body.secret
    await act('ping')
    await until(() => receiver.received.length === 2, 'the new one does')
    assert.equal(receiver.received[1]?.headers['webhook-signature']?.toString().split(' ').length, 2)
    service.turn(61_000)
    await act('ping')
    await until(() => receiver.received.length === 3, 'the new one alone')
    assert.equal(receiver.received[2]?.headers['webhook-signature']?.toString().split(' ').length, 1)
    await end()
  })

  it('names what there is', async () => {
    const wrong: [object, RegExp][] = [
      [{ resources: ['boks'] }, /no changes of "boks" are told; there are books, notes/],
      [{ resources: [] }, /at least one/],
      [{ events: ['made'] }, /"made" is none of enter, change, leave, delete/],
      [{ filters: { shelves: 'a=1' } }, /no changes of "shelves"/],
      [{ filters: { books: 1 } }, /that of books is a text/],
      [{ recordFields: { shelves: ['title'] } }, /no changes of "shelves" are told; there are books, notes/],
      [{ recordFields: { books: 'title' } }, /that of books is a list of names/],
      [{ recordFields: { books: ['colour'] } }, /no changes of "colour" of books are told; there are title, stock/],
      [{ url: 'ftp://example.com' }, /url/],
      [{ secret: 'mine' }, /secret/],
    ]
    for (const [body, message] of wrong) {
      const sent = { url: 'https://example.com/', resources: ['books'], ...body }
      const answer = await ask('POST', '/api/v1/webhook-endpoints', { body: sent, key })
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.body.error, message)
    }
  })
})
