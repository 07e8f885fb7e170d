/**
 * Filters: the four filters of products by the names in the interface, and every operator on every
 * type of field.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { importProducts, queryOf } from '../helpers/catalogue.ts'
import { check, type Scenario, startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let ids: Record<string, string>
const at = '/api/v1/products'

/** name, category, price, stock, and inStock where stock is not tracked */
const rows: [string, string | null, number, number | null, boolean][] = [
  ['a', 'Tools', 10, null, true],
  ['b', 'tools', 19.99, 0, true],
  ['c', 'Garden Tools', 20, 5, true],
  ['d', null, 0, null, false],
  ['e', '', 99.5, 12, true],
  ['f', '100% Ärger_x', 20.01, null, true],
  ['g', 'STRASSE', 1000, 1, true],
  ['h', 'Ωmega Σίσυφος', 5, null, false],
]

before(async () => {
  service = await startService()
  admin = await service.admin()
  const bodies = rows.map(([name, category, price, stock, inStock]) => ({ name, category, price, stock, inStock }))
  const made = await importProducts(service, bodies)
  ids = Object.fromEntries(made.map((product) => [product.name, product.id]))
})
after(() => service.stop())

/** Each query finds the products with these letters. */
async function finds(
  t: import('node:test').TestContext,
  cases: readonly [Record<string, string>, string][],
): Promise<void> {
  for (const [query, letters] of cases) {
    await t.test(JSON.stringify(query), async () => {
      const reply = await service.ask('GET', `${at}${queryOf({ ...query, sort: 'name', fields: 'name' })}`)
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.body.data.map((one: { name: string }) => one.name).join(''), letters)
      assert.equal(reply.body.meta.total, letters.length)
    })
  }
}

test('the named ones', async (t) => {
  await finds(t, [
    [{}, 'abcdefgh'],
    [{ category: 'Tools' }, 'a'],
    [{ category: 'tools' }, 'b'],
    [{ category: 'Tool' }, ''],
    [{ category: ' Tools' }, ''],
    [{ category: '%' }, ''],
    [{ category: '' }, 'abcdefgh'],
    [{ category: 'null' }, ''],
    [{ inStock: 'true' }, 'acefg'],
    [{ inStock: 'false' }, 'bdh'],
    [{ inStock: '' }, 'bdh'],
    [{ inStock: 'TRUE' }, 'bdh'],
    [{ inStock: '1' }, 'bdh'],
    [{ inStock: 'yes' }, 'bdh'],
    [{ inStock: ' true' }, 'bdh'],
    [{ minPrice: '20' }, 'cefg'],
    [{ maxPrice: '20' }, 'abcdh'],
    [{ minPrice: '19.99', maxPrice: '20' }, 'bc'],
    [{ minPrice: '19.995', maxPrice: '20.005' }, 'c'],
    [{ minPrice: '19.990000001' }, 'cefg'],
    [{ maxPrice: '0' }, 'd'],
    [{ maxPrice: '-1' }, ''],
    [{ minPrice: '-1' }, 'abcdefgh'],
    [{ minPrice: '30', maxPrice: '20' }, ''],
    [{ minPrice: '1e2' }, 'g'],
    [{ minPrice: '99999999999999999999' }, ''],
    [{ maxPrice: '99999999999999999999' }, 'abcdefgh'],
    [{ minPrice: '-99999999999999999999', maxPrice: '0.001' }, 'd'],
    [{ category: 'Tools', inStock: 'false' }, ''],
    [{ category: 'Tools', inStock: 'true', minPrice: '10', maxPrice: '10' }, 'a'],
    [{ inStock: 'true', minPrice: '20', 'stock[gt]': '1' }, 'ce'],
    [{ minPrice: '10', 'price[gte]': '20' }, 'cefg'],
  ])
  const bare = await service.ask('GET', `${at}?inStock&sort=name&fields=name`)
  assert.equal(bare.body.meta.total, 3, 'inStock without a value is empty')
  const bad = [
    'abc',
    '',
    ' ',
    '1,5',
    '1.2.3',
    '10€',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e400',
    '0x10',
    '1_000',
    '--1',
    'null',
    '٣',
    '1 ',
    "1'",
  ]
  const scenarios = bad.flatMap((value): Scenario[] => [
    { it: value, ask: `GET ${at}${queryOf({ minPrice: value })}`, status: 400, says: 'minPrice' },
    { it: value, ask: `GET ${at}${queryOf({ maxPrice: value })}`, status: 400, says: 'maxPrice' },
    { it: value, ask: `GET ${at}${queryOf({ 'price[lt]': value })}`, status: 400, says: 'price[lt]' },
  ])
  await check(t, service.ask, scenarios)
})

