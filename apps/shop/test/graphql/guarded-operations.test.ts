/** The interface's guarded operations (section 4.7), to the letter: guards, messages, codes. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestPerson } from '../helpers/service.ts'
import { type Answer, type Shop, startShop } from './asking.ts'

const missing = '00000000-0000-7000-8000-000000000000'

describe('guarded operations', () => {
  let shop: Shop
  let ask: Shop['ask']
  let user: TestPerson
  let other: TestPerson
  let editor: TestPerson
  let admin: TestPerson
  before(async () => {
    shop = await startShop()
    ask = shop.ask
    user = await shop.person('USER')
    other = await shop.person('USER')
    editor = await shop.person('EDITOR')
    admin = await shop.admin()
  })
  after(() => shop.stop())

  function refused(answer: Answer, code: string, message: string, more: string[] | { field?: string } = {}): void {
    const extensions = { code, ...(Array.isArray(more) ? { requiredRoles: more } : more) }
    assert.deepEqual(
      answer.errors?.map((error) => [error.message, error.extensions]),
      [[message, extensions]],
    )
  }
  const nobody = ['UNAUTHENTICATED', 'Authentication required'] as const
  const create = (person: TestPerson | undefined, input: Record<string, unknown>) =>
    ask(
      'mutation ($input: CreatePostInput!) { createPost(input: $input) { id title authorId published author { id } } }',
      { token: person?.token, variables: { input } },
    )
  const update = (person: TestPerson | undefined, id: string, input: Record<string, unknown> = { title: 'Changed' }) =>
    ask('mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { id title body } }', {
      token: person?.token,
      variables: { id, input },
    })
  async function post(person: TestPerson, input: Record<string, unknown> = {}): Promise<string> {
    return (await create(person, { title: 'A title', body: 'A body', ...input })).data.createPost.id
  }

  it('me: the current user, whoever that is', async () => {
    for (const person of [user, editor, admin]) {
      const answer = await ask('{ me { id email role status } }', { token: person.token })
      assert.equal(answer.errors, undefined)
      assert.equal(answer.data.me.id, person.id)
      assert.equal(answer.data.me.email, person.email)
    }
    const answer = await ask('{ me { id } }')
    refused(answer, ...nobody)
    assert.equal(answer.data, null)
  })

  it('users: ADMIN alone', async () => {
    refused(await ask('{ users { id } }'), ...nobody)
    for (const person of [user, editor]) {
      const answer = await ask('{ users { id } }', { token: person.token })
      refused(answer, 'FORBIDDEN', 'Insufficient permissions', ['ADMIN'])
      assert.deepEqual(answer.data, { users: null })
    }
    const answer = await ask(
      '{ users { email role } two: users(limit: 2) { email } second: users(page: 2, limit: 2) { email } lenient: users(page: -1, limit: 0) { email } }',
      { token: admin.token },
    )
    assert.equal(answer.errors, undefined)
    assert.equal(answer.data.users.length, 4)
    assert.equal(answer.data.two.length, 2)
    assert.equal(answer.data.second.length, 2)
    assert.equal(answer.data.lenient.length, 4)
  })

  it('users: 100 by default and at most', async () => {
    const sign = (n: number) =>
      ask(`mutation { createUser(input: { email: "crowd${n}@example.com", password: "long enough" }) { id } }`)
    for (const made of await Promise.all(Array.from({ length: 105 }, (_, n) => sign(n))))
      assert.equal(made.errors, undefined)
    const answer = await ask(
      '{ users { id } more: users(limit: 1000) { id } rest: users(page: 2) { id } usersPage(limit: 1) { meta { total } } }',
      { token: admin.token },
    )
    assert.equal(answer.data.users.length, 100)
    assert.equal(answer.data.more.length, 100)
    assert.equal(answer.data.rest.length, 9)
    assert.equal(answer.data.usersPage.meta.total, 109)
  })

  it('publicPosts: published ones, newest first, for everybody', async () => {
    const first = await post(user, { title: 'First', published: true })
    await post(user, { title: 'Draft' })
    const second = await post(user, { title: 'Second', published: true })
    for (const token of [undefined, user.token, admin.token]) {
      const answer = await ask('{ publicPosts { id title published } }', { token })
      assert.equal(answer.errors, undefined)
      assert.deepEqual(
        answer.data.publicPosts.map((one: { id: string }) => one.id),
        [second, first],
      )
    }
    assert.equal((await ask('{ publicPosts(page: 2, limit: 1) { title } }')).data.publicPosts[0].title, 'First')
  })

  it('createPost: any user, who is its author', async () => {
    refused(await create(undefined, { title: 'T' }), ...nobody)
    const answer = await create(user, { title: 'T', published: true })
    assert.equal(answer.data.createPost.authorId, user.id)
    assert.deepEqual(answer.data.createPost.author, { id: user.id })
    refused(await create(user, { title: '   ' }), 'BAD_USER_INPUT', 'title is required', { field: 'title' })
  })

  it('updatePost: its author or ADMIN', async () => {
    const id = await post(user)
    refused(await update(undefined, id), ...nobody)
    for (const person of [other, editor]) {
      const answer = await update(person, id)
      refused(answer, 'FORBIDDEN', 'You can only edit your own posts')
      assert.deepEqual(answer.data, { updatePost: null })
    }
    assert.deepEqual((await update(user, id)).data.updatePost, { id, title: 'Changed', body: 'A body' })
    assert.deepEqual((await update(admin, id, { body: null })).data.updatePost, { id, title: 'Changed', body: null })
    for (const none of [missing, 'nonsense']) refused(await update(user, none), 'NOT_FOUND', 'Post not found')
  })

  it('deleteUser: ADMIN alone, not even oneself', async () => {
    const remove = (id: string, token?: string) =>
      ask('mutation ($id: ID!) { deleteUser(id: $id) }', { token, variables: { id } })
    refused(await remove(user.id), ...nobody)
    for (const person of [user, editor])
      refused(await remove(user.id, person.token), 'FORBIDDEN', 'Insufficient permissions', ['ADMIN'])
    refused(await remove(missing, admin.token), 'NOT_FOUND', 'User not found')
    assert.deepEqual(await remove(other.id, admin.token), { data: { deleteUser: true } })
    refused(await remove(other.id, admin.token), 'NOT_FOUND', 'User not found')
  })

  it('names the roles that would suffice, wherever a role would', async () => {
    const sign = (person?: TestPerson) =>
      ask(
        'mutation { createUser(input: { email: "new@example.com", password: "long enough", role: ADMIN }) { id } }',
        person,
      )
    const change = (person: TestPerson, input: string) =>
      ask(`mutation { updateUser(id: "${person.id}", input: { ${input} }) { id } }`, person)
    const replace = (person: TestPerson) =>
      ask(
        `mutation { replaceUser(id: "${person.id}", input: { email: "${person.email}", role: ADMIN }) { id } }`,
        person,
      )
    const only = ['FORBIDDEN', 'Insufficient permissions', ['ADMIN']] as const
    const answers = [
      await sign(),
      await sign(user),
      await sign(editor),
      await change(user, 'role: ADMIN'),
      await change(user, 'status: INACTIVE'),
      await replace(user),
    ]
    for (const answer of answers) refused(answer, only[0], only[1], [...only[2]])
    assert.deepEqual(await change(user, 'role: USER'), { data: { updateUser: { id: user.id } } })

    const product = await ask('mutation { createProduct(input: { name: "P", price: 1 }) { id } }', admin)
    const review = await ask(
      `mutation { createReview(productId: "${product.data.createProduct.id}", input: { rating: 5 }) { id } }`,
      admin,
    )
    const remove = `mutation { deleteReview(id: "${review.data.createReview.id}") { id } }`
    refused(await ask(remove, user), only[0], only[1], [...only[2]])
  })
})
