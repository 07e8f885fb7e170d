/** Exact numbers by all doors: each digit comes back as it was sent. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, atLeast, bigint, decimal, defineResource, equals, id, text } from '../../src/index.ts'
import { resources, type TestService } from '../helpers/application.ts'

const access = {
  list: anyone,
  get: anyone,
  create: anyone,
  update: anyone,
  replace: anyone,
  delete: anyone,
  import: anyone,
}
const stars = defineResource({
  name: 'star',
  path: '/stars',
  fields: {
    id: id(),
    name: text({ required: true }),
    catalogNumber: bigint({ unique: true }),
    distance: bigint({ default: 9007199254740993n, min: 0 }),
  },
  list: {
    style: 'cursor',
    filters: { name: equals('name'), catalogNumber: equals('catalogNumber'), minDistance: atLeast('distance') },
  },
  access,
  upsert: ['catalogNumber'],
})
const lights = defineResource({
  name: 'light',
  path: '/lights',
  fields: { id: id(), name: text({ required: true }), size: bigint({ required: true }), other: bigint() },
  list: { style: 'page', sortable: ['size', 'other'], filters: { size: equals('size') } },
  access,
})

const bills = defineResource({
  name: 'bill',
  path: '/bills',
  fields: {
    id: id(),
    name: text({ required: true }),
    amount: decimal({ precision: 18, scale: 2, required: true, increment: true }),
    rate: decimal({ precision: 7, scale: 4, json: 'number', default: '0.1900' }),
    number: decimal({ precision: 6, scale: 1, unique: true }),
  },
  list: {
    style: 'page',
    sortable: ['amount', 'rate'],
    filters: { amount: equals('amount'), minRate: atLeast('rate') },
  },
  access,
  upsert: ['number'],
})

let own: TestService
before(async () => {
  own = await startOf([...resources, stars, lights, bills])
})
after(() => own.stop())

const most = '9223372036854775807'
const least = '-9223372036854775808'
const at = (path: string) => own.ask('GET', `/api/v1${path}`)
const make = (path: string, body: object) => own.ask('POST', `/api/v1${path}`, { body })
const sizesOf = async (query: string): Promise<string[]> => {
  const { status, body } = await at(`/lights?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map(({ size }: { size: string }) => size)
}

test('a record keeps every digit: create, read, update, upsert', async () => {
  const made = await make('/stars', { name: 'Vega', catalogNumber: most })
  assert.deepEqual([made.status, made.body.catalogNumber, made.body.distance], [201, most, '9007199254740993'])
  assert.deepEqual((await at(`/stars/${made.body.id}`)).body, made.body)
  assert.equal((await make('/stars', { name: 'Twin', catalogNumber: most })).status, 409)
  const body = { catalogNumber: least, distance: 9007199254740991 }
  const updated = await own.ask('PATCH', `/api/v1/stars/${made.body.id}`, { body })
  assert.deepEqual([updated.body.catalogNumber, updated.body.distance], [least, '9007199254740991'])
  const put = await own.ask('PUT', '/api/v1/stars?on=catalogNumber', { body: { name: 'Deneb', catalogNumber: least } })
  assert.deepEqual([put.status, put.body.id], [200, made.body.id])
  const refused = await make('/stars', { name: 'x', distance: -1 })
  assert.deepEqual([refused.status, refused.body.error], [400, `distance must be from 0 to ${most}`])
})

test('lists sort, filter and page by the number, and not by its text', async () => {
  const values = ['9', '10', '-10', '-9', '0', '9007199254740992', '9007199254740993', most, least]
  for (const size of values) assert.equal((await make('/lights', { name: 'n', size })).status, 201)
  const sorted = values.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  assert.deepEqual(await sizesOf('sort=size&limit=20'), sorted)
  assert.deepEqual(await sizesOf('sort=-size&limit=20'), sorted.toReversed())
  assert.deepEqual(await sizesOf('size=9007199254740993'), ['9007199254740993'])
  assert.deepEqual(await sizesOf('size[in]=9007199254740992, 9,8.5&sort=size'), ['9', '9007199254740992'])
  assert.deepEqual(await sizesOf('size[gt]=9.5&size[lte]=9007199254740992.5&sort=size'), ['10', '9007199254740992'])
  assert.deepEqual(await sizesOf('size[lt]=-9.5&sort=size'), [least, '-10'])
  assert.deepEqual(await sizesOf('size[gte]=9223372036854775808'), [])
  assert.equal((await sizesOf('size[lt]=1e30&limit=20')).length, 9)
  assert.equal((await sizesOf('size[ne]=0.5&limit=20')).length, 9)
  assert.equal((await sizesOf('other[ne]=1&limit=20')).length, 9)
  const tree = encodeURIComponent(JSON.stringify({ or: [{ size: { eq: most } }, { size: { in: [9, '10'] } }] }))
  assert.deepEqual(await sizesOf(`filter=${tree}&sort=size`), ['9', '10', most])
  assert.equal((await at('/lights?size=1,5')).body.error, 'size must be a number')
  assert.equal((await at('/lights?size[gt]=NaN')).body.error, 'size[gt] must be a number')
  const wrong = encodeURIComponent(JSON.stringify({ size: { eq: 9007199254740992 } }))
  assert.match((await at(`/lights?filter=${wrong}`)).body.error, /beyond what a JSON number holds exactly/)
})

test('sums are exact beyond 64 bits, and groups, averages and ends are texts', async () => {
  for (let i = 0; i < 3; i += 1) await make('/lights', { name: 'heavy', size: most, other: '-3' })
  await make('/lights', { name: 'heavy', size: '1', other: '-2' })
  const { body } = await at('/lights/summary?name=heavy&sum=size&average=other&least=size&most=size')
  const sum = 3n * BigInt(most) + 1n
  const [group] = body.data
  assert.deepEqual(group, {
    count: 4,
    sum: { size: String(sum) },
    average: { other: '-3' },
    least: { size: '1' },
    most: { size: most },
  })
  const groups = await at('/lights/summary?group=size&sort=-size&limit=1')
  assert.deepEqual(groups.body.data, [{ count: 4, ...groups.body.data[0] }])
})

test('GraphQL has the digits as text, and takes text and integers of a document', async () => {
  const query = `mutation { createLight(input: { name: "g", size: 9007199254740993 }) { size } }`
  const made = await own.ask('POST', '/graphql', { body: { query } })
  assert.deepEqual(made.body.data?.createLight, { size: '9007199254740993' }, JSON.stringify(made.body))
})

test('NDJSON and cursors keep every digit', async () => {
  const numbers = ['9007199254740993', '9007199254740995', '9007199254740994']
  const raw = numbers.map((catalogNumber) => `${JSON.stringify({ name: 'line', catalogNumber })}\n`).join('')
  const sent = await own.ask('POST', '/api/v1/stars/import', { raw, type: 'application/x-ndjson' })
  assert.equal(sent.status, 200, sent.text)
  const { data } = (await at('/stars?name=line')).body
  assert.deepEqual(
    data.map(({ catalogNumber }: { catalogNumber: string }) => catalogNumber).toSorted(),
    numbers.toSorted(),
  )
  const first = await at('/lights?sort=size&limit=3')
  const pages = [first.body]
  for (let next = first.headers.get('link'); next; ) {
    const path = /<([^>]+)>; rel="next"/.exec(next)?.[1]
    if (path === undefined) break
    const page = await own.ask('GET', path)
    pages.push(page.body)
    next = page.headers.get('link')
  }
  const sizes = pages.flatMap(({ data }) => data.map(({ size }: { size: string }) => size))
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : Number(BigInt(a) > BigInt(b)))),
  )
  assert.equal(sizes.length, first.body.meta.total)
})

test('decimals keep each digit by every door', async () => {
  const made = await make('/bills', { name: 'a', amount: '9999999999999999.99', number: '7' })
  assert.deepEqual(
    [made.status, made.body.amount, made.body.rate, made.body.number],
    [201, '9999999999999999.99', 0.19, '7.0'],
  )
  assert.deepEqual((await at(`/bills/${made.body.id}`)).body, made.body)
  const put = await own.ask('PUT', '/api/v1/bills?on=number', {
    body: { name: 'a', number: 7, amount: 0.1, rate: 999.9999 },
  })
  assert.deepEqual([put.status, put.body.id, put.body.amount, put.body.rate], [200, made.body.id, '0.10', 999.9999])
  const refused = await make('/bills', { name: 'x', amount: '1.005' })
  assert.deepEqual([refused.status, refused.body.error], [400, 'amount must have at most 2 decimals'])
  const raw = '{"name":"x","amount":1e400}'
  const huge = await own.ask('POST', '/api/v1/bills', { raw, type: 'application/json' })
  assert.deepEqual([huge.status, huge.body.error], [400, '1e400 is too large a number'])
  const query = `mutation { createBill(input: { name: "a", amount: 9007199254740993.07, rate: "0.5" }) { amount rate } }`
  const graphql = await own.ask('POST', '/graphql', { body: { query } })
  assert.deepEqual(
    graphql.body.data?.createBill,
    { amount: '9007199254740993.07', rate: 0.5 },
    JSON.stringify(graphql.body),
  )
  const wrong = `mutation { createBill(input: { name: "a", amount: 0.10000000000000000001 }) { amount } }`
  const lost = await own.ask('POST', '/graphql', { body: { query: wrong } })
  assert.match(lost.text, /amount must have at most 2 decimals/)
})

test('increments of decimals are exact, and keep to the precision', async () => {
  const { body } = await make('/bills', { name: 'i', amount: '9007199254740993.01' })
  const add = (increment: unknown) => own.ask('PATCH', `/api/v1/bills/${body.id}`, { body: { amount: { increment } } })
  assert.equal((await add('-0.02')).body.amount, '9007199254740992.99')
  assert.equal((await add(0.1)).body.amount, '9007199254740993.09')
  assert.deepEqual((await add('0.001')).body.error, 'amount.increment must have at most 2 decimals')
  const beyond = await add('9999999999999999.99')
  assert.deepEqual(
    [beyond.status, beyond.body.error],
    [409, 'amount must be from -9999999999999999.99 to 9999999999999999.99'],
  )
})

test('lists of decimals compare exactly, and cursors lead on', async () => {
  for (const amount of ['-0.01', '0.01', '9.99', '10.00', '9007199254740993.06', '-9999999999999999.99'])
    assert.equal((await make('/bills', { name: 'l', amount })).status, 201)
  const amounts = async (query: string) => {
    const { status, body } = await at(`/bills?name=l&${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map(({ amount }: { amount: string }) => amount)
  }
  const sorted = ['-9999999999999999.99', '-0.01', '0.01', '9.99', '10.00', '9007199254740993.06']
  assert.deepEqual(await amounts('sort=amount'), sorted)
  assert.deepEqual(await amounts('amount=10'), ['10.00'])
  assert.deepEqual(await amounts('amount=9007199254740993.06'), ['9007199254740993.06'])
  assert.deepEqual(await amounts('amount[gt]=9.985&amount[lt]=1e3&sort=amount'), ['9.99', '10.00'])
  assert.deepEqual(await amounts('amount[in]=0.010,10.001,9.99&sort=-amount'), ['9.99', '0.01'])
  const tree = encodeURIComponent(JSON.stringify({ or: [{ amount: { eq: 0.01 } }, { amount: { lte: '-0.01' } }] }))
  assert.deepEqual(await amounts(`filter=${tree}&sort=amount`), sorted.slice(0, 3))
  assert.equal((await at('/bills?amount=1e400')).body.error, 'amount must be a number')
  assert.equal((await at('/bills?amount=12,5')).body.error, 'amount must be a number')
  const first = await at('/bills?name=l&sort=amount&limit=4')
  const path = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] as string
  const second = await own.ask('GET', path)
  assert.deepEqual(
    second.body.data.map(({ amount }: { amount: string }) => amount),
    sorted.slice(4),
  )
  const measures = 'sum=amount,rate&average=amount,rate&least=amount&most=amount'
  assert.deepEqual((await at(`/bills/summary?name=l&${measures}`)).body.data, [
    {
      count: 6,
      sum: { amount: '-992800745258986.94', rate: 1.14 },
      average: { amount: '-165466790876497.82', rate: 0.19 },
      least: { amount: '-9999999999999999.99' },
      most: { amount: '9007199254740993.06' },
    },
  ])
})