test('every operator on numbers and money', async (t) => {
  await finds(t, [
    [{ price: '20' }, 'c'],
    [{ price: '20.00' }, 'c'],
    [{ 'price[ne]': '20' }, 'abdefgh'],
    [{ 'price[gt]': '20' }, 'efg'],
    [{ 'price[gte]': '20' }, 'cefg'],
    [{ 'price[lt]': '10' }, 'dh'],
    [{ 'price[lte]': '10' }, 'adh'],
    [{ 'price[in]': '10,19.99,77' }, 'ab'],
    [{ 'price[in]': ' 10 , 0' }, 'ad'],
    [{ 'price[null]': 'true' }, ''],
    [{ 'price[null]': 'false' }, 'abcdefgh'],
    [{ stock: '0' }, 'b'],
    [{ stock: '5' }, 'c'],
    [{ 'stock[ne]': '5' }, 'abdefgh'],
    [{ 'stock[gt]': '0' }, 'ceg'],
    [{ 'stock[lt]': '5' }, 'bg'],
    [{ 'stock[null]': 'true' }, 'adfh'],
    [{ 'stock[null]': 'false' }, 'bceg'],
    [{ 'stock[in]': '0,1' }, 'bg'],
    [{ 'stock[gte]': '1', 'stock[lte]': '5' }, 'cg'],
  ])
})

test('every operator on texts: without case by Unicode, nothing special', async (t) => {
  await finds(t, [
    [{ name: 'a' }, 'a'],
    [{ 'category[ne]': 'Tools' }, 'bcdefgh'],
    [{ 'category[null]': 'true' }, 'd'],
    [{ 'category[null]': 'false' }, 'abcefgh'],
    [{ 'category[in]': 'Tools,tools' }, 'ab'],
    [{ 'category[in]': 'Tools,' }, 'ae'],
    [{ 'category[in]': 'x' }, ''],
    [{ 'category[gt]': 'a' }, 'bh'],
    [{ 'category[contains]': 'TOOL' }, 'abc'],
    [{ 'category[contains]': 'n t' }, 'c'],
    [{ 'category[contains]': 'ä' }, 'f'],
    [{ 'category[contains]': 'ÄRGER' }, 'f'],
    [{ 'category[contains]': 'A\u0308rger' }, 'f'],
    [{ 'category[contains]': 'straße' }, 'g'],
    [{ 'category[contains]': 'straẞe' }, 'g'],
    [{ 'category[contains]': 'ΣΊΣΥΦΟΣ' }, 'h'],
    [{ 'category[contains]': 'σίσυφος' }, 'h'],
    [{ 'category[contains]': '%' }, 'f'],
    [{ 'category[contains]': '_' }, 'f'],
    [{ 'category[contains]': 'T%s' }, ''],
    [{ 'category[contains]': '*' }, ''],
    [{ 'category[startsWith]': 'tool' }, 'ab'],
    [{ 'category[startsWith]': 'GARDEN T' }, 'c'],
    [{ 'category[startsWith]': 'ω' }, 'h'],
    [{ 'category[startsWith]': '1__%' }, ''],
    [{ 'category[startsWith]': 'ools' }, ''],
    [{ 'description[null]': 'true' }, 'abcdefgh'],
  ])
})

