/**
 * Links in versions. A write that changes links alone leaves a version. Readers see its links to
 * records that they may get, and a revert puts back those that the caller may name.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  accounts,
  anyOf,
  boolean,
  choice,
  defineResource,
  id,
  integerId,
  manyToMany,
  owner,
  reference,
  role,
  text,
  timestamp,
  user,
  where,
} from '../../src/index.ts'
import { always } from '../../src/resource/condition.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'

const people = accounts({ roles: ['USER', 'EDITOR', 'ADMIN'] })
const trash = { days: 7 }
const tags = defineResource({
  name: 'tag',
  path: '/tags',
  trash,
  fields: {
    id: id(),
    name: text(),
    isOpen: boolean({ default: true }),
    ownerId: reference(people.users.name, { setBy: 'principal', onDelete: 'clear' }),
  },
  list: { style: 'page' },
  access: {
    read: anyOf([where({ isOpen: true }), owner('ownerId')]),
    create: user,
    update: user,
    delete: user,
    purge: user,
  },
})
const writers = defineResource({
  name: 'writer',
  path: '/writers',
  fields: { id: integerId(), name: text() },
  list: { style: 'page' },
  access: { read: user, write: user },
})
const articles = defineResource({
  name: 'article',
  path: '/articles',
  trash,
  history: { keep: 4 },
  fields: {
    id: id(),
    title: text(),
    tags: manyToMany('tag', { max: 5 }),
    writers: manyToMany('writer', {
      ordered: true,
      fields: { part: choice(['AUTHOR', 'EDITOR'], { default: 'AUTHOR' }), note: text({ maxLength: 20 }) },
    }),
    marks: manyToMany('tag', { read: role('EDITOR'), write: role('EDITOR') }),
    mainId: reference('tag', { onDelete: 'clear' }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: { style: 'page' },
  access: { read: user, write: user },
})

const service = await startService([tags, writers, articles, ...people])
after(() => service.stop())
const [ann, eve, editor] = [await service.person(), await service.person(), await service.person('EDITOR')]
const { storage, catalog } = service.service.engine

const ask = (method: string, path: string, { as = ann, body }: { as?: TestPerson; body?: unknown } = {}) =>
  service.ask(method, `/api/v1${path}`, { token: as.token, ...(body !== undefined && { body }) })
async function made(path: string, body: object, as: TestPerson = ann): Promise<string> {
  const answer = await ask('POST', path, { as, body })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.id
}
async function change(of: string, body: object, as: TestPerson = ann): Promise<void> {
  const answer = await ask('PATCH', `/articles/${of}`, { as, body })
  assert.equal(answer.status, 200, answer.text)
}
const revert = (of: string, historyVersion: number, as: TestPerson = ann) =>
  ask('POST', `/articles/${of}/revert`, { as, body: { historyVersion } })
/** The versions with this field, the newest first. */
async function versions(of: string, field: string, as: TestPerson = ann): Promise<unknown[][]> {
  const answer = await ask('GET', `/articles/${of}/history?fields=historyVersion,historyKind,${field}`, { as })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.map((one: Record<string, unknown>) => [one.historyVersion, one.historyKind, one[field]])
}
const linked = async (of: string, field: string, as: TestPerson = ann) =>
  (await ask('GET', `/articles/${of}?fields=${field}`, { as })).body[field]
const rowsOf = (table: string) => storage.count(catalog.get(table), always)

const [red, blue] = [await made('/tags', { name: 'red' }), await made('/tags', { name: 'blue' })]
/** Only Eve sees it. */
const secret = await made('/tags', { name: 'secret', isOpen: false }, eve)
const ada = await made('/writers', { name: 'Ada' })

