/** `PUT` on a collection by a unique field: one record, whoever comes first. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, defineResource, id, integer, role, text } from '../../src/index.ts'
import { resources, type TestService } from '../helpers/application.ts'

const parts = defineResource({
  name: 'sparePart',
  path: '/spare-parts',
  fields: {
    id: id(),
    sku: text({ required: true, unique: true }),
    code: text({ unique: true }),
    count: integer({ default: 7 }),
  },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, replace: anyone },
  upsert: ['sku'],
})
const fittings = defineResource({
  name: 'fitting',
  path: '/fittings',
  fields: { id: id(), sku: text({ required: true, unique: true }) },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, replace: role('ADMIN') },
  upsert: ['sku'],
})

let own: TestService
before(async () => {
  own = await startOf([...resources, parts, fittings])
})
after(() => own.stop())

const path = '/api/v1/spare-parts?on=sku'
const put = (body: object, headers: Record<string, string> = {}) => own.ask('PUT', path, { body, headers })
const totalOf = async () => (await own.ask('GET', '/api/v1/spare-parts')).body.meta.total

test('it creates once and replaces from then on, without regard to case as the key itself', async () => {
  const first = await put({ sku: 'A-1', count: 1 })
  assert.deepEqual([first.status, first.headers.get('location')], [201, `/api/v1/spare-parts/${first.body.id}`])
  const second = await put({ sku: 'a-1' })
  assert.deepEqual([second.status, second.body], [200, { id: first.body.id, sku: 'a-1', code: null, count: 7 }])
  assert.equal(second.headers.get('etag'), '"2"')
  assert.equal((await put({ sku: 'A-1' }, { 'if-match': '"1"' })).status, 412)
  assert.equal((await put({ sku: 'A-1' }, { 'if-none-match': '*' })).status, 412)
  assert.equal((await put({ sku: 'none' }, { 'if-match': '*' })).status, 412)
  assert.equal((await put({ sku: 'A-2', code: 'x' }, { 'if-none-match': '*' })).status, 201)
  assert.equal((await put({ sku: 'A-1', code: 'X' })).status, 409)
  assert.equal((await put({ sku: 'A-3', code: 'x' })).status, 409)
  assert.equal(await totalOf(), 2)
  const key = { 'idempotency-key': 'upsert-1' }
  assert.deepEqual([(await put({ sku: 'A-4' }, key)).status, (await put({ sku: 'A-4' }, key)).status], [201, 201])
  assert.equal((await put({ sku: 'A-5' }, { prefer: 'dry-run' })).status, 201)
  assert.equal(await totalOf(), 3)
})

test('of many that come at once one creates, and the others replace', async () => {
  const replies = await Promise.all(Array.from({ length: 24 }, (_, count) => put({ sku: 'race', count })))
  const statuses = replies.map(({ status }) => status).toSorted()
  assert.deepEqual(statuses, [...Array.from({ length: 23 }, () => 200), 201])
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1)
})

test('it asks for a field that may be named, a value, and both rights', async () => {
  const { ask } = own
  const body = { sku: 'B' }
  const cases: [string, object, RegExp][] = [
    ['', body, /on must name a unique field: sku/],
    ['?on=code', body, /on must name a unique field: sku/],
    ['?on=sku&limit=1', body, /Unknown query parameter limit/],
    ['?on=sku', {}, /sku is required/],
    ['?on=sku', { sku: 'B', size: 1 }, /Unknown field size/],
  ]
  for (const [query, sent, error] of cases) {
    const reply = await ask('PUT', `/api/v1/spare-parts${query}`, { body: sent })
    assert.deepEqual([reply.status, error.test(reply.body.error)], [400, true], reply.text)
  }
  assert.equal((await ask('PUT', '/api/v1/fittings?on=sku', { body })).status, 401)
  const { token } = await own.person()
  assert.equal((await ask('PUT', '/api/v1/fittings?on=sku', { body, token })).status, 403)
  assert.equal((await ask('PUT', '/api/v1/editions?on=sku', { body })).status, 405)
})
