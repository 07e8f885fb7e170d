/** Slugs by every door: made from another field, numbered where taken, and kept when it changes. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { anyone, defineResource, id, slug, slugOf, text } from '../../src/index.ts'
import { type Ask, startService, type TestService } from '../../src/testing/index.ts'

const posts = defineResource({
  name: 'post',
  path: '/posts',
  fields: {
    id: id(),
    title: text({ required: true }),
    code: text({ unique: true, maxLength: 20 }),
    slug: slug({ from: 'title', maxLength: 20 }),
  },
  list: { style: 'page', sortable: ['slug'], filterable: ['slug'], defaultSort: 'slug' },
  upsert: ['slug', 'code'],
  access: {
    list: anyone,
    get: anyone,
    create: anyone,
    update: anyone,
    replace: anyone,
    delete: anyone,
    import: anyone,
  },
  graphql: { query: { posts: 'list' }, mutation: { createPost: 'create' } },
})

let service: TestService
let ask: Ask
before(async () => {
  service = await startService([posts])
  ask = service.ask
})
after(() => service.stop())

const path = '/api/v1/posts'
const create = (body: object) => ask('POST', path, { body })
async function slugFor(title: string): Promise<string> {
  const made = await create({ title })
  assert.equal(made.status, 201, made.text)
  return made.body.slug
}

describe('a slug', () => {
  for (const [title, expected] of [
    ['Crème Brûlée, 2nd!', 'creme-brulee-2nd'],
    ['Ärger in der Straße', 'arger-in-der-strasse'],
    ["The cat's pyjamas", 'the-cats-pyjamas'],
    ['日本語 テスト', '日本語-テスト'],
    ['a word and another one that is long', 'a-word-and-another'],
    ['Donaudampfschifffahrtsgesellschaft', 'donaudampfschifffahr'],
  ] as const)
    it(`of "${title}" is ${expected}`, async () => {
      assert.equal(slugOf(title, 20), expected)
      assert.equal(await slugFor(title), expected)
    })

  it('that is taken gets the next number, also within its length', async () => {
    assert.deepEqual(
      [await slugFor('Same'), await slugFor('same!'), await slugFor('SAME'), await slugFor('Same')],
      ['same', 'same-2', 'same-3', 'same-4'],
    )
    assert.equal(await slugFor('Donaudampfschifffahrtsgesellschaft'), 'donaudampfschifffa-2')
  })

  it('stays when the title changes, by PATCH and by PUT', async () => {
    const { body } = await create({ title: 'First name' })
    const patched = await ask('PATCH', `${path}/${body.id}`, { body: { title: 'Second name' } })
    const replaced = await ask('PUT', `${path}/${body.id}`, { body: { title: 'Third name' } })
    assert.deepEqual([patched.body.slug, replaced.body.slug], ['first-name', 'first-name'])
    const cleared = await ask('PATCH', `${path}/${body.id}`, { body: { slug: null } })
    assert.deepEqual([cleared.status, cleared.body.error], [400, 'slug must not be null'])
  })

  it('that is sent is checked, and is a conflict where it is taken', async () => {
    const sent = await create({ title: 'x', slug: 'my-own' })
    assert.equal(sent.body.slug, 'my-own', sent.text)
    const taken = await create({ title: 'x', slug: 'my-own' })
    assert.deepEqual([taken.status, taken.body.error], [409, 'slug must be unique'])
    for (const wrong of ['My-Own', 'a--b', '-a', 'a b', 'a/b', 'é', '', '%2e'])
      assert.equal((await create({ title: 'x', slug: wrong })).status, 400, wrong)
  })

  describe('of nothing but signs', () => {
    const sentence = 'slug cannot be made of title, which has no letter or digit: send one'
    for (const title of ['!!!', '?!…', '-', '😀', '“ ”', '\u0301', '\u200d'])
      it(`cannot be made: ${JSON.stringify(title)}`, async () => {
        const batch = { operations: [{ method: 'POST', path: '/posts', body: { title } }] }
        const problem = { accept: 'application/problem+json' }
        const refusals = [
          await create({ title }),
          await ask('PUT', `${path}?on=code`, { body: { title, code: 'new' } }),
        ]
        for (const { status, body } of refusals) assert.deepEqual([status, body.error], [400, sentence])
        const { body: told } = await ask('POST', path, { body: { title }, headers: problem })
        assert.deepEqual([told.detail, told.errors], [sentence, [{ pointer: '#/slug', detail: sentence }]])
        const inBatch = await ask('POST', '/api/v1/batch', { body: batch })
        assert.deepEqual(
          [inBatch.status, inBatch.body.error],
          [400, `operations[0]: ${sentence}; nothing was stored`],
          inBatch.text,
        )
        const raw = JSON.stringify({ title })
        const lines = await ask('POST', `${path}/import`, { raw, type: 'application/x-ndjson' })
        assert.deepEqual(lines.body.errors, [{ line: 1, error: sentence }])
        const query = 'mutation ($title: String!) { createPost(input: { title: $title }) { slug } }'
        const { body } = await ask('POST', '/graphql', { body: { query, variables: { title } } })
        assert.deepEqual([body.errors[0].message, body.errors[0].extensions.code], [sentence, 'BAD_USER_INPUT'])
      })

    it('stays as it is when the title changes to that, and is made of a title that is sent with it', async () => {
      const { body } = await create({ title: 'Signs', code: 'signs' })
      const patched = await ask('PATCH', `${path}/${body.id}`, { body: { title: '!!!' } })
      const put = await ask('PUT', `${path}?on=code`, { body: { title: '???', code: 'signs' } })
      assert.deepEqual([patched.status, patched.body.slug, put.status, put.body.slug], [200, 'signs', 200, 'signs'])
      const line = JSON.stringify({ id: body.id, title: '***' })
      const done = await ask('POST', `${path}/import`, { raw: line, type: 'application/x-ndjson' })
      assert.deepEqual([done.body.updated, done.body.rejected], [1, 0], done.text)
      assert.equal((await create({ title: '!!!', slug: 'own-signs' })).body.slug, 'own-signs')
      const wrong = await ask('PATCH', `${path}/${body.id}`, { body: { slug: '!!!' } })
      assert.equal(wrong.status, 400)
      assert.match(wrong.body.error, /^slug must be small letters/)
    })
  })

  it('is made in imports, upserts and GraphQL', async () => {
    const lines = [{ title: 'Line' }, { title: 'Line' }, { title: 'Line', slug: 'line-2' }, { title: '--' }]
    const raw = lines.map((line) => JSON.stringify(line)).join('\n')
    const done = await ask('POST', `${path}/import`, { raw, type: 'application/x-ndjson' })
    assert.deepEqual([done.body.created, done.body.rejected], [3, 1], done.text)
    const found = await ask('GET', `${path}?slug[startsWith]=line`)
    assert.deepEqual(
      found.body.data.map((one: { slug: string }) => one.slug),
      ['line', 'line-2', 'line-3'],
    )
    const put = await ask('PUT', `${path}?on=slug`, { body: { title: 'Line changed', slug: 'line' } })
    assert.deepEqual([put.status, put.body.slug], [200, 'line'], put.text)
    const query = 'mutation { createPost(input: { title: "Line" }) { slug } }'
    const made = await ask('POST', '/graphql', { body: { query } })
    assert.deepEqual(made.body, { data: { createPost: { slug: 'line-4' } } })
  })

  it('is unique among creates at once, and none of them fails', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => create({ title: 'At once' })))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201])
    const slugs = new Set(replies.map(({ body }) => body.slug))
    assert.equal(slugs.size, 12)
    for (let count = 2; count <= 12; count += 1) assert.ok(slugs.has(`at-once-${count}`), [...slugs].join())
  })
})
