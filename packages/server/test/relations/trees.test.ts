/** Trees: the lists below and above a record, the filter `within`, and writes that are refused. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { defineResource, reference, role } from '../../src/index.ts'
import { findMistakes } from '../../src/resource/check.ts'
import type { Answer } from './links-world.ts'
import { categories, startTrees, treeResources } from './trees-world.ts'

const { service, ann, ask, made, names } = await startTrees()
after(() => service.stop())
const eve = await service.person()
const admin = await service.admin()

const root = await made('/categories', { name: 'root' })
const left = await made('/categories', { name: 'left', parentId: root })
const right = await made('/categories', { name: 'right', parentId: root })
const leaf = await made('/categories', { name: 'leaf', parentId: left })
const tip = await made('/categories', { name: 'tip', parentId: leaf })
for (const [name, categoryId] of Object.entries({ a: root, b: left, c: leaf, d: tip, e: right }))
  await made('/goods', { name, categoryId })
await made('/goods', { name: 'none' })

describe('the records below and above one', () => {
  it('are lists, with filters, sorts, pages and totals', async () => {
    assert.deepEqual(await names(`/categories/${root}/descendants`), ['leaf', 'left', 'right', 'tip'])
    assert.deepEqual(await names(`/categories/${left}/descendants`), ['leaf', 'tip'])
    assert.deepEqual(await names(`/categories/${tip}/descendants`), [])
    assert.deepEqual(await names(`/categories/${tip}/ancestors`), ['leaf', 'left', 'root'])
    assert.deepEqual(await names(`/categories/${root}/ancestors`), [])
    const { body } = await ask('GET', `/categories/${root}/descendants?sort=-name&limit=2&name[startsWith]=l`)
    assert.deepEqual([body.data.map((one: { name: string }) => one.name), body.meta.total], [['left', 'leaf'], 2])
    const next = await ask('GET', `/categories/${root}/descendants?cursor=&limit=3&sort=name`)
    const rest = await ask(
      'GET',
      `/categories/${root}/descendants?limit=3&sort=name&cursor=${encodeURIComponent(next.body.meta.nextCursor)}`,
    )
    assert.deepEqual(
      rest.body.data.map((one: { name: string }) => one.name),
      ['tip'],
    )
    const groups = await ask('GET', `/categories/${root}/descendants/summary?group=isOpen`)
    assert.deepEqual(groups.body.data, [{ isOpen: true, count: 4 }])
    assert.equal((await ask('GET', '/categories/01a20a6f-0e48-72c1-8d2f-bb66b83ff11a/descendants')).status, 404)
  })

  it('are found by within, on their list and on others', async () => {
    assert.deepEqual(await names(`/goods?categoryId[within]=${left}`), ['b', 'c', 'd'])
    assert.deepEqual(await names(`/goods?categoryId[within]=${root}&name=e`), ['e'])
    assert.deepEqual(await names(`/categories?parentId[within]=${left}`), ['leaf', 'tip'])
    const filter = encodeURIComponent(JSON.stringify({ not: { categoryId: { within: left } } }))
    assert.deepEqual(await names(`/goods?filter=${filter}`), ['a', 'e', 'none'])
    const through = encodeURIComponent(JSON.stringify({ category: { parentId: { within: left } } }))
    assert.deepEqual(await names(`/goods?filter=${through}`), ['c', 'd'])
    assert.equal((await ask('GET', '/goods?categoryId[within]=x')).status, 400)
    assert.match((await ask('GET', `/goods?name[within]=${left}`)).body.error, /is no filter|name takes/)
  })

  it('are in GraphQL, OpenAPI and the descriptions', async () => {
    const query = `{
      categoryDescendants(categoryId: "${left}", sort: "name") { data { name } meta { total } }
      categoryAncestors(categoryId: "${leaf}", sort: "name") { data { name } }
      goods(filter: { categoryId: { within: "${leaf}" } }, sort: "name") { data { name } }
    }`
    const { body } = (await service.ask('POST', '/graphql', { token: ann.token, body: { query } })) as {
      body: Answer['body']
    }
    assert.deepEqual(body, {
      data: {
        categoryDescendants: { data: [{ name: 'leaf' }, { name: 'tip' }], meta: { total: 2 } },
        categoryAncestors: { data: [{ name: 'left' }, { name: 'root' }] },
        goods: { data: [{ name: 'c' }, { name: 'd' }] },
      },
    })
    const { body: document } = (await service.ask('GET', '/openapi.json')) as { body: Answer['body'] }
    assert.ok(document.paths['/api/v1/categories/{id}/descendants'].get)
    assert.ok(document.paths['/api/v1/categories/{id}/ancestors'].get)
    const described = await ask('GET', '/_resources/categories')
    assert.deepEqual(
      described.body.children.filter((one: Answer['body']) => one.branch).map((one: Answer['body']) => one.path),
      ['descendants', 'ancestors'],
    )
    const explained = await ask('GET', `/categories/${root}/descendants?_explain=access`)
    assert.equal(explained.status < 500, true)
  })
})

it('a record that the caller may not read hides itself and the way below it', async () => {
  assert.equal((await ask('PATCH', `/categories/${left}`, { isOpen: false })).status, 200)
  assert.deepEqual(await names(`/categories/${root}/descendants`), ['leaf', 'left', 'right', 'tip'])
  assert.deepEqual(await names(`/categories/${root}/descendants`, eve), ['right'])
  assert.deepEqual(await names(`/categories/${tip}/ancestors`, eve), ['leaf'])
  assert.deepEqual(await names(`/categories/${leaf}/descendants`, eve), ['tip'])
  assert.equal((await ask('GET', `/categories/${left}/descendants`, undefined, eve)).status, 404)
  assert.deepEqual(await names(`/goods?categoryId[within]=${left}`, eve), [])
  assert.deepEqual(await names(`/goods?categoryId[within]=${root}`, eve), ['a', 'e'])
  assert.equal((await ask('PATCH', `/categories/${left}`, { isOpen: true })).status, 200)
  assert.deepEqual(await names(`/categories/${root}/descendants`, eve), ['leaf', 'left', 'right', 'tip'])
})

describe('a circle, and a level too many', () => {
  const circle = /^parentId must not name the record itself, or one below it$/
  const deep = /^parentId puts categories deeper than 4 levels$/
  const refused = async (method: string, path: string, body: unknown, sentence: RegExp) => {
    const answer = await ask(method, path, body, admin)
    assert.equal(answer.status, 400, JSON.stringify([method, path, answer.body]))
    assert.match(answer.body.error, sentence)
  }

  it('are refused by every write', async () => {
    await refused('PATCH', `/categories/${left}`, { parentId: left }, circle)
    await refused('PATCH', `/categories/${root}`, { parentId: tip }, circle)
    await refused('PUT', `/categories/${left}`, { name: 'left', parentId: leaf }, circle)
    await refused('PUT', '/categories?on=name', { name: 'left', parentId: tip }, circle)
    await refused('POST', '/categories', { name: 'below', parentId: tip }, deep)
    await refused('PATCH', `/categories/${left}`, { parentId: right }, deep)
    await refused('PATCH', '/categories?name=left&limit=5', { parentId: tip }, circle)
    const batch = await ask('POST', '/batch', {
      operations: [
        { method: 'PATCH', path: `/api/v1/categories/${left}`, body: { parentId: null } },
        { method: 'PATCH', path: `/api/v1/categories/${root}`, body: { parentId: leaf } },
        { method: 'PATCH', path: `/api/v1/categories/${left}`, body: { parentId: root } },
      ],
    })
    assert.equal(batch.status, 400, JSON.stringify(batch.body))
    assert.match(batch.body.error, /^operations\[2\]: parentId must not name the record itself/)
    const lines = [
      { name: 'left', parentId: tip },
      { name: 'imported', parentId: tip },
      { name: 'in right', parentId: right },
    ]
    const imported = (await service.ask('POST', '/api/v1/categories/import?on=name', {
      token: admin.token,
      type: 'application/x-ndjson',
      raw: lines.map((line) => JSON.stringify(line)).join('\n'),
    })) as { status: number; body: Answer['body'] }
    assert.deepEqual([imported.body.created, imported.body.rejected], [1, 2], JSON.stringify(imported.body))
    const query = `mutation { updateCategory(id: "${root}", input: { parentId: "${tip}" }) { id } }`
    const { body: mutated } = (await service.ask('POST', '/graphql', { token: ann.token, body: { query } })) as {
      body: Answer['body']
    }
    assert.match(mutated.errors[0].message, circle)
    assert.equal((await ask('PATCH', `/categories/${right}`, { parentId: null })).status, 200)
    await refused('PATCH', `/categories/${root}`, { parentId: right }, deep)
    assert.equal((await ask('PATCH', `/categories/${right}`, { parentId: root })).status, 200)
    const other = await made('/categories', { name: 'other' })
    await refused('PATCH', `/categories/${root}`, { parentId: other }, deep)
    assert.deepEqual(await names(`/categories/${root}/descendants`), ['in right', 'leaf', 'left', 'right', 'tip'])
    for (const name of ['other', 'in right'])
      await ask('DELETE', `/categories?name=${encodeURIComponent(name)}&limit=1`)
  })

  it('and a kept answer is dropped when records move', async () => {
    const inRight = `/goods?categoryId[within]=${right}`
    for (const read of [inRight, `/categories/${right}/descendants`]) await names(read)
    assert.deepEqual(await names(inRight), ['e'])
    assert.equal((await ask('PATCH', `/categories/${leaf}`, { parentId: right })).status, 200)
    assert.deepEqual(await names(inRight), ['c', 'd', 'e'])
    assert.deepEqual(await names(`/categories/${right}/descendants`), ['leaf', 'tip'])
    assert.equal((await ask('PATCH', `/categories/${leaf}`, { parentId: left })).status, 200)
    assert.deepEqual(await names(inRight), ['e'])
  })

  it('are refused when a record comes back from the trash', async () => {
    const [one, two] = [await made('/categories', { name: 'one' }), await made('/categories', { name: 'two' })]
    const three = await made('/categories', { name: 'three', parentId: two })
    await ask('PATCH', `/categories/${two}`, { parentId: one })
    await ask('DELETE', `/categories/${two}`)
    // Its record above goes below the one that names it still.
    const moved = await ask('PATCH', `/categories/${one}`, { parentId: three })
    const back = await ask('POST', `/categories/${two}/restore`)
    assert.deepEqual([moved.status, back.status], [200, 409], JSON.stringify([moved.body, back.body]))
    await ask('PATCH', `/categories/${one}`, { parentId: null })
    assert.equal((await ask('POST', `/categories/${two}/restore`)).status, 200)
    assert.deepEqual(await names(`/categories/${one}/descendants`), ['three', 'two'])
  })

  it('are refused by a revert to an earlier record above', async () => {
    const top = await made('/categories', { name: 'was below' })
    const low = await made('/categories', { name: 'was above' })
    for (const parentId of [low, null]) await ask('PATCH', `/categories/${top}`, { parentId })
    await ask('PATCH', `/categories/${low}`, { parentId: top })
    await refused('POST', `/categories/${top}/revert`, { historyVersion: 2 }, circle)
    assert.deepEqual(await names(`/categories/${top}/descendants`), ['was above'])
    await ask('PATCH', `/categories/${low}`, { parentId: null })
    assert.equal((await ask('POST', `/categories/${top}/revert`, { historyVersion: 2 }, admin)).status, 200)
    await ask('PATCH', `/categories/${top}`, { parentId: null })
    await ask('PATCH', `/categories/${low}`, { parentId: leaf })
    await refused('POST', `/categories/${top}/revert`, { historyVersion: 2 }, deep)
    for (const one of [low, top]) await ask('DELETE', `/categories/${one}?_trash=skip`)
  })

  it('are refused when a record comes back below one that became its own', async () => {
    const top = await made('/categories', { name: 'top back' })
    const low = await made('/categories', { name: 'low back', parentId: top })
    await ask('DELETE', `/categories/${low}`)
    const under = await made('/categories', { name: 'under low' })
    await ask('PATCH', `/categories/${top}`, { parentId: under })
    assert.equal((await ask('POST', `/categories/${low}/restore`)).status, 200)
    await ask('PATCH', `/categories/${low}`, { parentId: null })
    await ask('PATCH', `/categories/${under}`, { parentId: low })
    await ask('DELETE', `/categories/${under}`)
    const cleared = await ask('GET', `/categories/${top}`)
    assert.equal(cleared.body.parentId ?? under, under)
    await ask('PATCH', `/categories/${low}`, { parentId: top })
    const back = await ask('POST', `/categories/${under}/restore`)
    assert.deepEqual([back.status, cleared.body.parentId], [409, under], JSON.stringify(back.body))
  })

  it('are not made by moves at once', async () => {
    for (let round = 0; round < 12; round += 1) {
      const ids = await Promise.all([0, 1, 2].map((n) => made('/categories', { name: `round ${round} ${n}` })))
      const moves = ids.map((one, i) => ask('PATCH', `/categories/${one}`, { parentId: ids[(i + 1) % 3] }))
      const statuses = (await Promise.all(moves)).map(({ status }) => status).toSorted()
      assert.deepEqual(statuses, [200, 200, 400])
      for (const one of ids) await ask('DELETE', `/categories/${one}?_trash=skip`)
    }
  })
})

it('mistakes are found at start', () => {
  const mistakesOf = (fields: object, more: object = {}) =>
    findMistakes([
      defineResource({ ...categories, fields: { ...categories.fields, ...fields }, ...more } as never),
      ...treeResources.slice(1),
    ]).join('\n')
  const table: [string, RegExp][] = [
    [
      mistakesOf({ parentId: reference('good', { tree: { depth: 3 } }) }),
      /field "parentId": tree: refers to "good"; a tree/,
    ],
    [mistakesOf({ parentId: reference('category', { tree: { depth: 1 } }) }), /tree: depth is from 2 to 64, and is 1/],
    [mistakesOf({ parentId: reference('category', { tree: {} as never }) }), /field "parentId": .*depth/],
    [
      mistakesOf({ otherId: reference('category', { tree: { depth: 3 } }) }),
      /"otherId": tree: "parentId" makes a tree/,
    ],
    [
      mistakesOf({ parentId: reference('category', { tree: { depth: 3 }, read: role('ADMIN') }) }),
      /tree: the lists of a tree tell/,
    ],
    [
      mistakesOf({}, { children: { descendants: { resource: 'category', by: 'parentId' } } }),
      /tree: makes the path "descendants", which a child or an action has/,
    ],
  ]
  for (const [mistakes, sentence] of table) assert.match(mistakes, sentence)
  assert.deepEqual(findMistakes(treeResources), [])
})
