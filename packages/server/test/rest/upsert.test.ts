/** `PUT` on a collection by a unique field (upsert): concurrent requests create one record. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, defineResource, id, integer, owner, reference, role, text, user } from '../../src/index.ts'
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

const gauges = defineResource({
  name: 'gauge',
  path: '/gauges',
  fields: {
    id: id(),
    memberId: reference('member', { setBy: 'principal', onDelete: 'delete' }),
    sku: text({ required: true, unique: true }),
  },
  list: { style: 'page' },
  access: { list: owner('memberId'), get: owner('memberId'), create: user, replace: owner('memberId') },
  upsert: ['sku'],
})

let own: TestService
before(async () => {
  own = await startOf([...resources, parts, fittings, gauges])
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

test('a value that a record has which the caller may not see is taken, as it is for a create', async () => {
  const { ask } = own
  const [ann, ben] = [await own.person(), await own.person()]
  const body = { sku: 'G-1' }
  const put = (token: string) => ask('PUT', '/api/v1/gauges?on=sku', { body, token })
  assert.deepEqual([(await put(ann.token)).status, (await put(ann.token)).status], [201, 200])
  const created = await ask('POST', '/api/v1/gauges', { body, token: ben.token })
  const replaced = await put(ben.token)
  assert.deepEqual([replaced.status, replaced.body], [409, created.body])
  assert.equal((await ask('GET', '/api/v1/gauges', { token: ann.token })).body.data[0].memberId, ann.id)
})

test('in a batch it sees what the batch has written, and its record can be named', async () => {
  const { ask } = own
  const put = (id: string, body: object) => ({ id, method: 'PUT', path: '/spare-parts?on=sku', body })
  const operations = [
    put('a', { sku: 'C-1', count: 1 }),
    put('b', { sku: 'c-1', count: 2 }),
    { method: 'GET', path: '/spare-parts/{b}?fields=count' },
  ]
  const { status, body } = await ask('POST', '/api/v1/batch', { body: { operations } })
  assert.equal(status, 200, JSON.stringify(body))
  const [a, b, got] = body.data
  assert.deepEqual([a.status, b.status, got.body], [201, 200, { id: a.body.id, count: 2 }])
  assert.equal(b.body.id, a.body.id)
  const failing = { operations: [put('a', { sku: 'C-2' }), put('b', { sku: 'C-3', code: 'x' })] }
  assert.equal((await ask('PUT', path, { body: { sku: 'C-9', code: 'x' } })).status, 409)
  const refused = await ask('POST', '/api/v1/batch', { body: failing })
  assert.deepEqual(
    [refused.status, /^operations\[1\] \(b\): .*nothing was stored$/.test(refused.body.error)],
    [409, true],
  )
  assert.equal((await ask('GET', '/api/v1/spare-parts?sku=C-2')).body.meta.total, 0)
})
