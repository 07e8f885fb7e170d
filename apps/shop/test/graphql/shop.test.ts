/** Every resource of the shop through GraphQL: the same rules, filters and paging as REST. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestPerson } from '../helpers/service.ts'
import { type Answer, type Shop, startShop } from './asking.ts'

describe('the shop through GraphQL', () => {
  let shop: Shop
  let ask: Shop['ask']
  let user: TestPerson
  let other: TestPerson
  let editor: TestPerson
  let admin: TestPerson
  const products: string[] = []
  before(async () => {
    shop = await startShop()
    ask = shop.ask
    user = await shop.person('USER')
    other = await shop.person('USER')
    editor = await shop.person('EDITOR')
    admin = await shop.admin()
    for (let i = 1; i <= 5; i += 1) {
      const input = { name: `Lamp ${i}`, category: i % 2 ? 'Tools' : 'Light, indoor', price: i * 10 + 0.99, stock: 3 }
      const answer = await ask('mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }', {
        token: editor.token,
        variables: { input },
      })
      products.push(answer.data.createProduct.id)
    }
  })
  after(() => shop.stop())

  const codes = async (query: string, token?: string, variables?: Record<string, unknown>) =>
    (await ask(query, { token, variables })).errors?.map((error) => `${error.extensions.code}: ${error.message}`)

  it('lists pages with what REST tells beside them', async () => {
    const answer = await ask(
      '{ products(page: 2, limit: 2, sort: "price") { data { name price } meta { page limit total totalPages hasNextPage hasPrevPage nextCursor } } }',
    )
    const meta = { page: 2, limit: 2, total: 5, totalPages: 3, hasNextPage: true, hasPrevPage: true, nextCursor: null }
    assert.deepEqual(answer.data.products, {
      data: [
        { name: 'Lamp 3', price: 30.99 },
        { name: 'Lamp 4', price: 40.99 },
      ],
      meta,
    })
  })

  it('filters, sorts and searches as REST does', async () => {
    const names = async (args: string) =>
      (await ask(`{ products(sort: "price", ${args}) { data { name } } }`)).data?.products.data
        .map((one: { name: string }) => one.name.slice(5))
        .join('')
    assert.equal(await names('category: "Tools"'), '135')
    assert.equal(await names('category: ""'), '12345')
    assert.equal(await names('minPrice: 20.99, maxPrice: 40'), '23')
    assert.equal(await names('inStock: false'), '')
    assert.equal(await names('q: "lam 4"'), '4')
    assert.equal(await names('filter: { price: { gt: 20.99, lte: 40.99 }, category: { startsWith: "tool" } }'), '3')
    assert.equal(await names(`filter: { id: { in: ["${products[0]}", "${products[4]}"] } }`), '15')
    assert.equal(await names('filter: { name: { ne: "Lamp 1" }, description: { null: true } }'), '2345')
    assert.match(
      String(await codes('{ products(sort: "secret") { data { id } } }')),
      /^BAD_USER_INPUT: Cannot sort by secret; sortable: id, name, /,
    )
    const part = '{ orders(filter: { status: { contains: "end", startsWith: "P" } }) { data { id } } }'
    assert.doesNotMatch(JSON.stringify(await codes(part)), /VALIDATION/, 'a part of a value is a text')
    assert.equal(await names('filter: { category: { in: ["Light, indoor"] } }'), '24')
    assert.deepEqual(await codes('{ products(filter: { category: { eq: null } }) { data { id } } }'), [
      'BAD_USER_INPUT: category[eq] must not be null',
    ])
  })

  it('walks by cursor', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const answer = await ask(
        'query ($cursor: String) { products(cursor: $cursor, limit: 2, sort: "name") { data { name } meta { page total nextCursor } } }',
        { variables: { cursor } },
      )
      const page: { data: { name: string }[]; meta: { nextCursor: string | null } } = answer.data.products
      seen.push(...page.data.map((one) => one.name))
      cursor = page.meta.nextCursor
    }
    assert.deepEqual(
      seen,
      [1, 2, 3, 4, 5].map((i) => `Lamp ${i}`),
    )
    assert.deepEqual(await codes('{ products(cursor: "x") { data { id } } }'), ['BAD_USER_INPUT: Invalid cursor'])
    assert.deepEqual(await codes('{ products(cursor: "", page: 1) { data { id } } }'), [
      'BAD_USER_INPUT: cursor and page exclude each other',
    ])
  })

  it('creates, reads, updates, replaces and deletes, also by integer id', async () => {
    const made = await ask('mutation { createBook(input: { title: "T", author: "A", year: 0 }) { id title year } }')
    const { id, year } = made.data.createBook
    assert.equal(year, new Date().getUTCFullYear())
    const changed = await ask(
      'mutation ($id: ID!) { updateBook(id: $id, input: { year: 1999 }) { title year } again: replaceBook(id: $id, input: { title: "U", author: "B" }) { title year } }',
      { variables: { id } },
    )
    assert.deepEqual(changed.data, { updateBook: { title: 'T', year: 1999 }, again: { title: 'U', year } })
    assert.equal((await ask(`{ book(id: ${id}) { id } }`)).data.book.id, id)
    assert.deepEqual((await ask(`{ books(author: "b") { data { title } meta { total page } } }`)).data.books, {
      data: [{ title: 'U' }],
      meta: { total: 1, page: 1 },
    })
    assert.deepEqual((await ask(`mutation { deleteBook(id: ${id}) { id } }`)).data, { deleteBook: { id: String(id) } })
    assert.deepEqual(await codes(`{ book(id: ${id}) { id } }`), ['NOT_FOUND: Book not found'])
    assert.deepEqual(await codes('mutation { createBook(input: { title: "", author: "x" }) { id } }'), [
      'BAD_USER_INPUT: title and author required',
    ])
  })

  it('keeps the rules of each role', async () => {
    const input = { name: 'X', price: 1 }
    const create = 'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }'
    assert.deepEqual(await codes(create, undefined, { input }), ['UNAUTHENTICATED: Authentication required'])
    const answer = await ask(create, { token: user.token, variables: { input } })
    assert.deepEqual(answer.errors?.[0]?.extensions, { code: 'FORBIDDEN', requiredRoles: ['EDITOR', 'ADMIN'] })
    assert.deepEqual(await codes(`{ user(id: "${other.id}") { id } }`, user.token), ['NOT_FOUND: User not found'])
    assert.deepEqual(
      await codes(`mutation { updateUser(id: "${user.id}", input: { role: ADMIN }) { id } }`, user.token),
      ['FORBIDDEN: Insufficient permissions'],
    )
    assert.equal(
      await codes(
        `mutation { suspendUser(id: "${other.id}") { status } activateUser(id: "${other.id}") { status } }`,
        admin.token,
      ),
      undefined,
    )
    other = await shop.logIn(other.email)
    assert.deepEqual(
      await codes(`mutation { createUser(input: { email: "${user.email}", password: "long enough" }) { id } }`),
      ['CONFLICT: email is already taken'],
    )
  })

  it('sells a cart: single, nested, action', async () => {
    const variables = { userId: user.id, input: { productId: products[0], quantity: 2 } }
    const added = await ask(
      'mutation ($userId: ID!, $input: CreateCartItemInput!) { createCartItem(userId: $userId, input: $input) { id quantity lineTotal product { name } } }',
      { token: user.token, variables },
    )
    assert.deepEqual(added.errors, undefined)
    const { id, ...item } = added.data.createCartItem
    assert.deepEqual(item, { quantity: 2, lineTotal: 21.98, product: { name: 'Lamp 1' } })
    const cart = await ask(
      'query ($userId: ID!) { cart(userId: $userId) { subtotal itemCount items { id product { name } } user { email } } cartItems(userId: $userId) { data { id } } }',
      { token: user.token, variables },
    )
    assert.deepEqual(cart.data.cart, {
      subtotal: 21.98,
      itemCount: 2,
      items: [{ id, product: { name: 'Lamp 1' } }],
      user: { email: user.email },
    })
    assert.deepEqual(cart.data.cartItems.data, [{ id }])
    assert.deepEqual(await codes(`{ cart(userId: "${user.id}") { id } }`, other.token), ['NOT_FOUND: User not found'])
    const order = await ask(
      'mutation ($userId: ID!) { checkoutCart(userId: $userId) { id total status items { productName lineTotal } } }',
      { token: user.token, variables },
    )
    const { id: orderId, ...rest } = order.data.checkoutCart
    assert.deepEqual(rest, { total: 21.98, status: 'PENDING', items: [{ productName: 'Lamp 1', lineTotal: 21.98 }] })
    assert.deepEqual(await codes(`mutation { checkoutCart(userId: "${user.id}") { id } }`, user.token), [
      'CONFLICT: The cart is empty',
    ])
    assert.deepEqual(
      (await ask(`{ userOrders(userId: "${user.id}") { data { id } } }`, { token: user.token })).data.userOrders.data,
      [{ id: orderId }],
    )
    assert.equal(
      (await ask(`mutation { cancelOrder(id: "${orderId}") { status } }`, { token: user.token })).data.cancelOrder
        .status,
      'CANCELLED',
    )
    assert.deepEqual(await codes(`mutation { payOrder(id: "${orderId}") { status } }`, editor.token), [
      'CONFLICT: Cannot pay this order, it is CANCELLED; nothing more is allowed',
    ])
  })

  it('shows references as records, null where the caller does not see one', async () => {
    for (const person of [user, other]) {
      const variables = { productId: products[1], input: { rating: 5 } }
      await ask(
        'mutation ($productId: ID!, $input: CreateReviewInput!) { createReview(productId: $productId, input: $input) { id } }',
        { token: person.token, variables },
      )
    }
    const answer = await ask(
      `{ productReviews(productId: "${products[1]}", sort: "id") { data { rating product { name } user { email } } } }`,
      { token: user.token },
    )
    assert.deepEqual(answer.data.productReviews.data, [
      { rating: 5, product: { name: 'Lamp 2' }, user: { email: user.email } },
      { rating: 5, product: { name: 'Lamp 2' }, user: null },
    ])
  })

  it('shows an API key once, and keeps it to its scopes', async () => {
    const made = await ask(
      'mutation { createApiKey(input: { name: "k", scopes: ["reviews:read"] }) { id key scopes } }',
      { token: user.token },
    )
    const { id, key } = made.data.createApiKey
    assert.match(key, /^bk_/)
    assert.equal((await ask(`{ apiKey(id: "${id}") { key } }`, { token: user.token })).data.apiKey.key, null)
    assert.deepEqual(
      (await ask('{ me { id } }', { key })).errors?.map((error) => error.extensions.code),
      ['FORBIDDEN'],
    )
    const answer = await ask(`{ productReviews(productId: "${products[1]}") { data { user { id } } } }`, { key })
    assert.deepEqual(answer.data.productReviews.data, [{ user: null }, { user: null }])
  })

  it('pages messages by their _id', async () => {
    for (const text of ['one', 'two', 'three']) {
      await ask('mutation ($input: CreateMessageInput!) { createMessage(input: $input) { _id } }', {
        token: user.token,
        variables: { input: { recipientId: other.id, text } },
      })
    }
    const first = await ask(
      '{ messages(limit: 2) { data { _id text recipient { id } } meta { nextCursor limit total } } }',
      { token: user.token },
    )
    const { data, meta } = first.data.messages
    assert.deepEqual(
      data.map((one: { text: string }) => one.text),
      ['three', 'two'],
    )
    assert.deepEqual(meta, { nextCursor: data[1]._id, limit: 2, total: null })
    const second = await ask('query ($c: String) { messages(cursor: $c) { data { text } meta { nextCursor } } }', {
      token: other.token,
      variables: { c: meta.nextCursor },
    })
    assert.deepEqual(second.data.messages, { data: [{ text: 'one' }], meta: { nextCursor: null } })
  })

  it('gives each mutation its own answer, but for one that the interface never has null', async () => {
    const titles = async () => {
      const { data } = (await shop.ask('{ books(limit: 100) { data { id title } } }')).data.books
      for (const { id } of data) await ask(`mutation { deleteBook(id: "${id}") { id } }`)
      return data.map((one: { title: string }) => one.title)
    }
    const around = (failing: string) => `mutation {
      a: createBook(input: { title: "a", author: "A" }) { title }
      b: ${failing}
      c: createBook(input: { title: "c", author: "C" }) { title }
    }`
    await titles()
    const failing: [field: string, code: string][] = [
      [`createUser(input: { email: "${user.email}", password: "correct horse" }) { id }`, 'CONFLICT'],
      ['createProduct(input: { name: "Saw", price: -1 }) { id }', 'BAD_USER_INPUT'],
      [`createReview(productId: "${other.id}", input: { rating: 5 }) { id }`, 'NOT_FOUND'],
      [`createCartItem(userId: "${other.id}", input: { productId: "x", quantity: 1 }) { id }`, 'NOT_FOUND'],
      ['createMessage(input: { recipientId: "x", text: "Hi" }) { _id }', 'BAD_USER_INPUT'],
      ['createApiKey(input: { name: " " }) { id }', 'BAD_USER_INPUT'],
      [`deleteUser(id: "${other.id}")`, 'FORBIDDEN'],
      [`updatePost(id: "${other.id}", input: { title: "x" }) { id }`, 'NOT_FOUND'],
    ]
    for (const [field, code] of failing) {
      for (let use = 1; use <= 4; use += 1) {
        const answer = await ask(around(field), { token: editor.token })
        assert.deepEqual(answer.data, { a: { title: 'a' }, b: null, c: { title: 'c' } }, field)
        assert.deepEqual(
          answer.errors?.map(({ path, extensions }) => [path, extensions.code]),
          [[['b'], code]],
          field,
        )
      }
      assert.deepEqual(await titles(), ['a', 'c', 'a', 'c', 'a', 'c', 'a', 'c'])
    }
    for (let use = 1; use <= 4; use += 1) {
      const answer = await ask(around('createPost(input: { title: " " }) { id }'), { token: editor.token })
      assert.equal(answer.data, null)
      assert.deepEqual(
        answer.errors?.map(({ path }) => path),
        [['b']],
      )
    }
    assert.deepEqual(await titles(), ['a', 'a', 'a', 'a'], 'what comes behind it is not done')
  })

  it('answers the same when a document is compiled', async () => {
    const queries = [
      '{ products(limit: 3, sort: "name") { data { id name price inStock description } meta { total nextCursor } } }',
      '{ reviews { data { rating user { id email } product { name price } } } }',
      '{ me { id role } order(id: "none") { id } user(id: "x") { email } }',
      '{ users { id } products { data { name } } }',
      'query ($id: ID!) { cart(userId: $id) { itemCount items { product { name } } user { email } } }',
    ]
    for (const query of queries) {
      const answers: Answer[] = []
      for (let use = 1; use <= 4; use += 1)
        answers.push(await ask(query, { token: user.token, variables: { id: user.id } }))
      const bySentence = (answer: (typeof answers)[number] | undefined) => ({
        ...answer,
        errors: answer?.errors?.toSorted((a, b) => (a.message < b.message ? -1 : 1)),
      })
      assert.deepEqual(bySentence(answers[3]), bySentence(answers[0]), query)
    }
  })
})
