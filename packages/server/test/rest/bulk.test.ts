/**
 * Writes by a filter change all matching records, within a limit that the caller names; each record
 * is checked against the rules by itself.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { permitAtConsole } from '../../src/command/console-records.ts'
import {
  anyOf,
  defineResource,
  equals,
  id,
  includes,
  integer,
  owner,
  reference,
  role,
  text,
  user,
} from '../../src/index.ts'
import { perform } from '../../src/perform/perform.ts'
import { equal } from '../../src/resource/condition.ts'
import { resources, type TestService } from '../helpers/application.ts'

const mine = anyOf([owner('memberId'), role('ADMIN')])
const plots = defineResource({
  name: 'plot',
  path: '/plots',
  fields: {
    id: id(),
    memberId: reference('member', { setBy: 'principal' }),
    crop: text({ required: true, maxLength: 20 }),
    bed: text(),
    rows: integer({ default: 0 }),
    wide: integer({ default: 0, write: role('ADMIN') }),
  },
  onWrite: { rows: ({ crop }) => crop.length },
  list: {
    style: 'page',
    sortable: ['crop'],
    search: ['crop'],
    filters: { kind: equals('crop'), like: includes('crop') },
    bulk: true,
  },
  access: { list: user, get: user, create: user, update: mine, delete: mine },
})
const seeds = defineResource({
  name: 'seed',
  path: '/seeds',
  fields: { id: id(), plotId: reference('plot', { onDelete: 'delete', touch: true }) },
  list: { style: 'page', bulk: true },
  access: { list: user, create: user, update: user },
})
const hidden = owner('memberId')
const openly = anyOf([hidden, role('ADMIN')], { open: true })
const privateFields = { id: id(), memberId: reference('member', { setBy: 'principal' }), note: text() }
/** Of the first a caller sees what the list shows, and the second refuses openly. */
const diaries = defineResource({
  name: 'diary',
  path: '/diaries',
  fields: privateFields,
  list: { style: 'page', bulk: true },
  access: { list: hidden, create: user, update: hidden, delete: hidden },
})
const scraps = defineResource({
  name: 'scrap',
  path: '/scraps',
  fields: privateFields,
  list: { style: 'page', bulk: true },
  access: { list: hidden, get: hidden, create: user, update: openly, delete: openly },
})

let own: TestService
let token: string
let other: string
before(async () => {
  own = await startOf([...resources, plots, seeds, diaries, scraps])
  token = (await own.person()).token
  other = (await own.person()).token
  const crops = ['leek', 'leek', 'leek', 'bean', 'bean', 'kale']
  for (const crop of crops) await own.ask('POST', '/api/v1/plots', { body: { crop, bed: 'north' }, token })
  await own.ask('POST', '/api/v1/plots', { body: { crop: 'leek', bed: 'south' }, token: other })
})
after(() => own.stop())

const cropsOf = async (query: string): Promise<string[]> =>
  (await own.ask('GET', `/api/v1/plots?${query}`, { token })).body.data.map(({ crop }: { crop: string }) => crop)

test('what matches is changed, with all that follows from it, and its versions go up', async () => {
  const { ask } = own
  const reply = await ask('PATCH', '/api/v1/plots?crop=leek&bed=north&limit=3', { body: { crop: 'onion' }, token })
  assert.deepEqual([reply.status, reply.body], [200, { success: true, updated: 3 }])
  assert.deepEqual(await cropsOf('bed=north&sort=crop'), ['bean', 'bean', 'kale', 'onion', 'onion', 'onion'])
  const [one] = (await ask('GET', '/api/v1/plots?q=onion', { token })).body.data
  assert.deepEqual([one.rows, (await ask('GET', `/api/v1/plots/${one.id}`, { token })).headers.get('etag')], [5, '"2"'])
})

