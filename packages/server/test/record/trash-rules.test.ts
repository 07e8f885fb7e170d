/** The trash of tenants, of keys with scopes, and declarations that can have none. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startService as startOf, type TestPerson, type TestService } from 'bindery-server/test'
import {
  allOf,
  anyOf,
  defineAction,
  defineResource,
  id,
  member,
  none,
  owner,
  reference,
  role,
  some,
  text,
  user,
} from '../../src/index.ts'
import { findMistakes } from '../../src/resource/check.ts'
import { always } from '../../src/resource/condition.ts'
import type { DeclaredResource } from '../../src/resource/define.ts'
import { clubhouse, clubs, memberships, people, teamMembers, teams, tenancy, users } from '../clubhouse/clubhouse.ts'

const kits = defineResource({
  name: 'kit',
  path: '/kits',
  tenant: 'clubId',
  trash: { days: 7 },
  fields: { id: id(), clubId: reference('club', { required: true, onDelete: 'delete' }), name: text() },
  list: { style: 'page' },
  access: { read: member(), write: member('COACH'), restore: member('OWNER') },
})

describe('the trash of a tenant', () => {
  let own: TestService
  const callers: Record<string, TestPerson> = {}
  const clubIds: string[] = []
  before(async () => {
    own = await startOf([...clubhouse, kits])
    for (const name of ['Rowing', 'Chess']) clubIds.push(((await own.make('club', { name })) as { id: string }).id)
    const [rowing, chess] = clubIds
    for (const [name, clubId, role] of [
      ['player', rowing, 'PLAYER'],
      ['coach', rowing, 'COACH'],
      ['owner', rowing, 'OWNER'],
      ['other', chess, 'OWNER'],
    ] as const) {
      const person = await own.person()
      callers[name] = person
      await own.make('membership', { clubId, userId: person.id, role })
    }
  })
  after(() => own.stop())

  const ask = (by: string, method: string, path: string, body?: unknown) =>
    own.ask(method, `/api/v1${path}`, { ...(body !== undefined && { body }), token: callers[by]?.token } as never)

  test('only those who restore in it see it, and it ends with the tenant', async () => {
    const made = await ask('coach', 'POST', '/kits', { clubId: clubIds[0], name: 'blue' })
    assert.equal(made.status, 201, made.text)
    const path = `/kits/${made.body.id}`
    assert.equal((await ask('coach', 'DELETE', path)).status, 204)
    for (const by of ['player', 'coach', 'other']) {
      const list = await ask(by, 'GET', '/kits?_trash=only')
      assert.deepEqual([list.status, list.body.data ?? []], [list.status === 403 ? 403 : 200, []], by)
      assert.notEqual((await ask(by, 'GET', `${path}?_trash=only`)).status, 200, by)
      assert.notEqual((await ask(by, 'POST', `${path}/restore`)).status, 200, by)
    }
    assert.equal((await ask('other', 'POST', `${path}/restore`)).status, 404)
    assert.equal((await ask('owner', 'GET', '/kits?_trash=only')).body.data.length, 1)
    assert.equal((await ask('owner', 'POST', `${path}/restore`)).status, 200)
    await ask('coach', 'DELETE', path)
    const gone = await ask('owner', 'DELETE', `/clubs/${clubIds[0]}`)
    assert.equal(gone.status, 204, gone.text)
    const { storage, catalog } = own.service.engine
    assert.equal(await storage.count(catalog.get('kitTrash'), always), 0)
  })
})

test('rules about records below show the trash to no caller: it does not say what was there', async () => {
  const rooms = defineResource({
    name: 'room',
    path: '/rooms',
    trash: { days: 7 },
    history: { keep: 3 },
    children: { seats: { resource: 'seat', by: 'roomId' }, bans: { resource: 'ban', by: 'roomId' } },
    fields: { id: id(), name: text() },
    list: { style: 'page' },
    access: {
      read: anyOf([role('ADMIN'), allOf([some('seats', owner('userId')), none('bans', owner('userId'))])]),
      create: user,
      write: user,
    },
  })
  const below = (name: 'seat' | 'ban') =>
    defineResource({
      name,
      path: `/${name}s`,
      fields: { id: id(), roomId: reference('room', { onDelete: 'delete' }), userId: reference('user') },
      list: { style: 'page' },
      access: { read: user, write: user },
    })
  const own = await startOf([rooms, below('seat'), below('ban'), ...people])
  try {
    const [sits, banned] = [await own.person(), await own.person()]
    const admin = await own.person('ADMIN')
    const roomId = ((await own.make('room', { name: 'blue' })) as { id: string }).id
    for (const one of [sits, banned]) await own.make('seat', { roomId, userId: one.id })
    await own.make('ban', { roomId, userId: banned.id })
    const list = async ({ token }: TestPerson, query = '') => {
      const { status, body } = await own.ask('GET', `/api/v1/rooms${query}`, { token })
      return status === 200 ? body.data.length : status
    }
    assert.deepEqual([await list(sits), await list(banned), await list(admin)], [1, 0, 1])
    const { token } = sits
    assert.equal((await own.ask('GET', `/api/v1/rooms/${roomId}/history`, { token })).status, 200)
    assert.equal((await own.ask('DELETE', `/api/v1/rooms/${roomId}`, { token })).status, 204)
    const inTrash = [await list(sits, '?_trash=only'), await list(banned, '?_trash=only')]
    assert.deepEqual([...inTrash, await list(admin, '?_trash=only')], [403, 403, 1])
    const restored = await own.ask('POST', `/api/v1/rooms/${roomId}/restore`, { token: admin.token })
    assert.equal(restored.status, 200, restored.text)
    assert.deepEqual([await list(sits), await list(banned)], [1, 0])
  } finally {
    await own.stop()
  }
})

test('the history of a record goes to the trash and comes back with it', async () => {
  const papers = defineResource({
    name: 'paper',
    path: '/papers',
    trash: { days: 7 },
    history: { keep: 3 },
    fields: { id: id(), name: text() },
    list: { style: 'page' },
    access: { read: user, write: user },
  })
  const own = await startOf([papers, ...people])
  try {
    const { token } = await own.person()
    const ask = (method: string, path: string, body?: unknown) =>
      own.ask(method, `/api/v1/papers${path}`, { ...(body !== undefined && { body }), token } as never)
    const { body: made } = await ask('POST', '', { name: 'one' })
    await ask('PATCH', `/${made.id}`, { name: 'two' })
    assert.equal((await ask('DELETE', `/${made.id}`)).status, 204)
    assert.equal((await ask('GET', `/${made.id}/history`)).status, 404)
    assert.equal((await ask('POST', `/${made.id}/restore`)).status, 200)
    const { body: history } = await ask('GET', `/${made.id}/history`)
    assert.equal(history.data[0].historyKind, 'restore')
    const told = history.data.map((one: { name: string; historyVersion: number }) => [one.historyVersion, one.name])
    assert.deepEqual(told, [
      [3, 'two'],
      [2, 'two'],
      [1, 'one'],
    ])
    await ask('DELETE', `/${made.id}`)
    await ask('POST', `/${made.id}/restore`)
    const { body: pruned } = await ask('GET', `/${made.id}/history`)
    const left = pruned.data.map((one: { historyVersion: number }) => one.historyVersion)
    assert.deepEqual(left, [4, 3, 2], 'at most as many as the history keeps')
  } finally {
    await own.stop()
  }
})

const plain = { id: id(), name: text() }
const trash = { days: 3 }
const thing = (more: object) =>
  ({ ...defineResource({ name: 'thing', fields: plain, access: {} }), ...more }) as unknown as DeclaredResource
const mistakesOf = (...list: readonly DeclaredResource[]) =>
  findMistakes([...list, tenancy, memberships, teams, teamMembers, ...people.filter((one) => one.name !== 'user')])
    .filter((one) => one.includes('trash'))
    .map((one) => one.replace(/^[^:]*: /, ''))

test('records that must end have no trash', () => {
  const access = { list: user, delete: user }
  const shown = { path: '/things', access, list: { style: 'page' }, trash }
  assert.deepEqual(mistakesOf(clubs, users, thing({ ...shown, trash: { days: 0 } })), [
    'thing: trash.days: must be a whole number from 1, and is 0',
  ])
  assert.deepEqual(mistakesOf({ ...clubs, trash } as never, { ...users, trash } as never), [
    'club: trash: a tenant ends with its members: leave trash out',
    'user: trash: its records have secrets, which end with them: leave trash out',
  ])
  const restore = defineAction({ run: async () => undefined })
  const fields = { ...plain, trashedAt: text() }
  assert.deepEqual(
    mistakesOf(clubs, users, thing({ ...shown, fields, access: { ...access, restore: user }, actions: { restore } })),
    [
      'thing: field "trashedAt": is a name of the trash; choose another',
      'thing: actions.restore: is an operation of the trash; choose another name',
    ],
  )
  assert.deepEqual(mistakesOf(clubs, users, thing({ ...shown, access: { list: user } })), [
    'thing: trash: needs a rule of delete, or of restore, under access: no caller could bring a record back',
  ])
})
