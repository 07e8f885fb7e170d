/**
 * Numbers that the engine counts (`autoNumber`): every way of a write counts without a gap, and a
 * write that is undone gives its number back.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  anyone,
  autoNumber,
  defineAction,
  defineResource,
  equals,
  id,
  integer,
  printNumber,
  text,
  timestamp,
} from '../../src/index.ts'
import { type Ask, startService, type TestResponse, type TestService } from '../../src/testing/index.ts'

const number = autoNumber({ prefix: 'INV-', per: 'year' })
const fields = {
  id: id(),
  number,
  plain: autoNumber({ digits: 1 }),
  berlin: autoNumber({ per: 'year', zone: 'Europe/Berlin', digits: 2 }),
  memo: text({ unique: true }),
  size: integer({ min: 0, max: 9 }),
  createdAt: timestamp({ setOn: 'create' }),
}
const invoices = defineResource({
  name: 'invoice',
  path: '/invoices',
  fields,
  list: {
    style: 'page',
    sortable: ['number', 'plain'],
    filterable: ['number', 'memo'],
    filters: { findBy: equals('number') },
    defaultSort: 'number',
  },
  upsert: ['memo'],
  hooks: {
    beforeCreate({ sent }) {
      return sent.memo === 'own number' ? ({ number: 7 } as never) : undefined
    },
  },
  access: {
    list: anyone,
    get: anyone,
    create: anyone,
    update: anyone,
    replace: anyone,
    delete: anyone,
    import: anyone,
    export: anyone,
    fail: anyone,
    copy: anyone,
  },
  actions: {
    copy: defineAction(fields, {
      async run({ record, records }) {
        await records(invoices).create({ memo: `copy of ${printNumber(number, record.number)}` })
      },
    }),
    fail: defineAction(fields, {
      async run({ records }) {
        await records(invoices).create({ memo: 'lost' })
        throw new Error('after the number')
      },
    }),
  },
  graphql: { query: { invoices: 'list' }, mutation: { createInvoice: 'create' } },
})

let service: TestService
let ask: Ask
const newYear = Date.parse('2026-12-31T22:30:00.000Z')

before(async () => {
  service = await startService([invoices], { clock: () => newYear })
  ask = service.ask
})
after(() => service.stop())

const path = '/api/v1/invoices'
const create = (memo?: string): Promise<TestResponse> => ask('POST', path, { body: memo === undefined ? {} : { memo } })
async function numberOf(memo?: string): Promise<string> {
  const made = await create(memo)
  assert.equal(made.status, 201, made.text)
  return made.body.number
}
const next = (n: number, year = 2026) => `INV-${year}-${String(n).padStart(4, '0')}`
/** The count of the last record. */
let count = 0
beforeEach(async () => {
  const [last] = (await ask('GET', `${path}?sort=-number&limit=1`)).body.data
  count = last === undefined ? 0 : Number(last.number.slice(-4))
})

describe('a write counts once it is stored', () => {
  it('from 1, each field its own series', async () => {
    const made = await create('first')
    assert.equal(made.status, 201, made.text)
    const { number: shown, plain, berlin } = made.body
    assert.deepEqual([shown, plain, berlin], ['INV-2026-0001', '1', '2026-01'])
    assert.equal(await numberOf(), 'INV-2026-0002')
  })

  it('and is given back by a write that fails: a taken key, a wrong value, an action', async () => {
    assert.equal((await create('first')).status, 409)
    assert.equal((await ask('POST', path, { body: { size: 10 } })).status, 400)
    const [first] = (await ask('GET', path)).body.data
    assert.equal((await ask('POST', `${path}/${first.id}/fail`)).status, 500)
    assert.equal((await create('own number')).status, 500)
    assert.match(service.logged.join('\n'), /sets "number", a number that the engine counts/)
    assert.equal(await numberOf(), next(++count))
  })

  it('in an action, whose code reads the number as people do', async () => {
    const [first] = (await ask('GET', path)).body.data
    assert.equal((await ask('POST', `${path}/${first.id}/copy`)).status, 200)
    const [copy] = (await ask('GET', `${path}?memo=copy%20of%20INV-2026-0001`)).body.data
    assert.equal(copy.number, next(++count))
  })

  it('in a batch in the order of its operations, and in none that fails', async () => {
    const post = (body: object) => ({ method: 'POST', path: '/invoices', body })
    const failed = await ask('POST', '/api/v1/batch', { body: { operations: [post({}), post({ memo: 'first' })] } })
    assert.equal(failed.status, 409, failed.text)
    const done = await ask('POST', '/api/v1/batch', {
      body: { operations: [post({ memo: 'b1' }), post({ memo: 'b2' })] },
    })
    assert.equal(done.status, 200, done.text)
    const numbers = done.body.data.map((one: { body: { number: string } }) => one.body.number)
    assert.deepEqual(numbers, [next(count + 1), next(count + 2)])
  })

  it('in an upsert that creates, and not in one that replaces', async () => {
    const put = () => ask('PUT', `${path}?on=memo`, { body: { memo: 'up' } })
    const [made, replaced] = [await put(), await put()]
    assert.deepEqual([made.status, replaced.status], [201, 200], made.text + replaced.text)
    assert.deepEqual([made.body.number, replaced.body.number], [next(count + 1), next(count + 1)])
  })

  it('in an import in the order of its good lines', async () => {
    const lines = [{ memo: 'l1' }, { memo: 'first' }, { memo: 'l2' }, { memo: 'l3', number: next(900) }, { memo: 'l4' }]
    const raw = lines.map((line) => JSON.stringify(line)).join('\n')
    const done = await ask('POST', `${path}/import`, { raw, type: 'application/x-ndjson' })
    assert.deepEqual([done.body.created, done.body.rejected], [3, 2], done.text)
    assert.match(done.text, /number is read-only/)
    const found = (await ask('GET', `${path}?memo[in]=l1,l2,l4`)).body.data
    assert.deepEqual(
      found.map((one: { memo: string; number: string }) => [one.memo, one.number]),
      [
        ['l1', next(count + 1)],
        ['l2', next(count + 2)],
        ['l4', next(count + 3)],
      ],
    )
  })

  it('in GraphQL', async () => {
    const query = 'mutation { createInvoice(input: { memo: "g" }) { number } }'
    const made = await ask('POST', '/graphql', { body: { query } })
    assert.deepEqual(made.body, { data: { createInvoice: { number: next(++count) } } })
    const filter = '{ invoices(filter: { number: { in: ["INV-2026-1", "INV-2026-0002"] } }) { data { number } } }'
    const found = await ask('POST', '/graphql', { body: { query: filter } })
    assert.deepEqual(found.body.data?.invoices.data, [{ number: next(1) }, { number: next(2) }], found.text)
  })

  it('at once, and some of them roll back', async () => {
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) => create(i % 4 === 0 ? 'first' : `at once ${i}`)),
    )
    const numbers = replies.flatMap(({ status, body }) => (status === 201 ? [body.number as string] : []))
    assert.equal(numbers.length, 30)
    assert.deepEqual(
      numbers.toSorted(),
      Array.from({ length: 30 }, (_, i) => next(count + 1 + i)),
    )
  })

  it('and a record that is deleted leaves a gap', async () => {
    const made = await create()
    assert.equal(made.body.number, next(++count))
    assert.equal((await ask('DELETE', `${path}/${made.body.id}`)).status, 204)
    assert.equal(await numberOf(), next(++count))
  })
})

