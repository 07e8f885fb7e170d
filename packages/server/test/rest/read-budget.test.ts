/**
 * The parts of one request share one budget: the operations of a batch, the fields of a GraphQL
 * document. A batch that only reads blocks no write.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { onPostgres, startService as startOf } from 'bindery-server/test'
import { anyone, defineResource, id, reference, text } from '../../src/index.ts'
import { resources, type TestService } from '../helpers/application.ts'

const open = { list: anyone, get: anyone, create: anyone }
const boxes = defineResource({
  name: 'box',
  plural: 'boxes',
  path: '/boxes',
  fields: { id: id(), label: text() },
  list: { style: 'page' },
  children: { things: { resource: 'thing', by: 'boxId' } },
  access: open,
})
const things = defineResource({
  name: 'thing',
  path: '/things',
  fields: { id: id(), boxId: reference('box'), note: text({ maxLength: 20_000 }) },
  list: { style: 'page' },
  access: open,
})

let own: TestService
let short: string
let long: string
before(async () => {
  own = await startOf([...resources, boxes, things])
  const fill = async (note: string) => {
    const { body } = await own.ask('POST', '/api/v1/boxes', { body: { label: 'box' } })
    const made = Array.from({ length: 100 }, () => ({
      method: 'POST',
      path: '/things',
      body: { boxId: body.id, note },
    }))
    assert.equal((await batch(made)).status, 200)
    return body.id as string
  }
  short = await fill('x')
  long = await fill('y'.repeat(9_000))
})
after(() => own.stop())

const batch = (operations: unknown, headers: Record<string, string> = {}) =>
  own.ask('POST', '/api/v1/batch', { body: { operations }, headers })
const times = (count: number, path: string) => Array.from({ length: count }, () => ({ method: 'GET', path }))
const countOf = async (label: string) =>
  (await own.ask('GET', `/api/v1/boxes?label=${label}`)).body.meta.total as number

const records =
  /: the batch reads more than 10000 records; send fewer operations, or ask for less in each; nothing was stored$/
const characters = /: the batch reads more than 8000000 characters; send fewer operations/

test('operations that read too much together are 400, however little each of them is', async () => {
  const few = `/boxes/${short}?expand=things(limit:100)`
  assert.equal((await batch(times(90, few))).status, 200)
  const many = await batch(times(100, few))
  assert.equal(many.status, 400)
  assert.match(many.body.error, records)
  const large = `/boxes/${long}?expand=things(limit:100)`
  assert.equal((await batch(times(5, large))).status, 200)
  const tooLarge = await batch(times(20, large))
  assert.equal(tooLarge.status, 400)
  assert.match(tooLarge.body.error, characters)
})

test('what one record is shown many times counts each time', async () => {
  // A hundred records are read, and each shows its box, which shows ten of them
  const nested = `/boxes/${long}?expand=things(limit:20).box.things(limit:20)`
  assert.equal((await batch(times(1, nested))).status, 200)
  const reply = await batch(times(100, nested))
  assert.equal(reply.status, 400)
  assert.match(reply.body.error, characters)
})

test('a batch that writes too stores nothing then', async () => {
  const label = 'undone'
  const operations = [
    { method: 'POST', path: '/boxes', body: { label } },
    ...times(99, `/boxes/${long}?expand=things(limit:100)`),
  ]
  for (const key of ['', 'a', 'a']) {
    const reply = await batch(operations, key ? { 'idempotency-key': key } : {})
    assert.equal(reply.status, 400)
    assert.match(reply.body.error, characters)
  }
  assert.equal(await countOf(label), 0)
  assert.equal((await batch(operations.slice(0, 5))).status, 200)
  assert.equal(await countOf(label), 1)
})

test('a batch that only reads keeps no answer for its key', async () => {
  const operations = times(2, `/boxes/${short}?fields=label`)
  for (let i = 0; i < 2; i += 1) {
    const reply = await batch(operations, { 'idempotency-key': 'reads-only' })
    assert.deepEqual([reply.status, reply.headers.get('idempotency-replayed')], [200, null])
  }
  const other = await batch(operations.slice(1), { 'idempotency-key': 'reads-only' })
  assert.equal(other.status, 200)
})

test('the fields of one GraphQL document share it too', async () => {
  const ask = async (count: number) => {
    const fields = Array.from(
      { length: count },
      (_, i) => `t${i}: things(limit: 100, filter: {note: {startsWith: "yy"}}) { data { id } }`,
    )
    return (await own.ask('POST', '/graphql', { body: { query: `{ ${fields.join(' ')} }` } })).body
  }
  const few = await ask(2)
  assert.equal(few.errors, undefined)
  assert.equal(few.data.t1.data.length, 100)
  const many = await ask(15)
  assert.equal(many.errors[0].extensions.code, 'BAD_USER_INPUT')
  assert.match(
    many.errors[0].message,
    /^The operation reads more than 8000000 characters; ask for fewer records or fields$/,
  )
})

const skip = onPostgres && 'only SQLite has one writer'
test('a batch that only reads does not wait for those who write, nor they for it', { skip }, async () => {
  const other = new DatabaseSync(join(own.folder, 'bindery.db'))
  other.exec('BEGIN IMMEDIATE')
  try {
    const reply = await batch(times(3, `/boxes/${short}?fields=label`), { 'idempotency-key': 'reads' })
    assert.deepEqual([reply.status, reply.body.data.length], [200, 3])
  } finally {
    other.exec('ROLLBACK')
    other.close()
  }
})
