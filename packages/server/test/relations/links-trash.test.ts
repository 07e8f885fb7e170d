/**
 * Links and the trash: they go with the record and come back with it, also where both records were
 * deleted. They end with either of them.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  accounts,
  boolean,
  choice,
  defineResource,
  id,
  manyToMany,
  owner,
  reference,
  role,
  text,
  user,
} from '../../src/index.ts'
import { always } from '../../src/resource/condition.ts'
import { startService, type TestPerson } from '../../src/testing/index.ts'

const people = accounts({ roles: ['USER', 'ADMIN'] })
const trash = { days: 7 }
const access = { read: user, write: user, purge: role('ADMIN') }
const labels = defineResource({
  name: 'label',
  path: '/labels',
  fields: { id: id(), name: text(), ownerId: reference(people.users.name, { setBy: 'principal' }) },
  list: { style: 'page' },
  access: { read: owner('ownerId'), write: owner('ownerId'), create: user },
})
const topics = defineResource({
  name: 'topic',
  path: '/topics',
  trash,
  fields: { id: id(), name: text(), isOpen: boolean({ default: true }) },
  list: { style: 'page' },
  access,
})
const papers = defineResource({
  name: 'paper',
  path: '/papers',
  trash,
  fields: {
    id: id(),
    name: text(),
    labels: manyToMany('label'),
    topics: manyToMany('topic', { ordered: true, fields: { rank: choice(['MAIN', 'SIDE'], { default: 'SIDE' }) } }),
    related: manyToMany('paper'),
  },
  list: { style: 'page' },
  access,
})
const own = await startService([labels, topics, papers, ...people])
after(() => own.stop())
const ann = await own.person()
const ben = await own.person()
const admin = await own.admin()

const ask = (method: string, path: string, { as = ann, body }: { as?: TestPerson; body?: unknown } = {}) =>
  own.ask(method, `/api/v1${path}`, { token: as.token, ...(body !== undefined && { body }) })
async function made(path: string, body: object, as: TestPerson = ann): Promise<string> {
  const reply = await ask('POST', path, { as, body })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
async function done(method: string, path: string, as: TestPerson = ann): Promise<void> {
  const reply = await ask(method, path, { as })
  assert.ok([200, 204].includes(reply.status), `${method} ${path}: ${reply.text}`)
}
const shown = async (id: string, as: TestPerson = ann) => {
  const { body } = await ask('GET', `/papers/${id}?fields=labels,topics,related`, { as })
  return [body.labels.toSorted(), body.topics, body.related.toSorted()]
}
const { storage, catalog } = own.service.engine
/** The rows of links and of their trash. */
async function rowsOf(field: 'Labels' | 'Topics' | 'Related'): Promise<readonly number[]> {
  const tables = [`paper${field}Link`, `paper${field}LinkTrash`]
  return Promise.all(tables.map((name) => storage.count(catalog.get(name), always)))
}

test('a record comes back with its links, also those that the caller does not see', async () => {
  const [mine, his] = [await made('/labels', { name: 'mine' }), await made('/labels', { name: 'his' }, ben)]
  const [one, two] = [await made('/topics', { name: 'one' }), await made('/topics', { name: 'two' })]
  const other = await made('/papers', { name: 'other' })
  const ranked = [{ id: two, rank: 'MAIN' }, { id: one }]
  const paper = await made('/papers', { name: 'whole', labels: [mine], topics: ranked, related: [other] })
  for (const [body, as] of [
    [{ labels: { add: [his] }, related: { add: [paper] } }, ben],
    [{ name: 'Whole' }, ann],
  ] as const)
    assert.equal((await ask('PATCH', `/papers/${paper}`, { as, body })).status, 200)
  const before = [await shown(paper), await shown(paper, ben)]
  await done('DELETE', `/papers/${paper}`)
  assert.deepEqual(
    [await rowsOf('Labels'), await rowsOf('Topics'), await rowsOf('Related')],
    [
      [0, 2],
      [0, 2],
      [0, 2],
    ],
  )
  assert.equal((await ask('GET', `/papers?topics=${one}`)).body.meta.total, 0)
  await done('POST', `/papers/${paper}/restore`)
  assert.deepEqual([await shown(paper), await shown(paper, ben)], before)
  assert.deepEqual(before[0]?.[1], [
    { id: two, rank: 'MAIN' },
    { id: one, rank: 'SIDE' },
  ])
  assert.equal((await ask('GET', `/papers?topics=${one}`)).body.meta.total, 1)
  assert.deepEqual(await rowsOf('Topics'), [2, 0])

  // A label without a trash ends, and takes its links out of the trash too.
  await done('DELETE', `/papers/${paper}`)
  await done('DELETE', `/labels/${mine}`)
  assert.deepEqual(await rowsOf('Labels'), [0, 1])
  await done('POST', `/papers/${paper}/restore`)
  assert.deepEqual([(await shown(paper))[0], (await shown(paper, ben))[0]], [[], [his]])

  for (const path of [`/papers/${paper}`, `/papers/${other}`]) await done('DELETE', `${path}?_trash=skip`, admin)
  assert.deepEqual(
    [await rowsOf('Labels'), await rowsOf('Topics'), await rowsOf('Related')],
    [
      [0, 0],
      [0, 0],
      [0, 0],
    ],
  )
})

test('a link of two deleted records comes back with the second of them', async () => {
  for (const order of ['paper first', 'topic first'])
    for (const back of ['paper first', 'topic first']) {
      const what = `${order}, back ${back}`
      const topic = await made('/topics', { name: what })
      const paper = await made('/papers', { name: what, topics: [{ id: topic, rank: 'MAIN' }] })
      const inOrder = (said: string) => {
        const both = [`/papers/${paper}`, `/topics/${topic}`]
        return said === 'paper first' ? both : both.toReversed()
      }
      for (const path of inOrder(order)) await done('DELETE', path)
      assert.deepEqual(await rowsOf('Topics'), [0, 1], what)
      const [first, second] = inOrder(back)
      await done('POST', `${first}/restore`)
      assert.deepEqual(await rowsOf('Topics'), [0, 1], what)
      await done('POST', `${second}/restore`)
      assert.deepEqual((await shown(paper))[1], [{ id: topic, rank: 'MAIN' }], what)
      assert.deepEqual(await rowsOf('Topics'), [1, 0], what)
      await done('DELETE', `/papers/${paper}`)
      await done('DELETE', `/topics/${topic}?_trash=skip`, admin)
      assert.deepEqual(await rowsOf('Topics'), [0, 0], what)
      await done('POST', `/papers/${paper}/restore`)
      assert.deepEqual((await shown(paper))[1], [], what)
    }
})

test('a purge in the trash, and the end of its days, leave no link', async () => {
  const topic = await made('/topics', { name: 'stays' })
  const papers = [await made('/papers', { topics: [topic] }), await made('/papers', { topics: [topic] })]
  for (const one of papers) await done('DELETE', `/papers/${one}`)
  assert.deepEqual(await rowsOf('Topics'), [0, 2])
  await done('DELETE', `/papers/${papers[0]}?_trash=skip`, admin)
  assert.deepEqual(await rowsOf('Topics'), [0, 1])
  own.turn(8 * 24 * 60 * 60_000)
  await own.sweep()
  assert.deepEqual(await rowsOf('Topics'), [0, 0])
})
