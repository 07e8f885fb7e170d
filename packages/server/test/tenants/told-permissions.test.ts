/**
 * The server tells a caller its permissions in one tenant. The keys of a tenant are tried too: they
 * end with it.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { accounts, anyone, defineResource, id, member, reference, text } from '../../src/index.ts'
import { startService, type TestPerson, type TestResponse } from '../../src/testing/index.ts'
import { attendances, clubs, events, memberships, teamMembers, teams, tenancy, users } from '../clubhouse/clubhouse.ts'

const posts = defineResource({
  name: 'post',
  path: '/posts',
  tenant: { by: 'clubId', public: true },
  fields: { id: id(), clubId: reference('club', { onDelete: 'delete' }), slug: text({ required: true }) },
  list: { style: 'page' },
  access: { read: anyone, create: member('COACH') },
  explainAccess: anyone,
})
const keyed = accounts({
  roles: ['USER', 'SUPPORT', 'ADMIN'],
  operator: 'ADMIN',
  users,
  keys: { fields: { clubId: reference('club', { onDelete: 'delete' }) } },
})
const service = await startService([
  clubs,
  memberships,
  teams,
  teamMembers,
  events,
  attendances,
  posts,
  tenancy,
  ...keyed,
])
after(() => service.stop())

type Caller = { readonly token?: string; readonly key?: string; readonly tenant?: string }
const ask = (method: string, path: string, { tenant, token, key }: Caller, body?: object): Promise<TestResponse> =>
  service.ask(method, `/api/v1${path}`, {
    ...(token && { token }),
    ...(key && { key }),
    ...(body && { body }),
    headers: tenant === undefined ? {} : { 'x-tenant': tenant },
  })
const nothing = '01926e0f-0000-7000-8000-000000000000'
async function made(path: string, by: Caller, body: object): Promise<string> {
  const reply = await ask('POST', path, by, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
const clubOf = ({ token }: TestPerson, name: string) => made('/clubs', { token }, { name })

const [ann, bob, eve] = [await service.person(), await service.person(), await service.person()]
const rowing = await clubOf(ann, 'Rowing')
const chess = await clubOf(bob, 'Chess')
const both = await clubOf(ann, 'Both')

describe('a tenant that is deleted', () => {
  it('takes its API keys along', async () => {
    const club = await clubOf(ann, 'Ends')
    const key = await service.key(ann, { clubId: club })
    assert.equal((await ask('GET', '/events', { key })).status, 200)
    assert.equal((await ask('DELETE', `/clubs/${club}`, ann)).status, 204)
    assert.equal((await ask('GET', '/events', { key })).status, 401)
    assert.equal((await ask('GET', `/clubs/${rowing}`, { key })).status, 401)
  })
})

describe('the permissions of a caller', () => {
  const told = (by: Caller) => ask('GET', '/_permissions', by)
  it('are those within the tenant that the request names', async () => {
    const guest = await service.person()
    await made('/memberships', ann, { clubId: rowing, userId: guest.id })
    await made('/memberships', bob, { clubId: chess, userId: guest.id, role: 'COACH' })
    const events = async (tenant?: string) =>
      (await told({ token: guest.token, ...(tenant !== undefined && { tenant }) })).body.resources.events.operations
    assert.deepEqual([(await events()).create, (await events()).list], ['some', 'some'])
    assert.deepEqual([(await events(rowing)).create, (await events(rowing)).list], ['none', 'some'])
    assert.deepEqual([(await events(chess)).create, (await events(chess)).list], ['some', 'some'])
    const inRowing = (await told({ token: guest.token, tenant: rowing })).body.resources
    assert.deepEqual([inRowing.posts.operations.create, inRowing.attendances.operations.list], ['none', 'some'])
    const query = '{ permissions { resource operations { operation records } } }'
    const headers = { 'x-tenant': rowing }
    const { body } = await service.ask('POST', '/graphql', { token: guest.token, headers, body: { query } })
    type Told = { readonly resource: string; readonly operations: readonly { readonly records: string }[] }
    for (const { resource, operations } of body.data.permissions as readonly Told[])
      assert.deepEqual(
        operations.map(({ records }) => records.toLowerCase()),
        Object.values(inRowing[resource].operations),
      )
    assert.match((await told(guest)).headers.get('vary') ?? '', /X-Tenant/)
  })

  it('are 404 for a tenant that the caller is not in, as other requests are', async () => {
    for (const tenant of [chess, nothing, 'x']) {
      const [refused, other] = [await told({ ...ann, tenant }), await ask('GET', '/events', { ...ann, tenant })]
      assert.deepEqual([refused.status, refused.body], [404, other.body])
    }
    assert.equal((await told({ tenant: rowing })).status, 401)
    const key = await service.key(ann, { clubId: rowing })
    assert.equal((await told({ key, tenant: both })).status, 400)
  })

  it('are none where the caller would need a membership, but for what is public', async () => {
    const { resources } = (await told(eve)).body
    assert.deepEqual([...new Set(Object.values(resources.events.operations))], ['none'])
    assert.deepEqual([resources.posts.operations.list, resources.posts.operations.create], ['some', 'none'])
    assert.deepEqual([resources.clubs.operations.create, resources.clubs.operations.update], ['all', 'none'])
    assert.deepEqual(resources.events.fields, { read: [], create: [], replace: [], update: [] })
  })
})

describe('an explanation', () => {
  const explained = async (method: string, path: string, by: Caller, body?: object) =>
    (await ask(method, `${path}?_explain=access`, by, body)).body.data.allowed
  it('takes the tenant of a new record from header, key, path and body, as the request does', async () => {
    const key = await service.key(ann, { clubId: rowing })
    assert.equal(await explained('POST', '/posts', { ...ann, tenant: rowing }, { slug: 'a' }), true)
    assert.equal(await explained('POST', '/posts', { key }, { slug: 'a' }), true)
    assert.equal(await explained('POST', '/posts', ann, { slug: 'a', clubId: rowing }), true)
    for (const [by, body] of [
      [ann, { slug: 'a' }],
      [ann, { slug: 'a', clubId: chess }],
      [
        { ...ann, tenant: both },
        { slug: 'a', clubId: rowing },
      ],
    ] as const) {
      const [why, done] = [await ask('POST', '/posts?_explain=access', by, body), await ask('POST', '/posts', by, body)]
      assert.deepEqual([why.status, why.body], [done.status, done.body])
      assert.ok(done.status === 400 || done.status === 404, done.text)
    }
  })
})
