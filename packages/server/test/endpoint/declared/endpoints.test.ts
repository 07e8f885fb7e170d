/** Endpoints of an application over HTTP: places, rules, inputs, answers, limits, streams. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestService } from '../../../src/testing/index.ts'
import { until } from '../../helpers/until.ts'
import { ended, shop } from './shop.ts'

let service: TestService
type Person = Awaited<ReturnType<TestService['person']>>
let ada: Person
let bob: Person
let editor: Person
let order: { id: string }
const address = { street: 'High Street 1' }

before(async () => {
  service = await startService(shop, {})
  ada = await service.person()
  bob = await service.person()
  editor = await service.person('EDITOR')
  const product = await service.make('product', { name: 'Lamp', price: 12.5, stock: 1 })
  await service.make('product', { name: 'Vase', price: 3, stock: 0 })
  order = (await service.make('order', { productId: product.id, quantity: 2, userId: ada.id })) as { id: string }
})
after(() => service?.stop())

const quoteOf = (body: object, more: object = {}) =>
  service.ask('POST', `/api/v1/orders/${order.id}/quote`, { token: ada.token, body: { address, ...body }, ...more })

describe('an endpoint on nothing', () => {
  it('answers with its fields, by its query', async () => {
    const all = await service.ask('GET', '/api/v1/price-list')
    assert.equal(all.status, 200, all.text)
    assert.deepEqual(all.body.currency, 'EUR')
    assert.deepEqual(
      all.body.prices.map((one: { price: number }) => one.price).sort((a: number, b: number) => a - b),
      [3, 12.5],
    )
    const { body } = await service.ask('GET', '/api/v1/price-list?least=5&currency=USD')
    assert.deepEqual(body, { currency: 'USD', prices: [{ name: 'Lamp', price: 12.5 }] })
  })

  it('refuses what it does not know', async () => {
    const cases: readonly (readonly [string, number, string])[] = [
      ['?leest=5', 400, 'Unknown query parameter leest'],
      ['?least=x', 400, 'least'],
      ['?least=1&least=2', 400, 'The query parameter least occurs twice'],
    ]
    for (const [query, status, said] of cases) {
      const answer = await service.ask('GET', `/api/v1/price-list${query}`)
      assert.equal(answer.status, status)
      assert.ok(answer.body.error.includes(said), answer.text)
    }
  })

  it('has a validator, HEAD, OPTIONS, and 405 for other methods', async () => {
    const first = await service.ask('GET', '/api/v1/price-list')
    const etag = String(first.headers.get('etag'))
    const again = await service.ask('GET', '/api/v1/price-list', { headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
    const head = await service.ask('HEAD', '/api/v1/price-list')
    assert.deepEqual([head.status, head.text], [200, ''])
    const options = await service.ask('OPTIONS', '/api/v1/price-list')
    assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, HEAD, OPTIONS'])
    const posted = await service.ask('POST', '/api/v1/price-list', { body: {} })
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
  })

  it('answers errors as problems where they are asked for, and has no answer in other types', async () => {
    const accept = { accept: 'application/problem+json' }
    const problem = await service.ask('GET', '/api/v1/price-list?least=x', { headers: accept })
    assert.equal(problem.body.code, 'bad-request')
    const html = await service.ask('GET', '/api/v1/price-list', { headers: { accept: 'text/html' } })
    assert.equal(html.status, 406)
  })

  it('refuses a bad credential, although it is open', async () => {
    assert.equal((await service.ask('GET', '/api/v1/price-list', { token: 'bad' })).status, 401)
  })
})

describe('an endpoint on a record', () => {
  it('gets the record of the path and the checked input', async () => {
    const answer = await quoteOf({ address: { street: 'High Street 1', zip: '12345' } })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(answer.body, { total: 25, to: `High Street 1 of ${ada.id}`, note: null })
    assert.equal(answer.headers.get('cache-control'), 'private, no-cache')
  })

  it('does not exist for a caller who may not see the record', async () => {
    const unseen = await quoteOf({}, { token: bob.token })
    const missing = await service.ask('POST', '/api/v1/orders/01987c5e-7c1f-7a3b-9d42-3f5a6b7c8d9e/quote', {
      token: bob.token,
      body: { address },
    })
    const malformed = await service.ask('POST', '/api/v1/orders/none/quote', { token: bob.token, body: { address } })
    for (const one of [unseen, missing, malformed])
      assert.deepEqual([one.status, one.body], [404, { error: 'Order not found' }])
  })

  it('is refused where the record is seen and the rule fails', async () => {
    const { status } = await quoteOf({}, { token: editor.token })
    assert.equal(status, 403)
    assert.equal((await quoteOf({}, { token: undefined })).status, 401)
  })

  it('refuses bodies as other routes do', async () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [{ coupon: 5, address }, 'coupon must be a string'],
      [{ address, cupon: 'X' }, 'Unknown field cupon'],
      [{}, 'address is required'],
      [{ address: {} }, 'address.street is required'],
      [{ address: { street: 'x', town: 'y' } }, 'address has an unknown field town'],
      [[], 'The body must be a JSON object'],
    ]
    for (const [body, said] of cases) {
      const answer = await service.ask('POST', `/api/v1/orders/${order.id}/quote`, { token: ada.token, body })
      assert.equal(answer.status, 400, answer.text)
      assert.ok(answer.body.error.startsWith(said), answer.text)
    }
    const other = await quoteOf({}, { type: 'text/plain', raw: 'x', body: undefined })
    assert.equal(other.status, 415)
  })

  it('answers with the errors that it declares', async () => {
    const old = await quoteOf({ coupon: 'OLD' })
    assert.deepEqual([old.status, old.body], [409, { error: 'There is no such coupon' }])
    const unserved = await quoteOf(
      { address: { street: 'x', zip: '00000' } },
      { headers: { accept: 'application/problem+json' } },
    )
    assert.equal(unserved.status, 400)
    assert.deepEqual(unserved.body.errors, [{ pointer: '#/address', detail: 'zip 00000 is not served' }])
  })

  it('tells nothing of a fault, and the log names the endpoint', async () => {
    const broken = await quoteOf({ coupon: 'BROKEN' })
    assert.deepEqual([broken.status, broken.body], [500, { error: 'Internal server error' }])
    const line = service.logged.find((one) => one.includes('secret of the inside'))
    assert.match(String(line), /The endpoint quote failed/)
  })

  it('refuses a dry run, which it has none of', async () => {
    assert.equal((await quoteOf({}, { headers: { prefer: 'dry-run' } })).status, 400)
  })
})

describe('an endpoint on a collection', () => {
  const ask = (options: object) => service.ask('POST', '/api/v1/products/restock', options)

  it('asks the role, and writes in a transaction', async () => {
    const { body: before } = await service.ask('GET', '/api/v1/products?sort=name')
    const done = await ask({ token: editor.token, body: { amount: 3 } })
    assert.deepEqual([done.status, done.body], [200, { changed: 2 }], done.text)
    const { body: now } = await service.ask('GET', '/api/v1/products?sort=name')
    assert.deepEqual(
      now.data.map((one: { stock: number }) => one.stock),
      before.data.map((one: { stock: number }) => one.stock + 3),
    )
  })

  it('undoes all where the work refuses', async () => {
    const { body: before } = await service.ask('GET', '/api/v1/products')
    const refused = await ask({ token: editor.token, body: { amount: 3, fails: true } })
    assert.deepEqual([refused.status, refused.body], [409, { error: 'Nothing fits into the store' }])
    assert.deepEqual((await service.ask('GET', '/api/v1/products')).body, before)
  })

  it('is refused for other roles, and served at the root as its resource is', async () => {
    assert.equal((await ask({ token: ada.token, body: { amount: 1 } })).status, 403)
    assert.equal((await ask({ body: { amount: 1 } })).status, 401)
    const atRoot = await service.ask('POST', '/products/restock', { token: ada.token, body: { amount: 1 } })
    assert.equal(atRoot.status, 403)
  })

  it('takes an Idempotency-Key: the same key does it once', async () => {
    const headers = { 'idempotency-key': '"restock-1"' }
    const body = { amount: 5 }
    const first = await ask({ token: editor.token, body, headers })
    const { body: stored } = await service.ask('GET', '/api/v1/products')
    const again = await ask({ token: editor.token, body, headers })
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual((await service.ask('GET', '/api/v1/products')).body, stored)
    const other = await ask({ token: editor.token, body: { amount: 6 }, headers })
    assert.equal(other.status, 422)
  })

  it('keeps no answer of a request that was refused', async () => {
    const headers = { 'idempotency-key': 'restock-2' }
    const body = { amount: 5, fails: true }
    assert.equal((await ask({ token: editor.token, body, headers })).status, 409)
    const again = await ask({ token: editor.token, body, headers })
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [409, null])
  })
})

describe('keys', () => {
  it('reach an endpoint by a scope of its name, and by the scopes that cover it', async () => {
    const cases: readonly (readonly [scope: string, restock: number, lines: number, small: number])[] = [
      ['products:restock', 200, 403, 403],
      ['products:exportLines', 403, 200, 403],
      ['products:read', 403, 200, 403],
      ['products:write', 200, 403, 403],
      ['products:*', 200, 200, 403],
      ['_endpoints:small', 403, 403, 204],
      ['_endpoints:write', 403, 403, 204],
      ['_endpoints:read', 403, 403, 403],
      ['orders:*', 403, 403, 403],
    ]
    for (const [scope, ...wanted] of cases) {
      const key = await service.key(editor, { scopes: [scope] })
      const found = [
        await service.ask('POST', '/api/v1/products/restock', { key, body: { amount: 1 } }),
        await service.ask('GET', '/api/v1/products/export-lines', { key }),
        await service.ask('POST', '/api/v1/small', { key, body: { note: 'x' } }),
      ].map(({ status }) => status)
      assert.deepEqual(found, wanted, scope)
    }
  })

  it('have no scope of an endpoint that there is not', async () => {
    const { token } = editor
    const body = { name: 'x', scopes: ['products:restok'] }
    const { status, text } = await service.ask('POST', '/api/v1/api-keys', { token, body })
    assert.equal(status, 400)
    assert.match(text, /restock/)
    const free = await service.ask('POST', '/api/v1/api-keys', { token, body: { name: 'x', scopes: ['_endpoints:x'] } })
    assert.match(free.text, /_endpoints there are .*small/)
  })
})

describe('limits', () => {
  it('refuse a body that is too large for the endpoint', async () => {
    const { token } = ada
    const small = await service.ask('POST', '/api/v1/small', { token, body: { note: 'x'.repeat(20) } })
    assert.equal(small.status, 204)
    const large = await service.ask('POST', '/api/v1/small', { token, body: { note: 'x'.repeat(200) } })
    assert.deepEqual([large.status, large.body], [413, { error: 'The body is larger than 100 bytes' }])
  })

  it('end the code at its time, and count its requests', async () => {
    const first = await service.ask('GET', '/api/v1/slow')
    assert.deepEqual([first.status, first.body], [503, { error: 'This took too long; try again later' }])
    await until(() => ended.includes('slow'), 'the signal')
    await until(
      () => service.logged.some((line) => line.includes('The endpoint slow took longer than 1 s')),
      'its line',
    )
    const second = await service.ask('HEAD', '/api/v1/slow')
    assert.equal(second.status, 503)
    assert.match(String(second.headers.get('ratelimit')), /"endpoint slow";r=0/)
    const third = await service.ask('GET', '/api/v1/slow')
    assert.equal(third.status, 429)
    assert.ok(Number(third.headers.get('retry-after')) > 0)
  })
})

describe('streams', () => {
  it('are lines of the declared fields', async () => {
    const { status, headers, text } = await service.ask('GET', '/api/v1/products/export-lines', { token: ada.token })
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    assert.deepEqual(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [0, 1, 2].map((number) => ({ number, price: 1.5 })),
    )
  })

  it('become an error before the first piece, and are cut after it', async () => {
    const path = '/api/v1/products/export-lines'
    const early = await service.ask('GET', `${path}?failsAt=0`, { token: ada.token })
    assert.deepEqual([early.status, early.body], [500, { error: 'Internal server error' }])
    const authorization = `Bearer ${ada.token}`
    await assert.rejects(
      fetch(`${service.url}${path}?failsAt=2`, { headers: { authorization } }).then((one) => one.text()),
    )
    const isTold = () => service.logged.some((line) => line.includes('The endpoint exportLines failed in its stream'))
    await until(isTold, 'its line')
  })

  it('are read as their client reads, and end when it goes', async () => {
    const before = ended.filter((one) => one === 'exportLines').length
    const leaving = new AbortController()
    const answer = await fetch(`${service.url}/api/v1/products/export-lines?count=100000000`, {
      headers: { authorization: `Bearer ${ada.token}` },
      signal: leaving.signal,
    })
    await answer.body?.getReader().read()
    leaving.abort()
    await until(() => ended.filter((one) => one === 'exportLines').length === before + 1, 'the end of the stream')
  })

  it('are bytes of a media type', async () => {
    const { headers, text } = await service.ask('GET', '/api/v1/report')
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(text, 'name,price\nLamp,1.50\n')
    const other = await service.ask('GET', '/api/v1/report', { headers: { accept: 'application/json' } })
    assert.equal(other.status, 406)
  })

  it('that wait end when their client goes', async () => {
    const leaving = new AbortController()
    const answer = await fetch(`${service.url}/api/v1/report?waits=true`, { signal: leaving.signal })
    const { value } = (await answer.body?.getReader().read()) as { value: Uint8Array }
    assert.equal(Buffer.from(value).toString(), 'name,price\n')
    leaving.abort()
    await until(() => ended.includes('report'), 'the signal')
  })
})
