/**
 * The bounds of tenants on a running service: the tenant of a request, references and unique keys.
 * Upserts, imports, public records, keys of a tenant and operators are tried too.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  accounts,
  anyOf,
  anyone,
  type Declared,
  defineResource,
  id,
  lookup,
  member,
  reference,
  role,
  text,
  user,
} from '../../src/index.ts'
import { startService, type TestPerson, type TestResponse } from '../../src/testing/index.ts'
import { attendances, clubs, events, memberships, teamMembers, teams, tenancy, users } from '../clubhouse/clubhouse.ts'
import { until } from '../helpers/until.ts'

const keepers = anyOf([member('COACH'), role('SUPPORT')])

/** Posts of a club that the world may read, and the notes of users, which belong to no club. */
const posts = defineResource({
  name: 'post',
  path: '/posts',
  tenant: { by: 'clubId', public: true },
  fields: {
    id: id(),
    clubId: reference('club', { onDelete: 'delete' }),
    slug: text({ required: true, unique: true, maxLength: 50 }),
    teamId: reference('team', { onDelete: 'clear' }),
  },
  upsert: ['slug'],
  list: { style: 'page', sortable: ['slug'], filterable: ['slug'] },
  access: {
    read: anyone,
    create: keepers,
    replace: keepers,
    update: keepers,
    delete: keepers,
    import: member('COACH'),
  },
})
const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: {
    id: id(),
    eventId: reference('event', { onDelete: 'clear' }),
    eventTitle: lookup(text(), { via: 'eventId', field: 'title' }),
  },
  list: { style: 'page' },
  access: { read: user, create: user },
})
/** Of no club by itself: a reader is a member of the club or the team that it names. */
const loans = defineResource({
  name: 'loan',
  path: '/loans',
  fields: { id: id(), clubId: reference('club'), teamId: reference('team') },
  list: { style: 'page' },
  access: {
    list: anyOf([member('PLAYER', { of: 'club' }), member('PLAYER', { of: 'team' })]),
    get: member('PLAYER', { of: 'team' }),
    create: user,
  },
})
const readers = anyOf([member(), role('SUPPORT')])
const club = {
  ...clubs,
  access: { ...clubs.access, read: readers },
  children: { ...clubs.children, posts: { resource: 'post', by: 'clubId' } },
}
const team = { ...teams, children: { events: { resource: 'event', by: 'teamId' } } }
const keyed = accounts({
  roles: ['USER', 'SUPPORT', 'ADMIN'],
  operator: 'ADMIN',
  users,
  keys: { fields: { clubId: reference('club', { onDelete: 'delete' }) } },
  audit: true,
})
export const application: readonly Declared[] = [
  club,
  memberships,
  team,
  teamMembers,
  events,
  attendances,
  posts,
  notes,
  loans,
  tenancy,
  ...keyed,
]

const service = await startService(application)
after(() => service.stop())
const api = '/api/v1'
type Caller = { readonly token?: string; readonly key?: string; readonly tenant?: string }
const ask = (method: string, path: string, by: Caller, body?: unknown): Promise<TestResponse> => {
  const { tenant, token, key } = by
  const headers: Record<string, string> = tenant === undefined ? {} : { 'x-tenant': tenant }
  return service.ask(method, `${api}${path}`, {
    ...(body !== undefined && { body }),
    ...(token && { token }),
    ...(key && { key }),
    headers,
  })
}
const nothing = '01926e0f-0000-7000-8000-000000000000'

async function clubOf(owner: TestPerson, name: string): Promise<string> {
  const made = await ask('POST', '/clubs', owner, { name })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}
