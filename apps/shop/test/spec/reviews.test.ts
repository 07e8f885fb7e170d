/**
 * Reviews: anyone reads them, a user reviews a product once, and their author or an ADMIN changes
 * them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let ann: TestPerson
let bob: TestPerson
let editor: TestPerson
let product: string
let other: string

before(async () => {
  service = await startService()
  ;[admin, ann, bob, editor] = await Promise.all([
    service.admin(),
    service.person(),
    service.person(),
    service.person('EDITOR'),
  ])
  const make = async () =>
    (await service.ask('POST', '/api/v1/products', { body: { name: 'Lamp', price: 9.99 }, token: admin.token })).body.id
  product = await make()
  other = await make()
})
after(() => service.stop())

const reviewsOf = (id: string) => `/api/v1/products/${id}/reviews`
let review: string

describe('adding a review', () => {
  it('attributes it to the caller, on the product of the path', async () => {
    const reply = await service.ask('POST', reviewsOf(product), {
      body: { rating: 5, title: 'Bright' },
      token: ann.token,
    })
    assert.equal(reply.status, 201)
    const { id, createdAt, ...rest } = reply.body
    review = id
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(rest, { productId: product, userId: ann.id, rating: 5, title: 'Bright', body: null })
    assert.equal(reply.headers.get('location'), `/api/v1/reviews/${id}`)
    assert.equal((await service.ask('GET', reply.headers.get('location') as string)).status, 200)
  })

  const refusals: [string, object, number, string][] = [
    ['no rating', { title: 'x' }, 400, 'rating is required'],
    ['a rating of 0', { rating: 0 }, 400, 'rating must be from 1 to 5'],
    ['a rating of 6', { rating: 6 }, 400, 'rating must be from 1 to 5'],
    ['half a star', { rating: 4.5 }, 400, 'rating must be an integer'],
    ['a text', { rating: '5' }, 400, 'rating must be an integer'],
    ['the name of another', { rating: 5, userId: '01926e0f-0000-7000-8000-000000000000' }, 400, 'userId is read-only'],
    [
      'another product in the body',
      { rating: 5, productId: '01926e0f-0000-7000-8000-000000000000' },
      400,
      'productId is read-only',
    ],
    ['a second one', { rating: 1 }, 409, 'You have already reviewed this product'],
  ]
  for (const [what, body, status, error] of refusals) {
    it(`refuses ${what}`, async () => {
      const reply = await service.ask('POST', reviewsOf(product), { body, token: ann.token })
      assert.deepEqual([reply.status, reply.body], [status, { error }])
    })
  }

  it('takes one of two that are sent at once', async () => {
    const send = () => service.ask('POST', reviewsOf(other), { body: { rating: 3 }, token: ann.token })
    const replies = await Promise.all([send(), send(), send()])
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409])
    assert.equal((await service.ask('GET', reviewsOf(other))).body.meta.total, 1)
  })

  it('knows no product that is not there, and no caller without a credential', async () => {
    const body = { rating: 5 }
    for (const id of ['01926e0f-0000-7000-8000-000000000000', 'abc']) {
      const reply = await service.ask('POST', reviewsOf(id), { body, token: ann.token })
      assert.deepEqual([reply.status, reply.body], [404, { error: 'Product not found' }])
      assert.deepEqual((await service.ask('GET', reviewsOf(id))).body, { error: 'Product not found' })
    }
    assert.deepEqual((await service.ask('POST', reviewsOf(product), { body })).body, { error: 'Token required' })
    assert.equal((await service.ask('POST', '/api/v1/reviews', { body, token: ann.token })).status, 405)
  })
})

describe('changing and deleting a review', () => {
  it('refuses everybody but its author and an ADMIN, and keeps what is there', async () => {
    for (const person of [bob, editor]) {
      for (const path of [`/api/v1/reviews/${review}`, `${reviewsOf(product)}/${review}`]) {
        for (const [method, body] of [
          ['PATCH', { rating: 1 }],
          ['PUT', { rating: 1 }],
          ['DELETE', undefined],
        ] as const) {
          const reply = await service.ask(method, path, { body, token: person.token })
          assert.deepEqual(
            [reply.status, reply.body],
            [403, { error: 'Insufficient permissions' }],
            `${method} ${path}`,
          )
        }
      }
    }
    assert.equal((await service.ask('GET', `/api/v1/reviews/${review}`)).body.rating, 5)
  })

  it('hands it to no other user and no other product', async () => {
    for (const body of [{ userId: bob.id }, { productId: other }]) {
      assert.equal((await service.ask('PATCH', `/api/v1/reviews/${review}`, { body, token: ann.token })).status, 400)
    }
  })

  it('is not found under another product', async () => {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const reply = await service.ask(method, `${reviewsOf(other)}/${review}`, {
        body: method === 'PATCH' ? { rating: 2 } : undefined,
        token: ann.token,
      })
      assert.deepEqual([reply.status, reply.body], [404, { error: 'Review not found' }], method)
    }
  })

  it('works for the author, for an ADMIN, and frees the place for another', async () => {
    const path = `/api/v1/reviews/${review}`
    assert.equal((await service.ask('PATCH', path, { body: { rating: 4 }, token: ann.token })).body.rating, 4)
    const put = await service.ask('PUT', path, { body: { rating: 2 }, token: admin.token })
    assert.deepEqual([put.body.rating, put.body.title, put.body.userId], [2, null, ann.id])
    assert.equal((await service.ask('DELETE', path, { token: ann.token })).status, 204)
    assert.equal((await service.ask('GET', path)).status, 404)
    assert.equal((await service.ask('POST', reviewsOf(product), { body: { rating: 3 }, token: ann.token })).status, 201)
  })

  it('goes with its product', async () => {
    const before = (await service.ask('GET', '/api/v1/reviews')).body.meta.total
    await service.ask('DELETE', `/api/v1/products/${other}`, { token: admin.token })
    assert.equal((await service.ask('GET', '/api/v1/reviews')).body.meta.total, before - 1)
  })
})