describe('a write that changes links alone', () => {
  it('leaves a version with its links, and one that changes none leaves none', async () => {
    const of = await made('/articles', { title: 'Plain', tags: [red] })
    await change(of, { tags: { add: [blue] } })
    await change(of, { tags: [blue, red] })
    await change(of, { tags: { remove: [red] } })
    assert.deepEqual(await versions(of, 'tags'), [
      [4, 'update', [blue]],
      [2, 'update', [red, blue]],
      [1, 'create', [red]],
    ])
    const [{ historyId }] = (await ask('GET', `/articles/${of}/history`)).body.data
    const one = await ask('GET', `/articles/${of}/history/${historyId}`)
    assert.ok(!('tags' in one.body) && !('historyLinks' in one.body), one.text)
  })

  it('also by GraphQL, imports, upserts and batches; with order and values', async () => {
    const of = await made('/articles', { title: 'Doors' })
    const update = 'mutation ($id: ID!, $input: UpdateArticleInput!) { updateArticle(id: $id, input: $input) { id } }'
    const variables = { id: of, input: { writers: { add: [{ id: String(ada), part: 'EDITOR', note: 'n' }] } } }
    const done = await service.ask('POST', '/graphql', { token: ann.token, body: { query: update, variables } })
    assert.equal(done.body.errors, undefined, done.text)
    const operations = [{ method: 'PATCH', path: `/articles/${of}`, body: { writers: { remove: [ada] } } }]
    assert.equal((await ask('POST', '/batch', { body: { operations } })).status, 200)
    assert.deepEqual(await versions(of, 'writers'), [
      [3, 'update', []],
      [2, 'update', [{ id: ada, part: 'EDITOR', note: 'n' }]],
      [1, 'create', []],
    ])
    assert.equal((await revert(of, 2)).status, 200)
    assert.deepEqual(await linked(of, 'writers'), [{ id: ada, part: 'EDITOR', note: 'n' }])
  })

  it('keeps the links of before, where a record has no version', async () => {
    const of = await made('/articles', { title: 'Kept', tags: [red] })
    await service.service.engine.records.transaction(
      { userId: null, credential: 'service' } as never,
      async (tx) => void (await tx.removeWhere(catalog.get('articleVersion'), always)),
    )
    await change(of, { tags: [blue] })
    assert.deepEqual(await versions(of, 'tags'), [
      [2, 'update', [blue]],
      [1, 'kept', [red]],
    ])
  })

  it('and keeps no more than declared, nor any of a record that ends', async () => {
    const before = [await rowsOf('articleVersionTagsLink'), await rowsOf('articleVersionTagsLinkTrash')]
    const of = await made('/articles', { title: 'Many', tags: [red] })
    for (const tags of [[blue], [red, blue], [red], [], [blue], [red]]) await change(of, { tags })
    assert.deepEqual(
      (await versions(of, 'tags')).map(([, , ids]) => ids),
      [[red], [blue], [], [red]],
    )
    assert.equal(await rowsOf('articleVersionTagsLink'), (before[0] as number) + 3)
    assert.equal((await ask('DELETE', `/articles/${of}`)).status, 204)
    assert.deepEqual(
      [await rowsOf('articleVersionTagsLink'), await rowsOf('articleVersionTagsLinkTrash')],
      [before[0], (before[1] as number) + 3],
    )
    assert.equal((await ask('POST', `/articles/${of}/restore`)).status, 200)
    assert.deepEqual(
      (await versions(of, 'tags')).map(([, kind, ids]) => [kind, ids]),
      [
        ['restore', [red]],
        ['update', [red]],
        ['update', [blue]],
        ['update', []],
      ],
    )
  })
})

