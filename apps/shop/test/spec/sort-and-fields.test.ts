/**
 * `sort` and `fields` of lists: all keys with ties and nulls, and the fields that no caller can
 * sort by or select. Also: `fields` on a single record.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { importProducts, type Product, queryOf, readPages } from '../helpers/catalogue.ts'
import {
  askWith,
  check,
  checkReply,
  idsOf,
  type Scenario,
  startService,
  type TestPerson,
  type TestService,
} from '../helpers/service.ts'

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

/**
 * Code point order, null first, any number of keys; ids break the remaining ties, in the direction
 * of the last key.
 */
function ordered(keys: readonly string[]): string[] {
  const rank = (value: unknown) =>
    value === null ? Buffer.alloc(0) : typeof value === 'string' ? Buffer.from(`\u0001${value}`) : value
  const compare = (a: unknown, b: unknown): number => {
    const [x, y] = [rank(a), rank(b)]
    if (Buffer.isBuffer(x) && Buffer.isBuffer(y)) return Buffer.compare(x, y)
    if (Buffer.isBuffer(x)) return -1
    if (Buffer.isBuffer(y)) return 1
    return Number(x) - Number(y)
  }
  const descendingLast = keys.at(-1)?.startsWith('-') ?? false
  const whole = [...keys, descendingLast ? '-id' : 'id']
  const one = (a: Product, b: Product): number => {
    for (const key of whole) {
      const name = key.replace(/^-/, '') as keyof Product
      const result = compare(a[name], b[name])
      if (result !== 0) return key.startsWith('-') ? -result : result
    }
    return 0
  }
  return all.toSorted(one).map((product) => product.id)
}

test('sort by any keys: pages neither overlap nor leave out', async (t) => {
  const sorts = [
    '',
    '-createdAt',
    'price',
    '-price',
    'name,-price',
    'category',
    '-category',
    'stock,category',
    '-stock,-category,name',
    'stock,-category,price,-name',
  ]
  const long = ['category,stock,price,name,-createdAt,updatedAt,-id', 'id', '-id', ' name , -price ']
  for (const sort of [...sorts, ...long]) {
    await t.test(sort, async () => {
      const keys = sort === '' ? ['-createdAt'] : sort.split(',').map((key) => key.trim())
      const { records, total } = await readPages(get, { sort, limit: '37' })
      assert.equal(total, 250)
      assert.deepEqual(
        records.map((record) => record.id),
        ordered(keys),
      )
      assert.deepEqual(
        idsOf(await get(queryOf({ sort, limit: '37', page: '3' }))),
        ordered(keys).slice(74, 111),
        'asked again',
      )
    })
  }
  assert.deepEqual(idsOf(await get('')), idsOf(await get('?sort=-createdAt')), 'the default')
})

test('sort refuses what nobody can sort by, and says what can be', async (t) => {
  const sortable = /sortable: id, name, category, .*price, createdAt, updatedAt"/
  const bad = [
    'description',
    'nothing',
    '--price',
    '+price',
    'price desc',
    'price:desc',
    'Price',
    'name,',
    ',name',
    '-',
    'version',
    'row_id',
    '__proto__',
    'constructor',
    'name;drop table products',
    '1',
    'price)',
  ]
  const scenarios: Scenario[] = bad.map((sort) => ({
    it: sort,
    ask: `GET ${at}${queryOf({ sort })}`,
    status: 400,
    says: sortable,
  }))
  await check(t, service.ask, scenarios)
  const hidden: [string, string][] = [
    ['/users', 'password'],
    ['/users', 'passwordHash'],
    ['/users', 'email_folded'],
    ['/api-keys', 'key'],
    ['/api-keys', 'hash'],
    ['/sessions', 'hash'],
    ['/orders', 'items'],
  ]
  const secret: Scenario[] = hidden.map(([path, name]) => ({
    it: name,
    ask: `GET /api/v1${path}?sort=${name}`,
    status: 400,
    says: 'sortable: id',
  }))
  await check(t, askWith(service.ask, { token: admin.token }), secret)
  const nine = 'name,-name,price,stock,category,-price,id,createdAt,updatedAt'
  checkReply({ status: 400 }, await get(`?sort=${nine}`))
})

test('fields: those and the id, in lists and of one record', async (t) => {
  const { ask } = service
  const [first] = all as [Product]
  const one = `${at}/${first.id}`
  const keys = (query: string) => get(`${query}&limit=3`).then((reply) => Object.keys(reply.body.data[0]))
  assert.deepEqual(await keys('?fields=price,name'), ['id', 'name', 'price'])
  assert.deepEqual(await keys('?fields=id'), ['id'])
  assert.deepEqual(await keys('?fields=name,name'), ['id', 'name'])
  assert.deepEqual(await keys('?fields=id%2C%20name%2C%20price'), ['id', 'name', 'price'])
  assert.deepEqual(await keys('?fields='), Object.keys(first))
  await check(t, ask, [
    { it: 'of one', ask: `GET ${one}?fields=name`, status: 200, body: { id: first.id, name: first.name } },
    { it: 'unknown', ask: `GET ${at}?fields=name,nothing`, status: 400, says: 'nothing', hides: ['N1'] },
    { it: 'unknown of one', ask: `GET ${one}?fields=nothing`, status: 400, says: 'nothing' },
    { it: 'another case', ask: `GET ${at}?fields=Name`, status: 400, says: 'Name' },
    { it: 'a star', ask: `GET ${at}?fields=*`, status: 400 },
    { it: 'a column', ask: `GET ${at}?fields=row_id`, status: 400 },
    { it: 'the version', ask: `GET ${at}?fields=version`, status: 400 },
    { it: 'the prototype', ask: `GET ${at}?fields=__proto__`, status: 400 },
    { it: 'the constructor', ask: `GET ${at}?fields=constructor`, status: 400 },
  ])
  const hidden = [
    '/users?fields=password',
    `/users/${admin.id}?fields=password`,
    '/users?fields=email,password',
    '/api-keys?fields=key',
    '/users?fields=passwordHash',
    `/users/${admin.id}/cart?fields=version`,
  ]
  await check(
    t,
    askWith(ask, { token: admin.token }),
    hidden.map((path): Scenario => ({ it: 'hidden', ask: `GET /api/v1${path}`, status: 400, hides: ['argon2', '@'] })),
  )
  const message = await ask('POST', '/messages', { body: { recipientId: admin.id, text: 'hi' }, token: admin.token })
  const messages = await ask('GET', '/messages?fields=text', { token: admin.token })
  assert.deepEqual(messages.body.data, [{ _id: message.body._id, text: 'hi' }])
})
