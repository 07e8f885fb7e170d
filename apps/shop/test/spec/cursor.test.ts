/**
 * Paging by cursor: every list but the books', in any sort, gives the same records as numbered
 * pages do. Also: the list of messages.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { importProducts, type Product, queryOf, readByCursor, readPages } from '../helpers/catalogue.ts'
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
const v1 = '/api/v1'
const at = `${v1}/products`
const invalid = 'Invalid cursor'

before(async () => {
  service = await startService()
  admin = await service.admin()
  const categories = ['Tools', null, 'Ä "quoted"', '', 'tools']
  const bodies = Array.from({ length: 60 }, (_, i) => ({
    name: `N${i % 6}`,
    category: categories[i % 5],
    price: (i % 7) * 1.1,
    stock: i % 4 === 0 ? null : i % 3,
  }))
  all = await importProducts(
    service,
    bodies.map((body) => ({ ...body, price: Math.round(body.price * 100) / 100 })),
  )
})
after(() => service.stop())

const get = (query: string) => service.ask('GET', at + query)
const ids = (records: readonly { readonly [name: string]: unknown }[]) => records.map((record) => record.id)

test('the same records in the same order as the pages, by any sort', async (t) => {
  const sorts = [
    '',
    'id',
    '-id',
    'price',
    '-price',
    'category',
    '-category',
    'stock',
    '-stock',
    'category,-stock',
    '-category,stock,-price',
    'stock,-category,name,-price',
    '-stock,-category,-name',
    'createdAt,-price',
    'category,stock,price,name,-createdAt,updatedAt,-id',
  ]
  for (const sort of sorts) {
    for (const limit of ['1', '7', '100']) {
      if (limit === '1' && !sort.includes(',-')) continue
      await t.test(`${sort || 'default'} by ${limit}`, async () => {
        const paged = await readPages(get, { sort, limit: '50' })
        const walked = await readByCursor(get, { sort, limit })
        assert.deepEqual(walked, paged.records)
        assert.equal(walked.length, all.length)
      })
    }
  }
  const filtered = { 'stock[null]': 'false', minPrice: '2', q: 'n', sort: '-category,price', fields: 'name' }
  const paged = await readPages(get, { ...filtered, limit: '9' })
  assert.ok(paged.total > 10)
  assert.deepEqual(await readByCursor(get, { ...filtered, limit: '4' }), paged.records)
})

test('the last page says so, also when it is full, and meta has two members', async () => {
  const exact = await get('?cursor=&limit=30&sort=id')
  assert.deepEqual(Object.keys(exact.body), ['success', 'data', 'meta'])
  assert.equal(exact.body.meta.limit, 30)
  const last = await get(queryOf({ cursor: exact.body.meta.nextCursor, limit: '30', sort: 'id' }))
  assert.deepEqual(last.body.meta, { limit: 30, nextCursor: null })
  assert.equal(last.body.data.length, 30)
  assert.deepEqual((await get('?cursor=&name=nobody')).body, {
    success: true,
    data: [],
    meta: { limit: 20, nextCursor: null },
  })
  assert.equal((await get('?cursor=&limit=0')).body.meta.limit, 20)
  assert.equal((await get('?cursor=&limit=1000')).body.meta.limit, 100)
})

test('every list has it', async () => {
  const { ask } = service
  const [user, editor] = [await service.person(), await service.person('EDITOR')]
  const people = [user, editor, ...(await Promise.all([1, 2, 3].map(() => service.key(user))))]
  assert.equal(people.length, 5)
  const product = all[0] as Product
  for (const person of [user, editor, admin])
    await ask('POST', `${at}/${product.id}/reviews`, { body: { rating: 4 }, token: person.token })
  for (const title of ['a', 'b', 'c'])
    await ask('POST', `${v1}/posts`, { body: { title, published: true }, token: user.token })
  for (let i = 0; i < 3; i += 1) {
    await ask('PATCH', `${at}/${product.id}`, { body: { stock: null, inStock: true }, token: editor.token })
    await ask('POST', `${v1}/users/${user.id}/cart/items`, {
      body: { productId: product.id, quantity: 1 },
      token: user.token,
    })
    checkReply({ status: 201 }, await ask('POST', `${v1}/users/${user.id}/cart/checkout`, { token: user.token }))
  }
  const lists = [
    `${at}/${product.id}/reviews`,
    `${v1}/reviews`,
    `${v1}/posts`,
    `${v1}/users`,
    `${v1}/orders`,
    `${v1}/users/${user.id}/orders`,
    `${v1}/api-keys`,
    `${v1}/sessions`,
  ]
  for (const path of lists) {
    for (const sort of ['', 'id', '-id']) {
      const read = (query: string) => ask('GET', path + query, { token: admin.token })
      const paged = await readPages(read, { sort, limit: '2' })
      assert.ok(paged.total >= 3, path)
      assert.deepEqual(ids(await readByCursor(read, { sort, limit: '2' })), ids(paged.records), path)
    }
  }
  const names = (query: string) => ask('GET', `${v1}/users${query}`, { token: admin.token })
  assert.deepEqual(
    ids(await readByCursor(names, { sort: 'name,-email', limit: '1' })),
    ids((await readPages(names, { sort: 'name,-email' })).records),
    'a name may be null',
  )
  const orderId = (await ask('GET', `${v1}/orders?limit=1`, { token: admin.token })).body.data[0].id
  assert.equal(
    (
      await readByCursor((query) => ask('GET', `${v1}/orders/${orderId}/items${query}`, { token: user.token }), {
        limit: '1',
      })
    ).length,
    1,
  )
})

test('messages: newest first, the cursor is the _id of the last one, and outlives it', async (t) => {
  const { ask } = service
  const [a, b, c] = [await service.person(), await service.person(), await service.person()]
  const sent: string[] = []
  for (let i = 0; i < 45; i += 1) {
    const [from, to] = i % 2 === 0 ? [a, b] : [b, a]
    const made = await ask('POST', '/messages', { body: { recipientId: to.id, text: `m${i}` }, token: from.token })
    sent.unshift(made.body._id)
  }
  await ask('POST', '/messages', { body: { recipientId: c.id, text: 'not for a' }, token: b.token })
  const read = (query: string, person = a) => ask('GET', `/messages${query}`, { token: person.token })
  const first = await read('')
  assert.deepEqual(Object.keys(first.body), ['data', 'meta'])
  assert.deepEqual(idsOf(first), sent.slice(0, 20))
  assert.deepEqual(first.body.meta, { limit: 20, nextCursor: sent[19] })
  assert.deepEqual((await read('?cursor=')).body, first.body)
  const second = await read(`?cursor=${sent[19]}&limit=25`)
  assert.deepEqual(idsOf(second), sent.slice(20))
  assert.deepEqual(second.body.meta, { limit: 25, nextCursor: null })
  const even = first.body.data.find((message: { senderId: string }) => message.senderId === a.id)._id
  checkReply({ status: 204 }, await ask('DELETE', `/messages/${even}`, { token: a.token }))
  const left = sent.filter((one) => one !== even)
  assert.deepEqual(idsOf(await read(`?cursor=${even}&limit=100`)), sent.slice(sent.indexOf(even) + 1))
  assert.deepEqual(
    await readByCursor((query) => read(query), { limit: '4', fields: 'text' }).then((all) => all.map((one) => one._id)),
    left,
  )
  assert.deepEqual(
    await readByCursor((query) => read(query), { limit: '4', senderId: b.id }).then((all) =>
      all.every((one) => one.senderId === b.id),
    ),
    true,
  )
  assert.deepEqual(idsOf(await read(`?cursor=${sent[30]}&limit=1`, c)), [], 'only the own ones, whatever the cursor')
  const bad = ['abc', '1', `${sent[0]}x`, '%7B%7D', sent[0]?.replaceAll('-', ''), '*']
  await check(
    t,
    askWith(ask, { token: a.token }),
    bad.map(
      (cursor): Scenario => ({ it: 'no cursor', ask: `GET /messages?cursor=${cursor}`, status: 400, error: invalid }),
    ),
  )
  checkReply({ status: 400 }, await read('?cursor=&page=1'))
})
