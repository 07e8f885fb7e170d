/**
 * Carts and checkout: exactly one open cart for each user, current prices, exact sums, and an order
 * of the whole cart or none.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let ann: TestPerson
let bob: TestPerson

before(async () => {
  service = await startService({ CURRENCY: 'EUR' })
  ;[admin, ann, bob] = await Promise.all([service.admin(), service.person(), service.person()])
})
after(() => service.stop())

const cartOf = (person: TestPerson) => `/api/v1/users/${person.id}/cart`
const read = async (person: TestPerson) => (await service.ask('GET', cartOf(person), { token: person.token })).body
const add = (person: TestPerson, productId: string, quantity: unknown = 1) =>
  service.ask('POST', `${cartOf(person)}/items`, { body: { productId, quantity }, token: person.token })
const checkout = (person: TestPerson) => service.ask('POST', `${cartOf(person)}/checkout`, { token: person.token })
const product = async (extra: object = {}) =>
  (await service.ask('POST', '/api/v1/products', { body: { name: 'Thing', price: 1, ...extra }, token: admin.token }))
    .body
const change = (id: string, body: object) =>
  service.ask('PATCH', `/api/v1/products/${id}`, { body, token: admin.token })
const stockOf = async (id: string) => (await service.ask('GET', `/api/v1/products/${id}`)).body

async function empty(person: TestPerson): Promise<void> {
  for (const item of (await read(person)).items) {
    assert.equal(
      (await service.ask('DELETE', `${cartOf(person)}/items/${item.id}`, { token: person.token })).status,
      204,
    )
  }
}
beforeEach(async () => {
  await empty(ann)
  await empty(bob)
})

describe('a cart', () => {
  it('is there when it is first read, once, also when many read at the same time', async () => {
    const person = await service.person()
    const replies = await Promise.all(Array.from({ length: 8 }, () => read(person)))
    assert.equal(new Set(replies.map((cart) => cart.id)).size, 1)
    const { id, updatedAt, ...rest } = replies[0]
    assert.ok(id && updatedAt)
    assert.deepEqual(rest, { userId: person.id, items: [], subtotal: 0, itemCount: 0, currency: 'EUR' })
  })

  it('takes a first item without having been read, also many at the same time', async () => {
    const person = await service.person()
    const things = await Promise.all([product(), product(), product()])
    const replies = await Promise.all(things.map(({ id }) => add(person, id)))
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [201, 201, 201],
    )
    assert.equal((await read(person)).items.length, 3)
  })

  it('adds to the quantity of a product that is already there', async () => {
    const { id } = await product({ price: 2.5 })
    assert.equal((await add(ann, id, 2)).body.quantity, 2)
    const second = await add(ann, id, 3)
    assert.deepEqual([second.body.quantity, second.body.unitPrice, second.body.lineTotal], [5, 2.5, 12.5])
    const cart = await read(ann)
    assert.deepEqual([cart.items.length, cart.itemCount, cart.subtotal], [1, 5, 12.5])
    await Promise.all(Array.from({ length: 5 }, () => add(ann, id)))
    assert.equal((await read(ann)).itemCount, 10)
  })

  const wrong: [unknown, number, string][] = [
    [0, 400, 'quantity must be from 1 to 999'],
    [-1, 400, 'quantity must be from 1 to 999'],
    [1000, 400, 'quantity must be from 1 to 999'],
    [1.5, 400, 'quantity must be an integer'],
    ['1', 400, 'quantity must be an integer'],
    [null, 400, 'quantity is required'],
  ]
  for (const [quantity, status, error] of wrong) {
    it(`refuses a quantity of ${JSON.stringify(quantity)}`, async () => {
      const reply = await add(ann, (await product()).id, quantity)
      assert.deepEqual([reply.status, reply.body], [status, { error }])
      assert.equal((await read(ann)).itemCount, 0)
    })
  }

  it('holds 999 of a thing and not one more', async () => {
    const { id } = await product()
    assert.equal((await add(ann, id, 998)).status, 201)
    assert.equal((await add(ann, id, 1)).status, 201)
    const reply = await add(ann, id, 1)
    assert.deepEqual([reply.status, reply.body], [400, { error: 'quantity must be from 1 to 999' }])
    assert.equal((await read(ann)).itemCount, 999)
  })

  it('refuses a product that does not exist, and prices of the caller', async () => {
    const nothing = await add(ann, '01926e0f-0000-7000-8000-000000000000')
    assert.deepEqual([nothing.status, nothing.body], [400, { error: 'productId refers to no product that exists' }])
    const { id } = await product()
    for (const field of ['unitPrice', 'lineTotal', 'cartId']) {
      const body = { productId: id, quantity: 1, [field]: 0.01 }
      const reply = await service.ask('POST', `${cartOf(ann)}/items`, { body, token: ann.token })
      assert.equal(reply.status, 400, field)
    }
    assert.equal((await read(ann)).itemCount, 0)
  })

  it('shows the price of the moment, and loses what is no longer sold', async () => {
    const [a, b] = [await product({ price: 1.1 }), await product({ price: 7 })]
    await add(ann, a.id, 3)
    await add(ann, b.id)
    assert.equal((await read(ann)).subtotal, 10.3)
    await change(a.id, { price: 2.2 })
    assert.equal((await read(ann)).subtotal, 13.6)
    await service.ask('DELETE', `/api/v1/products/${b.id}`, { token: admin.token })
    assert.equal((await read(ann)).subtotal, 6.6)
  })

  it('sums many cents exactly', async () => {
    const things = await Promise.all([0.1, 0.2, 0.7, 1.15, 19.99, 1.005e2, 0.01].map((price) => product({ price })))
    for (const { id } of things) await add(ann, id, 333)
    const cart = await read(ann)
    assert.equal(cart.subtotal, (333 * (10 + 20 + 70 + 115 + 1999 + 10050 + 1)) / 100)
    for (const item of cart.items) assert.equal(item.lineTotal, Math.round(item.unitPrice * 100 * 333) / 100)
  })

  it('changes an item in its place, and not into another product', async () => {
    const [a, b] = [await product(), await product()]
    const item = (await add(ann, a.id)).body
    const path = `${cartOf(ann)}/items/${item.id}`
    assert.equal((await service.ask('PATCH', path, { body: { quantity: 7 }, token: ann.token })).body.quantity, 7)
    assert.equal((await service.ask('PATCH', path, { body: { productId: b.id }, token: ann.token })).status, 400)
    assert.equal((await service.ask('GET', path, { token: bob.token })).status, 404)
    const crossed = `${cartOf(bob)}/items/${item.id}`
    for (const method of ['GET', 'DELETE'])
      assert.equal((await service.ask(method, crossed, { token: bob.token })).status, 404, method)
    assert.equal((await service.ask('DELETE', crossed, { token: admin.token })).status, 404)
    assert.equal((await read(ann)).itemCount, 7)
  })
})

describe('checkout', () => {
  it('makes an order with the names and prices of the moment, lowers tracked stock and empties the cart', async () => {
    const [tracked, free] = [
      await product({ name: 'Cup', price: 3.33, stock: 5 }),
      await product({ name: 'Song', price: 0.99 }),
    ]
    await add(ann, tracked.id, 5)
    await add(ann, free.id, 2)
    const reply = await checkout(ann)
    assert.equal(reply.status, 201)
    assert.equal(reply.headers.get('location'), `/api/v1/orders/${reply.body.id}`)
    const { items, status, subtotal, total, itemCount, currency, userId, cancelledAt } = reply.body
    assert.deepEqual(
      { status, subtotal, total, itemCount, currency, userId, cancelledAt },
      {
        status: 'PENDING',
        subtotal: 18.63,
        total: 18.63,
        itemCount: 7,
        currency: 'EUR',
        userId: ann.id,
        cancelledAt: null,
      },
    )
    const lines = items.map(({ productName, unitPrice, quantity, lineTotal }: Record<string, unknown>) => ({
      productName,
      unitPrice,
      quantity,
      lineTotal,
    }))
    assert.deepEqual(
      lines.sort((a: { productName: string }, b: { productName: string }) => (a.productName < b.productName ? -1 : 1)),
      [
        { productName: 'Cup', unitPrice: 3.33, quantity: 5, lineTotal: 16.65 },
        { productName: 'Song', unitPrice: 0.99, quantity: 2, lineTotal: 1.98 },
      ],
    )
    const left = await stockOf(tracked.id)
    assert.deepEqual([left.stock, left.inStock], [0, false])
    assert.equal((await read(ann)).itemCount, 0)

    await change(tracked.id, { name: 'Mug', price: 99 })
    await service.ask('DELETE', `/api/v1/products/${free.id}`, { token: admin.token })
    const later = (await service.ask('GET', `/api/v1/orders/${reply.body.id}`, { token: ann.token })).body
    assert.equal(later.total, 18.63)
    assert.deepEqual(later.items.map((item: { productName: string }) => item.productName).sort(), ['Cup', 'Song'])
  })

  it('refuses an empty cart', async () => {
    const reply = await checkout(ann)
    assert.deepEqual([reply.status, reply.body], [409, { error: 'The cart is empty' }])
  })

  const refusals: [string, object, object, string][] = [
    ['out of stock', {}, { inStock: false }, 'Rare is not in stock'],
    ['sold out meanwhile', { stock: 9 }, { stock: 0 }, 'Rare is not in stock'],
    ['too few', { stock: 9 }, { stock: 2 }, 'Only 2 of Rare in stock'],
  ]
  for (const [what, first, then, error] of refusals) {
    it(`changes nothing when one thing is ${what}`, async () => {
      const [fine, rare] = [await product({ stock: 10 }), await product({ name: 'Rare', ...first })]
      await add(ann, fine.id, 4)
      await add(ann, rare.id, 3)
      await change(rare.id, then)
      const orders = async () =>
        (await service.ask('GET', `/api/v1/users/${ann.id}/orders`, { token: ann.token })).body.meta.total
      const before = await orders()
      const reply = await checkout(ann)
      assert.deepEqual([reply.status, reply.body], [409, { error }])
      assert.equal((await stockOf(fine.id)).stock, 10)
      assert.equal((await read(ann)).itemCount, 7)
      assert.equal(await orders(), before)
    })
  }

  it('refuses a total that could not be exact', async () => {
    await add(ann, (await product({ price: 1e12 })).id, 999)
    const reply = await checkout(ann)
    assert.deepEqual([reply.status, reply.body], [409, { error: 'The total is too large to be exact' }])
    assert.equal((await read(ann)).itemCount, 999)
  })

  it('sells the last piece once', async () => {
    const { id } = await product({ stock: 1 })
    await add(ann, id)
    await add(bob, id)
    const replies = await Promise.all([checkout(ann), checkout(bob)])
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409])
    assert.equal((await stockOf(id)).stock, 0)
  })

  it('sells a cart once, however often it is sent', async () => {
    const { id } = await product({ stock: 10 })
    await add(ann, id, 2)
    const replies = await Promise.all([checkout(ann), checkout(ann), checkout(ann)])
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409])
    assert.equal((await stockOf(id)).stock, 8)
  })
})
