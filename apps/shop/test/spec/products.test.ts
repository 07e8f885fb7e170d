/**
 * Products: what a record contains and accepts, the stock rule, exact money, and what a replace and
 * a patch leave unchanged.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  askWith,
  check,
  checkReply,
  type Scenario,
  startService,
  type TestPerson,
  type TestService,
} from '../helpers/service.ts'

let service: TestService
let editor: TestPerson
const at = '/api/v1/products'
const none = '01926e0f-0000-7000-8000-000000000000'

before(async () => {
  service = await startService()
  editor = await service.person('EDITOR')
})
after(() => service.stop())

function send(method: string, path: string, body?: unknown) {
  return service.ask(method, path, { body, token: editor.token })
}

test('a new product has its defaults, an id and its times', async () => {
  const began = service.now()
  const made = await send('POST', at, { name: 'Lamp', price: 10 })
  checkReply({ status: 201 }, made)
  const { id, createdAt, updatedAt } = made.body
  assert.deepEqual(made.body, {
    id,
    name: 'Lamp',
    description: null,
    category: null,
    inStock: true,
    stock: null,
    price: 10,
    createdAt,
    updatedAt,
  })
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  for (const time of [createdAt, updatedAt]) {
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(Date.parse(time) >= began && Date.parse(time) <= service.now(), time)
  }
  assert.equal(made.headers.get('location'), `${at}/${id}`)
  assert.equal(made.headers.get('etag'), '"1"')
  checkReply({ status: 200, body: made.body }, await service.ask('GET', `${at}/${id}`))
  checkReply({ status: 200, body: made.body }, await service.ask('GET', `${at}/${id.toUpperCase()}`))
  checkReply({ status: 204 }, await send('DELETE', `${at}/${id}`))
  checkReply({ status: 404, error: 'Product not found' }, await send('DELETE', `${at}/${id}`))
  checkReply({ status: 404, error: 'Product not found' }, await service.ask('GET', `${at}/${id}`))
  checkReply({ status: 404, error: 'Product not found' }, await send('PUT', `${at}/${id}`, { name: 'x', price: 1 }))
})

test('what is refused', async (t) => {
  const cases: [string, unknown, string | RegExp][] = [
    ['no name', { price: 1 }, 'name is required'],
    ['a blank name', { name: ' ', price: 1 }, 'name is required'],
    ['no price', { name: 'x' }, 'price is required'],
    ['a null price', { name: 'x', price: null }, 'price is required'],
    ['neither', {}, /name/],
    ['price as text', { name: 'x', price: '1' }, 'price must be a number'],
    ['price true', { name: 'x', price: true }, 'price must be a number'],
    ['price in a list', { name: 'x', price: [1] }, 'price must be a number'],
    ['price under zero', { name: 'x', price: -0.01 }, /price/],
    ['three decimals', { name: 'x', price: 1.005 }, /price.*two decimals/],
    ['a sum of floats', { name: 'x', price: 0.1 + 0.2 }, /price.*two decimals/],
    ['a tiny part', { name: 'x', price: 1e-7 }, /price.*two decimals/],
    ['stock as text', { name: 'x', price: 1, stock: '5' }, 'stock must be an integer'],
    ['half a piece', { name: 'x', price: 1, stock: 1.5 }, 'stock must be an integer'],
    ['stock under zero', { name: 'x', price: 1, stock: -1 }, /stock/],
    ['inStock as text', { name: 'x', price: 1, inStock: 'true' }, 'inStock must be a boolean'],
    ['inStock as number', { name: 'x', price: 1, inStock: 1 }, 'inStock must be a boolean'],
    ['a long name', { name: 'x'.repeat(1001), price: 1 }, /name/],
    ['a long category', { name: 'x', price: 1, category: 'é'.repeat(1001) }, /category/],
    ['a name of another type', { name: { a: 1 }, price: 1 }, 'name must be a string'],
    ['an id', { name: 'x', price: 1, id: none }, 'id is read-only'],
    ['createdAt', { name: 'x', price: 1, createdAt: '2020-01-01T00:00:00.000Z' }, 'createdAt is read-only'],
    ['updatedAt null', { name: 'x', price: 1, updatedAt: null }, 'updatedAt is read-only'],
    ['an unknown name', { name: 'x', price: 1, colour: 'red' }, /colour/],
    ['a column of the database', { name: 'x', price: 1, row_id: 1 }, /row_id/],
  ]
  const scenarios: Scenario[] = cases.map(([it, body, says]) => ({
    it,
    ask: `POST ${at}`,
    send: { body },
    status: 400,
    ...(typeof says === 'string' ? { error: says } : { says }),
  }))
  await check(t, askWith(service.ask, { token: editor.token }), scenarios)
  checkReply({ status: 200, says: '"total":0' }, await service.ask('GET', at))
})

test('texts keep every character', async () => {
  const name = `${'🛋'.repeat(999)}ß`
  const made = await send('POST', at, {
    name,
    price: 1,
    description: ' \u202e"<script>\n\ttab\\ \u2028 ',
    category: '',
  })
  checkReply({ status: 201 }, made)
  const read = (await service.ask('GET', `${at}/${made.body.id}`)).body
  assert.equal(read.name, name)
  assert.equal(read.description, ' \u202e"<script>\n\ttab\\ \u2028 ')
  assert.equal(read.category, '')
})

test('money is exact', async () => {
  for (const price of [0, 0.01, 0.07, 0.29, 1.1, 4.35, 19.99, 1234567.89, 0.1, 8.2, 1e3, 99999999.99, 1099.99]) {
    const made = await send('POST', at, { name: 'Money', price })
    checkReply({ status: 201 }, made)
    assert.equal(made.body.price, price)
    const found = await service.ask('GET', `${at}?minPrice=${price}&maxPrice=${price}&fields=price&name=Money`)
    assert.deepEqual(found.body.data, [{ id: made.body.id, price }])
    await send('DELETE', `${at}/${made.body.id}`)
  }
  const zero = await service.ask('POST', at, { raw: '{"name":"Zero","price":-0.0}', token: editor.token })
  checkReply({ status: 201, says: '"price":0,' }, zero)
})

test('tracked stock decides inStock, untracked leaves it', async () => {
  const steps: [string, unknown, { stock: number | null; inStock: boolean }][] = [
    ['POST', { stock: 0, inStock: true }, { stock: 0, inStock: false }],
    ['PATCH', { inStock: true }, { stock: 0, inStock: false }],
    ['PATCH', { stock: 3 }, { stock: 3, inStock: true }],
    ['PATCH', { inStock: false }, { stock: 3, inStock: true }],
    ['PATCH', { stock: null, inStock: false }, { stock: null, inStock: false }],
    ['PATCH', { inStock: true }, { stock: null, inStock: true }],
    ['PUT', { stock: 0 }, { stock: 0, inStock: false }],
    ['PUT', {}, { stock: null, inStock: true }],
    ['PUT', { inStock: false }, { stock: null, inStock: false }],
    ['PATCH', { inStock: null }, { stock: null, inStock: true }],
  ]
  let path = at
  for (const [method, sent, expected] of steps) {
    const patch = method === 'PATCH' ? {} : { name: 'Stock', price: 1 }
    const reply = await send(method, path, { ...patch, ...(sent as object) })
    const { id, stock, inStock } = reply.body
    assert.deepEqual({ stock, inStock }, expected, `${method} ${JSON.stringify(sent)}`)
    path = `${at}/${id}`
    const list = await service.ask('GET', `${at}?inStock=${inStock}&id=${id}`)
    assert.equal(list.body.meta.total, 1)
  }
})

test('replace gives what is omitted its default; patch leaves it, and null clears it', async () => {
  const full = { name: 'Chair', description: 'Oak', category: 'Seats', stock: 4, price: 80.5 }
  const { body: made } = await send('POST', at, full)
  const path = `${at}/${made.id}`
  const patched = await send('PATCH', path, { category: null, price: 81 })
  assert.deepEqual(patched.body, { ...made, category: null, price: 81, updatedAt: patched.body.updatedAt })
  assert.ok(patched.body.updatedAt >= made.updatedAt)
  const put = await send('PUT', path, { name: 'Chair', price: 5 })
  const expected = {
    ...made,
    description: null,
    category: null,
    stock: null,
    inStock: true,
    price: 5,
    updatedAt: put.body.updatedAt,
  }
  assert.deepEqual(put.body, expected)
  assert.equal(put.headers.get('etag'), '"3"')
  const back = await send('PUT', path, put.body)
  assert.deepEqual({ ...back.body, updatedAt: '' }, { ...put.body, updatedAt: '' }, 'what was read can be put back')
  checkReply({ status: 400, error: 'price is required' }, await send('PUT', path, { name: 'Chair' }))
  checkReply({ status: 400, error: 'name is required' }, await send('PATCH', path, { name: null }))
  checkReply(
    { status: 400, error: 'createdAt is read-only' },
    await send('PATCH', path, { createdAt: '2020-01-01T00:00:00.000Z' }),
  )
  checkReply(
    { status: 400, error: 'id is read-only' },
    await send('PUT', path, { ...put.body, updatedAt: undefined, id: none }),
  )
  assert.deepEqual((await service.ask('GET', path)).body, back.body)
})

test('who may write', async (t) => {
  const user = await service.person('USER')
  const { body: made } = await send('POST', at, { name: 'Guarded', price: 1 })
  const writes = [
    `POST ${at}`,
    `PUT ${at}/${made.id}`,
    `PATCH ${at}/${made.id}`,
    `DELETE ${at}/${made.id}`,
    `DELETE ${at}/${none}`,
  ]
  const anonymous: Scenario[] = writes.map((ask) => ({
    it: 'nobody',
    ask,
    send: { body: {} },
    status: 401,
    error: 'Token required',
  }))
  await check(t, service.ask, anonymous)
  const users: Scenario[] = writes.map((ask) => ({
    it: 'a user',
    ask,
    send: { raw: '{"a":' },
    status: 403,
    error: 'Insufficient permissions',
  }))
  await check(t, askWith(service.ask, { token: user.token }), users)
  assert.deepEqual((await service.ask('GET', `${at}/${made.id}`)).body, made)
})