describe('a number', () => {
  it('is read-only, and may be sent as it is', async () => {
    const [one] = (await ask('GET', path)).body.data
    const sent = await ask('POST', path, { body: { number: next(5) } })
    assert.deepEqual([sent.status, sent.body], [400, { error: 'number is read-only' }])
    const patch = (value: unknown) => ask('PATCH', `${path}/${one.id}`, { body: { number: value, size: 1 } })
    assert.equal((await patch(one.number)).status, 200)
    const refused = await patch(next(5))
    assert.deepEqual([refused.status, refused.body], [400, { error: 'number is read-only' }])
  })

  it('is found and compared by its count', async () => {
    const found = async (query: string) =>
      (await ask('GET', `${path}?${query}`)).body.data?.map((one: { number: string }) => one.number)
    assert.deepEqual(await found('findBy=inv-2026-3'), [next(3)])
    assert.deepEqual(await found('number[gte]=INV-2026-9&number[lte]=INV-2026-0010'), [next(9), next(10)])
    assert.deepEqual(await found('filter={"number":{"eq":"INV-2026-0004"}}'), [next(4)])
    assert.deepEqual(await found('number[in]=INV-2026-0004,INV-2026-0099'), [next(4)])
    assert.deepEqual(await found('sort=-number&limit=1'), [next(count)])
    for (const query of ['number=4', 'number=INV-26-4', 'filter={"number":{"eq":4}}'])
      assert.equal((await ask('GET', `${path}?${query}`)).status, 400, query)
    assert.deepEqual((await ask('GET', `${path}?number=X-1`)).body, {
      error: 'number must be a number such as INV-2026-0001',
    })
  })

  it('begins anew with the year, where its zone has it', async () => {
    service.turn(3_600_000) // 23:30 in UTC
    const early = await create()
    assert.deepEqual([early.body.number, early.body.berlin], [next(++count), '2027-01'])
    service.turn(3_600_000)
    const late = await create()
    assert.deepEqual(
      [late.body.number, late.body.berlin, late.body.plain],
      ['INV-2027-0001', '2027-02', String(++count)],
    )
    const last = (await ask('GET', `${path}?sort=-number&limit=2`)).body.data
    assert.deepEqual(
      last.map((one: { number: string }) => one.number),
      ['INV-2027-0001', next(count - 1)],
    )
  })

  it('that is given stays, the next one follows, and the last one is a conflict', async () => {
    const plainOf = async () => {
      const { status, body } = await create()
      return status === 201 ? body.plain : body.error
    }
    await service.make('invoice', { plain: '999999997' })
    assert.equal(await plainOf(), '999999998')
    assert.equal(await plainOf(), '999999999')
    assert.deepEqual(await plainOf(), 'No plain is left for another invoice')
    const given = (await ask('GET', `${path}?sort=-plain&limit=3`)).body.data
    for (const { id: gone } of given) assert.equal((await ask('DELETE', `${path}/${gone}`)).status, 204)
    assert.deepEqual(await plainOf(), 'No plain is left for another invoice')
  })
})
