/** What an order took from stock is what its cancellation returns, whatever became of the product meanwhile. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Person, startService, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: Person
let ann: Person
before(async () => {
  service = await startService()
  ;[admin, ann] = await Promise.all([service.admin(), service.person()])
})
after(() => service.stop())

async function product(extra: object = {}): Promise<string> {
  const reply = await service.ask('POST', '/api/v1/products', {
    body: { name: 'Lamp', price: 1, ...extra },
    token: admin.token,
  })
  return reply.body.id
}
const patch = async (id: string, body: object) =>
  assert.equal((await service.ask('PATCH', `/api/v1/products/${id}`, { body, token: admin.token })).status, 200)
const stockOf = async (id: string) => (await service.ask('GET', `/api/v1/products/${id}`)).body.stock
async function order(productId: string, quantity: number) {
  const cart = `/api/v1/users/${ann.id}/cart`
  await service.ask('POST', `${cart}/items`, { body: { productId, quantity }, token: ann.token })
  const reply = await service.ask('POST', `${cart}/checkout`, { token: ann.token })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}
const cancel = (id: string) => service.ask('POST', `/api/v1/orders/${id}/cancel`, { token: ann.token })

it('an order of an untracked product returns nothing to stock that is tracked since', async () => {
  const lamp = await product()
  const { id, items } = await order(lamp, 999)
  assert.ok(!('stockTaken' in items[0]), 'nobody sees what it remembers')
  await patch(lamp, { stock: 5 })
  assert.equal((await cancel(id)).status, 200)
  assert.equal(await stockOf(lamp), 5)
})

it('one of a tracked product returns what it took, unless nothing is tracked any more', async () => {
  const lamp = await product({ stock: 10 })
  const [first, second] = [await order(lamp, 3), await order(lamp, 2)]
  assert.equal(await stockOf(lamp), 5)
  await cancel(first.id)
  assert.equal(await stockOf(lamp), 8)
  await patch(lamp, { stock: null })
  await cancel(second.id)
  assert.equal(await stockOf(lamp), null)
})

it('what would be more than a count can hold is refused as a whole, in REST and GraphQL alike', async () => {
  const lamp = await product({ stock: 10 })
  const { id } = await order(lamp, 5)
  await patch(lamp, { stock: 2 ** 31 - 3 })
  const reply = await cancel(id)
  const query = `mutation { cancelOrder(id: "${id}") { status } }`
  const { errors } = (await service.ask('POST', '/graphql', { body: { query }, token: ann.token })).body
  assert.deepEqual([reply.status, errors[0].message], [409, reply.body.error])
  assert.equal(errors[0].extensions.code, 'CONFLICT')
  assert.equal((await service.ask('GET', `/api/v1/orders/${id}`, { token: ann.token })).body.status, 'PENDING')
  assert.equal(await stockOf(lamp), 2 ** 31 - 3)
})
