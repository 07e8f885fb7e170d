/** A resource with one record in each tenant: which one a request means, and how many there are. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { startService } from 'bindery-server/test'
import { always } from '../../src/resource/condition.ts'
import { closedClubhouse } from './closed-clubhouse.ts'

const service = await startService(closedClubhouse, { env: { MCP: 'write', RATE_LIMIT: '' } })
after(() => service.stop())
const [ann, ben, cleo] = [await service.person(), await service.person(), await service.person()]
const admin = await service.admin()
const path = '/api/v1/preferences'

async function club(name: string, members: readonly (readonly [{ id: string }, string])[]): Promise<string> {
  const clubId = String((await service.make('club', { name })).id)
  for (const [{ id: userId }, role] of members)
    await service.make('membership', { clubId, userId, role, state: 'ACTIVE' })
  return clubId
}
const one = await club('one', [
  [ann, 'OWNER'],
  [ben, 'PLAYER'],
])
const two = await club('two', [[ann, 'OWNER']])
const ask = (method: string, who: object, tenant?: string, body?: unknown, below = '') =>
  service.ask(method, `${path}${below}`, { ...who, body, ...(tenant && { headers: { 'x-tenant': tenant } }) })
const countAll = async () => {
  const { storage, catalog } = service.service.engine
  return (await storage.list(catalog.get('preferences'), { where: always, sort: [], limit: 50 })).length
}

it('means the only club of the caller, or the one that the request names', async () => {
  const bens = await Promise.all(Array.from({ length: 8 }, () => ask('GET', ben)))
  assert.equal(new Set(bens.map((reply) => reply.text)).size, 1)
  const { clubId, motto, guests } = bens[0]?.body ?? {}
  assert.deepEqual([clubId, motto, guests], [one, 'None yet', 3])
  const unclear = await ask('GET', ann)
  assert.deepEqual(
    [unclear.status, unclear.body.error],
    [400, 'Name the club with X-Tenant: each has its own preferences'],
  )
  assert.equal((await ask('PATCH', ann, undefined, { motto: 'x' })).status, 400)
  assert.deepEqual((await ask('GET', ann, one)).body, bens[0]?.body)
  assert.equal((await ask('GET', ann, two)).body.clubId, two)
  assert.equal((await ask('GET', admin)).status, 400)
  assert.equal(await countAll(), 2)
})

it('is written by its rule in the tenant, with versions', async () => {
  assert.equal((await ask('PATCH', ben, undefined, { motto: 'Ben' })).status, 403)
  const changed = await ask('PATCH', ann, two, { motto: 'Two', guests: { increment: 1 } })
  assert.deepEqual([changed.status, changed.body.motto, changed.body.guests], [200, 'Two', 4], changed.text)
  assert.equal((await ask('PUT', ann, two, { clubId: one, motto: 'x' })).status, 400)
  assert.equal((await ask('GET', ben)).body.motto, 'None yet')
  const past = await ask('GET', ann, two, undefined, '/history')
  assert.deepEqual([past.status, past.body.data.length], [200, 2], past.text)
  assert.deepEqual((await ask('GET', ben, undefined, undefined, '/history')).body.data, [])
  const query = 'mutation { updatePreferences(input: { motto: "G" }) { motto clubId } }'
  const headers = { 'x-tenant': two }
  const { body } = await service.ask('POST', '/graphql', { body: { query }, token: ann.token, headers })
  assert.deepEqual(body, { data: { updatePreferences: { motto: 'G', clubId: two } } })
  const unclear = await service.ask('POST', '/graphql', { body: { query }, token: ann.token })
  assert.match(unclear.body.errors[0].message, /^Name the club with X-Tenant/)
})

it('does not exist for others, and none is made by them', async () => {
  const before = await countAll()
  assert.equal((await ask('GET', cleo)).status, 404)
  assert.equal((await ask('PATCH', cleo, undefined, { motto: 'x' })).status, 404)
  assert.equal((await ask('GET', cleo, one)).status, 404)
  assert.equal((await service.ask('GET', path)).status, 401)
  assert.equal(await countAll(), before)
  const batch = { operations: [{ method: 'PATCH', path: '/preferences', body: { motto: 'B' } }] }
  const headers = { 'x-tenant': one }
  const done = await service.ask('POST', '/api/v1/batch', { body: batch, token: ann.token, headers })
  assert.equal(done.body.data?.[0].body.motto, 'B', done.text)
})
