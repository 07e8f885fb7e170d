/** Actions with an output of their own, by every door: REST, keys, batches, GraphQL, agents. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accounts,
  anyone,
  choice,
  defineAction,
  defineResource,
  defineResources,
  id,
  integer,
  money,
  object,
  objectList,
  text,
  user,
} from '../../../src/index.ts'
import { printTypes } from '../../../src/openapi/print-types.ts'
import { startService, type TestService } from '../../../src/testing/index.ts'
import { mistakesOf, thing } from '../../mistakes/declaring.ts'

const fields = {
  id: id(),
  name: text({ required: true }),
  price: money({ required: true }),
  sold: integer({ default: 0 }),
}
const boxes = defineResource({
  name: 'box',
  plural: 'boxes',
  path: '/boxes',
  fields,
  list: { style: 'page' },
  access: { read: anyone, create: user, sell: user },
  actions: {
    sell: defineAction(fields, {
      input: { count: integer({ required: true }), to: object({ street: text({ required: true }), tip: money() }) },
      output: {
        total: money({ required: true }),
        state: choice(['FEW', 'MANY'], { required: true }),
        parts: objectList({ name: text({ required: true }), price: money() }, { required: true }),
        note: text(),
      },
      async run({ record, input, records, refuse }) {
        if (input.count === 99) refuse('There are not so many')
        await records(boxes).update(record.id, { sold: record.sold + input.count })
        if (input.count === 98) return { total: 1, state: 'LOTS' as never, parts: [] }
        return {
          total: record.price * input.count + (input.to?.tip ?? 0),
          state: input.count > 2 ? 'MANY' : 'FEW',
          parts: [
            { name: record.name, price: null },
            { name: input.to?.street ?? 'none', price: 150 },
          ],
        }
      },
    }),
  },
})
const all = defineResources([...accounts({ roles: ['USER', 'ADMIN'] }), boxes])
const body = { count: 2, to: { street: 'High Street', tip: 0.5 } }
const sold = {
  total: 20.5,
  state: 'FEW',
  parts: [
    { name: 'Oak', price: null },
    { name: 'High Street', price: 1.5 },
  ],
  note: null,
}

describe('an action with an output', () => {
  let service: TestService
  let token: string
  let path: string
  let id: string
  before(async () => {
    service = await startService(all, { env: { MCP: 'write' } })
    token = (await service.person()).token
    id = String((await service.make('box', { name: 'Oak', price: 10 })).id)
    path = `/api/v1/boxes/${id}`
  })
  after(() => service?.stop())
  const soldOf = async () => (await service.ask('GET', path)).body.sold as number

  it('answers with it in place of the record', async () => {
    const { status, body: answer, headers } = await service.ask('POST', `${path}/sell`, { token, body })
    assert.deepEqual([status, answer, headers.get('etag')], [200, sold, null])
    assert.equal(await soldOf(), 2)
  })

  it('is stored for a retry with its key', async () => {
    const headers = { 'idempotency-key': 'sell-1' }
    const before = await soldOf()
    for (const replayed of [null, 'true']) {
      const answer = await service.ask('POST', `${path}/sell`, { token, body, headers })
      assert.deepEqual([answer.body, answer.headers.get('idempotency-replayed')], [sold, replayed])
    }
    assert.equal(await soldOf(), before + 2)
  })

  it('may be tried, refused, and part of a batch', async () => {
    const before = await soldOf()
    const dry = await service.ask('POST', `${path}/sell`, { token, body, headers: { prefer: 'dry-run' } })
    assert.deepEqual([dry.status, dry.body], [200, sold])
    const refused = await service.ask('POST', `${path}/sell`, { token, body: { count: 99 } })
    assert.deepEqual([refused.status, refused.body], [409, { error: 'There are not so many' }])
    assert.equal(await soldOf(), before)
    const operations = [{ method: 'POST', path: `/boxes/${id}/sell`, body }]
    const batch = await service.ask('POST', '/api/v1/batch', { token, body: { operations } })
    assert.deepEqual(batch.body.data?.[0].body, sold, batch.text)
  })

  it('is a fault where the code gives something else, and stores nothing', async () => {
    const before = await soldOf()
    const wrong = await service.ask('POST', `${path}/sell`, { token, body: { count: 98 } })
    assert.deepEqual([wrong.status, wrong.body], [500, { error: 'Internal server error' }])
    assert.ok(
      service.logged.some((line) => line.includes('action sell of box returned something else than its output')),
    )
    assert.equal(await soldOf(), before)
  })

  it('has types of its own in GraphQL', async () => {
    const query = `mutation { sellBox(id: "${id}", input: { count: 2, to: { street: "High Street", tip: 0.5 } })
      { total state parts { name price } note } }`
    const { body: answer, text: said } = await service.ask('POST', '/graphql', { token, body: { query } })
    assert.deepEqual(answer.data?.sellBox, sold, said)
    const types = `{ __type(name: "SellBoxOutput") { fields { name type { name kind ofType { name kind } } } } }`
    const { body: told } = await service.ask('POST', '/graphql', { body: { query: types } })
    assert.deepEqual(
      told.data.__type.fields.map((one: { name: string; type: { name: string; ofType: { name: string } } }) => [
        one.name,
        one.type.name ?? one.type.ofType.name,
      ]),
      [
        ['total', 'Money'],
        ['state', 'SellBoxState'],
        ['parts', null],
        ['note', 'String'],
      ],
    )
  })

  it('is told to agents', async () => {
    const call = (name: string, args: object) =>
      service.ask('POST', '/mcp', {
        token,
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      })
    const acted = await call('act', { path: `boxes/${id}/sell`, input: body })
    assert.deepEqual(JSON.parse(acted.body.result.content[0].text), { output: sold })
    const described = await call('describe', { resource: 'boxes' })
    const { actions } = JSON.parse(described.body.result.content[0].text)
    assert.deepEqual(Object.keys(actions.sell.output.properties), ['total', 'state', 'parts', 'note'])
  })

  it('types the client', async () => {
    const { body: document } = await service.ask('GET', '/openapi.json')
    const types = printTypes(document)
      .replace(/\s*\/\*\*[^*]*\*\//g, '')
      .replace(/\s+/g, ' ')
    const answer =
      "{ total: number state: 'FEW' | 'MANY' parts: { name: string price: number | null }[] note: string | null }"
    assert.ok(types.includes(`'application/json': ${answer}`))
  })
})

it('mistakes in outputs are found at start', () => {
  const act = (change: object) =>
    mistakesOf([
      thing({
        fields: { state: choice(['A', 'B'], { default: 'A' }) },
        access: { list: user, act: user },
        actions: { act: { run: () => undefined, ...change } },
      }),
    ])
  assert.match(String(act({ output: { a: 'x' } })), /actions.act.output.a: must be a field/)
  assert.match(String(act({ output: { _a: text() } })), /actions.act.output._a: names that begin with _/)
  assert.match(String(act({ output: { a: text() }, returns: 'thing' })), /returns: means nothing beside output/)
  assert.match(String(act({ output: { a: text() }, creates: true })), /creates: means nothing beside output/)
})