test('more than the limit, or one that is another’s, and nothing is changed', async () => {
  const { ask } = own
  const many = await ask('PATCH', '/api/v1/plots?bed=north&limit=5', { body: { crop: 'beet' }, token })
  assert.deepEqual(many.body, { error: '6 plots match, and limit is 5: nothing was changed' })
  assert.equal(many.status, 409)
  const foreign = await ask('DELETE', '/api/v1/plots?crop[in]=bean,leek&limit=10', { token })
  assert.equal(foreign.status, 403)
  const guarded = await ask('PATCH', '/api/v1/plots?crop=bean&limit=10', { body: { wide: 2 }, token })
  assert.equal(guarded.status, 403)
  const wrong = await ask('PATCH', '/api/v1/plots?crop=bean&limit=10', { body: { crop: 'x'.repeat(21) }, token })
  assert.equal(wrong.status, 400)
  assert.deepEqual((await cropsOf('sort=crop')).join(), 'bean,bean,kale,leek,onion,onion,onion')
})

test('without a limit or a filter it is refused, and where it is not declared it is 405', async () => {
  const { ask } = own
  const cases: [string, RegExp][] = [
    ['crop=bean', /limit must say/],
    ['crop=bean&limit=0', /limit must say/],
    ['crop=bean&limit=1001', /limit must say/],
    ['crop=bean&limit=x', /limit must say/],
    ['limit=10', /Name a filter/],
    ['q=&limit=10', /q must not be empty/],
    ['bed=north&q=&limit=10', /q must not be empty/],
    ['crop[contains]=&limit=10', /crop\[contains\] must not be empty in a write to many records/],
    ['bed=north&crop[startsWith]=&limit=10', /crop\[startsWith\] must not be empty/],
    ['filter={"crop":{"contains":""}}&limit=10', /crop\[contains\] must not be empty/],
    ['filter={"or":[{"crop":{"startsWith":""}},{"bed":{"eq":"x"}}]}&limit=10', /must not be empty/],
    ['kind=&bed=north&limit=10', /kind must not be empty/],
    ['like=&bed=north&limit=10', /like must not be empty/],
    ['crop=bean&limit=10&page=1', /Unknown query parameter page/],
    ['crop=bean&limit=10&sort=crop', /Unknown query parameter sort/],
    ['crp=bean&limit=10', /Unknown query parameter crp/],
    ['crop=bean&limit=10&expand=member', /Unknown query parameter expand/],
  ]
  for (const [query, error] of cases) {
    const { status, body } = await ask('DELETE', `/api/v1/plots?${query}`, { token })
    assert.deepEqual([status, error.test(body.error)], [400, true], `${query}: ${body.error}`)
  }
  const versioned = { headers: { 'if-match': '"1"' }, token }
  assert.equal((await ask('DELETE', '/api/v1/plots?crop=bean&limit=2', versioned)).status, 400)
  assert.equal((await ask('DELETE', '/api/v1/plots?crop=bean&limit=2')).status, 401)
  const undeclared = await ask('PATCH', '/api/v1/articles?title=a&limit=2', { body: {}, token })
  assert.deepEqual([undeclared.status, undeclared.headers.get('allow')?.includes('PATCH')], [405, false])
  assert.equal((await ask('DELETE', '/api/v1/seeds?plotId[null]=true&limit=2', { token })).status, 405)
  assert.match((await ask('PUT', '/api/v1/plots', { token })).headers.get('allow') ?? '', /PATCH.*DELETE/)
})

