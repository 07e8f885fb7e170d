/**
 * Summaries: groups of a list's records with exact sums and counts, under the list's rules and
 * filters, over REST and GraphQL.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, choice, defineResource, id, text, timestamp } from '../../src/index.ts'
import {
  check,
  resources,
  startService,
  type TestPerson,
  type TestResponse,
  type TestService,
} from '../helpers/application.ts'

let service: TestService
let editor: TestPerson
let user: TestPerson
let first: string
const editions = '/api/v1/editions'

before(async () => {
  service = await startService()
  editor = await service.person('EDITOR')
  user = await service.person('USER')
  const of = (title: string, subject: string | null, price: number, more: object = {}) => ({
    title,
    subject,
    price,
    ...more,
  })
  const books = [
    of('Ant', 'Nature', 10.1, { copies: 3, cost: 1 }),
    of('Bee', 'Nature', 20.2, { copies: 1 }),
    of('Cat', 'nature', 0.05, { copies: 0 }),
    of('Dune', 'Fiction', 7, {}),
    of('Emma', 'Fiction', 8.01, { copies: 2 }),
    of('Folio', null, 1e12, {}),
    of('Ζωή', '😀', 0, {}),
    of('Zoo', '\uffff', 3, {}),
  ]
  for (const body of books) {
    const reply = await service.ask('POST', editions, { token: editor.token, body })
    assert.equal(reply.status, 201, reply.text)
    first ??= reply.body.id
  }
  for (const stars of [5, 4, 4]) {
    const { token } = await service.person()
    await service.ask('POST', `${editions}/${first}/opinions`, { token, body: { stars } })
  }
})
after(() => service.stop())

const get = (query: string, path = editions, token?: string): Promise<TestResponse> =>
  service.ask('GET', `${path}/summary${query}`, token === undefined ? {} : { token })
async function rows(query: string, path?: string): Promise<unknown> {
  const reply = await get(query, path)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.body.meta.groups, reply.body.data.length)
  return reply.body.data
}

test('groups stand in the order of their values, null first, with their counts', async () => {
  assert.deepEqual(await rows('?group=subject&count'), [
    { subject: null, count: 1 },
    { subject: 'Fiction', count: 2 },
    { subject: 'Nature', count: 2 },
    { subject: 'nature', count: 1 },
    { subject: '\uffff', count: 1 },
    { subject: '😀', count: 1 },
  ])
  assert.deepEqual(await rows('?group=available,subject&subject[in]=Nature,nature,Fiction'), [
    { available: false, subject: 'nature', count: 1 },
    { available: true, subject: 'Fiction', count: 2 },
    { available: true, subject: 'Nature', count: 2 },
  ])
})

test('numbers are exact: sums of money, averages in whole cents, nulls left out', async () => {
  const query =
    '?group=subject&sum=price,copies&average=price,copies&least=price&most=price,copies&sort=-sum.price&subject[in]=Nature,nature,Fiction'
  assert.deepEqual(await rows(query), [
    {
      subject: 'Nature',
      count: 2,
      sum: { price: 30.3, copies: 4 },
      average: { price: 15.15, copies: 2 },
      least: { price: 10.1 },
      most: { price: 20.2, copies: 3 },
    },
    {
      subject: 'Fiction',
      count: 2,
      sum: { price: 15.01, copies: 2 },
      average: { price: 7.51, copies: 2 },
      least: { price: 7 },
      most: { price: 8.01, copies: 2 },
    },
    {
      subject: 'nature',
      count: 1,
      sum: { price: 0.05, copies: 0 },
      average: { price: 0.05, copies: 0 },
      least: { price: 0.05 },
      most: { price: 0.05, copies: 0 },
    },
  ])
  assert.deepEqual(await rows('?sum=price&average=copies&minPrice=1&maxPrice=1000'), [
    { count: 5, sum: { price: 48.31 }, average: { copies: 2 } },
  ])
})

test('of no records there are no groups, and without groups one row that says so', async () => {
  assert.deepEqual(await rows('?group=subject&sum=price&subject=none'), [])
  assert.deepEqual(await rows('?sum=price&average=price&least=price,createdAt&subject=none'), [
    { count: 0, sum: { price: 0 }, average: { price: null }, least: { price: null, createdAt: null } },
  ])
})

test('times are grouped by day, month and year in UTC; q and filters narrow as in the list', async () => {
  const now = new Date(service.now()).toISOString()
  for (const [unit, length] of [
    ['day', 10],
    ['month', 7],
    ['year', 4],
  ] as const)
    assert.deepEqual(await rows(`?group=createdAt.${unit}`), [
      { [`createdAt.${unit}`]: now.slice(0, length), count: 8 },
    ])
  assert.deepEqual(await rows('?group=subject&q=bee'), [{ subject: 'Nature', count: 1 }])
  assert.deepEqual(await rows('?q=ζωη'), [{ count: 1 }])
  const list = await service.ask('GET', `${editions}?price[gte]=7`)
  assert.deepEqual(await rows('?price[gte]=7'), [{ count: list.body.meta.total }])
})

test('limit shows the first groups, and says how many there are', async () => {
  const { body } = await get('?group=subject&sort=-count,subject&limit=2')
  assert.deepEqual(body, {
    data: [
      { subject: 'Fiction', count: 2 },
      { subject: 'Nature', count: 2 },
    ],
    meta: { groups: 6 },
  })
})

test('below a parent, and on other styles of list', async () => {
  assert.deepEqual(await rows('?average=stars&most=stars', `${editions}/${first}/opinions`), [
    { count: 3, average: { stars: 13 / 3 }, most: { stars: 5 } },
  ])
  assert.equal((await get('?average=stars', `${editions}/01926e0f-0000-7000-8000-000000000001/opinions`)).status, 404)
  assert.deepEqual(await rows('', '/shelves'), [{ count: 0 }])
  assert.deepEqual(await rows('', '/api/v1/shelves'), [{ count: 0 }])
  assert.equal((await get('', '/api/v1/letters', user.token)).body.data[0].count, 0)
})

test('its rule is the list’s, and fields that the caller may not read do not exist', async () => {
  assert.equal((await get('', '/api/v1/members')).status, 401)
  assert.equal((await get('', '/api/v1/members', user.token)).status, 403)
  for (const published of [true, false])
    await service.ask('POST', '/api/v1/articles', { token: editor.token, body: { title: 'A', published } })
  const byPublished = async (token?: string) => (await get('?group=published', '/api/v1/articles', token)).body.data
  assert.deepEqual(await byPublished(), [{ published: true, count: 1 }])
  assert.deepEqual(await byPublished(editor.token), [
    { published: false, count: 1 },
    { published: true, count: 1 },
  ])
  assert.deepEqual((await get('?sum=cost&subject=Nature', editions, editor.token)).body.data, [
    { count: 2, sum: { cost: 1 } },
  ])
  const hidden = await get('?sum=cost', editions, user.token)
  assert.deepEqual([hidden.status, hidden.body.error], [400, 'Cannot take the sum of cost; possible: copies, price'])
  const unknown = await get('?sum=zost', editions, user.token)
  assert.equal(unknown.body.error.replace('zost', 'cost'), hidden.body.error)
  assert.equal((await get('?group=cost')).status, 400)
  assert.equal((await get('?least=password', '/api/v1/members', (await service.admin()).token)).status, 400)
})

test('count is asked for by its name, which has a value in QUERY', async () => {
  const all = await get('')
  for (const query of ['?count', '?count=', '?count=true']) assert.deepEqual((await get(query)).body, all.body, query)
  const asked = await service.ask('QUERY', `${editions}/summary`, { body: { count: true } })
  assert.deepEqual([asked.status, asked.body], [200, all.body])
})

test('what cannot be is a clear 400', (t) =>
  check(t, service.ask, [
    {
      it: 'an unknown parameter',
      ask: `GET ${editions}/summary?colour=red`,
      status: 400,
      error: 'Unknown query parameter colour',
    },
    { it: 'pages', ask: `GET ${editions}/summary?page=2`, status: 400, error: 'Unknown query parameter page' },
    { it: 'a value of count', ask: `GET ${editions}/summary?count=no`, status: 400, error: 'count takes no value' },
    { it: 'cursors', ask: `GET ${editions}/summary?cursor=`, status: 400, error: 'Unknown query parameter cursor' },
    { it: 'fields', ask: `GET ${editions}/summary?fields=title`, status: 400, error: 'Unknown query parameter fields' },
    { it: 'a time without a unit', ask: `GET ${editions}/summary?group=createdAt`, status: 400, says: 'createdAt.day' },
    {
      it: 'three fields',
      ask: `GET ${editions}/summary?group=subject,available,price`,
      status: 400,
      error: 'group takes at most 2 fields',
    },
    {
      it: 'one field twice',
      ask: `GET ${editions}/summary?sum=price,price`,
      status: 400,
      error: 'sum names price twice',
    },
    {
      it: 'the sum of a text',
      ask: `GET ${editions}/summary?sum=title`,
      status: 400,
      error: 'Cannot take the sum of title; possible: copies, price',
    },
    {
      it: 'an order by what is not there',
      ask: `GET ${editions}/summary?sort=-sum.price`,
      status: 400,
      error: 'Cannot sort by sum.price; possible: count',
    },
    { it: 'no groups', ask: `GET ${editions}/summary?limit=0`, status: 400, error: 'limit must be from 1 to 1000' },
    { it: 'another method', ask: `POST ${editions}/summary`, send: { body: {} }, status: 405 },
    { it: 'a body’s type', ask: `GET ${editions}/summary`, send: { headers: { accept: 'text/html' } }, status: 406 },
  ]))

test('names may come as several pairs', async () => {
  const [pairs, commas] = await Promise.all([
    service.ask('GET', `${editions}/summary?group=subject&group=available&sum=price&sum=copies`),
    service.ask('GET', `${editions}/summary?group=subject,available&sum=price,copies`),
  ])
  assert.equal(commas.status, 200, commas.text)
  assert.deepEqual(pairs.body, commas.body)
  const filter = await service.ask('GET', `${editions}/summary?subject=a&subject=b`)
  assert.equal(filter.status, 400)
})

test('more groups than anybody reads are refused, with advice', async () => {
  const lines = Array.from({ length: 1_100 }, (_, i) => JSON.stringify({ title: `T${i}`, price: 1, subject: `S${i}` }))
  const imported = await service.ask('POST', `${editions}/import`, {
    key: await service.key(editor, { name: 'import' }),
    raw: lines.join('\n'),
    type: 'application/x-ndjson',
  })
  assert.equal(imported.body.created, 1_100, imported.text)
  const reply = await get('?group=subject')
  assert.deepEqual(
    [reply.status, reply.body.error],
    [400, 'There are more than 1000 groups; narrow the list by a filter, or group by something coarser'],
  )
  assert.equal(((await rows('?group=subject&subject[startsWith]=S10')) as unknown[]).length, 111)
  // A cached response is replaced after records have been created.
  for (let i = 0; i < 4; i += 1) assert.deepEqual(await rows('?price[gte]=7'), [{ count: 5 }])
  await service.ask('POST', editions, { token: editor.token, body: { title: 'New', price: 7 } })
  assert.deepEqual(await rows('?price[gte]=7'), [{ count: 6 }])
})

test('GraphQL asks for the same by what it selects', async () => {
  const run = async (query: string, token?: string) =>
    (await service.ask('POST', '/graphql', { ...(token && { token }), body: { query } })).body
  const grouped =
    await run(`{ editionsSummary(groupBy: [subject, available], filter: {subject: {in: ["Nature", "Fiction"]}}, sort: "-sum.price", limit: 1) {
    subject available createdAt_month count sum { price copies } average { price } most { price createdAt }
  } }`)
  assert.equal(grouped.errors, undefined, JSON.stringify(grouped))
  const [found] = grouped.data.editionsSummary
  assert.match(found.most.createdAt, /Z$/)
  assert.deepEqual(
    { ...found, most: { price: found.most.price } },
    {
      subject: 'Nature',
      available: true,
      createdAt_month: null,
      count: 2,
      sum: { price: 30.3, copies: 4 },
      average: { price: 15.15 },
      most: { price: 20.2 },
    },
  )
  for (let use = 0; use < 4; use += 1) {
    const nested = await run(`{ editionOpinionsSummary(editionId: "${first}") { count average { stars } } }`)
    assert.deepEqual(nested.data, { editionOpinionsSummary: [{ count: 3, average: { stars: 13 / 3 } }] })
  }
  const codes = async (query: string, token?: string) =>
    (await run(query, token)).errors?.map((one: { extensions: { code: string } }) => one.extensions.code)
  assert.deepEqual(await codes('{ membersSummary { count } }', user.token), ['FORBIDDEN'])
  assert.deepEqual(await codes('{ editionsSummary { sum { cost } } }', user.token), ['BAD_USER_INPUT'])
  assert.deepEqual(await codes('{ editionsSummary(sort: "title") { count } }'), ['BAD_USER_INPUT'])
  const wide = 'subject available count sum { price copies } average { price copies } least { price } most { price }'
  assert.deepEqual(await codes(`{ editionsSummary { ${wide} } again: editionsSummary { ${wide} } }`), [
    'GRAPHQL_VALIDATION_FAILED',
  ])
})

test('a text that every object has as a member is a text as any other, also beside words that have new names', async (t) => {
  const crates = defineResource({
    name: 'crate',
    path: '/crates',
    fields: {
      id: id(),
      label: text({ required: true }),
      size: choice(['constructor', 'LARGE'], { required: true, renamedFrom: { BIG: 'LARGE' } }),
    },
    list: { style: 'page', filterable: ['label', 'size'] },
    access: { list: anyone, create: anyone },
  })
  const own = await startOf([...resources, crates])
  t.after(() => own.stop())
  const labels = ['constructor', 'toString', '__proto__']
  for (const label of labels)
    assert.equal((await own.ask('POST', '/api/v1/crates', { body: { label, size: 'constructor' } })).status, 201)
  const listed = await own.ask('GET', '/api/v1/crates')
  assert.deepEqual(
    listed.body.data.map(({ size }: { size: unknown }) => size),
    labels.map(() => 'constructor'),
  )
  const { body } = await own.ask('GET', '/api/v1/crates/summary?group=label,size&sort=label')
  const group = (label: string) => ({ label, size: 'constructor', count: 1 })
  assert.deepEqual(body.data, ['__proto__', 'constructor', 'toString'].map(group))
})

test('no value is no word, also where a word was called "null"', async (t) => {
  const crates = defineResource({
    name: 'crate',
    path: '/crates',
    fields: { id: id(), size: choice(['LARGE', 'SMALL'], { renamedFrom: { null: 'LARGE' } }) },
    list: { style: 'page', filterable: ['size'] },
    access: { list: anyone, get: anyone, create: anyone },
  })
  const own = await startOf([...resources, crates])
  t.after(() => own.stop())
  const made = await own.ask('POST', '/api/v1/crates', { body: { size: null } })
  assert.equal(made.body.size, null)
  assert.equal((await own.ask('GET', `/api/v1/crates/${made.body.id}`)).body.size, null)
  const { body } = await own.ask('GET', '/api/v1/crates/summary?group=size')
  assert.deepEqual(body.data, [{ size: null, count: 1 }])
})

test('the year 0 is 0000, as times are written', async (t) => {
  const finds = defineResource({
    name: 'find',
    path: '/finds',
    fields: { id: id(), madeAt: timestamp({ required: true }) },
    list: { style: 'page', filterable: ['madeAt'], sortable: ['madeAt'] },
    access: { list: anyone, create: anyone },
  })
  const own = await startOf([...resources, finds])
  t.after(() => own.stop())
  const times = ['0000-02-29T12:00:00.000Z', '0000-12-31T23:59:59.999Z', '0001-01-01T00:00:00.000Z']
  for (const madeAt of times) assert.equal((await own.ask('POST', '/api/v1/finds', { body: { madeAt } })).status, 201)
  for (const [unit, length] of [
    ['day', 10],
    ['month', 7],
    ['year', 4],
  ] as const) {
    const { body } = await own.ask('GET', `/api/v1/finds/summary?group=madeAt.${unit}`)
    const groups = [...new Set(times.map((time) => time.slice(0, length)))]
    assert.deepEqual(
      body.data.map((row: Record<string, unknown>) => row[`madeAt.${unit}`]),
      groups,
    )
  }
  const { body } = await own.ask('GET', '/api/v1/finds/summary?least=madeAt&most=madeAt')
  assert.deepEqual([body.data[0].least.madeAt, body.data[0].most.madeAt], [times[0], times[2]])
})
