/**
 * `read`, `write` and `forbid` under `access`, rules that read the clock, and the record before a
 * write: at every door that writes.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AskOptions, startService, type TestService } from 'bindery-server/test'
import {
  allOf,
  anyone,
  defineAction,
  defineResource,
  derived,
  id,
  integer,
  not,
  now,
  owner,
  previous,
  reference,
  role,
  state,
  text,
  timestamp,
  user,
  where,
} from '../../src/index.ts'
import { resources } from '../application/resources/index.ts'

const startMs = Date.parse('2026-03-01T10:00:00.000Z')
const at = (seconds: number) => new Date(startMs + seconds * 1000).toISOString()

const events = defineResource({
  name: 'event',
  path: '/events',
  fields: {
    id: id(),
    ownerId: reference('member', { setBy: 'principal', onDelete: 'clear' }),
    title: text({ required: true, unique: true }),
    price: integer({ default: 10 }),
    endsAt: timestamp(),
    status: state(['DRAFT', 'DONE'], { default: 'DRAFT', transitions: { finish: { from: ['DRAFT'], to: 'DONE' } } }),
  },
  list: { style: 'page', filterable: ['title', 'price'], bulk: true },
  upsert: ['title'],
  actions: { stamp: defineAction({ input: {}, run: () => undefined }) },
  access: {
    read: anyone,
    write: user,
    update: { before: user, after: where({ price: { lte: previous('price') } }) },
    import: role('ADMIN'),
    finish: user,
    stamp: user,
    forbid: { write: where({ endsAt: { lt: now() } }), delete: where({ title: 'kept' }) },
  },
})
const remarks = defineResource({
  name: 'remark',
  path: '/remarks',
  fields: { id: id(), draftId: reference('draft', { required: true, onDelete: 'delete' }) },
  list: { style: 'page', filterable: ['draftId'] },
  access: { read: user },
})
const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), ownerId: reference('member', { setBy: 'principal', onDelete: 'clear' }), kind: text() },
  list: { style: 'page' },
  access: { read: not(allOf([user, where({ kind: 'X' })])), write: anyone, forbid: { write: not(owner('ownerId')) } },
})
const drafts = defineResource({
  name: 'draft',
  path: '/drafts',
  fields: {
    id: id(),
    ownerId: reference('member', { setBy: 'principal', onDelete: 'clear' }),
    until: timestamp(),
    // A response that shows more than the record is cached by the caller alone.
    size: derived(integer(), () => 1),
  },
  list: { style: 'page', filterable: ['until'] },
  children: { remarks: { resource: 'remark', by: 'draftId' } },
  access: { read: allOf([not(owner('ownerId')), where({ until: { gt: now() } })]), create: user },
})

let service: TestService
let person: AskOptions
let admin: AskOptions
before(async () => {
  let ms = startMs
  service = await startService([...resources, events, drafts, notes, remarks], { clock: () => ms })
  turn = (seconds) => {
    ms += seconds * 1000
  }
  person = { token: (await service.person()).token }
  admin = { token: (await service.admin()).token }
})
after(() => service.stop())
let turn: (seconds: number) => void

const make = async (title: string, values: object = {}) =>
  (await service.ask('POST', '/api/v1/events', { ...person, body: { title, ...values } })).body.id as string

test('a forbidden record is written by no door, whoever asks', async () => {
  const over = await make('over', { endsAt: at(-60) }).catch(() => undefined)
  assert.equal(over, undefined, 'a create ends in a forbidden record')
  const stored = (await service.make('event', { title: 'past', endsAt: at(-60) })).id as string
  const path = `/api/v1/events/${stored}`
  const body = { title: 'other' }
  const graph = (field: string) => ({ ...admin, body: { query: `mutation { ${field} { id } }` } })
  const refused = [
    await service.ask('PATCH', path, { ...admin, body }),
    await service.ask('PUT', path, { ...admin, body }),
    await service.ask('DELETE', path, admin),
    await service.ask('POST', `${path}/finish`, admin),
    await service.ask('POST', `${path}/stamp`, admin),
    await service.ask('PUT', '/api/v1/events?on=title', { ...admin, body: { title: 'past', price: 1 } }),
    await service.ask('POST', '/api/v1/batch', {
      ...admin,
      body: { operations: [{ method: 'PATCH', path: `/events/${stored}`, body }] },
    }),
    await service.ask('PATCH', '/api/v1/events?title=past&limit=1', { ...admin, body: { price: 1 } }),
  ]
  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403, 403, 403, 403, 403, 403, 403],
    refused.map((one) => one.text).join('\n'),
  )
  const asked = await service.ask('POST', '/graphql', graph(`updateEvent(id: "${stored}", input: { title: "other" })`))
  assert.equal(asked.body.errors?.[0]?.extensions.code, 'FORBIDDEN', asked.text)
  const lines = `${JSON.stringify({ id: stored, title: 'other' })}\n`
  const imported = await service.ask('POST', '/api/v1/events/import', {
    ...admin,
    raw: lines,
    type: 'application/x-ndjson',
  })
  assert.deepEqual([imported.body.updated, imported.body.rejected], [0, 1], imported.text)
  const left = (await service.ask('GET', path)).body
  assert.deepEqual([left.title, left.price, left.status], ['past', 10, 'DRAFT'])
})

test('a record becomes forbidden as time goes by, and a missing value forbids nothing', async () => {
  const [soon, never] = [await make('soon', { endsAt: at(30) }), await make('never')]
  const patch = async (id: string) =>
    (await service.ask('PATCH', `/api/v1/events/${id}`, { ...person, body: { price: 10 } })).status
  assert.deepEqual([await patch(soon), await patch(never)], [200, 200])
  turn(31)
  assert.deepEqual([await patch(soon), await patch(never)], [403, 200])
  const ending = await service.ask('PATCH', `/api/v1/events/${never}`, { ...person, body: { endsAt: at(0) } })
  assert.equal(ending.status, 403, 'the result is forbidden')
})

test('one operation may be forbidden alone', async () => {
  const kept = await make('kept')
  assert.equal((await service.ask('PATCH', `/api/v1/events/${kept}`, { ...admin, body: { price: 9 } })).status, 200)
  assert.equal((await service.ask('DELETE', `/api/v1/events/${kept}`, admin)).status, 403)
})

test('the result of an update is compared with the record before, at each write', async () => {
  const first = await make('priced', { price: 10 })
  const path = `/api/v1/events/${first}`
  const price = async (value: number | null) =>
    (await service.ask('PATCH', path, { ...person, body: { price: value } })).status
  assert.deepEqual([await price(8), await price(9), await price(8), await price(7)], [200, 403, 200, 200])
  const many = (value: number) =>
    service.ask('PATCH', '/api/v1/events?title=priced&limit=1', { ...person, body: { price: value } })
  assert.deepEqual([(await many(20)).status, (await many(6)).status], [403, 200])
  const operations = [5, 4, 6].map((value) => ({
    method: 'PATCH',
    path: `/events/${first}`,
    body: { price: value },
  }))
  const batch = await service.ask('POST', '/api/v1/batch', { ...person, body: { operations } })
  assert.equal(batch.status, 403)
  assert.equal((await service.ask('GET', path)).body.price, 6)
  // PUT has the rule of write, which has no comparison.
  assert.equal((await service.ask('PUT', path, { ...person, body: { title: 'priced', price: 50 } })).status, 200)
})

test('an answer whose rule reads the clock is not kept beyond its time', async () => {
  const draft = (await service.make('draft', { ownerId: null, until: new Date(service.now() + 20_000).toISOString() }))
    .id as string
  await service.ask('POST', '/api/v1/drafts', {
    ...person,
    body: { until: new Date(service.now() + 20_000).toISOString() },
  })
  const seen = async (by: AskOptions) => {
    const list = await service.ask('GET', '/api/v1/drafts', by)
    const one = await service.ask('GET', `/api/v1/drafts/${draft}`, by)
    const graph = await service.ask('POST', '/graphql', { ...by, body: { query: '{ drafts { data { id } } }' } })
    return [list.body.data?.length ?? list.status, one.status, graph.body.data?.drafts?.data.length ?? 'refused']
  }
  for (let i = 0; i < 4; i += 1) {
    assert.deepEqual(await seen(admin), [1, 404, 1], 'the record without an owner satisfies nothing')
    assert.deepEqual(await seen(person), [0, 404, 0])
    assert.deepEqual(await seen({}), [401, 401, 'refused'], 'not() of a rule about the caller admits no anonymous one')
  }
  turn(21)
  for (let i = 0; i < 3; i += 1) assert.deepEqual(await seen(admin), [0, 404, 0])
})

test('a caller without a credential passes no not() that asks of the caller, and no forbid is open to one', async () => {
  const note = (await service.make('note', { ownerId: null, kind: 'Y' })).id as string
  const path = `/api/v1/notes/${note}`
  assert.deepEqual(
    [(await service.ask('GET', path)).status, (await service.ask('GET', '/api/v1/notes')).status],
    [401, 401],
  )
  assert.equal((await service.ask('GET', path, person)).status, 200)
  const own = await service.ask('POST', '/api/v1/notes', { ...person, body: { kind: 'Y' } })
  const ownPath = `/api/v1/notes/${own.body.id}`
  const write = async (by: AskOptions) => (await service.ask('PATCH', ownPath, { ...by, body: { kind: 'Z' } })).status
  assert.deepEqual([await write({}), await write(admin), await write(person)], [401, 403, 200])
  assert.equal((await service.ask('DELETE', ownPath)).status, 401)
})

test('neither is an answer about records below such a record, or found through it', async () => {
  const until = new Date(service.now() + 20_000).toISOString()
  const draft = await service.make('draft', { until })
  await service.make('remark', { draftId: draft.id })
  const filter = encodeURIComponent('{"draft":{"until":{"null":false}}}')
  const seen = async () => {
    const below = await service.ask('GET', `/api/v1/drafts/${draft.id}/remarks`, admin)
    const through = await service.ask('GET', `/api/v1/remarks?filter=${filter}`, admin)
    return [below.status, through.body.data?.length ?? through.text]
  }
  for (let i = 0; i < 4; i += 1) assert.deepEqual(await seen(), [200, 1])
  turn(21)
  for (let i = 0; i < 3; i += 1) assert.deepEqual(await seen(), [404, 0])
})
