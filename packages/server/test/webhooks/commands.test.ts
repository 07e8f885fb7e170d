/** `bindery webhooks`: endpoints and deliveries at the command line, beside a server that runs. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { adminEmail, databaseOf } from 'bindery-server/test'
import { equal } from '../../src/resource/condition.ts'
import { findWebhooks, type WebhookCatalog } from '../../src/resource/webhooks/find-webhooks.ts'
import { undeclaredReason } from '../../src/resource/webhooks/webhook-words.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import type { Row } from '../../src/storage/storage.ts'
import { startService } from '../../src/testing/index.ts'
import { addDeliveries, pingDelivery } from '../../src/webhooks/delivery-rows.ts'
import { endpointOf } from '../../src/webhooks/webhook-room.ts'
import { makeBindery } from '../cli/bindery.ts'
import { makeSettle } from '../events/reader.ts'
import { until } from '../helpers/until.ts'
import { library } from './library-with-hooks.ts'
import { startReceiver } from './receiver.ts'

const command = new URL('./hooks-command.ts', import.meta.url).pathname
const service = await startService(library(), { env: { OUTGOING_ALLOW: '127.0.0.1' } })
const receiver = await startReceiver()
after(async () => {
  await service.stop()
  await receiver.stop()
})
const { ask } = service
const key = await service.key(await service.person())
const settle = makeSettle(ask, { key }, 'notes', { text: 'settled' })
const since = new Date(service.now() - 60_000).toISOString()
const besideIt = async () => ({ DATA_DIR: service.folder, ...(await databaseOf(service.folder)) })

test('lists, tests and sends again what a running server then sends', async (t) => {
  const bindery = makeBindery(t, await besideIt(), command)
  await settle()
  const made = await ask('POST', '/api/v1/webhook-endpoints', {
    body: { url: receiver.url, resources: ['books'] },
    key,
  })
  const { id, secret } = made.body
  receiver.state.secret = secret
  const listed = await bindery.run(['webhooks', 'list'])
  assert.match(listed.stdout, new RegExp(`${id}.*${receiver.url}`))
  assert.ok(!listed.stdout.includes(secret))
  assert.match(listed.stderr, /1 endpoint/)

  // Beside a busy server, the opening of the file may make its readers begin anew, with `lost`.
  const pings = () => receiver.received.filter(({ type }) => type === 'ping')
  const [pinged] = await bindery.values('webhooks', 'ping', id)
  await until(() => pings().length === 1, 'the test is received')
  assert.equal(pings()[0]?.id, `msg_${pinged?.id}`)

  receiver.state.answer = (_, response) => response.writeHead(500).end()
  await ask('POST', '/api/v1/books', { body: { title: 'Emma' }, key })
  const failed = () => ask('GET', `/api/v1/webhook-deliveries?endpointId=${id}&state=failed`, { key })
  await until(async () => (await failed()).body.data.length > 0, 'one is given up')
  const [delivery] = await bindery.values('webhooks', 'list', '--endpoint', id, '--failed')
  assert.deepEqual([delivery?.endpointId, delivery?.state], [id, 'failed'])
  receiver.state.answer = (_, response) => response.writeHead(204).end()
  const tries = async () =>
    (await ask('GET', `/api/v1/webhook-attempts?deliveryId=${delivery?.id}`, { key })).body.data.length as number
  const before = await tries()
  const one = await bindery.run(['webhooks', 'replay', String(delivery?.id)])
  assert.equal(one.code, 0, one.stderr)
  await until(async () => (await tries()) > before, 'it is tried again')
  const [range] = await bindery.values('webhooks', 'replay', '--endpoint', id, '--since', since)
  assert.ok(Number(range?.count) >= 2)
  await until(() => pings().length === 2, 'the test is sent again')
  assert.deepEqual(receiver.forged, [])

  const wrong: [string[], number, RegExp][] = [
    [['list', '--failed'], 2, /--failed needs --endpoint/],
    [['replay'], 2, /say which/],
    [['replay', '--endpoint', id], 2, /needs --since/],
    [['replay', '--endpoint', id, '--since', 'noon'], 2, /must be a time/],
    [['ping', '0197a4c2-7f00-7000-8000-000000000001'], 1, /not found/],
    [['listen', '--forward', 'here'], 2, /--forward must be an address/],
  ]
  for (const [args, code, says] of wrong) {
    const ran = await bindery.run(['webhooks', ...args])
    assert.equal(ran.code, code, `${args}: ${ran.stderr}`)
    assert.match(ran.stderr, says)
  }
  const off = await ask('PATCH', `/api/v1/webhook-endpoints/${id}`, { body: { active: false }, key })
  assert.equal(off.status, 200, off.text)
  assert.match((await bindery.run(['webhooks', 'ping', id])).stderr, /switched off/)
})

test('the doctor tells of endpoints and deliveries that need a look, beside a server and by it', async (t) => {
  const bindery = makeBindery(t, await besideIt(), command)
  const { engine } = service.service
  const tables = findWebhooks(engine.catalog) as WebhookCatalog
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const make = async () => {
    const body = { url: receiver.url, resources: ['books'] }
    return (await ask('POST', '/api/v1/webhook-endpoints', { body, key })).body.id as string
  }
  const change = (id: string, values: object) =>
    engine.records.transaction(serviceAuthor, async (tx) => {
      const row = (await tx.lock(tables.endpoints, equal('id', id)))?.row as Row
      await tx.change(tables.endpoints, row, { ...values })
    })
  const [off, undeclared, failing, late, fine] = [await make(), await make(), await make(), await make(), await make()]
  const disabledReason = 'It answered 410: it wants no deliveries any more'
  await change(off, { active: false, disabledAt: hoursAgo(1), disabledReason })
  await change(undeclared, { active: false, disabledAt: hoursAgo(1), disabledReason: undeclaredReason })
  await change(failing, { failingSince: hoursAgo(2) })
  await change(fine, { failingSince: hoursAgo(0.5) })
  /** A delivery that is in a state of its own. */
  const leave = (id: string, values: object, readerValues: object = {}) =>
    engine.records.transaction(serviceAuthor, async (tx) => {
      const endpoint = endpointOf(tables, (await tx.find(tables.endpoints, equal('id', id)))?.row as Row)
      const [made] = (await addDeliveries(tx, { tables }, { endpoint, made: [pingDelivery(hoursAgo(3))] })) ?? []
      await tx.changeAll(tables.deliveries, [String(made?.id)], { ...values })
      const reader = (await tx.find(tables.readers, equal('id', id)))?.row as Row
      await tx.change(tables.readers, reader, { ...readerValues })
    })
  const failed = { state: 'failed', waitingId: null, nextAt: null }
  await leave(off, { ...failed, endedAt: hoursAgo(2) })
  await leave(failing, { ...failed, endedAt: hoursAgo(30) })
  // Nothing sends those of an endpoint that wants a pause.
  await leave(late, { nextAt: hoursAgo(1) }, { pausedUntil: hoursAgo(-24) })

  const at = new URL(receiver.url).host
  const named = new Map(
    [off, undeclared, failing, late, fine].map((id, i) => [id, 'off undeclared failing late fine'.split(' ')[i]]),
  )
  type Told = { readonly check: string; readonly where: string; readonly what: string; readonly todo: string }
  const toldOf = ({ findings }: { readonly findings: readonly Told[] }) =>
    findings
      .filter(({ check }) => check === 'webhooks')
      .map(({ where, what }) => `${where}: ${what}`)
      .map((one) => one.replace(/[0-9a-f-]{36}/, (id) => named.get(id) ?? id).replaceAll(/\d{4}-[\d:.T-]+Z/g, 'then'))
      .filter((one) => !one.startsWith('the endpoint 0'))
      .toSorted()
  const expected = [
    `the endpoint failing at ${at}: no delivery has arrived since then`,
    'the endpoint late: 1 delivery due for more than 10 minutes',
    `the endpoint off at ${at}: the server has switched it off at then: ${disabledReason}`,
    'the endpoint off: 1 delivery given up since then',
  ]
  assert.deepEqual(toldOf(JSON.parse((await bindery.run(['doctor', '--json'])).stdout)), expected)
  const { token } = await service.logIn(adminEmail)
  assert.deepEqual(toldOf((await ask('GET', '/api/v1/_operate/findings', { token })).body), expected)
  const families = await service.service.observing.gather(10_000)
  const lateBy = /"bindery_webhook_late_seconds".*?"value":(\d+)/.exec(JSON.stringify(families))?.[1]
  assert.ok(Number(lateBy) >= 3_600, `${lateBy}`)
})

