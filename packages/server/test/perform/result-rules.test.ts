/**
 * A rule about the record also holds for the result of a write, by every interface. A caller who
 * may not write learns nothing about other records from the refusal.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import {
  anyOf,
  boolean,
  defineResource,
  id,
  integer,
  owner,
  type Rule,
  reference,
  role,
  state,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'
import { resources, type TestPerson, type TestService } from '../helpers/application.ts'

const boxes = defineResource({
  name: 'box',
  path: '/boxes',
  fields: { id: id(), ownerId: reference('member', { setBy: 'principal' }), name: text() },
  list: { style: 'page' },
  children: { lock: { resource: 'lock', by: 'boxId', single: true, operations: ['get', 'update'] } },
  access: { list: user, get: user, create: user, update: user, delete: owner('ownerId') },
})
const inBox = through('boxId', owner('ownerId'))
const locks = defineResource({
  name: 'lock',
  fields: {
    id: id(),
    boxId: reference('box', { required: true, onDelete: 'delete' }),
    status: state(['OPEN', 'SHUT'], {
      default: 'OPEN',
      readOnly: true,
      transitions: { shut: { from: ['OPEN'], to: 'SHUT' } },
    }),
  },
  unique: [['boxId']],
  children: { pins: { resource: 'pin', by: 'lockId', operations: ['list', 'create'] } },
  access: { get: inBox, update: inBox, shut: inBox },
})
const pins = defineResource({
  name: 'pin',
  fields: { id: id(), lockId: reference('lock', { setBy: 'parent', onDelete: 'delete' }) },
  list: { style: 'page' },
  access: { list: user, get: user, create: user },
})

const held = anyOf([through('boxId', owner('ownerId')), role('ADMIN')], {
  message: 'It belongs into a box of yours',
})
const things = defineResource({
  name: 'thing',
  path: '/things',
  fields: {
    id: id(),
    boxId: reference('box', { required: true }),
    memberId: reference('member'),
    name: text({ required: true }),
    code: text({ unique: true }),
  },
  unique: [['boxId', 'name']],
  upsert: ['code'],
  list: { style: 'page', bulk: true },
  access: { list: user, get: user, create: held, replace: held, update: held, delete: held, import: held },
})

const mine = owner('memberId')
const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: {
    id: id(),
    memberId: reference('member'),
    words: integer({ default: 0 }),
    title: text({ unique: true }),
  },
  unique: [['words', 'memberId']],
  addOnCreate: ['words'],
  list: { style: 'page', bulk: true },
  access: { list: user, get: user, create: mine, replace: mine, update: mine, delete: mine },
})

const draft: Rule<'isPublished' | 'writerId', never> = where({ isPublished: false })
const essays = defineResource({
  name: 'essay',
  path: '/essays',
  fields: {
    id: id(),
    writerId: reference('member'),
    isPublished: boolean({ default: false }),
    pages: integer({ default: 1 }),
    isLong: boolean({ readOnly: true, default: false }),
    status: state(['OPEN', 'GONE'], {
      default: 'OPEN',
      readOnly: true,
      transitions: { drop: { from: ['OPEN'], to: 'GONE' } },
    }),
  },
  onWrite: { isLong: ({ pages }) => pages > 9 },
  list: { style: 'page' },
  access: {
    list: user,
    get: user,
    create: where({ isLong: false }),
    // An author hands over: the owner may write it before, and any draft or publication may come of
    // it.
    update: { before: anyOf([owner('writerId'), draft]), after: anyOf([where({ isLong: false }), role('ADMIN')]) },
    replace: where({ isLong: false }),
    drop: where({ status: 'OPEN' }),
    delete: where({ status: 'GONE' }),
  },
  graphql: { mutation: { extendEssay: { operation: 'update', access: user } } },
})

const kept = anyOf([owner('keeperId'), through('aboveId', owner('keeperId'))])
const folders = defineResource({
  name: 'folder',
  path: '/folders',
  fields: { id: id(), keeperId: reference('member'), aboveId: reference('folder'), name: text() },
  list: { style: 'page', bulk: true },
  access: { list: user, get: user, create: user, update: through('aboveId', owner('keeperId')), replace: kept },
})

let own: TestService
let ann: TestPerson
let ben: TestPerson
let mineBox: string
let hers: string
let serial = 0

before(async () => {
  own = await startOf([...resources, boxes, locks, pins, things, notes, essays, folders])
  ann = await own.person()
  ben = await own.person()
  mineBox = (await own.ask('POST', '/api/v1/boxes', { body: {}, token: ann.token })).body.id
  hers = (await own.ask('POST', '/api/v1/boxes', { body: {}, token: ben.token })).body.id
})
after(() => own.stop())

const name = () => `n${++serial}`
const refusal = { error: 'It belongs into a box of yours' }

async function made(path: string, body: object, { token }: TestPerson = ann): Promise<Record<string, unknown>> {
  const reply = await own.ask('POST', `/api/v1${path}`, { body, token })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}
const stored = async (path: string) => (await own.ask('GET', `/api/v1${path}`, { token: ann.token })).body

const graphql = (query: string, { token }: TestPerson = ann) => own.ask('POST', '/graphql', { body: { query }, token })

test('a record does not leave what the rule asks of it, by any door', async () => {
  const { token } = ann
  const code = name()
  const thing = await made('/things', { boxId: mineBox, name: name(), code })
  const at = `/api/v1/things/${thing.id}`
  const ask = (method: string, path: string, body: object) => own.ask(method, path, { body, token })
  const moved = { boxId: hers, name: thing.name }
  const doors = {
    update: await ask('PATCH', at, { boxId: hers }),
    replace: await ask('PUT', at, moved),
    bulk: await ask('PATCH', `/api/v1/things?code=${code}&limit=5`, { boxId: hers }),
    upsert: await ask('PUT', '/api/v1/things?on=code', { ...moved, code }),
    'upsert of a new one': await ask('PUT', '/api/v1/things?on=code', { ...moved, code: name() }),
    create: await ask('POST', '/api/v1/things', { boxId: hers, name: name() }),
    'dry run': await own.ask('PATCH', at, { body: { boxId: hers }, token, headers: { prefer: 'dry-run' } }),
    keyed: await own.ask('PATCH', at, { body: { boxId: hers }, token, headers: { 'idempotency-key': name() } }),
  }
  for (const [door, { status, body }] of Object.entries(doors)) assert.deepEqual([status, body], [403, refusal], door)
  const operations = [{ method: 'PATCH', path: `/things/${thing.id}`, body: { boxId: hers } }]
  const batch = await ask('POST', '/api/v1/batch', { operations })
  assert.deepEqual([batch.status, batch.body.error.includes(refusal.error)], [403, true], batch.text)
  const lines = [
    { id: thing.id, boxId: hers },
    { boxId: hers, name: name() },
    { id: thing.id, name: 'renamed' },
  ]
  const imported = await own.ask('POST', '/api/v1/things/import', {
    raw: `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
    type: 'application/x-ndjson',
    token,
  })
  assert.deepEqual([imported.body.updated, imported.body.created, imported.body.rejected], [1, 0, 2], imported.text)
  for (const { error } of imported.body.errors) assert.equal(error, refusal.error)
  for (const input of [
    `updateThing(id: "${thing.id}", input: { boxId: "${hers}" })`,
    `createThing(input: { boxId: "${hers}", name: "x" })`,
  ]) {
    const reply = await graphql(`mutation { ${input} { id } }`)
    assert.deepEqual(
      [reply.body.errors?.[0].message, reply.body.errors?.[0].extensions.code],
      [refusal.error, 'FORBIDDEN'],
      reply.text,
    )
  }
  const left = await stored(`/things/${thing.id}`)
  assert.deepEqual([left.boxId, left.name], [mineBox, 'renamed'])
  assert.equal((await stored(`/things?boxId=${hers}`)).meta.total, 0)
})

test('what the rule allows goes on: within one’s own, and for a role that may do all', async () => {
  const thing = await made('/things', { boxId: mineBox, name: name() })
  const second = await made('/boxes', {})
  const at = `/api/v1/things/${thing.id}`
  const admin = await own.admin()
  assert.equal((await own.ask('PATCH', at, { body: { boxId: second.id }, token: ann.token })).status, 200)
  assert.equal((await own.ask('PATCH', at, { body: { name: name() }, token: ann.token })).status, 200)
  assert.equal((await own.ask('PATCH', at, { body: { boxId: hers }, token: admin.token })).status, 200)
  assert.equal((await own.ask('PATCH', at, { body: { name: name() }, token: ann.token })).status, 403)
})

test('no record is made in another’s name, nor given to another, nor taken', async () => {
  const ask = (method: string, path: string, body: object) => own.ask(method, path, { body, token: ann.token })
  const note = await made('/notes', { memberId: ann.id, words: 1 })
  const none = { error: 'Insufficient permissions' }
  for (const memberId of [ben.id, null]) {
    const replies = [
      await ask('POST', '/api/v1/notes', { memberId, words: 2 }),
      await ask('PATCH', `/api/v1/notes/${note.id}`, { memberId }),
      await ask('PUT', `/api/v1/notes/${note.id}`, { memberId }),
      await ask('PATCH', `/api/v1/notes?memberId=${ann.id}&limit=9`, { memberId }),
    ]
    for (const { status, body } of replies) assert.deepEqual([status, body], [403, none])
  }
  assert.equal((await ask('PUT', `/api/v1/notes/${note.id}`, {})).status, 403) // left out is null
  assert.equal((await stored(`/notes/${note.id}`)).memberId, ann.id)
  // A record that a create adds to is the result of a create.
  await made('/notes', { memberId: ben.id, words: 8 }, ben)
  assert.equal((await ask('POST', '/api/v1/notes', { memberId: ben.id, words: 8 })).status, 403)
})

test('a refused write says the same whatever other records there are', async () => {
  const { token } = ann
  const [taken, code, free] = [name(), name(), name()]
  await made('/things', { boxId: hers, name: taken, code }, ben)
  const nowhere = '01890a5d-ac96-774b-bcce-b302099a8057'
  const thing = await made('/things', { boxId: mineBox, name: name() })
  const at = `/api/v1/things/${thing.id}`
  const bodies = [
    { boxId: hers, name: taken },
    { boxId: hers, name: free },
    { boxId: hers, name: free, code },
    { boxId: nowhere, name: free },
    { boxId: hers, name: free, memberId: nowhere },
    { boxId: hers, name: free, memberId: ben.id },
  ]
  for (const body of bodies) {
    const said = [
      await own.ask('POST', '/api/v1/things', { body, token }),
      await own.ask('PATCH', at, { body, token }),
      await own.ask('PUT', at, { body, token }),
      await own.ask('PATCH', `/api/v1/things?id=${thing.id}&limit=2`, { body, token }),
      await own.ask('PUT', '/api/v1/things?on=code', { body: { code: name(), ...body }, token }),
    ]
    for (const reply of said) assert.deepEqual([reply.status, reply.body], [403, refusal], JSON.stringify(body))
    const { boxId, ...rest } = body
    const batch = await own.ask('POST', '/api/v1/batch', {
      body: { operations: [{ method: 'POST', path: '/things', body: { ...rest, boxId } }] },
      token,
    })
    assert.equal(batch.body.error, `operations[0]: ${refusal.error}; nothing was stored`)
    const imported = await own.ask('POST', '/api/v1/things/import', {
      raw: JSON.stringify(body),
      type: 'application/x-ndjson',
      token,
    })
    assert.equal(imported.body.errors[0].error, refusal.error)
  }
  // A caller who may write there is told what is in the way.
  const own409 = await own.ask('POST', '/api/v1/things', { body: { boxId: mineBox, name: thing.name }, token })
  assert.equal(own409.status, 409)
  const lost = await own.ask('POST', '/api/v1/things', {
    body: { boxId: mineBox, name: free, memberId: nowhere },
    token,
  })
  assert.deepEqual([lost.status, lost.body], [400, { error: 'memberId refers to no member that exists' }])
})

test('values that follow from others count, and moves and deletes are judged before alone', async () => {
  const ask = (method: string, path: string, body?: object) => own.ask(method, path, { body, token: ann.token })
  assert.equal((await ask('POST', '/api/v1/essays', { pages: 10 })).status, 403)
  const essay = await made('/essays', { writerId: ann.id, pages: 9 })
  assert.equal((await ask('PUT', `/api/v1/essays/${essay.id}`, { pages: 10 })).status, 403)
  assert.equal((await ask('POST', `/api/v1/essays/${essay.id}/drop`)).body.status, 'GONE')
  assert.equal((await ask('DELETE', `/api/v1/essays/${essay.id}`)).status, 204)
})

test('an update may ask one thing of the record before, and another one after', async () => {
  const ask = (body: object, { token }: TestPerson) => own.ask('PATCH', `/api/v1/essays/${essay.id}`, { body, token })
  const essay = await made('/essays', { writerId: ann.id })
  assert.equal((await ask({ isPublished: true, writerId: ben.id }, ann)).status, 200)
  assert.equal((await ask({ pages: 2 }, ann)).status, 403)
  assert.equal((await ask({ pages: 10 }, ben)).status, 403)
  const update = `mutation { updateEssay(id: "${essay.id}", input: { pages: 11 }) { id } }`
  assert.equal((await graphql(update, ben)).body.errors[0].extensions.code, 'FORBIDDEN')
  assert.equal((await ask({ pages: 2, writerId: null }, ben)).status, 200)
  // A field of its own rule may be asked by others; what must come of it stays.
  const extend = (pages: number) =>
    graphql(`mutation { extendEssay(id: "${essay.id}", input: { pages: ${pages} }) { pages } }`, ben)
  assert.equal((await extend(11)).body.errors?.[0].extensions.code, 'FORBIDDEN')
  assert.equal((await stored(`/essays/${essay.id}`)).pages, 2)
  assert.equal((await extend(3)).body.data.extendEssay.pages, 3)
})

test('a rule that comes back to the record itself sees it as it has become', async () => {
  const ask = (method: string, path: string, body: object) => own.ask(method, path, { body, token: ann.token })
  const top = await made('/folders', { keeperId: ann.id })
  const low = await made('/folders', { keeperId: ann.id, aboveId: top.id })
  const at = `/api/v1/folders/${low.id}`
  assert.equal((await ask('PATCH', at, { aboveId: low.id, keeperId: ben.id })).status, 403)
  assert.equal((await ask('PATCH', at, { aboveId: low.id, name: 'own' })).status, 200)
  assert.equal((await ask('PATCH', at, { keeperId: ben.id })).status, 403)
  assert.equal((await stored(`/folders/${low.id}`)).keeperId, ann.id)
  // Two that hold each other up: what is left of both at the end counts, whichever is written
  // first.
  const pair = name()
  const a = await made('/folders', { keeperId: ann.id, name: pair })
  const b = await made('/folders', { keeperId: ann.id, aboveId: a.id, name: pair })
  assert.equal((await ask('PATCH', `/api/v1/folders?id[in]=${a.id}&limit=1`, { name: pair })).status, 403)
  await own.service.engine.records.transaction({ userId: null, role: null, credential: 'service' }, async (tx) => {
    const { catalog } = own.service.engine
    const found = await tx.lock(catalog.get('folder'), {
      kind: 'compare',
      field: 'id',
      operator: 'eq',
      value: a.id as string,
    })
    await tx.change(catalog.get('folder'), found?.row as never, { aboveId: b.id })
  })
  assert.equal((await ask('PATCH', `/api/v1/folders?name=${pair}&limit=2`, { keeperId: ben.id })).status, 403)
  assert.deepEqual(
    [(await stored(`/folders/${a.id}`)).keeperId, (await stored(`/folders/${b.id}`)).keeperId],
    [ann.id, ann.id],
  )
})

test('the single record of a parent is made for those alone who may get it', async () => {
  const { engine } = own.service
  const box = await made('/boxes', {}, ben)
  const at = `/api/v1/boxes/${box.id}/lock`
  const makers = [
    (by: TestPerson) => own.ask('GET', at, { token: by.token }),
    (by: TestPerson) => own.ask('POST', `${at}/shut`, { token: by.token }),
    (by: TestPerson) => own.ask('GET', `${at}/pins`, { token: by.token }),
    (by: TestPerson) => own.ask('POST', `${at}/pins`, { body: {}, token: by.token }),
    (by: TestPerson) =>
      own.ask('POST', '/api/v1/batch', {
        body: { operations: [{ method: 'GET', path: `/boxes/${box.id}/lock` }] },
        token: by.token,
      }),
  ]
  const count = () => engine.storage.count(engine.catalog.get('lock'), { kind: 'true' })
  const before = await count()
  for (const refused of [true, false]) {
    for (const ask of makers) assert.equal((await ask(refused ? ann : ben)).status === 404, refused)
    // Once there is one, a stranger is told the same.
    for (const ask of makers) assert.equal((await ask(ann)).status, 404)
    const shown = await own.ask('GET', `/api/v1/boxes/${box.id}?expand=lock`, { token: ann.token })
    assert.equal(shown.body.lock, null)
    const { data } = (await graphql(`{ box(id: "${box.id}") { lock { id } } }`)).body
    assert.equal(data.box.lock, null)
    assert.equal(await count(), refused ? before : before + 1)
  }
  const other = await made('/boxes', {}, ben)
  const expanded = await own.ask('GET', `/api/v1/boxes/${other.id}?expand=lock`, { token: ben.token })
  assert.equal(expanded.body.lock.boxId, other.id)
})
