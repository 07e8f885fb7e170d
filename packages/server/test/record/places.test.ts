/**
 * The places of records in a manual order. Every way of a write moves a record, and each list has
 * an order of its own. Records that the caller may not read are no neighbours.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accounts,
  anyone,
  autoNumber,
  choice,
  type DeclaredResource,
  defineResource,
  id,
  manualOrder,
  reference,
  role,
  text,
  timestamp,
  where,
} from '../../src/index.ts'
import { type Ask, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'

const lists = defineResource({
  name: 'list',
  path: '/lists',
  trash: { days: 30 },
  fields: { id: id(), name: text({ required: true, maxLength: 40 }) },
  list: { style: 'page' },
  access: { read: anyone, write: anyone },
  children: { tasks: { resource: 'task', by: 'listId' } },
})
const tasks = defineResource({
  name: 'task',
  path: '/tasks',
  trash: { days: 30 },
  history: { keep: 9 },
  fields: {
    id: id(),
    title: text({ required: true, maxLength: 40 }),
    listId: reference('list', { onDelete: 'delete' }),
    kind: choice(['OPEN', 'SECRET'], { default: 'OPEN' }),
    position: manualOrder({ within: 'listId' }),
    createdAt: timestamp({ setOn: 'create' }),
  },
  list: { style: 'page', filterable: ['listId', 'title', 'position'], bulk: true },
  access: {
    read: where({ kind: 'OPEN' }),
    write: anyone,
    create: anyone,
    import: role('ADMIN'),
    export: role('ADMIN'),
    restore: anyone,
  },
})
const boxes = defineResource({ name: 'box', path: '/boxes', fields: { id: id() }, access: { write: anyone } })
const items = defineResource({
  name: 'item',
  path: '/items',
  fields: {
    id: id(),
    title: text({ maxLength: 40 }),
    boxId: reference('box', { onDelete: 'clear' }),
    place: manualOrder({ within: 'boxId' }),
    spareId: reference('item'),
    number: autoNumber({ digits: 1 }),
  },
  list: { style: 'page' },
  access: { read: anyone, write: anyone, import: role('ADMIN') },
})
const steps = defineResource({
  name: 'step',
  path: '/steps',
  fields: { id: id(), title: text({ maxLength: 40 }), place: manualOrder({ write: role('ADMIN') }) },
  list: { style: 'page', filterable: ['place'] },
  access: { read: anyone, write: anyone },
})

const people = accounts({ roles: ['USER', 'ADMIN'] })
let service: TestService
let admin: TestPerson
let ask: Ask
before(async () => {
  service = await startService([...people, lists, tasks, boxes, items, steps] as readonly DeclaredResource[], {
    env: { RATE_LIMIT: '' },
  })
  admin = await service.person('ADMIN')
  ask = service.ask
})
after(() => service.stop())

const at = '/api/v1/tasks'
type Made = { readonly id: string; readonly position: string; readonly title: string }

async function newList(): Promise<string> {
  return (await ask('POST', '/api/v1/lists', { body: { name: 'a list' } })).body.id
}
async function newTask(listId: string | undefined, title: string, more: object = {}): Promise<Made> {
  const made = await ask('POST', at, { body: { listId, title, ...more } })
  assert.equal(made.status, 201, made.text)
  return made.body
}
/** A list with tasks of these titles, by title. */
async function listOf(titles: string): Promise<{ listId: string; of: Record<string, Made> }> {
  const listId = await newList()
  const of: Record<string, Made> = {}
  for (const title of titles) of[title] = await newTask(listId, title)
  return { listId, of }
}
async function order(listId: string | undefined, path = at): Promise<string> {
  const filter = listId === undefined ? 'listId[null]=true' : `listId=${listId}`
  const found = await ask('GET', `${path}?${filter}&limit=100`)
  assert.equal(found.status, 200, found.text)
  return found.body.data.map(({ title }: Made) => title).join('')
}
const move = (one: Made | undefined, position: unknown) => ask('PATCH', `${at}/${one?.id}`, { body: { position } })

