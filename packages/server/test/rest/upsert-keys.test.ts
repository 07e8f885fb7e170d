/** Upserts by keys of several fields: every door, concurrent requests, and missing values. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, defineResource, id, integer, reference, text, user } from '../../src/index.ts'
import { resources, type TestPerson, type TestService } from '../helpers/application.ts'

const rooms = defineResource({
  name: 'store',
  path: '/stores',
  fields: { id: id(), name: text({ required: true }) },
  access: { create: anyone, get: anyone },
})
const slots = defineResource({
  name: 'slot',
  path: '/slots',
  fields: {
    id: id(),
    storeId: reference('store', { onDelete: 'delete' }),
    place: text({ maxLength: 20 }),
    note: text({ unique: true, maxLength: 20 }),
    count: integer({ default: 0 }),
  },
  unique: [['storeId', 'place']],
  upsert: [['storeId', 'place'], 'note'],
  list: { style: 'page' },
  access: { read: anyone, create: anyone, replace: anyone, import: user },
})
/** One record for each user and store: the caller is a part of the key. */
const ratings = defineResource({
  name: 'verdict',
  path: '/verdicts',
  fields: {
    id: id(),
    memberId: reference('member', { setBy: 'principal', onDelete: 'delete' }),
    storeId: reference('store', { required: true, onDelete: 'delete' }),
    stars: integer(),
  },
  unique: [['memberId', 'storeId']],
  upsert: [['memberId', 'storeId']],
  list: { style: 'page' },
  access: { read: anyone, create: user, replace: user, import: user },
})

