/** `bindery webhooks`: endpoints and deliveries at the command line, beside a server that runs. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { databaseOf } from 'bindery-server/test'
import { startService } from '../../src/testing/index.ts'
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
  const failed = () => bindery.values('webhooks', 'list', '--endpoint', id, '--failed')
  await until(async () => (await failed()).length > 0, 'one is given up')
  const [delivery] = await failed()
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