describe('a place', () => {
  it('is the last one for a new record, and keys are short', async () => {
    const { listId, of } = await listOf('abc')
    assert.equal(await order(listId), 'abc')
    assert.deepEqual(
      Object.values(of).map(({ position }) => position),
      ['8', '8000000001', '8000000002'],
    )
  })

  it('is taken before and after another record, first and last', async () => {
    const { listId, of } = await listOf('abcd')
    for (const [one, position, becomes] of [
      ['d', { before: of.b?.id }, 'adbc'],
      ['a', { after: of.c?.id }, 'dbca'],
      ['b', 'first', 'bdca'],
      ['b', 'last', 'dcab'],
      ['c', { before: of.a?.id }, 'dcab'],
    ] as const) {
      const moved = await move(of[one], position)
      assert.equal(moved.status, 200, moved.text)
      assert.equal(await order(listId), becomes)
    }
  })

  it('stays where the move changes nothing, and by a PUT', async () => {
    const { listId, of } = await listOf('abc')
    const before = of.b?.position
    assert.equal((await move(of.b, { after: of.a?.id })).body.position, before)
    assert.equal((await move(of.b, before)).body.position, before)
    const put = await ask('PUT', `${at}/${of.b?.id}`, { body: { listId, title: 'b' } })
    assert.deepEqual([put.status, put.body.position], [200, before], put.text)
  })

  it('is given with a new record, and in a batch', async () => {
    const { listId, of } = await listOf('ab')
    await newTask(listId, 'c', { position: { before: of.b?.id } })
    await newTask(listId, 'd', { position: 'first' })
    const body = {
      operations: [{ method: 'POST', path: '/tasks', body: { listId, title: 'e', position: { after: of.a?.id } } }],
    }
    assert.equal((await ask('POST', '/api/v1/batch', { body })).status, 200)
    assert.equal(await order(listId), 'daecb')
  })

  it('of a key that another record has is right behind that', async () => {
    const { listId, of } = await listOf('abc')
    const made = await newTask(listId, 'd', { position: of.a?.position })
    assert.equal(await order(listId), 'adbc')
    assert.ok(made.position > (of.a?.position ?? '') && made.position < (of.b?.position ?? ''))
  })

  it('is at the end of another order, or where the write says', async () => {
    const [from, to] = [await listOf('abc'), await listOf('xyz')]
    const patch = (one: Made | undefined, body: object) => ask('PATCH', `${at}/${one?.id}`, { body })
    assert.equal((await patch(from.of.a, { listId: to.listId })).status, 200)
    const told = await patch(from.of.b, { listId: to.listId, position: { before: to.of.y?.id } })
    assert.equal(told.status, 200, told.text)
    assert.deepEqual([await order(from.listId), await order(to.listId)], ['c', 'xbyza'])
    const wrong = await patch(from.of.c, { position: { before: to.of.y?.id } })
    assert.equal(wrong.status, 400)
    assert.equal(wrong.body.error, 'position.before must be the id of another task with the same listId')
  })

  it('of records without a value is an order too, to whose end cleared references come', async () => {
    const make = async (path: string, body: object) => (await ask('POST', `/api/v1/${path}`, { body })).body
    const box = await make('boxes', {})
    for (const title of 'ab') await make('items', { title, boxId: box.id })
    const c = await make('items', { title: 'c' })
    await make('items', { title: 'd', place: { before: c.id } })
    assert.equal((await ask('DELETE', `/api/v1/boxes/${box.id}`)).status, 204)
    const [first, second, ...rest] = (await ask('GET', '/api/v1/items')).body.data
    assert.deepEqual([first, second, ...rest].map(({ title }) => title).join(''), 'dcab')
    assert.equal(new Set([first, second, ...rest].map(({ place }) => place)).size, 4)
  })
})

describe('what is refused', () => {
  it('a record that is not there, not readable, itself, or no id', async () => {
    const { listId, of } = await listOf('a')
    const hidden = (await ask('POST', at, { ...admin, body: { listId, title: 'h', kind: 'SECRET' } })).body
    const sentence = 'position.after must be the id of another task with the same listId'
    for (const one of [hidden?.id, '0198c0de-0000-7000-8000-000000000001', of.a?.id, 'x', 5]) {
      const refused = await move(of.a, { after: one })
      assert.deepEqual([refused.status, refused.body.error], [400, sentence], refused.text)
    }
  })

  it('other forms', async () => {
    const { of } = await listOf('a')
    const forms = 'position must be "first", "last", {"before": id}, {"after": id}, or a key as it is shown'
    for (const one of [
      '',
      'G',
      '80',
      'middle',
      '8'.repeat(33),
      5,
      true,
      [],
      {},
      { before: null },
      { before: of.a?.id, after: of.a?.id },
      { at: 1 },
    ]) {
      const refused = await move(of.a, one)
      assert.deepEqual([refused.status, refused.body.error], [400, forms], JSON.stringify(one))
    }
    assert.equal((await move(of.a, null)).body.error, 'position must not be null')
    assert.equal(
      (await ask('GET', `${at}?position[gt]=G`)).body.error,
      'position[gt] must be a key of the order, as it is shown',
    )
  })

  it('a move by a caller who may not set the field', async () => {
    const made = (await ask('POST', '/api/v1/steps', { body: { title: 'a' } })).body
    assert.equal((await ask('PATCH', `/api/v1/steps/${made.id}`, { body: { place: 'first' } })).status, 403)
  })
})

