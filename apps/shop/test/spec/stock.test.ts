/**
 * A cancellation returns to stock exactly the count that the order took, also when the product has
 * changed since.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let ann: TestPerson
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

it('a cart that was shown at 50 is not sold at 50,000: what it shows is in its ETag', async () => {
  const lamp = await product({ price: 50 })
  const cart = `/api/v1/users/${ann.id}/cart`
  const item = (
    await service.ask('POST', `${cart}/items`, { body: { productId: lamp, quantity: 1 }, token: ann.token })
  ).body
  const read = (path = cart) => service.ask('GET', path, { token: ann.token })
  const tagOf = async (path?: string) => (await read(path)).headers.get('etag') ?? ''
  const send = (method: string, path: string, tag: string, body?: object) =>
    service.ask(method, path, { token: ann.token, headers: { 'if-match': tag }, ...(body && { body }) })
  const [shown, line] = [await tagOf(), await tagOf(`${cart}/items/${item.id}`)]
  assert.match(shown, /^"\d+-[\w-]+"$/)
  assert.equal(await tagOf(), shown, 'the same as long as it shows the same')
  assert.equal(await tagOf(`${cart}?fields=subtotal`), shown)
  assert.match(await tagOf(`${cart}?fields=id`), /^"\d+"$/)

  await patch(lamp, { price: 50_000 })
  const late = await send('POST', `${cart}/checkout`, shown)
  assert.deepEqual(
    [late.status, late.body.error],
    [412, 'The data that the record shows has changed since it was read; read it again'],
  )
  assert.equal((await send('PATCH', `${cart}/items/${item.id}`, line, { quantity: 2 })).status, 412)
  assert.equal(
    (await send('PATCH', `${cart}/items/${item.id}`, line.replace(/-.*"/, '"'), { quantity: 1 })).status,
    200,
    'by the version alone',
  )
  assert.equal((await read()).body.subtotal, 50_000)
  const now = await tagOf()
  assert.notEqual(now, shown)
  const sold = await send('POST', `${cart}/checkout`, `"99-nothing", ${now}`)
  assert.equal(sold.status, 201, sold.text)
  assert.equal(sold.body.total, 50_000)
  const order = `/api/v1/orders/${sold.body.id}`
  assert.equal(await tagOf(order), sold.headers.get('etag'))
  const before = await tagOf(order)
  await service.ask('DELETE', `/api/v1/products/${lamp}`, { token: admin.token })
  assert.equal((await send('POST', `${order}/cancel`, before)).status, 412, 'a line shows no product any more')
  assert.equal((await send('POST', `${order}/cancel`, await tagOf(order))).status, 200)
})

it('a price that changes during the checkout is not sold at: one of the two waits for the other', async () => {
  const cart = `/api/v1/users/${ann.id}/cart`
  for (let round = 0; round < 6; round += 1) {
    const lamp = await product({ price: 50 })
    await service.ask('POST', `${cart}/items`, { body: { productId: lamp, quantity: 1 }, token: ann.token })
    const etag = (await service.ask('GET', cart, { token: ann.token })).headers.get('etag') ?? ''
    const [sold] = await Promise.all([
      service.ask('POST', `${cart}/checkout`, { token: ann.token, headers: { 'if-match': etag } }),
      patch(lamp, { price: 50_000 }),
    ])
    if (sold.status === 201) assert.equal(sold.body.total, 50)
    else assert.equal(sold.status, 412, sold.text)
    await service.ask('POST', `${cart}/checkout`, { token: ann.token })
  }
})
