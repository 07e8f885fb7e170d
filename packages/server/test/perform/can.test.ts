/**
 * `expand=can` tells what the caller may do with each record. In the clubhouse it is compared with
 * the outcome of each operation, for each caller, in each tenant.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { defineResource, id, owner, reference, role, text, timestamp, user } from '../../src/index.ts'
import { allowedOperations } from '../../src/perform/read/allowed-operations.ts'
import { always } from '../../src/resource/condition.ts'
import type { UserPrincipal } from '../../src/resource/principal.ts'
import { type AskOptions, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'
import { makeComparison } from '../helpers/compare-can.ts'

const yesterday = '2020-01-01T00:00:00Z'
let service: TestService
let people: Readonly<Record<string, TestPerson>>
let club: string
before(async () => {
  service = await startService(clubhouse)
  const [founder, coach, player, teamCoach, paused, stranger] = await Promise.all(
    Array.from({ length: 6 }, () => service.person()),
  )
  const [support, admin] = [await service.person('SUPPORT'), await service.admin()]
  people = { founder, coach, player, teamCoach, paused, stranger, support, admin } as Record<string, TestPerson>
  const of = (name: string) => people[name] as TestPerson
  const made = async (path: string, by: TestPerson, body: object): Promise<string> => {
    const reply = await service.ask('POST', `/api/v1${path}`, { token: by.token, body })
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id
  }
  club = await made('/clubs', of('founder'), { name: 'Rowing' })
  const other = await made('/clubs', of('stranger'), { name: 'Chess' })
  for (const [name, values] of Object.entries({
    coach: { role: 'COACH' },
    player: {},
    teamCoach: {},
    paused: { state: 'PAUSED' },
  }))
    await made('/memberships', of('founder'), { clubId: club, userId: of(name).id, ...values })
  await made('/memberships', of('stranger'), { clubId: other, userId: of('player').id, role: 'COACH' })
  const team = await made('/teams', of('founder'), { clubId: club, name: 'Eight' })
  await made('/teams', of('founder'), { clubId: club, name: 'Four' })
  await made('/team-members', of('founder'), { teamId: team, userId: of('teamCoach').id, role: 'COACH' })
  for (const [clubId, by] of [[club, 'coach'] as const, [other, 'stranger'] as const])
    for (const values of [{ state: 'DRAFT' }, { state: 'PUBLISHED' }, { state: 'PUBLISHED', endsAt: yesterday }])
      await service.make('event', { clubId, title: by, ...values })
  for (const [by, role] of [['founder', 'OWNER'] as const, ['coach', 'PLAYER'] as const])
    await service.make('clubInvitation', { clubId: club, email: `${by}@example.com`, role }, { owner: of(by) })
  const events = (await service.ask('GET', '/api/v1/events', { token: of('player').token })).body.data
  for (const event of events) await made('/attendances', of('player'), { eventId: event.id })
})
after(() => service.stop())

const bearer = (name: string): AskOptions => ({ token: (people[name] as TestPerson).token })

it('is the outcome of each operation for every caller, record and tenant, also when it is cached', async () => {
  const { compare, counts } = makeComparison(service)
  await compare('anonymous', {})
  for (const name of Object.keys(people)) await compare(name, bearer(name))
  await compare('player in one club', { ...bearer('player'), headers: { 'x-tenant': club } })
  await compare('key', {
    key: await service.key(people.coach as TestPerson, { scopes: ['events:update', 'teams:read'] }),
  })
  assert.ok(counts.records > 80 && counts.inGraphql > 40, JSON.stringify(counts))
  assert.ok(counts.allowed > 100 && counts.operations - counts.allowed > 50, JSON.stringify(counts))
  assert.ok(counts.unclear < counts.operations / 10, JSON.stringify(counts))
})

describe('an answer with `can`', () => {
  const list = (by: AskOptions, headers: Record<string, string> = {}) =>
    service.ask('GET', '/api/v1/teams?sort=name&expand=can&limit=10', { ...by, headers })

  it('has another ETag as soon as the caller may do something else', async () => {
    const player = bearer('player')
    const first = await list(player)
    assert.deepEqual(first.body.data[0].can, { get: true, update: false, delete: false })
    assert.match(first.headers.get('vary') ?? '', /Authorization, X-API-Key, X-Tenant/)
    assert.equal(first.headers.get('cache-control'), 'private, no-cache')
    const etag = first.headers.get('etag') ?? ''
    assert.equal((await list(player, { 'if-none-match': etag })).status, 304)
    assert.equal((await list(bearer('founder'), { 'if-none-match': etag })).status, 200)
    const found = await service.ask('GET', `/api/v1/memberships?userId=${people.player?.id}`, bearer('founder'))
    const path = `/api/v1/memberships/${found.body.data[0].id}`
    const promote = await service.ask('PATCH', path, { ...bearer('founder'), body: { role: 'COACH' } })
    assert.equal(promote.status, 200, promote.text)
    const later = await list(player, { 'if-none-match': etag })
    assert.deepEqual([later.status, later.body.data[0].can], [200, { get: true, update: false, delete: true }])
    await service.ask('PATCH', path, { ...bearer('founder'), body: { role: 'PLAYER' } })
    assert.equal((await list(player, { 'if-none-match': etag })).status, 304)
  })

  it('takes no further query where the rules say the same of all records, and one otherwise', async () => {
    const { engine } = service.service
    const statements = async (name: string, principal: UserPrincipal): Promise<number> => {
      const resource = engine.catalog.get(name)
      const sort = [{ field: resource.idField, descending: false }]
      const rows = await engine.storage.list(resource, { where: always, sort, limit: 100 })
      let count = 0
      const reader = {
        ...engine.storage,
        testEach: (...asked: Parameters<typeof engine.storage.testEach>) => {
          count += 1
          return engine.storage.testEach(...asked)
        },
      }
      await allowedOperations({ engine, reader, principal }, { resource, rows })
      return count
    }
    const userId = people.player?.id as string
    const principal: UserPrincipal = { kind: 'user', userId, role: 'USER', via: 'token', scopes: null }
    const memberships = { club: [{ id: club, role: 'PLAYER' }] }
    assert.equal(await statements('user', { ...principal, role: 'ADMIN' }), 0)
    // The rows decide about teams, and their events about attendances.
    assert.equal(await statements('team', { ...principal, memberships }), 0)
    assert.equal(await statements('attendance', { ...principal, memberships }), 1)
  })
})

describe('the words of `can`', async () => {
  const shelves = defineResource({
    name: 'shelf',
    path: '/shelves',
    fields: { id: id(), can: text(), ownerId: reference('user', { setBy: 'principal' }) },
    list: { style: 'all' },
    access: { read: user, create: user, update: owner('ownerId'), delete: role('ADMIN') },
    children: { notes: { resource: 'note', by: 'shelfId', operations: ['list', 'create', 'delete'] } },
  })
  const notes = defineResource({
    name: 'note',
    fields: {
      id: id(),
      shelfId: reference('shelf', { setBy: 'parent', onDelete: 'delete' }),
      secret: text({ read: owner('ownerId') }),
      ownerId: reference('user', { setBy: 'principal' }),
      readAt: timestamp(),
    },
    list: { style: 'page' },
    access: { read: user, create: user, delete: owner('ownerId') },
  })
  const { accounts, defineResources } = await import('../../src/index.ts')
  const { users } = await import('../clubhouse/clubhouse.ts')
  const people = accounts({ roles: ['USER', 'ADMIN'], operator: 'ADMIN', users })
  const own = await startService(defineResources([shelves, notes, ...people]))
  after(() => own.stop())
  const [ann, bob] = [await own.person(), await own.person()]
  const shelf = (await own.ask('POST', '/api/v1/shelves', { ...{ token: ann.token }, body: { can: 'tin' } })).body.id
  const get = (path: string, token = ann.token) => own.ask('GET', `/api/v1/${path}`, { token })
  const note = await own.ask('POST', `/api/v1/shelves/${shelf}/notes`, { token: ann.token, body: { secret: 'x' } })
  assert.equal(note.status, 201, note.text)

  it('give way to a field of the application', async () => {
    const { body } = await get(`shelves/${shelf}?expand=_can&fields=can`)
    assert.deepEqual(body, { id: shelf, can: 'tin', _can: { get: true, update: true, delete: false } })
    const query = `{ shelf(id: "${shelf}") { can _can { update } } }`
    const { data } = (await own.ask('POST', '/graphql', { token: bob.token, body: { query } })).body
    assert.deepEqual(data.shelf, { can: 'tin', _can: { update: false } })
  })

  it('stand in relations, and have only operations that some path offers', async () => {
    const path = `shelves/${shelf}?fields=id&expand=_can,notes.can`
    const { body } = await get(path)
    assert.deepEqual(body.notes[0].can, { delete: true })
    // A hidden field is judged by its stored value.
    const [one] = (await get(path, bob.token)).body.notes
    assert.deepEqual([Object.hasOwn(one, 'secret'), one.can], [false, { delete: false }])
  })

  it('are refused where they say nothing', async () => {
    for (const [path, error] of [
      [`shelves/${shelf}?expand=can`, 'Cannot expand can; relations: owner, notes, _can'],
      [`shelves/${shelf}?expand=_can(limit:2)`, '_can takes no fields, limit or relations in expand'],
      [`shelves/${shelf}?expand=notes.can.delete`, 'notes.can takes no fields, limit or relations in expand'],
      [`shelves/${shelf}?fields=_can`, 'Unknown field _can in fields'],
      ['shelves?expand=_can', 'expand needs a page: send page or limit'],
    ] as const) {
      const reply = await get(path)
      assert.deepEqual([reply.status, reply.body], [400, { error }], path)
    }
    assert.deepEqual((await get('shelves?expand=_can&limit=2')).body.data[0]._can.update, true)
    const body = { _can: { update: true } }
    const patched = await own.ask('PATCH', `/api/v1/shelves/${shelf}`, { token: ann.token, body })
    assert.deepEqual([patched.status, patched.body.error], [400, '_can is shown by expand; leave it out'])
  })
})
