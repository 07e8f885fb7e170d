/**
 * Posts: anyone reads published posts, only the author and an ADMIN read a draft, and no other
 * caller may edit a post.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let editor: TestPerson
let ann: TestPerson
let bob: TestPerson
let draft: string
let published: string

before(async () => {
  service = await startService()
  ;[admin, editor, ann, bob] = await Promise.all([
    service.admin(),
    service.person('EDITOR'),
    service.person(),
    service.person(),
  ])
  const make = async (body: object) => (await service.ask('POST', '/api/v1/posts', { body, token: ann.token })).body.id
  draft = await make({ title: 'Secret draft', body: 'hidden words' })
  published = await make({ title: 'Known to all', published: true, tags: ['news'] })
})
after(() => service.stop())

const ask = (method: string, path: string, person?: TestPerson, body?: object) =>
  service.ask(method, `/api/v1/posts${path}`, { body, token: person?.token })

describe('creating a post', () => {
  it('makes the caller its author, and a draft of it unless it says otherwise', async () => {
    const reply = await ask('POST', '', bob, { title: 'Mine' })
    const { id, createdAt, updatedAt, ...rest } = reply.body
    assert.ok(id && createdAt && updatedAt)
    assert.deepEqual(
      [reply.status, rest],
      [201, { authorId: bob.id, title: 'Mine', body: null, published: false, tags: [] }],
    )
  })

  const refusals: [string, object, number, string][] = [
    ['no title', { body: 'x' }, 400, 'title is required'],
    ['a blank title', { title: ' \n ' }, 400, 'title is required'],
    ['another author', { title: 'x', authorId: '01926e0f-0000-7000-8000-000000000000' }, 400, 'authorId is read-only'],
    ['published as a text', { title: 'x', published: 'true' }, 400, 'published must be a boolean'],
    ['tags that are no texts', { title: 'x', tags: [1] }, 400, 'tags must be a list of strings'],
  ]
  for (const [what, body, status, error] of refusals) {
    it(`refuses ${what}`, async () => {
      const reply = await ask('POST', '', bob, body)
      assert.deepEqual([reply.status, reply.body], [status, { error }])
    })
  }

  it('needs a user', async () => {
    const reply = await ask('POST', '', undefined, { title: 'x' })
    assert.deepEqual([reply.status, reply.body], [401, { error: 'Token required' }])
  })
})

describe('reading posts', () => {
  it('shows a draft to its author and an ADMIN alone: for others it is missing', async () => {
    for (const person of [ann, admin]) assert.equal((await ask('GET', `/${draft}`, person)).status, 200)
    for (const person of [undefined, bob, editor]) {
      const reply = await ask('GET', `/${draft}`, person)
      assert.deepEqual([reply.status, reply.body], [404, { error: 'Post not found' }])
      assert.equal((await ask('GET', `/${published}`, person)).status, 200)
    }
  })

  const probes = [
    '?limit=100',
    '?published=false',
    '?q=hidden',
    '?title[startsWith]=Secret',
    '?published[ne]=true',
    '?sort=published',
    '?cursor=',
    '?body[contains]=words',
  ]
  for (const query of probes) {
    it(`gives no sign of it in ${query}`, async () => {
      for (const person of [undefined, bob, editor]) {
        const reply = await ask('GET', query, person)
        assert.equal(reply.status, 200, reply.text)
        for (const trace of [draft, 'Secret', 'hidden']) assert.ok(!reply.text.includes(trace), `${query}: ${trace}`)
        if (reply.body.meta.total !== undefined) assert.ok(reply.body.meta.total <= 2, query)
      }
      const own = await ask('GET', query, ann)
      assert.ok(own.text.includes(draft))
    })
  }

  it('counts only what it shows', async () => {
    const totals = await Promise.all(
      [undefined, bob, ann, admin].map(async (person) => (await ask('GET', '', person)).body.meta.total),
    )
    assert.deepEqual(totals, [1, 2, 2, 3])
  })
})

describe('changing posts', () => {
  for (const which of ['draft', 'published'] as const) {
    it(`of another is 403 with its sentence, the post being ${which}`, async () => {
      const path = `/${which === 'draft' ? draft : published}`
      for (const person of [bob, editor]) {
        for (const [method, body] of [
          ['PATCH', { title: 'Taken' }],
          ['PUT', { title: 'Taken' }],
          ['DELETE', undefined],
        ] as const) {
          const reply = await ask(method, path, person, body)
          assert.deepEqual([reply.status, reply.body], [403, { error: 'You can only edit your own posts' }])
          assert.ok(!reply.text.includes('Secret'))
        }
      }
      for (const method of ['PATCH', 'DELETE']) {
        const reply = await ask(method, path, undefined, method === 'PATCH' ? { title: 'Taken' } : undefined)
        assert.deepEqual([reply.status, reply.body], [401, { error: 'Token required' }])
      }
      assert.notEqual((await ask('GET', path, ann)).body.title, 'Taken')
    })
  }

  it('of nobody is 404, also with a version or an id that cannot be', async () => {
    for (const id of ['01926e0f-0000-7000-8000-000000000000', 'abc', '1']) {
      for (const [method, body] of [
        ['PATCH', { title: 'x' }],
        ['PUT', { title: 'x' }],
        ['DELETE', undefined],
        ['GET', undefined],
      ] as const) {
        const reply = await ask(method, `/${id}`, bob, body)
        assert.deepEqual([reply.status, reply.body], [404, { error: 'Post not found' }], method)
      }
    }
  })

  it('tells another nothing of the version either', async () => {
    for (const version of ['"1"', '"7"']) {
      const reply = await service.ask('PATCH', `/api/v1/posts/${draft}`, {
        body: { title: 'x' },
        token: bob.token,
        headers: { 'if-match': version },
      })
      assert.equal(reply.status, 403)
    }
  })

  it('hands a post to no other author, not even for its author', async () => {
    const reply = await ask('PATCH', `/${published}`, ann, { authorId: bob.id })
    assert.deepEqual([reply.status, reply.body], [400, { error: 'authorId is read-only' }])
  })

  it('publishes, hides again and deletes for the author and an ADMIN', async () => {
    const { id } = (await ask('POST', '', ann, { title: 'Coming' })).body
    assert.equal((await ask('PATCH', `/${id}`, ann, { published: true })).body.published, true)
    assert.equal((await ask('GET', `/${id}`)).status, 200)
    assert.equal((await ask('PATCH', `/${id}`, admin, { published: false })).status, 200)
    assert.equal((await ask('GET', `/${id}`)).status, 404)
    assert.equal((await ask('PUT', `/${id}`, ann, { title: 'New' })).body.authorId, ann.id)
    assert.equal((await ask('DELETE', `/${id}`, admin)).status, 204)
    assert.equal((await ask('GET', `/${id}`, ann)).status, 404)
  })
})