async function made(path: string, by: Caller, body: object): Promise<string> {
  const reply = await ask('POST', path, by, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
const titles = ({ body }: TestResponse) => body.data.map((one: { title: string }) => one.title)
const same = (one: TestResponse, other: TestResponse) =>
  assert.deepEqual([one.status, one.body], [other.status, other.body])

const ann = await service.person()
const bob = await service.person()
const eve = await service.person()
const rowing = await clubOf(ann, 'Rowing')
const chess = await clubOf(bob, 'Chess')
const both = await clubOf(ann, 'Both')
const eights = await made('/teams', ann, { clubId: rowing, name: 'Eights' })
const knights = await made('/teams', bob, { clubId: chess, name: 'Knights' })
const pairs = await made('/teams', ann, { clubId: both, name: 'Pairs' })
const regatta = await made('/events', ann, { clubId: rowing, title: 'Regatta', state: 'PUBLISHED' })
const gambit = await made('/events', bob, { clubId: chess, title: 'Gambit', state: 'PUBLISHED' })
await made('/events', ann, { clubId: both, title: 'Ball', state: 'PUBLISHED' })

describe('the tenant of a request', () => {
  it('is that of the header, of the path, or all of the caller', async () => {
    assert.deepEqual(titles(await ask('GET', '/events?sort=title', ann)), ['Ball', 'Regatta'])
    assert.deepEqual(titles(await ask('GET', '/events?sort=title', { ...ann, tenant: rowing })), ['Regatta'])
    assert.deepEqual(titles(await ask('GET', `/clubs/${both}/events`, ann)), ['Ball'])
    assert.deepEqual(titles(await ask('GET', '/events', eve)), [])
  })

  it('is 404 where the caller is not in it, as one that does not exist', async () => {
    for (const tenant of [chess, nothing, 'x'])
      assert.equal((await ask('GET', '/events', { ...ann, tenant })).status, 404, tenant)
    same(
      await ask('GET', '/events', { ...ann, tenant: chess }),
      await ask('GET', '/events', { ...ann, tenant: nothing }),
    )
    same(await ask('GET', `/clubs/${chess}/events`, ann), await ask('GET', `/clubs/${nothing}/events`, ann))
    const event = { title: 'Theirs' }
    same(
      await ask('POST', '/events', ann, { ...event, clubId: chess }),
      await ask('POST', '/events', ann, { ...event, clubId: nothing }),
    )
    assert.equal((await ask('POST', '/events', ann, { ...event, clubId: chess })).status, 404)
    assert.equal((await ask('GET', '/events', { tenant: rowing })).status, 401)
  })

  it('is 400 where two places disagree', async () => {
    assert.equal((await ask('GET', `/clubs/${both}/events`, { ...ann, tenant: rowing })).status, 400)
    assert.equal((await ask('POST', '/events', { ...ann, tenant: rowing }, { title: 'x', clubId: both })).status, 400)
    assert.equal((await ask('POST', `/clubs/${rowing}/events`, ann, { title: 'x', clubId: both })).status, 400)
    assert.equal((await ask('GET', `/clubs/${both}/events`, { ...ann, tenant: both })).status, 200)
  })

  it('is set where the body leaves it out: from the header, the path, the key, or a reference', async () => {
    const title = 'Set'
    const replies = [
      await ask('POST', '/events', { ...ann, tenant: rowing }, { title }),
      await ask('POST', `/clubs/${rowing}/events`, ann, { title }),
      await ask('POST', `/teams/${eights}/events`, ann, { title }),
      await ask('POST', '/events', ann, { title, teamId: eights }),
    ]
    for (const reply of replies) assert.deepEqual([reply.status, reply.body.clubId], [201, rowing], reply.text)
    const missing = await ask('POST', '/events', ann, { title })
    assert.equal(missing.status, 400)
    assert.match(missing.body.error, /clubId is required/)
    for (const reply of replies) await ask('DELETE', `/events/${reply.body.id}`, ann)
  })

  it('is in Vary, and in the key of kept answers', async () => {
    for (let i = 0; i < 3; i += 1) {
      const one = await ask('GET', '/events?sort=title', { ...ann, tenant: rowing })
      assert.deepEqual(titles(one), ['Regatta'])
      assert.match(one.headers.get('vary') ?? '', /X-Tenant/)
      assert.deepEqual(titles(await ask('GET', '/events?sort=title', { ...ann, tenant: both })), ['Ball'])
    }
  })

  it('is part of an Idempotency-Key', async () => {
    const headers = (tenant: string) => ({ 'x-tenant': tenant, 'idempotency-key': 'once' })
    const send = (tenant: string) =>
      service.ask('POST', `${api}/events`, { body: { title: 'Once' }, token: ann.token, headers: headers(tenant) })
    const first = await send(rowing)
    const second = await send(both)
    const again = await send(rowing)
    assert.deepEqual([first.status, second.status, again.status], [201, 201, 201])
    assert.deepEqual([first.body.clubId, second.body.clubId, again.body.id], [rowing, both, first.body.id])
    for (const { body } of [first, second]) await ask('DELETE', `/events/${body.id}`, ann)
  })

  it('binds an API key', async () => {
    const key = await service.key(ann, { clubId: rowing })
    assert.deepEqual(titles(await ask('GET', '/events?sort=title', { key })), ['Regatta'])
    assert.equal((await ask('GET', '/events', { key, tenant: both })).status, 400)
    assert.equal((await ask('GET', `/clubs/${both}/events`, { key })).status, 400)
    const event = await ask('POST', '/events', { key }, { title: 'By key' })
    assert.deepEqual([event.status, event.body.clubId], [201, rowing], event.text)
    await ask('DELETE', `/events/${event.body.id}`, ann)
  })
})

describe('a caller bound to one tenant', async () => {
  const ids = ({ body }: TestResponse) => body.data.map((one: { id: string }) => one.id).sort()
  const joined = (team: string) => made('/team-members', ann, { teamId: team, userId: ann.id, role: 'PLAYER' })
  await joined(eights)
  const inPairs = await joined(pairs)
  const ofClub = await made('/loans', ann, { clubId: rowing })
  const ofTeam = await made('/loans', ann, { teamId: eights })
  const others = [await made('/loans', ann, { clubId: both }), await made('/loans', ann, { teamId: pairs })]
  const key = await service.key(ann, { clubId: rowing })
  const callers: readonly (readonly [by: string, caller: Caller])[] = [
    ['X-Tenant', { ...ann, tenant: rowing }],
    ['its key', { key }],
  ]
  after(() => ask('DELETE', `/team-members/${inPairs}`, ann))

  for (const [by, caller] of callers)
    it(`by ${by} reaches no other tenant, and no record that needs a membership there`, async () => {
      assert.deepEqual(ids(await ask('GET', '/clubs', ann)), [rowing, both].sort())
      assert.deepEqual(ids(await ask('GET', '/clubs', caller)), [rowing])
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { name: 'Taken' } : undefined
        same(await ask(method, `/clubs/${both}`, caller, body), await ask(method, `/clubs/${nothing}`, caller, body))
      }
      assert.equal((await ask('PATCH', `/clubs/${rowing}`, caller, { name: 'Rowing' })).status, 200)
      assert.deepEqual(ids(await ask('GET', '/loans', ann)), [ofClub, ofTeam, ...others].sort())
      assert.deepEqual(ids(await ask('GET', '/loans', caller)), [ofClub, ofTeam].sort())
      assert.equal((await ask('GET', `/loans/${ofTeam}`, caller)).status, 200)
      assert.equal((await ask('GET', `/loans/${others[1]}`, caller)).status, 404)
      assert.equal((await ask('POST', '/loans', caller, { clubId: both })).status, 400)
    })

  for (const [by, caller] of callers)
    it(`by ${by} makes no other tenant`, async () => {
      const refused = await ask('POST', '/clubs', caller, { name: 'Another' })
      assert.equal(refused.status, 403, refused.text)
      assert.match(refused.body.error, /^This request is bound to one club/)
      assert.equal((await ask('PUT', '/clubs?on=name', caller, { name: 'Another' })).status, 403)
      assert.equal(ids(await ask('GET', '/clubs', ann)).length, 2)
    })
})

describe('a membership of a group', () => {
  it('counts only for active members of its tenant, and again when they come back', async () => {
    const max = await service.person()
    const join = () => made('/memberships', bob, { clubId: chess, userId: max.id, role: 'COACH' })
    const membership = await join()
    await made('/team-members', bob, { teamId: knights, userId: max.id, role: 'COACH' })
    const loan = await made('/loans', bob, { teamId: knights })
    const status = async () => (await ask('GET', `/loans/${loan}`, max)).status
    const membershipIs = (state: string) => ask('PATCH', `/memberships/${membership}`, bob, { state })
    assert.equal(await status(), 200)
    await membershipIs('PAUSED')
    assert.equal(await status(), 404)
    await membershipIs('ACTIVE')
    assert.equal(await status(), 200)
    assert.equal((await ask('DELETE', `/memberships/${membership}`, bob)).status, 204)
    assert.equal(await status(), 404)
    assert.deepEqual((await ask('GET', '/loans', max)).body.data, [])
    await join()
    assert.equal(await status(), 200)
  })
})

describe('references', () => {
  it('of another tenant are 400, as if absent', async () => {
    const event = { clubId: rowing, title: 'Cross' }
    for (const teamId of [knights, pairs, nothing]) {
      const reply = await ask('POST', '/events', ann, { ...event, teamId })
      assert.deepEqual([reply.status, reply.body.error], [400, 'teamId refers to no team that exists'], teamId)
      const changed = await ask('PATCH', `/events/${regatta}`, ann, { teamId })
      assert.deepEqual([changed.status, changed.body.error], [400, 'teamId refers to no team that exists'], teamId)
    }
    same(
      await ask('POST', '/attendances', ann, { eventId: gambit }),
      await ask('POST', '/attendances', ann, { eventId: nothing }),
    )
    assert.equal((await ask('POST', '/attendances', ann, { eventId: gambit })).status, 400)
    same(await ask('POST', '/notes', ann, { eventId: gambit }), await ask('POST', '/notes', ann, { eventId: nothing }))
    assert.equal((await ask('POST', '/notes', ann, { eventId: regatta })).body.eventTitle, 'Regatta')
  })

  it('show nothing of a tenant that the reader is not in', async () => {
    const note = await made('/notes', ann, { eventId: regatta })
    assert.equal((await ask('GET', `/notes/${note}`, bob)).body.eventTitle, null)
    assert.equal((await ask('GET', `/notes/${note}?expand=event`, bob)).body.event ?? null, null)
  })

  it('never lead a record into another tenant', async () => {
    for (const clubId of [both, chess, nothing]) {
      const reply = await ask('PATCH', `/events/${regatta}`, ann, { clubId })
      assert.deepEqual([reply.status, reply.body.error], [400, 'clubId never changes: a record stays in its tenant'])
    }
    assert.equal((await ask('PATCH', `/events/${regatta}`, ann, { clubId: rowing })).status, 200)
    const attendance = await made('/attendances', ann, { eventId: regatta })
    assert.equal((await ask('PATCH', `/attendances/${attendance}`, ann, { eventId: gambit })).status, 400)
  })
})

describe('unique keys, upserts and imports', () => {
  it('hold within a tenant', async () => {
    await made('/posts', bob, { clubId: chess, slug: 'news' })
    const own = await made('/posts', ann, { clubId: rowing, slug: 'news' })
    const twice = await ask('POST', '/posts', ann, { clubId: rowing, slug: 'NEWS' })
    assert.deepEqual([twice.status, twice.body.error], [409, 'slug must be unique'])
    const replaced = await ask('PUT', '/posts?on=slug', { ...ann, tenant: rowing }, { slug: 'news', teamId: eights })
    assert.deepEqual([replaced.status, replaced.body.id, replaced.body.clubId], [200, own, rowing], replaced.text)
    const fresh = await ask('PUT', '/posts?on=slug', ann, { slug: 'news', clubId: both })
    assert.deepEqual([fresh.status, fresh.body.clubId], [201, both], fresh.text)
    assert.equal((await ask('PUT', '/posts?on=slug', ann, { slug: 'news' })).status, 400)
  })

  it('a line with an id of another tenant is refused as an unknown one is', async () => {
    const theirs = (await ask('GET', '/posts', bob)).body.data[0].id
    const lines = (ids: readonly string[]) =>
      ids.map((one) => JSON.stringify({ id: one, clubId: rowing, slug: 'taken' })).join('\n')
    const reply = await service.ask('POST', `${api}/posts/import`, {
      raw: lines([theirs, nothing]),
      type: 'application/x-ndjson',
      token: ann.token,
    })
    assert.equal(reply.status, 200, reply.text)
    const [one, other] = reply.body.errors ?? reply.body.problems ?? reply.body.rejects ?? []
    assert.equal(one?.error, other?.error)
  })
})

describe('public records', () => {
  it('are read by anyone in the path of their tenant, and nowhere else', async () => {
    assert.deepEqual(
      (await ask('GET', `/clubs/${chess}/posts`, {})).body.data.map((one: { slug: string }) => one.slug),
      ['news'],
    )
    assert.equal((await ask('GET', '/posts', {})).status, 401)
    assert.deepEqual((await ask('GET', '/posts', eve)).body.data, [])
    assert.equal((await ask('GET', `/clubs/${chess}/posts`, eve)).body.data.length, 1)
    assert.equal((await ask('POST', `/clubs/${chess}/posts`, eve, { slug: 'mine' })).status, 404)
    assert.equal((await ask('GET', `/clubs/${nothing}/posts`, {})).status, 404)
    assert.equal((await ask('GET', `/clubs/${chess}/events`, {})).status, 401)
  })
})

describe('an operator above tenants', () => {
  it('reaches every tenant, and each write is audited', async () => {
    const support = await service.person('SUPPORT')
    const admin = await service.admin()
    assert.ok((await ask('GET', '/posts', { ...support, tenant: chess })).body.data.length > 0)
    const post = await made('/posts', { ...support, tenant: chess }, { slug: 'by support' })
    assert.equal((await ask('PATCH', `/posts/${post}`, support, { slug: 'changed' })).status, 200)
    assert.equal((await ask('DELETE', `/posts/${post}`, support)).status, 204)
    await ask('GET', '/posts', { ...support, tenant: chess })
    const reads = () => ask('GET', '/audit-events?event=operator-read', admin)
    await until(async () => (await reads()).body.data.length > 0, 'an event of the read')
    const read = (await reads()).body.data.map((one: { details: string[] }) => one.details.join(' '))
    assert.deepEqual(read, [`operation=read resource=post tenant=${chess}`])
    const told = (await ask('GET', '/audit-events?event=operator-wrote', admin)).body.data
    const details = told.map((one: { details: string[] }) => one.details.join(' ')).sort()
    const about = `resource=post record=${post} tenant=${chess}`
    assert.deepEqual(
      details,
      ['create', 'delete', 'update'].map((one) => `operation=${one} ${about}`),
    )
  })
})