describe('upserts by several fields', () => {
  let own: TestService
  let ann: TestPerson
  let storeId: string
  before(async () => {
    own = await startOf([...resources, rooms, slots, ratings], { env: { MCP: 'write' } })
    ann = await own.person()
    storeId = (await own.ask('POST', '/api/v1/stores', { body: { name: 'North' } })).body.id
  })
  after(() => own.stop())

  const path = '/api/v1/slots?on=storeId,place'
  const put = (body: object, headers = {}) => own.ask('PUT', path, { body, headers })
  const countOf = async (where: string) => (await own.ask('GET', `/api/v1/slots?${where}`)).body.meta.total
  const graphql = (query: string, variables: object, token?: string) =>
    own.ask('POST', '/graphql', { body: { query, variables }, ...(token && { token }) })

  it('creates once and replaces from then on, without regard to case', async () => {
    const first = await put({ storeId, place: 'A1', count: 3, note: 'x' })
    assert.deepEqual([first.status, first.headers.get('location')], [201, `/api/v1/slots/${first.body.id}`])
    const second = await put({ storeId, place: 'a1' })
    assert.deepEqual(
      [second.status, second.body],
      [200, { id: first.body.id, storeId, place: 'a1', note: null, count: 0 }],
    )
    assert.equal((await put({ storeId, place: 'A1' }, { 'if-match': '"1"' })).status, 412)
    assert.equal((await put({ storeId, place: 'none' }, { 'if-match': '"1"' })).status, 412)
    assert.equal((await put({ storeId, place: 'A2', note: 'y' })).status, 201)
    assert.equal((await put({ storeId, place: 'A1', note: 'y' })).status, 409)
  })

  it('asks for each value of the key, in the order of the declaration', async () => {
    const cases: [string, object, string][] = [
      ['?on=storeId,place', { storeId }, 'place is required: the record is found by it'],
      ['?on=storeId,place', { storeId, place: null }, 'place is required: the record is found by it'],
      ['?on=storeId,place', { storeId: null, place: 'A1' }, 'storeId must not be null'],
      ['?on=storeId,place', { place: 'A1' }, 'storeId is required: the record is found by it'],
      ['?on=place,storeId', { storeId, place: 'A1' }, 'on must name a unique key: storeId,place or note'],
      ['?on=place', { storeId, place: 'A1' }, 'on must name a unique key: storeId,place or note'],
      ['', { storeId, place: 'A1' }, 'on must name a unique key: storeId,place or note'],
    ]
    for (const [query, body, error] of cases) {
      const reply = await own.ask('PUT', `/api/v1/slots${query}`, { body })
      assert.deepEqual([reply.status, reply.body.error], [400, error])
    }
    const gone = await put({ storeId: '01926e0f-0000-7000-8000-000000000000', place: 'A1' })
    assert.equal(gone.status, 400, gone.text)
  })

  it('of many that come at once, by REST and GraphQL, one creates', async () => {
    const query = 'mutation($i: CreateSlotInput!) { upsertSlot(on: "storeId,place", input: $i) { id } }'
    const replies = await Promise.all(
      Array.from({ length: 24 }, async (_, count) => {
        const input = { storeId, place: 'race', count }
        if (count % 2 === 0) return (await put(input)).body.id
        const { body } = await graphql(query, { i: input })
        return body.data.upsertSlot?.id ?? body.errors
      }),
    )
    assert.equal(new Set(replies).size, 1, JSON.stringify(replies))
    assert.equal(await countOf('place=race'), 1)
  })

  it('the caller may be a part of the key', async () => {
    const ben = await own.person()
    const send = (token: string, stars: number) =>
      own.ask('PUT', '/api/v1/verdicts?on=memberId,storeId', { body: { storeId, stars }, token })
    const [a, b, again] = [await send(ann.token, 1), await send(ben.token, 2), await send(ann.token, 3)]
    assert.deepEqual([a.status, b.status, again.status], [201, 201, 200])
    assert.deepEqual([again.body.id, again.body.memberId, again.body.stars], [a.body.id, ann.id, 3])
  })

  it('in a batch and by a tool of agents', async () => {
    const operation = (count: number) => ({
      method: 'PUT',
      path: '/slots?on=storeId,place',
      body: { storeId, place: 'batch', count },
    })
    const { body } = await own.ask('POST', '/api/v1/batch', { body: { operations: [operation(1), operation(2)] } })
    assert.deepEqual(
      body.data.map(({ status }: { status: number }) => status),
      [201, 200],
    )
    const call = async (name: string, args: object) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
      const headers = { accept: 'application/json, text/event-stream' }
      const reply = await own.ask('POST', '/mcp', { body: message, headers })
      return JSON.parse(reply.body.result.content[0].text)
    }
    assert.deepEqual((await call('describe', { resource: 'slots' })).upsert, { on: ['storeId,place', 'note'] })
    const on = 'storeId,place'
    const done = await call('upsert', { path: 'slots', on, values: { storeId, place: 'BATCH', count: 9 } })
    assert.deepEqual([done.version, done.record.count], [3, 9])
    const operations = [{ tool: 'upsert', path: 'slots', on, values: { storeId, place: 'batch', count: 10 } }]
    assert.equal((await call('batch', { operations })).data[0].status, 200)
    assert.equal(await countOf('place=batch'), 1)
  })

  it('a line of an import changes the record of its key, or creates it', async () => {
    const send = (lines: object[], on = '?on=storeId,place') =>
      own.ask('POST', `/api/v1/slots/import${on}`, {
        token: ann.token,
        raw: lines.map((line) => JSON.stringify(line)).join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      })
    const line = (place: string | null, count: number) => ({ storeId, place, count })
    await put({ storeId, place: 'known', note: 'kept' })
    const first = await send([line('known', 5), line('new', 1), line('NEW', 2), line(null, 3)])
    const { created, updated, rejected } = first.body
    assert.deepEqual([first.status, created, updated, rejected], [200, 1, 2, 1], first.text)
    assert.match(first.text, /place is required: the record is found by it/)
    const known = (await own.ask('GET', '/api/v1/slots?place=known')).body.data
    assert.deepEqual([known.length, known[0].count, known[0].note], [1, 5, 'kept'])
    assert.equal(await countOf('place=new'), 1)
    assert.equal((await send([line('new', 2)])).body.updated, 1)
    const both = await Promise.all([1, 2, 3, 4].map((n) => send([1, 2, 3].map((at) => line(`together ${at}`, n)))))
    assert.deepEqual(
      both.map(({ body }) => body.rejected),
      [0, 0, 0, 0],
      both.map(({ text }) => text).join('\n'),
    )
    assert.equal(await countOf('place[startsWith]=together'), 3)
    assert.equal((await send([line('x', 1)], '?on=count')).status, 400)
  })
})
