/**
 * Orders: the callers who see them, their moves from state to state, and the stock that a
 * cancellation returns.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let editor: TestPerson
let ann: TestPerson
let bob: TestPerson

before(async () => {
  service = await startService()
  ;[admin, editor, ann, bob] = await Promise.all([
    service.admin(),
    service.person('EDITOR'),
    service.person(),
    service.person(),
  ])
})
after(() => service.stop())

const product = async (extra: object = {}) =>
  (await service.ask('POST', '/api/v1/products', { body: { name: 'Thing', price: 2, ...extra }, token: admin.token }))
    .body
const get = (path: string, token?: string) => service.ask('GET', `/api/v1/${path}`, { token })
const act = (id: string, action: string, person: TestPerson) =>
  service.ask('POST', `/api/v1/orders/${id}/${action}`, { token: person.token })

async function order(person: TestPerson, productId?: string, quantity = 1): Promise<string> {
  const id = productId ?? (await product()).id
  await service.ask('POST', `/api/v1/users/${person.id}/cart/items`, {
    body: { productId: id, quantity },
    token: person.token,
  })
  const reply = await service.ask('POST', `/api/v1/users/${person.id}/cart/checkout`, { token: person.token })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

/** The moves that bring a new order into each state. */
const ways: Record<string, string[]> = {
  PENDING: [],
  PAID: ['pay'],
  SHIPPED: ['pay', 'ship'],
  DELIVERED: ['pay', 'ship', 'deliver'],
  CANCELLED: ['cancel'],
}
const allowed: Record<string, Record<string, string>> = {
  PENDING: { pay: 'PAID', cancel: 'CANCELLED' },
  PAID: { ship: 'SHIPPED', cancel: 'CANCELLED' },
  SHIPPED: { deliver: 'DELIVERED' },
  DELIVERED: {},
  CANCELLED: {},
}

describe('the states of an order', () => {
  for (const [state, way] of Object.entries(ways)) {
    for (const action of ['pay', 'ship', 'deliver', 'cancel']) {
      const next = allowed[state]?.[action]
      it(`${action} of a ${state} one ${next ? `makes it ${next}` : 'is refused, naming what is allowed'}`, async () => {
        const id = await order(ann)
        for (const step of way) assert.equal((await act(id, step, admin)).status, 200)
        const before = (await get(`orders/${id}`, ann.token)).body
        assert.equal(before.status, state)
        const reply = await act(id, action, admin)
        const after = (await get(`orders/${id}`, ann.token)).body
        if (next) {
          assert.deepEqual([reply.status, reply.body.status, after.status], [200, next, next])
          assert.equal(after.cancelledAt !== null, next === 'CANCELLED')
          return
        }
        const names = Object.keys(allowed[state] ?? {}).join(', ')
        const error = `Cannot ${action} this order, it is ${state}; ${names ? `allowed: ${names}` : 'nothing more is allowed'}`
        assert.deepEqual([reply.status, reply.body], [409, { error }])
        assert.deepEqual(after, before)
      })
    }
  }

  it('take one of several moves that are sent at once', async () => {
    const id = await order(ann)
    const replies = await Promise.all([act(id, 'pay', editor), act(id, 'pay', admin), act(id, 'pay', editor)])
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409, 409])
  })

  it('cannot be written in any other way', async () => {
    const id = await order(ann)
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      assert.equal(
        (
          await service.ask(method, `/api/v1/orders/${id}`, {
            body: method === 'DELETE' ? undefined : { status: 'PAID' },
            token: admin.token,
          })
        ).status,
        405,
      )
    }
    assert.equal((await service.ask('POST', '/api/v1/orders', { body: { total: 0 }, token: admin.token })).status, 405)
    const sent = await service.ask('POST', `/api/v1/orders/${id}/cancel`, {
      body: { status: 'PAID' },
      token: ann.token,
    })
    assert.deepEqual([sent.status, sent.body], [400, { error: 'Unknown field status' }])
  })
})

describe('cancelling', () => {
  it('returns tracked stock, once', async () => {
    const { id: thing } = await product({ stock: 5 })
    const id = await order(ann, thing, 5)
    assert.equal((await get(`products/${thing}`)).body.inStock, false)
    const replies = await Promise.all([act(id, 'cancel', ann), act(id, 'cancel', ann)])
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409])
    const after = (await get(`products/${thing}`)).body
    assert.deepEqual([after.stock, after.inStock], [5, true])
  })

  it('works when a product is gone, and leaves untracked ones alone', async () => {
    const [gone, free] = [await product({ stock: 3 }), await product()]
    await service.ask('POST', `/api/v1/users/${ann.id}/cart/items`, {
      body: { productId: free.id, quantity: 2 },
      token: ann.token,
    })
    const id = await order(ann, gone.id)
    await service.ask('DELETE', `/api/v1/products/${gone.id}`, { token: admin.token })
    const reply = await act(id, 'cancel', ann)
    assert.deepEqual([reply.status, reply.body.status, reply.body.items.length], [200, 'CANCELLED', 2])
    assert.equal((await get(`products/${free.id}`)).body.stock, null)
  })
})

describe('who sees and moves an order', () => {
  it('is its owner and EDITORs; for another it is not there', async () => {
    const id = await order(ann)
    for (const path of [`orders/${id}`, `orders/${id}/items`]) {
      for (const person of [ann, editor, admin]) assert.equal((await get(path, person.token)).status, 200, path)
      const hidden = await get(path, bob.token)
      assert.deepEqual([hidden.status, hidden.body], [404, { error: 'Order not found' }])
      assert.deepEqual((await get(path)).body, { error: 'Token required' })
    }
    const items = (await get(`orders/${id}/items`, ann.token)).body
    assert.deepEqual(items.data, (await get(`orders/${id}`, ann.token)).body.items)
    assert.equal((await get(`orders/${await order(bob)}/items/${items.data[0].id}`, bob.token)).status, 404)
  })

  it("lists all orders to EDITORs alone, and one user's to that user and ADMIN", async () => {
    await order(bob)
    assert.deepEqual((await get('orders', ann.token)).body, { error: 'Insufficient permissions' })
    const all = (await get('orders?limit=100', editor.token)).body
    assert.ok(new Set(all.data.map((one: { userId: string }) => one.userId)).size > 1)
    const own = await get(`users/${ann.id}/orders?limit=100`, ann.token)
    assert.ok(own.body.data.every((one: { userId: string }) => one.userId === ann.id))
    assert.equal((await get(`users/${ann.id}/orders`, admin.token)).status, 200)
    for (const person of [bob, editor])
      assert.deepEqual((await get(`users/${ann.id}/orders`, person.token)).body, { error: 'User not found' })
    const foreign = await get(`users/${bob.id}/orders?userId=${ann.id}`, bob.token)
    assert.equal(foreign.body.meta.total, 0)
  })

  it('cancels for its owner or an ADMIN; an EDITOR sees it but may not', async () => {
    const id = await order(ann)
    const byEditor = await act(id, 'cancel', editor)
    assert.deepEqual([byEditor.status, byEditor.body], [403, { error: 'Insufficient permissions' }])
    assert.deepEqual((await act(id, 'cancel', bob)).body, { error: 'Order not found' })
    assert.equal((await act(id, 'cancel', admin)).status, 200)
    for (const action of ['pay', 'ship', 'deliver'])
      assert.equal((await act(await order(ann), action, ann)).status, 403)
  })
})
