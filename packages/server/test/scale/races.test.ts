/** Races over three instances: one winner each, and no acknowledged write is lost or unseen by who made it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Person, Reply, TestService } from '../helpers/service.ts'
import { cookieParts } from '../helpers/service.ts'
import { type Instances, startInstances } from './instances.ts'

const v1 = '/api/v1'
let instances: Instances
let first: TestService
let editor: Person
before(async () => {
  instances = await startInstances(3)
  first = instances.all[0] as TestService
  editor = await first.person('EDITOR')
})
after(() => instances.stop())

function tally(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
const times = <T>(count: number, ask: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i)))

async function product(body: object): Promise<Reply['body']> {
  const made = await first.ask('POST', `${v1}/products`, {
    body: { name: 'Rare', price: 1, ...body },
    token: editor.token,
  })
  assert.equal(made.status, 201, made.text)
  return made.body
}

async function paidOrder(): Promise<{ id: string; buyer: Person }> {
  const buyer = await first.person()
  const { id: productId } = await product({ stock: 5 })
  const cart = `${v1}/users/${buyer.id}/cart`
  await first.ask('POST', `${cart}/items`, { body: { productId, quantity: 1 }, token: buyer.token })
  const order = await first.ask('POST', `${cart}/checkout`, { token: buyer.token })
  await first.ask('POST', `${v1}/orders/${order.body.id}/pay`, { token: editor.token })
  return { id: order.body.id, buyer }
}

describe('of many at once, over three instances', () => {
  it('one gets the e-mail', async () => {
    const body = { email: 'wanted@example.com', password: 'correct horse' }
    assert.deepEqual(tally(await times(45, () => instances.next().ask('POST', `${v1}/users`, { body }))), {
      201: 1,
      409: 44,
    })
  })

  it('one gets the last piece', async () => {
    const { id: productId } = await product({ stock: 1 })
    const buyers = await times(9, () => first.person())
    for (const { id, token } of buyers)
      await first.ask('POST', `${v1}/users/${id}/cart/items`, { body: { productId, quantity: 1 }, token })
    const orders = await Promise.all(
      buyers.map(({ id, token }) => instances.next().ask('POST', `${v1}/users/${id}/cart/checkout`, { token })),
    )
    assert.deepEqual(tally(orders), { 201: 1, 409: 8 })
    assert.equal((await instances.next().ask('GET', `${v1}/products/${productId}`)).body.stock, 0)
  })

  it('everything added to one cart is in it', async () => {
    const { id: productId } = await product({ stock: 1000 })
    const { id, token } = await first.person()
    const path = `${v1}/users/${id}/cart`
    const added = await times(45, () =>
      instances.next().ask('POST', `${path}/items`, { body: { productId, quantity: 1 }, token }),
    )
    assert.ok(
      added.every(({ status }) => status < 300),
      JSON.stringify(tally(added)),
    )
    const cart = (await instances.next().ask('GET', path, { token })).body
    assert.deepEqual([cart.itemCount, cart.items.length], [45, 1])
  })

  it('one refresh token has one successor', async () => {
    const person = await first.person()
    const cookie = `refreshToken=${person.refreshToken}`
    const replies = await times(30, () => instances.next().ask('POST', '/auth/refresh', { cookie }))
    assert.deepEqual(tally(replies), { 200: 30 })
    const successors = replies.map(({ headers }) => cookieParts(headers.get('set-cookie')).refreshToken)
    assert.equal(new Set(successors).size, 1)
  })

  it('an order is cancelled or shipped, never both', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, buyer } = await paidOrder()
      const replies = await times(9, (i) =>
        instances.next().ask('POST', `${v1}/orders/${id}/${i % 2 ? 'cancel' : 'ship'}`, {
          token: i % 2 ? buyer.token : editor.token,
        }),
      )
      assert.deepEqual(tally(replies), { 200: 1, 409: 8 })
      const winner = replies.findIndex(({ status }) => status === 200)
      const { status } = (await instances.next().ask('GET', `${v1}/orders/${id}`, { token: editor.token })).body
      assert.equal(status, winner % 2 ? 'CANCELLED' : 'SHIPPED')
    }
  })

  it('two carts that hold the same products in another order do not block each other', async () => {
    const ids = [(await product({ stock: 100 })).id, (await product({ stock: 100 })).id]
    const orders = await times(12, async (i) => {
      const { id, token } = await first.person()
      for (const productId of i % 2 ? ids : ids.toReversed())
        await first.ask('POST', `${v1}/users/${id}/cart/items`, { body: { productId, quantity: 1 }, token })
      return instances.next().ask('POST', `${v1}/users/${id}/cart/checkout`, { token })
    })
    assert.deepEqual(tally(orders), { 201: 12 })
  })
})

/**
 * Each record is a list to which writers append, by reading it, adding to it and storing it only if nobody was faster (If-Match). Of an
 * acknowledged entry it is known that it is there; who wrote or read one never again reads a list without it.
 */
describe('a history of appends to each record', () => {
  it('holds every acknowledged entry once, and nobody goes back in time', async () => {
    const records = await times(4, async () => (await product({ name: 'History', description: '' })).id as string)
    const acknowledged = new Map<string, string[]>(records.map((id) => [id, []]))
    const entriesOf = (reply: Reply): string[] =>
      String(reply.body.description ?? '')
        .split(' ')
        .filter(Boolean)

    async function session(name: number): Promise<void> {
      const seen = new Map<string, string[]>()
      for (let step = 0; step < 30; step += 1) {
        const id = records[(name + step) % records.length] as string
        const path = `${v1}/products/${id}`
        const read = await instances.next().ask('GET', path)
        assert.equal(read.status, 200)
        const entries = entriesOf(read)
        const before = seen.get(id) ?? []
        assert.deepEqual(entries.slice(0, before.length), before, 'what a session has seen, it sees again')
        seen.set(id, entries)
        const entry = `${name}.${step}`
        const written = await instances.next().ask('PATCH', path, {
          body: { description: [...entries, entry].join(' ') },
          headers: { 'if-match': read.headers.get('etag') as string },
          token: editor.token,
        })
        assert.ok([200, 412].includes(written.status), written.text)
        if (written.status !== 200) continue
        acknowledged.get(id)?.push(entry)
        seen.set(id, [...entries, entry])
      }
    }
    await times(9, session)
    for (const id of records) {
      const final = entriesOf(await instances.next().ask('GET', `${v1}/products/${id}`))
      assert.deepEqual(final.toSorted(), acknowledged.get(id)?.toSorted())
    }
    assert.ok([...acknowledged.values()].flat().length > 30, 'some were stored')
  })
})
