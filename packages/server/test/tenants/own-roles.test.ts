/**
 * Rules that say nothing of members, on tenants and their records. A request that names a tenant is
 * bounded by it all the same. A public resource is read in the tenant that the request names.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  accounts,
  anyOf,
  anyone,
  defineResource,
  id,
  member,
  owner,
  reference,
  role,
  text,
  user,
} from '../../src/index.ts'
import { startService, type TestResponse } from '../../src/testing/index.ts'
import { memberships, teamMembers, teams, tenancy, users } from '../clubhouse/clubhouse.ts'

const fields = () => ({
  id: id(),
  clubId: reference('club', { onDelete: 'delete' }),
  authorId: reference('user', { setBy: 'principal' }),
  title: text({ maxLength: 100 }),
})
const keepers = anyOf([role('ADMIN'), owner('authorId')])
/** The user's own role decides, and the author. */
const docs = defineResource({
  name: 'doc',
  path: '/docs',
  tenant: 'clubId',
  fields: fields(),
  list: { style: 'page', bulk: true, filterable: ['title'] },
  access: { read: keepers, export: keepers, write: keepers, create: user },
})
/** No path below the club leads to it. */
const pages = defineResource({
  name: 'page',
  path: '/pages',
  tenant: { by: 'clubId', public: true },
  fields: fields(),
  list: { style: 'page' },
  access: { read: anyone, write: member('COACH') },
})
/** Of no club, and each shows the name of the club that it is about. */
const letters = defineResource({
  name: 'letter',
  path: '/letters',
  fields: { id: id(), clubId: reference('club') },
  list: { style: 'page' },
  access: { read: user, create: user },
})
const club = defineResource({
  name: 'club',
  path: '/clubs',
  fields: { id: id(), name: text({ required: true }), authorId: reference('user', { setBy: 'principal' }) },
  list: { style: 'page', bulk: true, filterable: ['name'] },
  access: { read: user, export: user, create: user, import: user, write: keepers },
})
const keyed = accounts({
  roles: ['USER', 'SUPPORT', 'ADMIN'],
  operator: 'ADMIN',
  users,
  keys: { fields: { clubId: reference('club', { onDelete: 'delete' }) } },
})

const service = await startService([club, memberships, teams, teamMembers, docs, pages, letters, tenancy, ...keyed])
after(() => service.stop())

