/**
 * Guarded fields: the root fields that a declaration asks for, the callers who may use them, and
 * the errors for others.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, type Endpoint, openEndpoint, type TestPerson } from './endpoint.ts'

const missing = '00000000-0000-7000-8000-000000000000'

describe('guards', () => {
  let endpoint: Endpoint
  let ask: Endpoint['ask']
  let user: TestPerson
  let other: TestPerson
  let editor: TestPerson
  let admin: TestPerson
  before(async () => {
    endpoint = await openEndpoint()
    ask = endpoint.ask
    user = await endpoint.person('USER')
    other = await endpoint.person('USER')
    editor = await endpoint.person('EDITOR')
    admin = await endpoint.admin()
  })
  after(() => endpoint.stop())

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
      'mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id title authorId published author { id } } }',
      { token: person?.token, variables: { input } },
    )
  const update = (person: TestPerson | undefined, id: string, input: Record<string, unknown> = { title: 'Changed' }) =>
    ask(
      'mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { id title body } }',
      {
        token: person?.token,
        variables: { id, input },
      },
    )
  async function article(person: TestPerson, input: Record<string, unknown> = {}): Promise<string> {
    return (await create(person, { title: 'A title', body: 'A body', ...input })).data.createArticle.id
  }

  it('me: the current member, whoever that is', async () => {
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

  it('members: ADMIN alone', async () => {
    refused(await ask('{ members { id } }'), ...nobody)
    for (const person of [user, editor]) {
      const answer = await ask('{ members { id } }', { token: person.token })
      refused(answer, 'FORBIDDEN', 'Insufficient permissions', ['ADMIN'])
      assert.deepEqual(answer.data, { members: null })
    }
    const answer = await ask(
      '{ members { email role } two: members(limit: 2) { email } second: members(page: 2, limit: 2) { email } lenient: members(page: -1, limit: 0) { email } }',
      { token: admin.token },
    )
    assert.equal(answer.errors, undefined)
    assert.equal(answer.data.members.length, 4)
    assert.equal(answer.data.two.length, 2)
    assert.equal(answer.data.second.length, 2)
    assert.equal(answer.data.lenient.length, 4)
  })

  it('publicArticles: published ones, newest first, for everybody', async () => {
    const first = await article(user, { title: 'First', published: true })
    await article(user, { title: 'Draft' })
    const second = await article(user, { title: 'Second', published: true })
    for (const token of [undefined, user.token, admin.token]) {
      const answer = await ask('{ publicArticles { id title published } }', { token })
      assert.equal(answer.errors, undefined)
      assert.deepEqual(
        answer.data.publicArticles.map((one: { id: string }) => one.id),
        [second, first],
      )
    }
    assert.equal((await ask('{ publicArticles(page: 2, limit: 1) { title } }')).data.publicArticles[0].title, 'First')
  })

  it('a list of records: as many as its declaration says, by default and at most', async () => {
    const titles = Array.from({ length: 105 }, (_, n) => `Article ${n}`)
    await Promise.all(titles.map((title) => article(user, { title, published: true })))
    const answer = await ask(
      '{ publicArticles { id } more: publicArticles(limit: 1000) { id } rest: publicArticles(page: 2) { id } articles(limit: 1, filter: { published: { eq: true } }) { meta { total } } }',
    )
    assert.equal(answer.data.publicArticles.length, 100)
    assert.equal(answer.data.more.length, 100)
    assert.equal(answer.data.rest.length, 7)
    assert.equal(answer.data.articles.meta.total, 107)
  })

  it('createArticle: any member, who is its author', async () => {
    refused(await create(undefined, { title: 'T' }), ...nobody)
    const answer = await create(user, { title: 'T', published: true })
    assert.equal(answer.data.createArticle.authorId, user.id)
    assert.deepEqual(answer.data.createArticle.author, { id: user.id })
    refused(await create(user, { title: '   ' }), 'BAD_USER_INPUT', 'title is required', { field: 'title' })
  })

  it('updateArticle: its author or ADMIN', async () => {
    const id = await article(user)
    refused(await update(undefined, id), ...nobody)
    for (const person of [other, editor]) {
      const answer = await update(person, id)
      refused(answer, 'FORBIDDEN', 'Only its author edits it')
      assert.deepEqual(answer.data, { updateArticle: null })
    }
    assert.deepEqual((await update(user, id)).data.updateArticle, { id, title: 'Changed', body: 'A body' })
    assert.deepEqual((await update(admin, id, { body: null })).data.updateArticle, { id, title: 'Changed', body: null })
    for (const none of [missing, 'nonsense']) refused(await update(user, none), 'NOT_FOUND', 'Article not found')
  })

  it('deleteMember: ADMIN alone, not even oneself', async () => {
    const remove = (id: string, token?: string) =>
      ask('mutation ($id: ID!) { deleteMember(id: $id) }', { token, variables: { id } })
    refused(await remove(user.id), ...nobody)
    for (const person of [user, editor])
      refused(await remove(user.id, person.token), 'FORBIDDEN', 'Insufficient permissions', ['ADMIN'])
    refused(await remove(missing, admin.token), 'NOT_FOUND', 'Member not found')
    assert.deepEqual(await remove(other.id, admin.token), { data: { deleteMember: true } })
    refused(await remove(other.id, admin.token), 'NOT_FOUND', 'Member not found')
  })

  it('names the roles that would suffice, wherever a role would', async () => {
    const sign = (person?: TestPerson) =>
      ask(
        'mutation { createMember(input: { email: "new@example.com", password: "long enough", role: ADMIN }) { id } }',
        person,
      )
    const change = (person: TestPerson, input: string) =>
      ask(`mutation { updateMember(id: "${person.id}", input: { ${input} }) { id } }`, person)
    const replace = (person: TestPerson) =>
      ask(
        `mutation { replaceMember(id: "${person.id}", input: { email: "${person.email}", role: ADMIN }) { id } }`,
        person,
      )
    const only = ['FORBIDDEN', 'Insufficient permissions', ['ADMIN']] as const
    const answers = [
      await sign(),
      await sign(user),
      await sign(editor),
      await change(user, 'role: ADMIN'),
      await change(user, 'status: WAITING'),
      await replace(user),
    ]
    for (const answer of answers) refused(answer, only[0], only[1], [...only[2]])
    assert.deepEqual(await change(user, 'role: USER'), { data: { updateMember: { id: user.id } } })

    const edition = await ask('mutation { createEdition(input: { title: "P", price: 1 }) { id } }', admin)
    const opinion = await ask(
      `mutation { createOpinion(editionId: "${edition.data.createEdition.id}", input: { stars: 5 }) { id } }`,
      admin,
    )
    const remove = `mutation { deleteOpinion(id: "${opinion.data.createOpinion.id}") { id } }`
    refused(await ask(remove, user), only[0], only[1], [...only[2]])
  })
})