test('says what an application without webhooks lacks', async (t) => {
  const bindery = makeBindery(t)
  await bindery.run(['migrate'])
  const ran = await bindery.run(['webhooks', 'list'])
  assert.equal(ran.code, 1)
  assert.match(ran.stderr, /has no webhooks/)
})

test('forwards changes to a port of the developer until it is interrupted', async (t) => {
  const bindery = makeBindery(t, await besideIt(), command)
  const own = await startReceiver()
  t.after(() => own.stop())
  own.state.secret = 'whsec_c2l4dGVlbiBieXRlcyBvZiBrZXk='
  const args = ['webhooks', 'listen', '--forward', own.url, '--resources', 'books', '--secret', own.state.secret]
  const listening = await bindery.start(args)
  let said = ''
  listening.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const ended = once(listening, 'close')
  await until(
    () => said.includes('Changes go to'),
    () => said,
  )
  const forwarded = () => own.received.filter(({ type }) => type === 'books.enter').length
  // It begins at the end of the log a moment later.
  await until(async () => {
    await ask('POST', '/api/v1/books', { body: { title: 'Persuasion' }, key })
    return forwarded() > 0
  }, 'one is forwarded')
  assert.deepEqual(own.forged, [])
  listening.kill('SIGINT')
  await ended
})
