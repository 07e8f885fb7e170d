/**
 * Values outside a field's limits: a filter compares them exactly, and a cell of a spreadsheet is
 * never stored as another value.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestService } from 'bindery-server/test'
import { anyone, atLeast, atMost, defineResource, integer, integerId, money, reference, text } from '../../src/index.ts'

const parcels = defineResource({
  name: 'parcel',
  path: '/parcels',
  fields: {
    id: integerId(),
    tag: text({ required: true, maxLength: 3 }),
    price: money(),
    grams: integer({ max: 1000 }),
    insideId: reference('parcel'),
  },
  list: {
    style: 'page',
    sortable: ['id', 'price', 'grams'],
    defaultSort: 'id',
    filters: { minPrice: atLeast('price'), maxPrice: atMost('price'), minGrams: atLeast('grams') },
  },
  access: { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone },
  graphql: { query: { parcels: 'list', parcel: 'get' } },
})

let service: TestService
before(async () => {
  service = await startService([parcels])
  const stored = [
    ['a', 1e12, 1000],
    ['b', -1e12, -(2 ** 31)],
    ['c', 0, 0],
    ['d', null, null],
    ['e', 1.01, 5],
  ] as const
  for (const [tag, price, grams] of stored)
    assert.equal((await service.ask('POST', '/api/v1/parcels', { body: { tag, price, grams } })).status, 201)
})
after(() => service.stop())

const found: readonly (readonly [query: string, tags: string])[] = [
  ['price=5000000000000', ''],
  ['price=-5000000000000', ''],
  ['price[ne]=5000000000000', 'abcde'],
  ['price[lt]=5000000000000', 'abce'],
  ['price[gte]=5000000000000', ''],
  ['price[gt]=-5000000000000', 'abce'],
  ['price[in]=5000000000000,1.01', 'e'],
  ['minPrice=5000000000000', ''],
  ['maxPrice=5000000000000', 'abce'],
  ['price=1000000000000.001', ''],
  ['price[lt]=1000000000000.001', 'abce'],
  ['price[lt]=1e300', 'abce'],
  ['price[gte]=1.0100000000000000000001', 'a'],
  ['grams=1001', ''],
  ['grams[lt]=2147483648', 'abce'],
  ['grams=9007199254740993', ''],
  ['grams[lt]=99999999999999999999', 'abce'],
  ['grams[gt]=-99999999999999999999', 'abce'],
  ['grams[in]=1e300,5', 'e'],
  ['minGrams=9e99', ''],
  ['id=-1', ''],
  ['id[gt]=-1', 'abcde'],
  ['id[in]=1,99999999999999999999', 'a'],
  ['id[lt]=99999999999999999999', 'abcde'],
  ['insideId=99999999999999999999', ''],
  ['tag=abcd', ''],
  ['tag[ne]=abcd', 'abcde'],
  ['tag[in]=abcd,e', 'e'],
  ['tag[contains]=abcd', ''],
  ['tag[startsWith]=abcd', ''],
  ['filter={"not":{"tag":{"eq":"abcd"}}}', 'abcde'],
  ['filter={"price":{"eq":5000000000000}}', ''],
  ['filter={"price":{"lt":5000000000000}}', 'abce'],
  ['filter={"not":{"price":{"in":[5000000000000,0]}}}', 'abde'],
  ['sort=price&limit=2&cursor=&price[lt]=5000000000000', 'bc'],
  ['sort=-price&limit=2&price[lt]=5000000000000', 'ae'],
]
for (const [query, tags] of found)
  test(`${query} finds ${tags === '' ? 'nothing' : tags}`, async () => {
    const reply = await service.ask('GET', `/api/v1/parcels?${query}`)
    assert.equal(reply.status, 200, reply.text)
    const data = reply.body.data as { tag: string }[]
    assert.equal(data.map(({ tag }) => tag).join(''), tags)
    if (reply.body.meta.total !== undefined && data.length < 2) assert.equal(reply.body.meta.total, data.length)
  })

test('GraphQL finds the same, and an id beyond all ids is one of no record', async () => {
  const query = `{
    none: parcels(filter: { price: { eq: 5000000000000 } }) { data { tag } }
    each: parcels(filter: { price: { lt: 1e300 } }) { meta { total } }
    lost: parcel(id: "99999999999999999999") { tag }
  }`
  const { body } = await service.ask('POST', '/graphql', { body: { query } })
  assert.deepEqual(body.data, { none: { data: [] }, each: { meta: { total: 4 } }, lost: null })
  for (const id of ['99999999999999999999', '-1', '9'.repeat(400)])
    for (const method of ['GET', 'DELETE'])
      assert.equal((await service.ask(method, `/api/v1/parcels/${id}`)).status, 404, `${method} ${id}`)
  const walk = await service.ask('GET', '/api/v1/parcels?price[eq]=1e400')
  assert.equal(walk.status, 400)
})
