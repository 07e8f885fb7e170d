/**
 * Lists: lenient `page` and `limit`, `meta`, pages beyond the end, and parameters that do not
 * exist.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { importProducts, type Product, queryOf } from '../helpers/catalogue.ts'
import { check, type Scenario, startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let all: Product[]
const at = '/api/v1/products'
const categories = ['Tools', 'tools', 'Ärger', 'Zoo', null]

before(async () => {
  service = await startService()
  admin = await service.admin()
  const bodies = Array.from({ length: 250 }, (_, i) => ({
    name: `N${i % 7}`,
    category: categories[i % 5],
    price: (i % 4) * 10,
    stock: i % 3 === 0 ? null : i % 3,
    description: `d${i}`,
  }))
  all = await importProducts(service, bodies)
})
after(() => service.stop())

function get(query: string) {
  return service.ask('GET', at + query)
}

test('page and limit are lenient', async (t) => {
  const pages: [string, number][] = [
    ...([
      ['', 1],
      ['0', 1],
      ['-1', 1],
      ['-99999999999999999999', 1],
      ['abc', 1],
      ['NaN', 1],
      ['null', 1],
      ['1e1', 1],
      ['0x2', 1],
      ['2x', 1],
    ] as [string, number][]),
    ...([
      ['2', 2],
      ['+2', 2],
      ['2.9', 2],
      ['0.9', 1],
      ['02', 2],
      [' 2', 1],
      ['2.', 1],
      ['.5', 1],
      ['٢', 1],
      ['Infinity', 1],
      ['1,000', 1],
    ] as [string, number][]),
  ]
  for (const [page, expected] of pages) {
    await t.test(`page=${page}`, async () => {
      const reply = await get(queryOf({ page }))
      const meta = {
        page: expected,
        limit: 20,
        total: 250,
        totalPages: 13,
        hasNextPage: true,
        hasPrevPage: expected > 1,
      }
      assert.deepEqual(reply.body.meta, meta)
      assert.equal(reply.body.data.length, 20)
    })
  }
  const limits: [string, number][] = [
    ...([
      ['', 20],
      ['0', 20],
      ['-1', 20],
      ['-0', 20],
      ['0.5', 20],
      ['abc', 20],
      ['1e1', 20],
      ['0x10', 20],
      ['5 ', 20],
      ['٥', 20],
      ['NaN', 20],
    ] as [string, number][]),
    ...([
      ['1', 1],
      ['5', 5],
      ['+5', 5],
      ['5.99', 5],
      ['005', 5],
      ['100', 100],
      ['100.5', 100],
      ['101', 100],
      ['99999999999999999999', 100],
      ['9'.repeat(400), 100],
    ] as [string, number][]),
  ]
  for (const [limit, expected] of limits) {
    await t.test(`limit=${limit.slice(0, 30)}`, async () => {
      const reply = await get(queryOf({ limit }))
      assert.equal(reply.status, 200)
      assert.equal(reply.body.data.length, expected)
      assert.equal(reply.body.meta.limit, expected)
      assert.equal(reply.body.meta.totalPages, Math.ceil(250 / expected))
    })
  }
})

test('the envelope is success, data and six members of meta, in every list of this kind', async () => {
  const lists = [
    '/products',
    '/users',
    '/posts',
    '/orders',
    '/api-keys',
    '/sessions',
    '/reviews',
    `/users/${admin.id}/orders`,
    `/products/${all[0]?.id}/reviews`,
  ]
  for (const path of lists) {
    for (const query of ['', '?page=3', '?limit=1', '?page=1&limit=7']) {
      const reply = await service.ask('GET', `/api/v1${path}${query}`, { token: admin.token })
      assert.equal(reply.status, 200, path + reply.text)
      assert.deepEqual(Object.keys(reply.body), ['success', 'data', 'meta'])
      assert.equal(reply.body.success, true)
      const { page, limit, total, totalPages, hasNextPage, hasPrevPage, ...rest } = reply.body.meta
      assert.deepEqual(rest, {})
      assert.equal(totalPages, Math.ceil(total / limit))
      assert.equal(hasNextPage, page * limit < total)
      assert.equal(hasPrevPage, page > 1)
    }
  }
})

test('far pages are empty, cheap and no error', async (t) => {
  for (const page of [
    '14',
    '999',
    '4294967296',
    '9007199254740991',
    '9007199254740993',
    '1'.repeat(30),
    '9'.repeat(308),
    '9'.repeat(400),
  ]) {
    await t.test(`page=${page.slice(0, 32)}`, async () => {
      const reply = await get(`?page=${page}&limit=100&sort=-price`)
      assert.equal(reply.status, 200)
      const { total, totalPages, hasNextPage, hasPrevPage } = reply.body.meta
      const expected = page === '14' ? [250, 3, false, true] : [250, 3, false, true]
      assert.deepEqual([total, totalPages, hasNextPage, hasPrevPage], expected)
      assert.ok(Number.isFinite(reply.body.meta.page) && reply.body.meta.page > 1)
      assert.deepEqual(reply.body.data, [])
    })
  }
  const last = await get('?page=13')
  assert.equal(last.body.data.length, 10)
  assert.equal(last.body.meta.hasNextPage, false)
})

test('a parameter that is a list may be repeated, which is the same as commas', async () => {
  for (const [repeated, listed] of [
    ['sort=category&sort=-price', 'sort=category,-price'],
    ['fields=name&fields=price', 'fields=name,price'],
    ['category[in]=Tools&category%5Bin%5D=Kitchen', 'category[in]=Tools,Kitchen'],
  ] as const) {
    const [one, other] = await Promise.all([repeated, listed].map((query) => service.ask('GET', `${at}?${query}`)))
    assert.deepEqual([one?.status, one?.body], [200, other?.body], repeated)
  }
})

test('unknown and repeated parameters are refused by name', async (t) => {
  const unknown = [
    'pge=1',
    'Limit=5',
    'offset=3',
    'skip=3',
    'per_page=5',
    'categry=Tools',
    'min_price=3',
    'minprice=3',
    'order=name',
    'filter=x',
    'version=1',
    'search=x',
    '__proto__=1',
    'constructor=1',
    'toString=1',
    'page[gt]=1',
    'sort[name]=1',
    'q[x]=1',
    'page%00=1',
    '=1',
  ]
  await check(
    t,
    service.ask,
    unknown.map((query): Scenario => ({ it: query, ask: `GET ${at}?${query}`, status: 400, hides: ['success'] })),
  )
  const repeated = [
    'page=1&page=1',
    'limit=5&limit=6',
    'category=a&category=b',
    'q=a&q=a',
    'price[gte]=1&price%5Bgte%5D=2',
    'inStock=true&%69nStock=true',
    'cursor=&cursor=',
  ]
  await check(
    t,
    service.ask,
    repeated.map(
      (query): Scenario => ({ it: query, ask: `GET ${at}?${query}`, status: 400, says: query.split(/[[=]/)[0] }),
    ),
  )
  await check(t, service.ask, [
    { it: 'of one record', ask: `GET ${at}/${all[0]?.id}?category=x`, status: 400, says: 'category' },
    { it: 'of a book', ask: 'GET /books/1?author=x', status: 400, says: 'author' },
    {
      it: 'of a create',
      ask: 'POST /books?draft=1',
      send: { body: { title: 'x', author: 'y' } },
      status: 400,
      says: 'draft',
    },
    {
      it: 'of a log-in',
      ask: 'POST /auth/login?next=/',
      send: { body: { email: 'a@b', password: 'x' } },
      status: 400,
      says: 'next',
    },
    { it: 'of the messages', ask: 'GET /messages?page=1', send: { token: admin.token }, status: 400, says: 'page' },
    { it: 'of the messages', ask: 'GET /messages?sort=text', send: { token: admin.token }, status: 400, says: 'sort' },
    { it: 'nothing between ampersands', ask: `GET ${at}?&page=1&&limit=1&`, status: 200 },
    { it: 'a lone question mark', ask: `GET ${at}?`, status: 200 },
  ])
})
