/**
 * Links by every other door: GraphQL, batches, writes to many, upserts, imports, exports and MCP. A
 * reader sees the same tags by each of them.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { TestPerson } from '../../src/testing/index.ts'
import { startWorld } from './links-world.ts'

const { service, ann, eve, ask, made } = await startWorld()
after(() => service.stop())

const red = await made('/tags', { name: 'red', weight: 3 })
const blue = await made('/tags', { name: 'blue', weight: 7 })
/** Only Eve sees it. */
const secret = await made('/tags', { name: 'secret', isOpen: false, weight: 5 }, eve)
const ada = await made('/writers', { name: 'Ada' })
const both = await made(
  '/articles',
  { title: 'Both', tags: [red, secret], writers: [{ id: ada, role: 'EDITOR' }] },
  eve,
)

async function query(text: string, as: TestPerson = ann, variables: object = {}) {
  const answer = await service.ask('POST', '/graphql', { token: as.token, body: { query: text, variables } })
  // biome-ignore lint/suspicious/noExplicitAny: answers of several forms
  return answer.body as any
}
const namesOf = (records: { name: string }[]) => records.map(({ name }) => name).toSorted()
const shown = async (id: string, as: TestPerson = ann) =>
  (await ask('GET', `/articles/${id}?fields=tags`, { as })).body.tags.toSorted()

describe('GraphQL', () => {
  it('shows the linked records and the links, by the rule of the reader', async () => {
    const text = `query ($id: ID!) { article(id: $id) { title tags { name } writersLinks { role note record { id name } } } }`
    const forEve = await query(text, eve, { id: both })
    assert.equal(forEve.errors, undefined, JSON.stringify(forEve.errors))
    assert.deepEqual(namesOf(forEve.data.article.tags), ['red', 'secret'])
    const link = { role: 'EDITOR', note: null, record: { id: String(ada), name: 'Ada' } }
    assert.deepEqual(forEve.data.article.writersLinks, [link])
    assert.deepEqual(namesOf((await query(text, ann, { id: both })).data.article.tags), ['red'])
  })

  it('sets, adds and removes', async () => {
    const create = `mutation ($input: CreateArticleInput!) { createArticle(input: $input) { id version tags(limit: 5) { name } } }`
    const made = await query(create, ann, {
      input: { title: 'By GraphQL', tags: { set: [red, blue] }, writers: { add: [{ id: String(ada), note: 'x' }] } },
    })
    assert.equal(made.errors, undefined, JSON.stringify(made.errors))
    const { id, tags } = made.data.createArticle
    assert.deepEqual(namesOf(tags), ['blue', 'red'])
    const update = `mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { version tags { name } } }`
    const changed = await query(update, ann, { id, input: { tags: { remove: [red] } } })
    assert.deepEqual(changed.data.updateArticle, { version: 2, tags: [{ name: 'blue' }] })
    const refused = await query(update, ann, { id, input: { tags: { add: [secret] } } })
    assert.equal(refused.errors[0].message, 'tags refers to no tag that exists')
  })

  it('filters as REST does', async () => {
    const text = `query ($filter: ArticleFilter) { articles(filter: $filter) { data { id } } }`
    const found = async (filter: object, as?: TestPerson) =>
      (await query(text, as, { filter })).data.articles.data.some((one: { id: string }) => one.id === both)
    assert.equal(await found({ tags: { some: { weight: { eq: 5 } } } }, eve), true)
    assert.equal(await found({ tags: { some: { weight: { eq: 5 } } } }), false)
    assert.equal(await found({ tags: { every: { weight: { eq: 3 } } } }), true)
    assert.equal(await found({ tags: { none: { weight: { eq: 5 } } } }, eve), false)
    assert.equal(await found({ tags: { eq: secret } }, eve), true)
    assert.equal(await found({ tags: { in: [secret] } }), false)
  })
})

describe('writes to several records', () => {
  it('by a batch, by a filter and by an upsert', async () => {
    const operations = [{ id: 'a', method: 'POST', path: '/api/v1/articles', body: { title: 'Batch', tags: [red] } }]
    const batch = await ask('POST', '/batch', { body: { operations } })
    assert.equal(batch.status, 200, JSON.stringify(batch.body))
    const many = await ask('PATCH', '/articles?title=Batch&limit=5', { body: { tags: { add: [blue] } } })
    assert.equal(many.status, 200, JSON.stringify(many.body))
    const { data } = (await ask('GET', '/articles?title=Batch&fields=tags')).body
    assert.deepEqual(data[0].tags.toSorted(), [red, blue].toSorted())
    const refused = await ask('PATCH', '/articles?title=Batch&limit=5', { body: { tags: [secret] } })
    assert.equal(refused.status, 400)
    for (const tags of [[red], [blue]]) {
      const put = await ask('PUT', '/articles?on=code', { body: { title: 'Upsert', code: 'U1', tags } })
      assert.ok([200, 201].includes(put.status), JSON.stringify(put.body))
    }
    const upserted = (await ask('GET', '/articles?code=U1&fields=tags')).body.data
    assert.deepEqual(upserted[0].tags, [blue])
  })
})

describe('an action', () => {
  it('gives a new record links, and adds to them', async () => {
    const copied = await ask('POST', `/articles/${both}/copy`)
    assert.equal(copied.status, 201, JSON.stringify(copied.body))
    const { id } = copied.body
    const { related } = (await ask('GET', `/articles/${id}?fields=related`)).body
    assert.deepEqual(related.toSorted(), [both, id].toSorted())
  })
})

describe('exports and imports', () => {
  it('an export has the links that its reader sees, and an import of it changes nothing', async () => {
    const lines = async (as: TestPerson) => {
      const { text } = await service.ask('GET', '/api/v1/articles/export', { token: as.token })
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    }
    const of = (all: { id: string; tags: string[] }[]) => all.find(({ id }) => id === both)?.tags.toSorted()
    assert.deepEqual(of(await lines(eve)), [red, secret].toSorted())
    assert.deepEqual(of(await lines(ann)), [red])
    const versions = async () =>
      (await ask('GET', '/articles')).body.data.map((one: { updatedAt: string }) => one.updatedAt)
    const before = await versions()
    const mine = (await lines(eve)).filter(({ id }) => id === both)
    const imported = await service.ask('POST', '/api/v1/articles/import', {
      token: eve.token,
      raw: mine.map((one) => JSON.stringify(one)).join('\n'),
      type: 'application/x-ndjson',
    })
    assert.deepEqual(imported.body, { created: 0, updated: 1, rejected: 0, errors: [] })
    assert.deepEqual(await versions(), before)
    assert.deepEqual(await shown(both, eve), [red, secret].toSorted())
  })
})
