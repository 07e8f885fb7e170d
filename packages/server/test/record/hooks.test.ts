/** The arguments of hooks, and the rules for their results. Each case was once a bug. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  choice,
  defineResource,
  equals,
  id,
  integer,
  reference,
  text,
  textList,
  timestamp,
  where,
} from '../../src/index.ts'
import { type Ask, startService, type TestResponse, type TestService } from '../../src/testing/index.ts'

const open = { list: anyone, get: anyone, create: anyone, update: anyone, delete: anyone }
const ran: string[] = []
const cleared: string[][] = []
/** By the title that a caller sends: what the hook returns, or sets in place. */
const returned: Record<string, unknown> = {
  'a state that there is not': { status: 'GONE' },
  'a text beyond its limit': { slug: 'x'.repeat(11) },
  'a number as text': { count: '7' },
  'a reference to nothing': { shelfId: '01a21881-325a-7000-85bd-000000000000' },
  ['__proto__']: JSON.parse('{"__proto__": {}}'),
  constructor: { constructor: 1 },
  'the time of a write': { changedAt: '2020-01-01T00:00:00.000Z' },
  'the time of the creation': { madeAt: '2020-01-01T00:00:00.000Z' },
  'a value that follows': { shout: 'NO' },
  'its id': { id: '01a21881-325a-7000-85bd-000000000000' },
}

const shelves = defineResource({
  name: 'shelf',
  plural: 'shelves',
  path: '/shelves',
  fields: { id: id(), name: text({ required: true }), seen: integer({ default: 0 }) },
  list: { style: 'page', sortable: ['name'] },
  access: open,
  hooks: { beforeUpdate: ({ previous }) => ({ seen: previous.seen + 1 }) },
})

const volumes = defineResource({
  name: 'volume',
  path: '/volumes',
  fields: {
    id: id(),
    title: text({ required: true }),
    slug: text({ readOnly: true, maxLength: 10 }),
    status: choice(['IN', 'OUT'], { default: 'IN' }),
    count: integer({ default: 1 }),
    tags: textList(),
    kind: choice(['BOOK', 'MAP'], { default: 'BOOK' }),
    shelfId: reference('shelf'),
    shout: text({ readOnly: true }),
    madeAt: timestamp({ setOn: 'create' }),
    changedAt: timestamp({ setOn: 'write' }),
  },
  onWrite: { shout: ({ title }) => title.toUpperCase() },
  list: { style: 'page', filters: { kind: equals('kind') } },
  access: { ...open, create: where({ kind: 'BOOK' }) },
  hooks: {
    async beforeCreate({ record, sent, records }) {
      if (record.title === 'in place') Object.assign(record, { id: '01a21881-325a-7000-85bd-000000000000', count: 9 })
      if (record.title === 'sent in place') Object.assign(sent, { count: 9 })
      if (record.title === 'tags in place') (record.tags as string[]).push('x')
      if (record.title === 'with another') await records(volumes).create({ title: 'another', kind: 'MAP' })
      return returned[record.title] as object
    },
    async beforeUpdate({ record, previous, records }) {
      ran.push(record.title)
      if (record.title === 'in place') Object.assign(previous, { count: 9 })
      if (record.title === 'all shelves') {
        const all = await records(shelves).list({})
        await Promise.all(all.map(({ id, name }) => records(shelves).update(id, { name: `${name}+` })))
      }
      if (record.title === 'its own') await records(volumes).update(previous.id, { count: 2 })
      return returned[record.title] as object
    },
  },
})

/** Their hook refuses to lose a keeper, by what they are called, or finds another one. */
const charges = defineResource({
  name: 'charge',
  path: '/charges',
  fields: {
    id: id(),
    name: text({ required: true }),
    label: text({ readOnly: true, maxLength: 16 }),
    keeperId: reference('keeper', { onDelete: 'clear' }),
    deputyId: reference('keeper', { onDelete: 'clear' }),
    changedAt: timestamp({ setOn: 'write' }),
  },
  onWrite: { label: ({ name, keeperId }) => `${name}${keeperId ? '' : ' is alone'}` },
  list: { style: 'page', filters: { name: equals('name') } },
  access: open,
  hooks: {
    async beforeUpdate({ record, sent, previous, records, refuse }) {
      cleared.push(Object.keys(sent).sort())
      if (record.keeperId !== null) return undefined
      if (record.name === 'held') refuse('It needs a keeper')
      if (record.name === 'field') refuse('It needs a keeper', 'keeperId')
      if (record.name === 'same') return { keeperId: previous.keeperId }
      const [other] = record.name === 'heir' ? await records(keepers).list({ name: 'other' }) : []
      if (record.name === 'sibling')
        for (const one of await records(charges).list({ name: 'younger' }))
          await records(charges).update(one.id, { name: 'grown' })
      return other && { keeperId: other.id }
    },
  },
})

