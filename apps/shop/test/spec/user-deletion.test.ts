/**
 * Deletion of a user: the records that are deleted with it, and the records that stay readable
 * without a name.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let ann: TestPerson
let bob: TestPerson

before(async () => {
  service = await startService()
  ;[admin, ann, bob] = await Promise.all([service.admin(), service.person(), service.person()])
})
after(() => service.stop())

describe('deleting a user', () => {
  it('takes cart, sessions, keys and unpublished posts along; what others read stays without a user', async () => {
    const { ask } = service
    const gone = await service.person()
    const { token } = gone
    const key = await service.key(gone)
    const product = (await ask('POST', '/api/v1/products', { body: { name: 'Thing', price: 5 }, token: admin.token }))
      .body
    const item = { body: { productId: product.id, quantity: 1 }, token }
    await ask('POST', `/api/v1/users/${gone.id}/cart/items`, item)
    const order = (await ask('POST', `/api/v1/users/${gone.id}/cart/checkout`, { token })).body
    await ask('POST', `/api/v1/users/${gone.id}/cart/items`, item)
    const review = (await ask('POST', `/api/v1/products/${product.id}/reviews`, { body: { rating: 4 }, token })).body
    const draft = (await ask('POST', '/api/v1/posts', { body: { title: 'Draft' }, token })).body
    const post = (await ask('POST', '/api/v1/posts', { body: { title: 'Public', published: true }, token })).body
    const sent = (await ask('POST', '/messages', { body: { recipientId: ann.id, text: 'sent' }, token })).body
    const received = (
      await ask('POST', '/messages', { body: { recipientId: gone.id, text: 'received' }, token: ann.token })
    ).body
    const totals = async () =>
      Promise.all(
        ['api-keys', 'sessions', 'posts', 'reviews', 'orders', 'users'].map(
          async (name) => (await ask('GET', `/api/v1/${name}`, { token: admin.token })).body.meta.total,
        ),
      )
    const before = await totals()

    assert.equal((await ask('DELETE', `/api/v1/users/${gone.id}`, { token })).status, 204)
    assert.deepEqual(
      (await totals()).map((total, i) => total - before[i]),
      [-1, -1, -1, 0, 0, -1],
    )

    assert.deepEqual((await ask('GET', '/messages', { token })).body, { error: 'Invalid token' })
    assert.deepEqual((await ask('GET', '/messages', { key })).body, { error: 'Invalid API key' })
    const refresh = await ask('POST', '/auth/refresh', { cookie: `refreshToken=${gone.refreshToken}` })
    assert.deepEqual([refresh.status, refresh.body.error], [401, 'Invalid refresh token'])
    for (const path of [`users/${gone.id}`, `users/${gone.id}/cart`, `users/${gone.id}/orders`, `posts/${draft.id}`]) {
      assert.equal((await ask('GET', `/api/v1/${path}`, { token: admin.token })).status, 404, path)
    }
    const kept: [string, string, string | null, TestPerson][] = [
      [`orders/${order.id}`, 'userId', null, admin],
      [`reviews/${review.id}`, 'userId', null, bob],
      [`posts/${post.id}`, 'authorId', null, ann],
      [`messages/${sent._id}`, 'senderId', null, ann],
      [`messages/${received._id}`, 'recipientId', null, ann],
    ]
    for (const [path, field, value, reader] of kept) {
      const token = reader === bob ? undefined : reader.token
      const reply = await ask('GET', `/api/v1/${path}`, { token })
      assert.equal(reply.status, 200, path)
      assert.equal(reply.body[field], value, path)
      assert.ok(!reply.text.includes(gone.id), path)
    }
    await assert.rejects(service.logIn(gone.email), /401/)
  })

  it("is that user's or an ADMIN's to do, once", async () => {
    const path = `/api/v1/users/${bob.id}`
    const remove = (token?: string) => service.ask('DELETE', path, { token })
    assert.deepEqual((await remove()).body, { error: 'Token required' })
    assert.deepEqual((await remove(ann.token)).body, { error: 'User not found' })
    assert.equal((await remove(admin.token)).status, 204)
    assert.deepEqual((await remove(admin.token)).body, { error: 'User not found' })
    assert.deepEqual((await service.ask('GET', '/messages', { token: bob.token })).body, { error: 'Invalid token' })
  })
})