test('a filter goes through references, to what the caller sees', async () => {
  const { ask } = own
  const [{ id: plotId }] = (await ask('GET', '/api/v1/plots?crop=kale', { token })).body.data
  const [{ id: bean }] = (await ask('GET', '/api/v1/plots?crop=bean', { token })).body.data
  for (const id of [plotId, plotId, bean]) await ask('POST', '/api/v1/seeds', { body: { plotId: id }, token })
  const where = (filter: object) => `/api/v1/seeds?limit=5&filter=${encodeURIComponent(JSON.stringify(filter))}`
  const moved = await ask('PATCH', where({ plot: { crop: { eq: 'kale' } } }), { body: { plotId: bean }, token })
  assert.deepEqual([moved.status, moved.body], [200, { success: true, updated: 2 }])
  // Only its owner sees the owner of a plot.
  const owned = { plot: { member: { status: { eq: 'ACTIVE' } } } }
  assert.equal((await ask('PATCH', where(owned), { body: {}, token: other })).body.updated, 0)
  assert.equal((await ask('PATCH', where(owned), { body: {}, token })).body.updated, 3)
  const operations = [{ method: 'PATCH', path: '/seeds?limit=5&plotId[null]=false', body: { plotId } }]
  const batch = await ask('POST', '/api/v1/batch', { body: { operations }, token })
  const error = 'operations[0]: update by a filter is not possible in a batch; send it alone; nothing was stored'
  assert.deepEqual([batch.status, batch.body], [400, { error }])
})

test('a delete takes with it what refers to each; a dry run takes nothing; a retry takes nothing more', async () => {
  const { ask } = own
  const [{ id: plotId }] = (await ask('GET', '/api/v1/plots?crop=bean', { token })).body.data
  await ask('POST', '/api/v1/seeds', { body: { plotId }, token })
  const path = '/api/v1/plots?crop=bean&limit=2'
  const dry = await ask('DELETE', path, { token, headers: { prefer: 'dry-run' } })
  assert.deepEqual(dry.body, { success: true, deleted: 2 })
  assert.equal((await cropsOf('crop=bean')).length, 2)
  const headers = { 'idempotency-key': 'bulk-1' }
  for (let i = 0; i < 2; i += 1) assert.deepEqual((await ask('DELETE', path, { token, headers })).body, dry.body)
  assert.equal((await cropsOf('crop=bean')).length, 0)
  assert.equal((await ask('GET', '/api/v1/seeds', { token })).body.meta.total, 0)
  assert.deepEqual((await ask('DELETE', path, { token })).body, { success: true, deleted: 0 })
  const scoped = await own.key(await own.admin(), { scopes: ['plots:read'] })
  assert.equal((await ask('DELETE', path, { key: scoped })).status, 403)
})

test('a filter finds nothing out about records that the caller does not see', async () => {
  for (const path of ['/api/v1/diaries', '/api/v1/scraps']) {
    for (const note of ['secret 1', 'secret 2']) await own.ask('POST', path, { body: { note }, token: other })
    await own.ask('POST', path, { body: { note: 'secret of mine' }, token })
    for (const filter of ['note[startsWith]=secret&limit=2', 'note=secret 1&limit=1', 'note=nothing&limit=1']) {
      const mine = filter.startsWith('note[') ? 1 : 0
      const changed = await own.ask('PATCH', `${path}?${filter}`, { body: { note: 'secret' }, token })
      assert.deepEqual([changed.status, changed.body], [200, { success: true, updated: mine }], filter)
    }
    const gone = await own.ask('DELETE', `${path}?note[startsWith]=secret&limit=1`, { token })
    assert.deepEqual([gone.status, gone.body], [200, { success: true, deleted: 1 }])
    assert.equal((await own.ask('GET', path, { token: other })).body.meta.total, 2)
  }
})

test('the console reaches the records of every owner', async () => {
  const { engine } = own.service
  for (const name of ['diary', 'scrap']) {
    const resource = engine.catalog.get(name)
    const many = { where: equal('note', 'secret of another'), limit: 5 }
    await own.ask('POST', `/api/v1${resource.path}`, { body: { note: 'secret of another' }, token: other })
    const common = { resource, under: undefined, select: null, id: undefined, ifVersion: undefined }
    const permitted = permitAtConsole(engine, { ...common, kind: 'delete', shows: false, many })
    assert.deepEqual(await perform(engine, permitted), { kind: 'many', verb: 'deleted', count: 1 }, name)
  }
})