type Caller = { readonly token?: string; readonly key?: string; readonly tenant?: string }
function send(method: string, path: string, by: Caller, body?: unknown): Promise<TestResponse> {
  const { tenant, token, key } = by
  return service.ask(method, path, {
    ...(body !== undefined && { body }),
    ...(token && { token }),
    ...(key && { key }),
    headers: tenant === undefined ? {} : { 'x-tenant': tenant },
  })
}
const ask = (method: string, path: string, by: Caller, body?: unknown) => send(method, `/api/v1${path}`, by, body)
const query = async (text: string, by: Caller) => (await send('POST', '/graphql', by, { query: text })).body
const inBatch = (by: Caller, ...operations: readonly object[]) => ask('POST', '/batch', by, { operations })
async function made(path: string, by: Caller, body: object): Promise<string> {
  const reply = await ask('POST', path, by, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
const ids = ({ body }: TestResponse) => body.data.map((one: { id: string }) => one.id)
const nothing = '01926e0f-0000-7000-8000-000000000000'

const ann = await service.person('ADMIN')
const bob = await service.person()
const rowing = await made('/clubs', ann, { name: 'Rowing' })
const chess = await made('/clubs', ann, { name: 'Chess' })
const inRowing = await made('/docs', ann, { clubId: rowing, title: 'Own' })
const inChess = await made('/docs', ann, { clubId: chess, title: 'Other' })
const letter = await made('/letters', ann, { clubId: chess })
const key = await service.key(ann, { clubId: rowing })
const keyOfChess = await made('/api-keys', ann, { name: 'Of chess', clubId: chess })

describe('a request in one tenant', () => {
  const callers: readonly (readonly [by: string, caller: Caller])[] = [
    ['its key', { key }],
    ['X-Tenant', { ...ann, tenant: rowing }],
  ]
  for (const [by, caller] of callers) {
    it(`by ${by} reaches no other tenant by the role of its user`, async () => {
      assert.deepEqual(ids(await ask('GET', '/clubs', caller)), [rowing])
      assert.equal((await ask('GET', '/clubs/export', caller)).text.includes(chess), false)
      for (const [method, body] of [['GET'], ['PATCH', { name: 'Taken' }], ['DELETE']] as const) {
        const [one, other] = [chess, nothing].map((id) => ask(method, `/clubs/${id}`, caller, body))
        assert.deepEqual([(await one)?.status, (await one)?.text], [404, (await other)?.text], method)
      }
      assert.equal((await ask('PATCH', `/clubs/${rowing}`, caller, { name: 'Rowing' })).status, 200)
      assert.equal((await ask('PATCH', '/clubs?name=Chess&limit=5', caller, { name: 'Taken' })).body.updated, 0)
      const line = JSON.stringify({ id: chess, name: 'Taken' })
      await service.ask('POST', '/api/v1/clubs/import', {
        raw: line,
        type: 'application/x-ndjson',
        ...(caller.key ? { key } : { token: ann.token }),
        headers: caller.tenant ? { 'x-tenant': rowing } : {},
      })
      assert.equal((await ask('GET', `/clubs/${chess}`, ann)).body.name, 'Chess')
    })

    it(`by ${by} reaches none by GraphQL, in a batch, or through a reference`, async () => {
      const told = await query(`{ clubs { data { id } } club(id: "${chess}") { id } }`, caller)
      assert.deepEqual(told.data, { clubs: { data: [{ id: rowing }] }, club: null })
      const batch = await inBatch(caller, { method: 'GET', path: `/clubs/${chess}` })
      assert.equal(batch.status, 404, batch.text)
      assert.equal((await ask('GET', `/letters/${letter}?expand=club`, caller)).body.club ?? null, null)
      assert.equal((await ask('POST', '/letters', caller, { clubId: chess })).status, 400)
    })

    it(`by ${by} sees no key of another tenant`, async () => {
      assert.ok(ids(await ask('GET', '/api-keys', ann)).includes(keyOfChess))
      assert.equal(ids(await ask('GET', '/api-keys', caller)).length, 1)
      assert.equal((await query('{ apiKeys { data { id } } }', caller)).data.apiKeys.data.length, 1)
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const asked = (id: string) => ask(method, `/api-keys/${id}`, caller, method === 'PATCH' ? {} : undefined)
        const [found, other] = [await asked(keyOfChess), await asked(nothing)]
        assert.deepEqual([found.status >= 400, found.text], [true, other.text], method)
      }
      assert.equal((await ask('POST', '/api-keys', caller, { name: 'Other', clubId: chess })).status, 403)
    })

    it(`by ${by} reaches the records of that tenant alone`, async () => {
      assert.deepEqual(ids(await ask('GET', '/docs', caller)), [inRowing])
      for (const method of ['GET', 'PATCH', 'DELETE'])
        assert.equal((await ask(method, `/docs/${inChess}`, caller, method === 'PATCH' ? {} : undefined)).status, 404)
      assert.equal((await ask('DELETE', '/docs?title=Other&limit=5', caller)).body.deleted, 0)
      assert.equal((await ask('GET', `/docs/${inChess}`, ann)).status, 200)
    })
  }
})

describe('public records without a path below their tenant', async () => {
  const page = await made('/pages', ann, { clubId: rowing, title: 'Open' })
  const inTenant = (tenant: string): Caller => ({ tenant })

  it('are read in the tenant that X-Tenant names', async () => {
    for (const caller of [inTenant(rowing), { ...bob, tenant: rowing }]) {
      assert.deepEqual(ids(await ask('GET', '/pages', caller)), [page])
      assert.equal((await ask('GET', `/pages/${page}`, caller)).body.title, 'Open')
      assert.deepEqual((await query('{ pages { data { id } } }', caller)).data, { pages: { data: [{ id: page }] } })
      const batch = await inBatch(caller, { method: 'GET', path: `/pages/${page}` })
      assert.equal(batch.status, 200, batch.text)
    }
    assert.equal((await ask('GET', '/pages', {})).status, 401)
    assert.deepEqual(ids(await ask('GET', '/pages', bob)), [])
    assert.equal((await ask('GET', `/pages/${page}`, { ...bob, tenant: chess })).status, 404)
  })

  it('tell nothing of tenants: one without pages is as one that does not exist', async () => {
    for (const caller of [bob, {}]) {
      const [one, other] = [chess, nothing].map((tenant) => ask('GET', '/pages', { ...caller, tenant }))
      assert.deepEqual([(await one)?.status, (await one)?.text], [200, (await other)?.text])
    }
  })

  it('open no other door to those who are no members', async () => {
    const refusals = async (tenant: string) => {
      const stranger = { ...bob, tenant }
      const title = { title: 'Mine' }
      const replies = [
        await ask('POST', '/pages', stranger, title),
        await ask('PATCH', `/pages/${page}`, stranger, title),
        await ask('GET', '/docs', stranger),
        await ask('GET', '/clubs', stranger),
        await inBatch(stranger, { method: 'POST', path: '/pages', body: title }),
        await inBatch(stranger, { method: 'GET', path: '/docs/1' }),
        await send('POST', '/graphql', stranger, { query: '{ docs { data { id } } clubs { data { id } } }' }),
        await send('POST', '/graphql', stranger, { query: '{ permissions { resource } }' }),
        await send('POST', '/graphql', stranger, { query: 'mutation { createPage(input: { title: "x" }) { id } }' }),
      ]
      return replies.map(({ status, text }) => `${status} ${text}`)
    }
    const told = await refusals(rowing)
    assert.deepEqual(told, await refusals(nothing))
    for (const one of told) assert.match(one, /Club not found/)
    assert.equal((await ask('GET', '/docs', inTenant(rowing))).status, 401)
    assert.deepEqual(ids(await ask('GET', '/pages', { ...ann, tenant: rowing })), [page])
  })
})