describe('other doors', () => {
  it('a bulk update, the trash and its restore', async () => {
    const { listId, of } = await listOf('abc')
    await ask('DELETE', `${at}/${of.b?.id}`)
    const taken = await newTask(listId, 'x', { position: of.b?.position })
    assert.equal(taken.position, of.b?.position)
    const back = await ask('POST', `${at}/${of.b?.id}/restore`)
    assert.equal(back.status, 200, back.text)
    assert.equal(await order(listId), 'axbc')
    const bulk = await ask('PATCH', `${at}?title=x&listId=${listId}&limit=9`, { body: { position: 'last' } })
    assert.equal(bulk.status, 200, bulk.text)
    assert.equal(await order(listId), 'abcx')
    await ask('DELETE', `/api/v1/lists/${listId}`)
    const trashed = (await ask('GET', `/api/v1/lists?_trash=only`, admin)).body.data
    assert.equal((await ask('POST', `/api/v1/lists/${trashed[0].id}/restore`)).status, 200)
    assert.equal(await order(listId), 'abcx')
  })

  it('the history, and a version written again', async () => {
    const { listId, of } = await listOf('abc')
    await move(of.a, 'last')
    assert.equal(await order(listId), 'bca')
    const reverted = await ask('POST', `${at}/${of.a?.id}/revert`, { body: { historyVersion: 1 } })
    assert.equal(reverted.status, 200, reverted.text)
    assert.equal(await order(listId), 'abc')
  })

  it('GraphQL', async () => {
    const { listId, of } = await listOf('abc')
    const send = (input: string) =>
      ask('POST', '/graphql', {
        body: { query: `mutation { updateTask(id: "${of.c?.id}", input: { ${input} }) { position } }` },
      })
    const moved = await send(`positionBefore: "${of.a?.id}"`)
    assert.equal(moved.body.errors, undefined, moved.text)
    assert.equal(await order(listId), 'cab')
    await send('position: "last"')
    assert.equal(await order(listId), 'abc')
    const both = await send(`position: "last", positionAfter: "${of.a?.id}"`)
    assert.equal(both.body.errors[0].message, 'position is sent beside positionAfter: send one of them')
  })

  it('an import in the order of its lines, and of its keys', async () => {
    const listId = await newList()
    const lines = (all: readonly object[]) => all.map((line) => JSON.stringify({ listId, ...line })).join('\n')
    const send = (raw: string) => ask('POST', `${at}/import`, { raw, type: 'application/x-ndjson', ...admin })
    assert.equal((await send(lines([{ title: 'a' }, { title: 'b' }, { title: 'c' }]))).body.created, 3)
    assert.equal(await order(listId), 'abc')
    const keys = [
      { title: 'z', position: '9' },
      { title: 'y', position: '81' },
      { title: 'x', position: '7' },
      { title: 'w', position: '9' },
    ]
    const done = await send(lines(keys))
    assert.equal(done.body.created, 4, done.text)
    assert.equal(await order(listId), 'xabcyzw')
  })

  it('an import gives back the numbers of lines whose place is none', async () => {
    const boxId = (await ask('POST', '/api/v1/boxes', { body: {} })).body.id
    const lines = [{ title: 'a' }, { title: 'b', place: { after: 'nothing' } }, { title: 'c' }]
    const raw = lines.map((line) => JSON.stringify({ boxId, ...line })).join('\n')
    const done = await ask('POST', '/api/v1/items/import', { raw, type: 'application/x-ndjson', ...admin })
    const error = 'place.after must be the id of another item with the same boxId'
    assert.deepEqual(done.body, { created: 2, updated: 0, rejected: 1, errors: [{ line: 2, error }] })
    const { data } = (await ask('GET', `/api/v1/items?boxId=${boxId}`)).body
    const [a, c] = data.map(({ number }: { number: string }) => Number(number))
    assert.equal(c, a + 1)
  })

  it('the list of a cursor, in the order', async () => {
    for (const title of 'bcd') await ask('POST', '/api/v1/steps', { body: { title } })
    const [, , last] = (await ask('GET', '/api/v1/steps')).body.data
    await ask('PATCH', `/api/v1/steps/${last.id}`, { body: { place: 'first' }, ...admin })
    const page = (await ask('GET', '/api/v1/steps?limit=2&cursor=')).body
    const next = (await ask('GET', `/api/v1/steps?limit=2&cursor=${page.meta.nextCursor}`)).body
    assert.equal([...page.data, ...next.data].map(({ title }: Made) => title).join(''), 'cabd')
  })
})

it('keys stay short after 400 moves between the same two, and no place comes twice', async () => {
  const { listId, of } = await listOf('az')
  const made: Made[] = []
  for (let i = 0; i < 100; i += 1) made.push(await newTask(listId, `${i} `))
  for (let i = 0; i < 400; i += 1) {
    const moved = await move(made[i % 100], { after: of.a?.id })
    assert.equal(moved.status, 200, moved.text)
  }
  const shown = (await ask('GET', `${at}?listId=${listId}&limit=100`)).body.data
  const keys = shown.map(({ position }: Made) => position)
  assert.equal(new Set(keys).size, keys.length)
  assert.ok(Math.max(...keys.map((key: string) => key.length)) <= 32)
  const moved = made
    .map(({ title }) => title)
    .toReversed()
    .join('')
  assert.equal(await order(listId), `a${moved}`.slice(0, (await order(listId)).length))
})