const keepers = defineResource({
  name: 'keeper',
  path: '/keepers',
  fields: { id: id(), name: text() },
  list: { style: 'page', bulk: true, filters: { name: equals('name') } },
  access: open,
})

let service: TestService
let ask: Ask
before(async () => {
  service = await startService([shelves, volumes, keepers, charges])
  ask = service.ask
})
after(() => service.stop())

const post = (path: string, body: object): Promise<TestResponse> => ask('POST', `/api/v1/${path}`, { body })
const patch = (path: string, body: object): Promise<TestResponse> => ask('PATCH', `/api/v1/${path}`, { body })
const totalOf = async (): Promise<number> => (await ask('GET', '/api/v1/volumes?limit=1')).body.meta.total

async function made(path: string, body: object): Promise<string> {
  const reply = await post(path, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

describe('what a hook returns', () => {
  const refusals = [
    ['a state that there is not', 400, 'status must be one of IN, OUT'],
    ['a text beyond its limit', 400, 'slug must be at most 10 characters'],
    ['a number as text', 400, 'count must be an integer'],
    ['a reference to nothing', 400, 'shelfId refers to no shelf that exists'],
    ['__proto__', 500, 'volume has no stored field __proto__'],
    ['constructor', 500, 'volume has no stored field constructor'],
    ['the time of a write', 500, 'sets "changedAt", a time that the engine sets (setOn: \'write\')'],
    ['the time of the creation', 500, 'sets "madeAt", a time that the engine sets (setOn: \'create\')'],
    ['a value that follows', 500, 'sets "shout", which onWrite computes'],
    ['its id', 500, 'sets "id", an id'],
  ] as const
  for (const [title, status, says] of refusals)
    it(`is checked like what is sent, in a field that was not sent: ${title}`, async () => {
      const volume = await made('volumes', { title: 'plain' })
      const total = await totalOf()
      service.logged.length = 0
      for (const reply of [await post('volumes', { title }), await patch(`volumes/${volume}`, { title })])
        assert.deepEqual(
          [reply.status, reply.body],
          [status, { error: status === 500 ? 'Internal server error' : says }],
        )
      assert.equal(await totalOf(), total)
      if (status !== 500) return
      const log = service.logged.join('\n').replaceAll('\\"', '"')
      assert.equal(log.split(says).length > 2, true, log)
      if (says.startsWith('sets'))
        for (const hook of ['beforeCreate', 'beforeUpdate'])
          assert.equal(log.includes(`volume: hooks.${hook}: ${says}`), true, log)
    })
})

describe('what a hook is given', () => {
  it('cannot be set in place: a fault, and nothing is stored', async () => {
    const volume = await made('volumes', { title: 'plain', tags: ['a'] })
    const total = await totalOf()
    for (const title of ['in place', 'sent in place', 'tags in place'])
      assert.equal((await post('volumes', { title, count: 1, tags: ['a'] })).status, 500, title)
    assert.equal((await patch(`volumes/${volume}`, { title: 'in place' })).status, 500)
    assert.equal(await totalOf(), total)
    assert.equal((await ask('GET', `/api/v1/volumes/${volume}`)).body.count, 1)
  })

  it('runs for no write that changes nothing', async () => {
    const volume = await made('volumes', { title: 'still', tags: ['a'] })
    ran.length = 0
    for (const body of [{}, { title: 'still' }, { title: 'still', tags: ['a'], status: 'IN' }])
      assert.equal((await patch(`volumes/${volume}`, body)).status, 200)
    assert.deepEqual(ran, [])
    assert.equal((await patch(`volumes/${volume}`, { title: 'moved' })).status, 200)
    assert.deepEqual(ran, ['moved'])
  })
})

describe('what a hook writes', () => {
  it('may be many records at once whose hooks run: that is one deep', async () => {
    for (let i = 0; i < 12; i += 1) await made('shelves', { name: `shelf ${i}` })
    const volume = await made('volumes', { title: 'plain' })
    const reply = await patch(`volumes/${volume}`, { title: 'all shelves' })
    assert.equal(reply.status, 200, reply.text)
    const { data } = (await ask('GET', '/api/v1/shelves?limit=100')).body
    assert.deepEqual(new Set(data.map((one: { seen: number }) => one.seen)), new Set([1]))
  })

  it('is not its own record, which changes by what it returns: a fault, and nothing is stored', async () => {
    const volume = await made('volumes', { title: 'plain' })
    assert.equal((await patch(`volumes/${volume}`, { title: 'its own' })).status, 500)
    assert.match(service.logged.join('\n'), /hooks.beforeUpdate: its own record changes by what it returns/)
    const { body } = await ask('GET', `/api/v1/volumes/${volume}`)
    assert.deepEqual([body.title, body.count], ['plain', 1])
    assert.equal((await patch(`volumes/${volume}`, { title: 'later' })).status, 200)
  })

  it('is asked no rule of the caller, also where it is of the same resource', async () => {
    const refused = await post('volumes', { title: 'mine', kind: 'MAP' })
    assert.equal(refused.status, 403, refused.text)
    await made('volumes', { title: 'with another' })
    assert.equal((await ask('GET', '/api/v1/volumes?kind=MAP')).body.meta.total, 1)
  })
})

describe('a reference that is cleared', () => {
  const remove = (path: string, headers = {}) => ask('DELETE', `/api/v1/${path}`, { headers })
  const chargeOf = async (charge: string) => (await ask('GET', `/api/v1/charges/${charge}`)).body
  async function kept(name: string, keeperName = 'one') {
    const keeperId = await made('keepers', { name: keeperName })
    return { keeperId, charge: await made('charges', { name, keeperId }) }
  }
  const refusals = [
    ['held', 'It needs a keeper'],
    ['field', 'It needs a keeper'],
    ['same', 'keeperId refers to no keeper that exists'],
    ['much longer', 'label must be at most 16 characters'],
  ] as const
  for (const [name, error] of refusals)
    it(`is refused with the removal, by every door, and nothing is half done: ${name}`, async () => {
      const { keeperId, charge } = await kept('plain', name)
      const last = await made('charges', { name, keeperId })
      const before = [await chargeOf(charge), await chargeOf(last)]
      const query = `mutation { deleteKeeper(id: "${keeperId}") { id } }`
      const operations = [{ method: 'DELETE', path: `/keepers/${keeperId}` }]
      for (const reply of [
        await remove(`keepers/${keeperId}`),
        await remove(`keepers/${keeperId}`, { prefer: 'dry-run' }),
        await remove(`keepers?name=${name}&limit=1`),
      ])
        assert.deepEqual([reply.status, reply.body], [409, { error }])
      const { errors } = (await ask('POST', '/graphql', { body: { query } })).body
      assert.deepEqual([errors[0].message, errors[0].extensions.code], [error, 'CONFLICT'])
      const batch = await ask('POST', '/api/v1/batch', { body: { operations } })
      assert.deepEqual([batch.status, batch.body.error], [409, `operations[0]: ${error}; nothing was stored`])
      assert.deepEqual([await chargeOf(charge), await chargeOf(last)], before)
      assert.equal((await ask('GET', `/api/v1/keepers/${keeperId}`)).status, 200)
    })

  it('may find another record, and leaves the time of the last edit', async () => {
    const other = await made('keepers', { name: 'other' })
    const { keeperId, charge } = await kept('heir')
    const before = await chargeOf(charge)
    assert.equal((await remove(`keepers/${keeperId}`)).status, 204)
    assert.deepEqual(await chargeOf(charge), { ...before, keeperId: other })
  })

  it('runs on what the hook of another record has left', async () => {
    const { keeperId, charge } = await kept('sibling')
    const younger = await made('charges', { name: 'younger', keeperId })
    assert.equal((await remove(`keepers/${keeperId}`)).status, 204)
    assert.equal((await chargeOf(charge)).keeperId, null)
    const { name, label } = await chargeOf(younger)
    assert.deepEqual([name, label], ['grown', 'grown is alone'])
  })

  it('is one change with another one to the same record, also in a dry run and in bulk', async () => {
    for (const [path, headers] of [
      ['keepers/ID', { prefer: 'dry-run' }],
      ['keepers/ID', {}],
      ['keepers?name=twice&limit=1', {}],
    ] as const) {
      const keeperId = await made('keepers', { name: 'twice' })
      const charge = await made('charges', { name: 'plain', keeperId, deputyId: keeperId })
      cleared.length = 0
      const reply = await remove(path.replace('ID', keeperId), headers)
      assert.ok(reply.status < 300, reply.text)
      assert.deepEqual([path, ...cleared], [path, ['deputyId', 'keeperId']])
      const isDry = 'prefer' in headers
      const { keeperId: left, deputyId } = await chargeOf(charge)
      assert.deepEqual([left, deputyId], isDry ? [keeperId, keeperId] : [null, null])
      if (isDry) await remove(`keepers/${keeperId}`)
    }
  })
})
