/**
 * A hundred requests at once: uniqueness, stock, versions and ids hold, and no request gets a 500
 * or a 503.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  checkReply,
  password,
  startService,
  type TestPerson,
  type TestResponse,
  type TestService,
} from '../helpers/service.ts'

let service: TestService
let editor: TestPerson
const v1 = '/api/v1'
const hundred = Array.from({ length: 100 }, (_, i) => i)

before(async () => {
  service = await startService()
  editor = await service.person('EDITOR')
})
after(() => service.stop())

function tally(replies: readonly TestResponse[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(Object.groupBy(replies, (reply) => reply.status)).map(([status, some]) => [
      status,
      some?.length ?? 0,
    ]),
  )
}

function product(body: object): Promise<TestResponse> {
  return service.ask('POST', `${v1}/products`, { body: { name: 'Rare', price: 1, ...body }, token: editor.token })
}

test('one e-mail, a hundred sign-ups', async () => {
  const replies = await Promise.all(
    hundred.map((i) =>
      service.ask('POST', `${v1}/users`, {
        body: { email: i % 2 ? 'Same@Example.com' : 'same@example.COM', password },
      }),
    ),
  )
  assert.deepEqual(tally(replies), { 201: 1, 409: 99 })
  for (const reply of replies)
    if (reply.status === 409) checkReply({ status: 409, error: 'email is already taken' }, reply)
  const admin = await service.admin()
  const list = await service.ask('GET', `${v1}/users?email=same@example.com`, { token: admin.token })
  assert.equal(list.body.meta.total, 1)
})

test('the last piece makes one order', async () => {
  const { ask } = service
  const { body: rare } = await product({ stock: 1 })
  const buyers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => service.person()))
  for (const { id, token } of buyers) {
    checkReply(
      { status: 201 },
      await ask('POST', `${v1}/users/${id}/cart/items`, { body: { productId: rare.id, quantity: 1 }, token }),
    )
  }
  const orders = await Promise.all(
    buyers.map(({ id, token }) => ask('POST', `${v1}/users/${id}/cart/checkout`, { token })),
  )
  assert.deepEqual(tally(orders), { 201: 1, 409: 5 })
  checkReply({ status: 200, says: '"inStock":false,"stock":0' }, await ask('GET', `${v1}/products/${rare.id}`))
  const all = await ask('GET', `${v1}/orders`, { token: editor.token })
  assert.equal(all.body.meta.total, 1)
  const winner = orders.findIndex((reply) => reply.status === 201)
  for (const [i, { id, token }] of buyers.entries()) {
    const cart = await ask('GET', `${v1}/users/${id}/cart`, { token })
    assert.equal(cart.body.itemCount, i === winner ? 0 : 1)
  }
})

test('one cart checked out at once, by one user, is one order', async () => {
  const { ask } = service
  const { body: plenty } = await product({ stock: 100 })
  const { id, token } = await service.person()
  await ask('POST', `${v1}/users/${id}/cart/items`, { body: { productId: plenty.id, quantity: 3 }, token })
  const orders = await Promise.all(
    hundred.slice(0, 20).map(() => ask('POST', `${v1}/users/${id}/cart/checkout`, { token })),
  )
  assert.deepEqual(tally(orders), { 201: 1, 409: 19 })
  checkReply({ status: 200, says: '"stock":97' }, await ask('GET', `${v1}/products/${plenty.id}`))
  const order = orders.find((reply) => reply.status === 201)?.body.id
  const cancels = await Promise.all(
    hundred.slice(0, 20).map(() => ask('POST', `${v1}/orders/${order}/cancel`, { token })),
  )
  assert.deepEqual(tally(cancels), { 200: 1, 409: 19 })
  checkReply({ status: 200, says: '"stock":100' }, await ask('GET', `${v1}/products/${plenty.id}`))
})

test('a first cart that is read a hundred times at once is one cart', async () => {
  const { id, token } = await service.person()
  const carts = await Promise.all(hundred.map(() => service.ask('GET', `${v1}/users/${id}/cart`, { token })))
  assert.deepEqual(tally(carts), { 200: 100 })
  assert.equal(new Set(carts.map((cart) => cart.body.id)).size, 1)
})

test('items added at once all count', async () => {
  const { body: thing } = await product({ price: 0.1 })
  const { id, token } = await service.person()
  const path = `${v1}/users/${id}/cart`
  const added = await Promise.all(
    hundred.map(() => service.ask('POST', `${path}/items`, { body: { productId: thing.id, quantity: 1 }, token })),
  )
  assert.deepEqual(tally(added), { 201: 100 })
  const cart = (await service.ask('GET', path, { token })).body
  assert.equal(cart.items.length, 1)
  assert.equal(cart.itemCount, 100)
  assert.equal(cart.subtotal, 10)
})

test('patches of one record all count in its version', async () => {
  const { ask } = service
  const { body: book } = await ask('POST', '/books', { body: { title: 'x', author: 'y', year: 1 } })
  const path = `/books/${book.id}`
  const replies = await Promise.all(
    hundred.map((i) => ask('PATCH', path, { body: i % 2 ? { year: i + 1000 } : { title: `t${i}` } })),
  )
  assert.deepEqual(tally(replies), { 200: 100 })
  assert.equal(new Set(replies.map((reply) => reply.headers.get('etag'))).size, 100)
  const last = await ask('GET', path)
  assert.equal(last.headers.get('etag'), '"101"')
  const winner = replies.find((reply) => reply.headers.get('etag') === '"101"')
  assert.deepEqual(last.body, winner?.body)
  const guarded = await Promise.all(
    hundred.map((i) => ask('PATCH', path, { body: { year: i + 1 }, headers: { 'if-match': '"101"' } })),
  )
  assert.deepEqual(tally(guarded), { 200: 1, 412: 99 })
})

test('books made at once have their own ids, and lists stay whole meanwhile', async () => {
  const { ask } = service
  const known = (await ask('GET', '/books')).body.count
  const made = hundred.map((i) =>
    ask('POST', i % 2 ? '/books' : `${v1}/books`, { body: { title: `b${i}`, author: 'z' } }),
  )
  const read = hundred.slice(0, 20).map(() => ask('GET', '/books'))
  const books = await Promise.all(made)
  assert.deepEqual(tally(books), { 201: 100 })
  assert.equal(new Set(books.map((reply) => reply.body.id)).size, 100)
  for (const list of await Promise.all(read)) assert.equal(list.body.count, list.body.data.length)
  assert.equal((await ask('GET', '/books')).body.count, known + 100)
})

test('one review a user and product, one delete', async () => {
  const { ask } = service
  const { body: thing } = await product({})
  const user = await service.person()
  const path = `${v1}/products/${thing.id}/reviews`
  const reviews = await Promise.all(
    hundred.map((i) => ask('POST', path, { body: { rating: (i % 5) + 1 }, token: user.token })),
  )
  assert.deepEqual(tally(reviews), { 201: 1, 409: 99 })
  const deletes = await Promise.all(
    hundred.map(() => ask('DELETE', `${v1}/products/${thing.id}`, { token: editor.token })),
  )
  assert.deepEqual(tally(deletes), { 204: 1, 404: 99 })
  checkReply({ status: 200, says: '"total":0' }, await ask('GET', `${v1}/reviews`))
  assert.deepEqual(
    service.logged.filter((line) => line.startsWith('error')),
    [],
  )
})