test('every operator on truth, ids and times', async (t) => {
  const { a = '', b = '', c = '' } = ids
  const soon = new Date(Date.now() + 60_000).toISOString()
  await finds(t, [
    [{ 'inStock[ne]': 'true' }, 'bdh'],
    [{ 'inStock[in]': 'true,false' }, 'abcdefgh'],
    [{ 'inStock[null]': 'false' }, 'abcdefgh'],
    [{ 'inStock[gt]': 'false' }, 'acefg'],
    [{ 'inStock[gte]': 'false' }, 'abcdefgh'],
    [{ 'inStock[lt]': 'true' }, 'bdh'],
    [{ 'inStock[lte]': 'false' }, 'bdh'],
    [{ 'id[gt]': ids.g ?? '' }, 'h'],
    [{ 'id[gte]': (ids.g ?? '').toUpperCase() }, 'gh'],
    [{ 'id[lt]': b }, 'a'],
    [{ 'id[lte]': b }, 'ab'],
    [{ 'id[startsWith]': a.slice(0, 35).toUpperCase(), 'id[gte]': a, 'id[lte]': a }, 'a'],
    [{ 'id[startsWith]': a.slice(1) }, ''],
    [{ 'id[contains]': a.slice(1).toUpperCase() }, 'a'],
    [{ 'id[contains]': 'x' }, ''],
    [{ id: a }, 'a'],
    [{ id: a.toUpperCase() }, 'a'],
    [{ 'id[in]': `${a},${c}` }, 'ac'],
    [{ 'id[ne]': b }, 'acdefgh'],
    [{ 'createdAt[gte]': '2020-01-01T00:00:00Z' }, 'abcdefgh'],
    [{ 'createdAt[gte]': '2020-01-01' }, 'abcdefgh'],
    [{ 'createdAt[gt]': soon }, ''],
    [{ 'createdAt[lt]': soon }, 'abcdefgh'],
    [{ 'createdAt[lt]': '2999-01-01T00:00:00+14:00' }, 'abcdefgh'],
    [{ 'updatedAt[lte]': '2020-01-01T00:00:00.000Z' }, ''],
  ])
})

test('lists and other resources', async () => {
  const { ask } = service
  const user = await service.person()
  for (const [title, tags] of [
    ['one', ['x', 'y']],
    ['two', ['xy']],
    ['three', []],
  ] as const) {
    await ask('POST', '/api/v1/posts', { body: { title, tags, published: true }, token: user.token })
  }
  const titles = async (query: string) =>
    (await ask('GET', `/api/v1/posts?sort=title&${query}`)).body.data.map((post: { title: string }) => post.title)
  assert.deepEqual(await titles('tags[contains]=x'), ['one'])
  assert.deepEqual(await titles('tags=xy'), ['two'])
  assert.deepEqual(await titles('tags[contains]='), [])
  assert.deepEqual(await titles('tags[eq]=y'), ['one'])
  assert.deepEqual(await titles('tags[in]=y,xy,z'), ['one', 'two'])
  assert.deepEqual(await titles('tags[in]=z'), [])
  assert.deepEqual(await titles('tags[null]=true'), [])
  assert.deepEqual(await titles('tags[null]=false'), ['one', 'three', 'two'])
  assert.deepEqual(await titles(`authorId[startsWith]=${user.id.slice(0, 8)}&tags=x`), ['one'])
  assert.deepEqual(await titles(`authorId[lt]=${user.id}`), [])
  assert.deepEqual(await titles(`authorId=${user.id}&title[startsWith]=T`), ['three', 'two'])
  const users = async (query: string) =>
    (await ask('GET', `/api/v1/users?${query}`, { token: admin.token })).body.meta?.total
  assert.equal(await users('email=ADMIN@example.COM'), 1, 'e-mail ignores case')
  assert.equal(await users('role=ADMIN'), 1)
  assert.equal(await users('role[in]=ADMIN,USER'), 2)
  assert.equal(await users('role[contains]=m'), 1, 'a part of a word, in any case')
  assert.equal(await users('role[contains]=x'), 0)
  assert.equal(await users('role[startsWith]=us'), 1)
  assert.equal(await users('role[startsWith]=ser'), 0)
  assert.equal(await users('role[gt]=EDITOR'), 1)
  assert.equal((await ask('GET', '/api/v1/users?role=BOSS', { token: admin.token })).status, 400)
})
