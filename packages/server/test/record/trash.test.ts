/**
 * `trash`: a deleted record moves to the trash with those that go with it, is absent at every door,
 * and comes back under today's rules. After its days, or by `purge`, it ends.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { resources, type TestPerson, type TestService } from '../helpers/application.ts'
import { trashed } from './trash-resources.ts'

let own: TestService
let ann: TestPerson
let ben: TestPerson
let admin: TestPerson
before(async () => {
  own = await startOf([...resources, ...trashed])
  ann = await own.person()
  ben = await own.person()
  admin = await own.admin()
})
after(() => own.stop())

const api = async (method: string, path: string, more: { body?: unknown; as?: TestPerson; headers?: object } = {}) => {
  const { body, as = ann, headers = {} } = more
  return own.ask(method, `/api/v1${path}`, { ...(body !== undefined && { body }), token: as.token, headers } as never)
}
async function made(path: string, body: object = {}, as: TestPerson = ann) {
  const reply = await api('POST', path, { body, as })
  assert.equal(reply.status, 201, reply.text)
  return reply.body as Record<string, unknown> & { id: string }
}
async function totalOf(path: string, as: TestPerson = ann) {
  const { status, body, text } = await api('GET', path, { as })
  assert.equal(status, 200, text)
  return body.meta.total
}
const graph = async (query: string, as: TestPerson = ann) =>
  (await own.ask('POST', '/graphql', { body: { query }, token: as.token })).body

test('a record whose unique value another one has now cannot come back, and the answer says so', async () => {
  const first = await made('/racks', { name: 'taken' })
  await api('DELETE', `/racks/${first.id}`)
  await made('/racks', { name: 'taken' })
  const back = await api('POST', `/racks/${first.id}/restore`)
  assert.deepEqual([back.status, back.body.error], [409, 'It cannot come back: name must be unique'])
})

test('a deleted record is absent at every door, and comes back as it was', async () => {
  const rack = await made('/racks', { name: 'north' })
  const tome = await made('/tomes', { rackId: rack.id, code: 'n-1' })
  const jotting = await made('/jottings', { rackId: rack.id, tomeId: tome.id, says: 'see' })
  const before = await api('GET', `/racks/${rack.id}`)
  assert.equal((await api('DELETE', `/racks/${rack.id}`)).status, 204)

  assert.equal((await api('GET', `/racks/${rack.id}`)).status, 404)
  assert.equal((await api('GET', `/tomes/${tome.id}`)).status, 404)
  assert.equal(await totalOf('/racks?name=north'), 0)
  assert.equal(await totalOf('/racks?q=north'), 0)
  const byName = encodeURIComponent(JSON.stringify({ rack: { name: { eq: 'north' } } }))
  assert.equal(await totalOf(`/jottings?filter=${byName}`), 0)
  const seen = await api('GET', `/jottings/${jotting.id}?expand=rack,tome`)
  assert.deepEqual([seen.body.rackId, seen.body.rack, seen.body.tome], [rack.id, null, null])
  assert.deepEqual((await graph(`{ jotting(id: "${jotting.id}") { rackId rack { id } } }`)).data.jotting, {
    rackId: rack.id,
    rack: null,
  })
  // A stored reference may be sent back, and a new one is refused.
  const same = await api('PUT', `/jottings/${jotting.id}`, { body: { rackId: rack.id, tomeId: tome.id, says: 'new' } })
  assert.equal(same.status, 200, same.text)
  const other = await api('POST', '/jottings', { body: { rackId: rack.id } })
  assert.deepEqual([other.status, other.body.error], [400, 'rackId refers to no rack that exists'])

  const back = await api('POST', `/racks/${rack.id}/restore`)
  assert.equal(back.status, 200, back.text)
  assert.deepEqual(back.body, before.body)
  const versionOf = ({ headers }: typeof back) => Number(/\d+/.exec(headers.get('etag') ?? '')?.[0])
  assert.equal(versionOf(back), versionOf(before) + 1)
  assert.equal((await api('GET', `/tomes/${tome.id}`)).body.code, 'n-1')
  assert.equal((await api('GET', `/jottings/${jotting.id}?expand=rack`)).body.rack.id, rack.id)
  assert.equal((await api('POST', `/racks/${rack.id}/restore`)).status, 404)
})

test('the trash is a list of its own, under the rule of restore', async () => {
  const rack = await made('/racks', { name: 'list me' })
  const kept = await made('/racks', { name: 'list me not' })
  const path = `/racks/${rack.id}`
  await api('PATCH', path, { body: { shade: 'red' }, as: admin })
  assert.equal((await api('DELETE', path, { as: ben })).status, 204)
  const list = await api('GET', '/racks?_trash=only&q=list&sort=name&limit=5')
  assert.deepEqual(
    list.body.data.map((one: { id: string }) => one.id),
    [rack.id],
  )
  assert.equal(list.body.meta.total, 1)
  const [row] = list.body.data
  assert.equal(row.trashedBy, ben.id)
  assert.ok(row.trashedAt > row.createdAt)
  assert.ok(!('trashGroup' in row) && !('secretNote' in row) && !('shade' in row), JSON.stringify(row))
  const one = await api('GET', `${path}?_trash=only`, { as: admin })
  assert.equal(one.body.shade, 'red')
  assert.equal((await api('GET', `/racks/${kept.id}?_trash=only`)).status, 404)
  assert.equal(await totalOf('/racks?named=list me&_trash=only'), 1)
  assert.equal((await api('GET', '/racks?_trash=yes')).status, 400)
  assert.equal((await own.ask('GET', '/api/v1/racks?_trash=only')).status, 401)
  assert.equal((await api('GET', '/tomes?_trash=only')).status, 400)
  assert.equal(await totalOf('/racks?q=list'), 1)
  // A deleted record is read, comes back or ends, and nothing else is done with it.
  const can = { get: true, replace: false, update: false, delete: false, restore: true }
  const told = async (as: typeof ben) => (await api('GET', `${path}?_trash=only&expand=can&fields=name`, { as })).body
  assert.deepEqual((await told(ben)).can, { ...can, purge: false })
  assert.deepEqual((await told(admin)).can, { ...can, purge: true })
  const page = await api('GET', '/racks?_trash=only&named=list me&expand=can', { as: admin })
  assert.equal(page.body.data[0].can.restore, true)
  const live = await api('GET', `/racks/${kept.id}?expand=can`)
  assert.deepEqual(live.body.can, { get: true, replace: true, update: true, delete: true, purge: false })
})

test('only those who may delete it bring a record back, unless restore says otherwise', async () => {
  const rack = await made('/racks', { name: 'of pledges' })
  const pledge = await made('/pledges', { rackId: rack.id })
  assert.equal((await api('DELETE', `/racks/${rack.id}`)).status, 409)
  assert.equal((await api('DELETE', `/pledges/${pledge.id}`)).status, 204)
  assert.equal(await totalOf('/pledges?_trash=only', ben), 0)
  assert.equal(await totalOf('/pledges?_trash=only'), 1)
  assert.equal((await api('POST', `/pledges/${pledge.id}/restore`, { as: ben })).status, 404)
  // A trashed record refuses nothing, and cannot come back without what it needs.
  assert.equal((await api('DELETE', `/racks/${rack.id}`)).status, 204)
  const late = await api('POST', `/pledges/${pledge.id}/restore`)
  assert.deepEqual([late.status, late.body.error], [409, 'It cannot come back: rackId refers to no rack that exists'])
  await api('POST', `/racks/${rack.id}/restore`)
  assert.equal((await api('POST', `/pledges/${pledge.id}/restore`)).status, 200)
})

test('a key that was taken meanwhile is a conflict, and nothing of the group comes back', async () => {
  const rack = await made('/racks', { name: 'keyed' })
  const tome = await made('/tomes', { rackId: rack.id, code: 'k-1' })
  await api('DELETE', `/racks/${rack.id}`)
  const other = await made('/racks', { name: 'keyed' })
  const taken = await api('POST', `/racks/${rack.id}/restore`)
  assert.equal(taken.status, 409)
  assert.match(taken.body.error, /name/)
  await api('PATCH', `/racks/${other.id}`, { body: { name: 'keyed 2' } })
  const second = await made('/tomes', { rackId: other.id, code: 'k-1' })
  const still = await api('POST', `/racks/${rack.id}/restore`)
  assert.deepEqual([still.status, (await api('GET', `/racks/${rack.id}`)).status], [409, 404])
  await api('DELETE', `/tomes/${second.id}`)
  assert.equal((await api('POST', `/racks/${rack.id}/restore`)).status, 200)
  assert.equal((await api('GET', `/tomes/${tome.id}`)).status, 200)
  assert.equal((await api('GET', `/tomes/${second.id}`)).status, 404)
})

test('a tree comes back whole, without what was deleted before', async () => {
  const top = await made('/racks', { name: 'top' })
  const middle = await made('/racks', { name: 'middle', layer: 'inner', insideId: top.id })
  const low = await made('/racks', { name: 'low', layer: 'inner', insideId: middle.id })
  const gone = await made('/racks', { name: 'gone', layer: 'inner', insideId: middle.id })
  const beside = await made('/racks', { name: 'beside', layer: 'outer', insideId: middle.id })
  await api('DELETE', `/racks/${gone.id}`)
  await api('DELETE', `/racks/${top.id}`)
  const names = async (path: string) =>
    (await api('GET', path)).body.data.map((one: { name: string }) => one.name).toSorted()
  const inTree = '/racks?name[in]=top,middle,low,gone,beside&fields=name'
  assert.deepEqual(await names(inTree), ['beside'])
  // The records that went with another one are in the trash with it, and not by themselves.
  assert.deepEqual(await names(`${inTree}&_trash=only`), ['gone', 'top'])
  assert.equal((await api('POST', `/racks/${low.id}/restore`)).status, 404)
  assert.equal((await api('GET', `/racks/${beside.id}`)).body.insideId, middle.id)
  assert.equal((await api('POST', `/racks/${top.id}/restore`)).status, 200)
  assert.deepEqual(await names(inTree), ['beside', 'low', 'middle', 'top'])
})

test('purge ends a record past the trash, and in it', async () => {
  const rack = await made('/racks', { name: 'to end' })
  const jotting = await made('/jottings', { rackId: rack.id })
  const path = `/racks/${rack.id}`
  assert.equal((await api('DELETE', `${path}?_trash=skip`)).status, 403)
  assert.equal((await api('DELETE', `${path}?_trash=only`, { as: admin })).status, 400)
  assert.equal((await api('DELETE', `/tomes/${rack.id}?_trash=skip`, { as: admin })).status, 400)
  assert.equal((await api('DELETE', path)).status, 204)
  const held = await api('GET', `/jottings/${jotting.id}`)
  assert.equal(held.body.rackId, rack.id)
  assert.equal((await api('DELETE', `${path}?_trash=skip`)).status, 403)
  assert.equal((await api('DELETE', `${path}?_trash=skip`, { as: admin })).status, 204)
  const cleared = await api('GET', `/jottings/${jotting.id}`)
  assert.equal(cleared.body.rackId, null)
  assert.notEqual(cleared.headers.get('etag'), held.headers.get('etag'))
  assert.equal((await api('GET', `${path}?_trash=only`)).status, 404)
  const live = await made('/racks', { name: 'to end at once' })
  assert.equal((await api('DELETE', `/racks/${live.id}?_trash=skip`, { as: admin })).status, 204)
  assert.equal((await api('GET', `/racks/${live.id}?_trash=only`)).status, 404)
})

test('GraphQL, a batch and a bulk delete know the trash', async () => {
  const rack = await made('/racks', { name: 'by doors' })
  const deleted = await graph(`mutation { deleteRack(id: "${rack.id}") { name } }`)
  assert.equal(deleted.data.deleteRack.name, 'by doors')
  const back = await graph(`mutation { restoreRack(id: "${rack.id}") { name version } }`)
  assert.deepEqual(back.data?.restoreRack, { name: 'by doors', version: 2 }, JSON.stringify(back))
  assert.equal((await api('DELETE', '/racks?name=by doors&limit=1')).status, 200)
  const operations = [
    { method: 'GET', path: `/racks/${rack.id}?_trash=only` },
    { method: 'POST', path: `/racks/${rack.id}/restore` },
    { method: 'DELETE', path: `/racks/${rack.id}` },
  ]
  const batch = await api('POST', '/batch', { body: { operations } })
  assert.equal(batch.status, 200, batch.text)
  assert.equal(await totalOf('/racks?_trash=only&name=by doors'), 1)
})

test('lists below a record, summaries and exports read the trash, each under its rule', async () => {
  const [rack, other] = [await made('/racks', { name: 'upper side' }), await made('/racks', { name: 'lower side' })]
  const gone = await made('/pledges', { rackId: rack.id })
  await made('/pledges', { rackId: rack.id })
  assert.equal((await api('DELETE', `/pledges/${gone.id}`)).status, 204)
  const below = `/racks/${rack.id}/pledges`
  const list = await api('GET', `${below}?_trash=only`)
  assert.deepEqual([list.status, list.body.data?.map((one: { id: string }) => one.id)], [200, [gone.id]], list.text)
  assert.equal((await api('GET', `${below}/${gone.id}?_trash=only`)).body.trashedBy, ann.id)
  assert.equal(await totalOf(`${below}?_trash=only`, ben), 0)
  assert.equal((await api('GET', `/racks/${other.id}/pledges/${gone.id}?_trash=only`)).status, 404)
  const summary = async (path: string, as = ann) => (await api('GET', `${path}/summary?_trash=only`, { as })).body.data
  assert.deepEqual(await summary(below), [{ count: 1 }])
  assert.deepEqual(await summary('/pledges'), [{ count: 1 }])
  assert.deepEqual(await summary('/pledges', ben), [{ count: 0 }])
  assert.equal((await api('DELETE', `/racks/${other.id}`)).status, 204)
  const exported = async (as: TestPerson, query = '') => api('GET', `/racks/export?_trash=only${query}`, { as })
  assert.equal((await exported(ann)).status, 403)
  const file = await exported(admin, '&named=lower side')
  assert.deepEqual([file.status, JSON.parse(file.text).id], [200, other.id])
  assert.equal((await exported(admin, '&named=upper side')).text, '')
  // Below a record that is itself in the trash there is no path.
  assert.equal((await api('GET', `/racks/${other.id}/pledges?_trash=only`)).status, 404)
  assert.equal((await api('GET', '/racks/import?_trash=only', { as: admin })).status, 404)
})

test('after its days a record ends, with those that went with it', async () => {
  const rack = await made('/racks', { name: 'old' })
  const tome = await made('/tomes', { rackId: rack.id, code: 'old' })
  const jotting = await made('/jottings', { rackId: rack.id, tomeId: tome.id })
  await api('DELETE', `/racks/${rack.id}`)
  const day = 24 * 60 * 60_000
  own.turn(29 * day)
  await own.sweep()
  ann = await own.person()
  assert.equal(await totalOf('/racks?_trash=only&name=old'), 1)
  own.turn(2 * day)
  await own.sweep()
  ann = await own.person()
  assert.equal(await totalOf('/racks?_trash=only&name=old'), 0)
  const cleared = (await api('GET', `/jottings/${jotting.id}`)).body
  assert.deepEqual([cleared.rackId, cleared.tomeId], [null, null])
  const { storage, catalog } = own.service.engine
  assert.equal(await storage.count(catalog.get('tomeTrash'), { kind: 'true' }), 0)
})