describe('a reader', () => {
  it('sees the links to records that it may get, at every door', async () => {
    const of = await made('/articles', { title: 'Rules', tags: [red, secret], marks: [red] }, eve).catch(() => '')
    assert.equal(of, '', 'marks are of editors')
    const own = await made('/articles', { title: 'Rules', tags: [red, secret] }, eve)
    await change(own, { marks: [blue] }, editor)
    const [newest] = (await ask('GET', `/articles/${own}/history`)).body.data
    const query = `{ article(id: "${own}") { history { historyVersion tags { name } } } }`
    for (const [as, ids, names] of [
      [eve, [red, secret], ['red', 'secret']],
      [ann, [red], ['red']],
    ] as const) {
      assert.deepEqual((await versions(own, 'tags', as))[0]?.[2], ids)
      const at = `/articles/${own}/history/${newest.historyId}`
      assert.deepEqual((await ask('GET', `${at}?fields=tags`, { as })).body, { historyId: newest.historyId, tags: ids })
      const expanded = (await ask('GET', `${at}?expand=tags(fields:name)`, { as })).body.tags
      assert.deepEqual(
        expanded.map((one: { name: string }) => one.name),
        names,
      )
      const asked = await service.ask('POST', '/graphql', { token: as.token, body: { query } })
      assert.deepEqual(
        asked.body.data.article.history[0].tags.map((one: { name: string }) => one.name),
        names,
        asked.text,
      )
    }
    assert.deepEqual((await versions(own, 'marks', editor))[0], [2, 'update', [blue]])
    const refused = await ask('GET', `/articles/${own}/history?fields=marks`)
    const unknown = await ask('GET', `/articles/${own}/history?fields=nothing`)
    assert.deepEqual([refused.status, refused.text.replace('marks', 'nothing')], [400, unknown.text])
  })

  it('sees none to a record that is gone, and it comes back with the record', async () => {
    const green = await made('/tags', { name: 'green' })
    const of = await made('/articles', { title: 'Gone', tags: [red, green] })
    await change(of, { title: 'Gone 2' })
    assert.equal((await ask('DELETE', `/tags/${green}`)).status, 204)
    assert.deepEqual((await versions(of, 'tags'))[1], [1, 'create', [red]])
    const reverted = await revert(of, 1)
    assert.deepEqual([reverted.status, reverted.body.title], [200, 'Gone'], reverted.text)
    assert.equal((await ask('POST', `/tags/${green}/restore`)).status, 200)
    assert.deepEqual((await versions(of, 'tags'))[2], [1, 'create', [red, green]])
    assert.equal((await ask('DELETE', `/tags/${green}?_trash=skip`)).status, 204)
    assert.deepEqual((await versions(of, 'tags'))[2], [1, 'create', [red]])
  })
})

describe('a revert', () => {
  it('puts the links back, and is a version with them', async () => {
    const of = await made('/articles', { title: 'Back', tags: [red] })
    await change(of, { tags: [blue] })
    assert.equal((await revert(of, 1)).status, 200)
    assert.deepEqual(await linked(of, 'tags'), [red])
    assert.deepEqual((await versions(of, 'tags'))[0], [3, 'update', [red]])
  })

  it('neither adds nor removes a link that the caller does not see', async () => {
    const of = await made('/articles', { title: 'Unseen', tags: [red, secret] }, eve)
    await change(of, { tags: [blue] }, eve)
    assert.equal((await revert(of, 1)).status, 200)
    assert.deepEqual(await linked(of, 'tags', eve), [red])
    assert.equal((await revert(of, 1, eve)).status, 200)
    assert.deepEqual(await linked(of, 'tags', eve), [red, secret])
    assert.equal((await revert(of, 2)).status, 200)
    assert.deepEqual((await linked(of, 'tags', eve)).toSorted(), [blue, secret].toSorted())
  })

  it('leaves links that the caller may not read, and changes those that it may', async () => {
    const of = await made('/articles', { title: 'Marks' })
    await change(of, { marks: [red] }, editor)
    await change(of, { title: 'Marks 2', marks: [] }, editor)
    assert.equal((await revert(of, 2)).status, 200)
    assert.deepEqual(await linked(of, 'marks', editor), [])
    assert.equal((await revert(of, 2, editor)).status, 200)
    assert.deepEqual(await linked(of, 'marks', editor), [red])
  })

  it('leaves the links of a version that is older than the field', async () => {
    const of = await made('/articles', { title: 'Older', tags: [red] })
    const table = catalog.get('articleVersion')
    await service.service.engine.records.transaction({ userId: null, credential: 'service' } as never, async (tx) => {
      const where = { kind: 'compare', field: 'historyOf', operator: 'eq', value: of } as const
      const [row] = await tx.list(table, { where, sort: [], limit: 1 })
      await tx.changeAll(table, [row?.historyId as string], { historyLinks: [] })
    })
    await change(of, { title: 'Older 2', tags: [blue] })
    assert.equal((await revert(of, 1)).body.title, 'Older')
    assert.deepEqual(await linked(of, 'tags'), [blue])
  })
})
