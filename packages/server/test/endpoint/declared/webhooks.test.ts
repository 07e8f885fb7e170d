/** Endpoints for requests of other services: exact bytes, signatures, and once for each event. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestService } from '../../../src/testing/index.ts'
import { runs, shop, sign } from './shop.ts'

let service: TestService
let editor: string
before(async () => {
  service = await startService(shop, {})
  editor = (await service.person('EDITOR')).token
})
after(() => service?.stop())

const send = (body: string, signature = sign(body)) =>
  service.ask('POST', '/api/v1/paid', { raw: body, type: 'application/json', headers: { 'x-signature': signature } })
const stored = async (event: string) =>
  (await service.ask('GET', `/api/v1/payments?event=${event}`, { token: editor })).body.data as { id: string }[]

describe('a webhook', () => {
  it('takes what its sender has signed, byte for byte', async () => {
    const body = '{ "id": "evt_1",\n  "order": null }'
    const { status, text } = await send(body)
    assert.equal(status, 200, text)
    assert.equal((await stored('evt_1')).length, 1)
    for (const [sent, signature] of [
      [JSON.stringify(JSON.parse(body)), sign(body)],
      [body, ''],
      ['', 'zz'],
      ['not JSON', sign('not JSON')],
    ] as const) {
      const refused = await send(sent, signature)
      assert.deepEqual([refused.status, refused.body], [401, { error: 'The signature is missing or wrong' }], sent)
    }
  })

  it('does not read credentials, which belong to its sender', async () => {
    const body = '{"id":"evt_2","order":null}'
    const headers = { 'x-signature': sign(body), authorization: 'Bearer of another service' }
    const done = await service.ask('POST', '/api/v1/paid', { raw: body, type: 'text/plain', headers })
    assert.equal(done.status, 200, done.text)
  })

  it('is done once for an event, and a repeat is answered as before', async () => {
    const first = await send('{"id":"evt_3","order":null}')
    const again = await send('{"id":"evt_3","order":null,"attempt":2}')
    assert.equal(again.status, 200)
    assert.deepEqual(again.body, first.body)
    assert.equal(runs.filter((one) => one === 'evt_3').length, 1)
    assert.equal((await stored('evt_3')).length, 1)
  })

  it('is done once when the event comes several times at once', async () => {
    const body = '{"id":"evt_4","order":null}'
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(body)))
    const statuses = new Set(answers.map(({ status }) => status))
    assert.ok(
      [...statuses].every((status) => status === 200 || status === 409),
      [...statuses].join(),
    )
    assert.equal((await stored('evt_4')).length, 1)
    assert.equal((await send(body)).status, 200)
  })

  it('keeps nothing of a transaction that was undone', async () => {
    const body = '{"id":"evt_5","order":"refused"}'
    assert.deepEqual((await send(body)).body, { error: 'There is no such order' })
    assert.deepEqual((await send(body)).body, { error: 'There is no such order' })
    assert.equal(runs.filter((one) => one === 'evt_5').length, 2)
  })
  it('is remembered for 30 days', async () => {
    const body = '{"id":"evt_6","order":null}'
    const first = await send(body)
    service.turn(29 * 24 * 60 * 60 * 1000)
    assert.deepEqual((await send(body)).body, first.body)
    service.turn(2 * 24 * 60 * 60 * 1000)
    assert.notDeepEqual((await send(body)).body, first.body)
  })
})
