/**
 * The audit: each change of an account is recorded in the same transaction, by every interface.
 * Users read their own entries, and no caller can change one.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { adminEmail, password, startService, type TestPerson, type TestService } from '../helpers/service.ts'

type Event = {
  id: string
  event: string
  userId: string | null
  actorId: string | null
  credential: string | null
  address: string | null
  userAgent: string | null
  details: string[]
}

let service: TestService
let admin: TestPerson
before(async () => {
  service = await startService()
  admin = await service.admin()
})
after(() => service.stop())

const agent = { 'user-agent': 'audited/1.0' }
const ask: TestService['ask'] = (method, path, options = {}) =>
  service.ask(method, path, { ...options, headers: { ...agent, ...options.headers } })
const sidOf = ({ token }: TestPerson) =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).sid as string

async function eventsOf(id: string): Promise<Event[]> {
  const reply = await service.ask('GET', `/api/v1/audit-events?userId=${id}&limit=100`, { token: admin.token })
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.toReversed()
}
/** The events of a user after the ones that `person` makes. */
async function sinceStart(id: string): Promise<Event[]> {
  const [made, first, ...rest] = await eventsOf(id)
  assert.deepEqual([made?.event, first?.event], ['user-created', 'log-in'])
  return rest
}
const namesOf = async (id: string) => (await sinceStart(id)).map(({ event }) => event)
const tellingOf = ({ event, actorId, credential, details }: Event) => [event, actorId, credential, ...details]

describe('what happens to an account', () => {
  it('is recorded with who did it, from where and by which credential', async () => {
    const ann = await service.person()
    const byAdmin = `session:${sidOf(admin)}`
    const own = `session:${sidOf(ann)}`
    const path = `/api/v1/users/${ann.id}`
    const change = async (by: TestPerson, body: object, status = 200) =>
      assert.equal((await ask('PATCH', path, { token: by.token, body })).status, status)
    await change(ann, { name: 'Ann' })
    await change(ann, { email: 'Ann.New@example.com', currentPassword: password })
    await change(admin, { role: 'EDITOR' })
    await change(ann, { password: 'another horse', currentPassword: 'wrong' }, 403)
    await change(ann, { password: 'another horse', currentPassword: password })
    await ask('POST', `${path}/suspend`, { token: admin.token })
    await ask('POST', `${path}/activate`, { token: admin.token })
    await ask('DELETE', path, { token: admin.token })
    const events = await eventsOf(ann.id)
    assert.deepEqual(events.map(tellingOf), [
      ['user-created', admin.id, byAdmin, 'role=USER'],
      ['log-in', ann.id, own],
      ['email-changed', ann.id, own, `from=${ann.email}`, 'to=Ann.New@example.com'],
      ['role-changed', admin.id, byAdmin, 'from=USER', 'to=EDITOR'],
      ['log-in-failed', null, null, 'proof=currentPassword'],
      ['password-changed', ann.id, own],
      ['status-changed', admin.id, byAdmin, 'from=ACTIVE', 'to=SUSPENDED'],
      ['session-ended', admin.id, byAdmin, `session=${sidOf(ann)}`],
      ['status-changed', admin.id, byAdmin, 'from=SUSPENDED', 'to=ACTIVE'],
      ['user-deleted', admin.id, byAdmin],
    ])
    for (const { userId, address } of events) assert.deepEqual([userId, address], [ann.id, '127.0.0.1'])
    assert.deepEqual(new Set(events.slice(2).map(({ userAgent }) => userAgent)), new Set(['audited/1.0']))
  })

  it('stays when the account has gone, and the path of the account goes with it', async () => {
    const gone = await service.person()
    assert.equal((await ask('DELETE', `/api/v1/users/${gone.id}`, { token: gone.token })).status, 204)
    assert.equal((await ask('GET', `/api/v1/users/${gone.id}/audit-events`, { token: admin.token })).status, 404)
    const left = await ask('GET', `/api/v1/audit-events?userId=${gone.id}&expand=user,actor`, { token: admin.token })
    assert.deepEqual(
      left.body.data.map(({ event, user }: Event & { user: unknown }) => [event, user]),
      [
        ['user-deleted', null],
        ['log-in', null],
        ['user-created', null],
      ],
    )
  })

  it('is recorded for sessions and keys, once each', async () => {
    const bob = await service.person()
    const phone = await service.logIn(bob.email)
    await ask('DELETE', `/api/v1/sessions/${sidOf(phone)}`, { token: bob.token })
    const tablet = await service.logIn(bob.email)
    await ask('POST', '/auth/logout', { cookie: `refreshToken=${tablet.refreshToken}` })
    await ask('POST', '/auth/logout', { cookie: `refreshToken=${tablet.refreshToken}` })
    const made = await ask('POST', '/api/v1/api-keys', { token: bob.token, body: { name: 'one' } })
    const key = `/api/v1/api-keys/${made.body.id}`
    await ask('GET', '/api/v1/messages', { key: made.body.key }) // notes the use, which is no event
    await ask('PATCH', key, { token: bob.token, body: { active: false } })
    await ask('DELETE', key, { token: admin.token })
    const events = await sinceStart(bob.id)
    assert.deepEqual(events.map(tellingOf), [
      ['log-in', bob.id, `session:${sidOf(phone)}`],
      ['session-ended', bob.id, `session:${sidOf(bob)}`, `session=${sidOf(phone)}`],
      ['log-in', bob.id, `session:${sidOf(tablet)}`],
      ['log-out', bob.id, `session:${sidOf(tablet)}`, `session=${sidOf(tablet)}`],
      ['key-created', bob.id, `session:${sidOf(bob)}`, `key=${made.body.id}`],
      ['key-changed', bob.id, `session:${sidOf(bob)}`, `key=${made.body.id}`, 'fields=active'],
      ['key-deleted', admin.id, `session:${sidOf(admin)}`, `key=${made.body.id}`],
    ])
  })

  it('names the key that did it, and a stolen refresh token', async () => {
    const carl = await service.person('ADMIN')
    const made = await ask('POST', '/api/v1/api-keys', {
      token: carl.token,
      body: { name: 'staff', scopes: ['users:write', 'credentials:write'] },
    })
    const dora = await service.person()
    const renamed = { email: 'dora@example.com' }
    assert.equal((await ask('PATCH', `/api/v1/users/${dora.id}`, { key: made.body.key, body: renamed })).status, 200)
    const refresh = (token: string) => ask('POST', '/auth/refresh', { cookie: `refreshToken=${token}` })
    await refresh(dora.refreshToken)
    service.turn(61_000)
    assert.equal((await refresh(dora.refreshToken)).status, 401)
    assert.deepEqual((await sinceStart(dora.id)).map(tellingOf), [
      ['email-changed', carl.id, `key:${made.body.id}`, `from=${dora.email}`, 'to=dora@example.com'],
      ['refresh-reused', null, null, `session=${sidOf(dora)}`],
    ])
  })

  it('is recorded whichever way it comes, and not when it is undone', async () => {
    const eve = await service.person()
    const [one, two] = [await service.logIn(eve.email), await service.logIn(eve.email)]
    await ask('POST', '/graphql', {
      token: admin.token,
      body: { query: `mutation { updateUser(id: "${eve.id}", input: { role: EDITOR }) { id } }` },
    })
    const batch = (operations: object[]) => ask('POST', '/api/v1/batch', { token: admin.token, body: { operations } })
    const end = (person: TestPerson) => ({ method: 'DELETE', path: `/sessions/${sidOf(person)}` })
    assert.equal((await batch([end(one)])).status, 200)
    assert.equal((await batch([end(two), { method: 'POST', path: '/products', body: {} }])).status, 400)
    const dry = { prefer: 'dry-run' }
    const body = { role: 'ADMIN' }
    const reply = await ask('PATCH', `/api/v1/users/${eve.id}`, { token: admin.token, body, headers: dry })
    assert.equal(reply.status, 200)
    assert.deepEqual((await namesOf(eve.id)).slice(2), ['role-changed', 'session-ended'])
  })

  it('is recorded when a password change ends the other sessions', async () => {
    const fay = await service.person()
    await service.logIn(fay.email)
    await service.logIn(fay.email)
    const body = { password: 'another horse', currentPassword: password }
    await ask('PATCH', `/api/v1/users/${fay.id}`, { token: fay.token, body })
    const [, , changed, ended] = await sinceStart(fay.id)
    assert.deepEqual(
      [changed?.event, ended?.event, ended?.details],
      ['password-changed', 'sessions-ended', ['sessions=2']],
    )
  })
})

describe('the events', () => {
  it("are an ADMIN's to read; a user reads their own, and no other knows of them", async () => {
    const [hal, ida] = [await service.person(), await service.person('EDITOR')]
    const own = `/api/v1/users/${hal.id}/audit-events`
    const [one] = (await ask('GET', own, { token: hal.token })).body.data as Event[]
    const rows: [string, TestPerson | undefined, number][] = [
      ['/api/v1/audit-events', admin, 200],
      ['/api/v1/audit-events', hal, 403],
      ['/api/v1/audit-events', ida, 403],
      ['/api/v1/audit-events', undefined, 401],
      [own, hal, 200],
      [own, ida, 404],
      [own, undefined, 401],
      [`/api/v1/audit-events/${one?.id}`, hal, 200],
      [`/api/v1/audit-events/${one?.id}`, ida, 404],
      ['/api/v1/audit-events?event=log-inn', admin, 400],
      [`/api/v1/audit-events?at[gte]=2099-01-01T00:00:00Z`, admin, 200],
    ]
    for (const [path, person, status] of rows)
      assert.equal((await ask('GET', path, { token: person?.token })).status, status, `${path} ${person?.email}`)
  })

  it('are never made, changed or deleted, by nobody and no way', async () => {
    const [first] = (await ask('GET', '/api/v1/audit-events?limit=1', { token: admin.token })).body.data as Event[]
    const path = `/api/v1/audit-events/${first?.id}`
    const body = { event: 'log-out' }
    const tries: [string, string, object?][] = [
      ['POST', '/api/v1/audit-events', body],
      ['PUT', path, body],
      ['PATCH', path, body],
      ['DELETE', path],
      ['DELETE', '/api/v1/audit-events?limit=100'],
    ]
    for (const [method, where, sent] of tries)
      assert.equal((await ask(method, where, { token: admin.token, body: sent })).status, 405, `${method} ${where}`)
    const schema = await ask('POST', '/graphql', {
      body: { query: '{ __type(name: "Mutation") { fields { name } } }' },
    })
    assert.ok(!/udit/.test(schema.text))
  })

  it('begin with the first ADMIN', async () => {
    const [made, ...rest] = await eventsOf(admin.id)
    assert.deepEqual(tellingOf(made as Event), ['first-admin-created', null, 'service', 'role=ADMIN'])
    assert.equal(rest[0]?.event, 'log-in')
    assert.equal(admin.email, adminEmail)
  })
})

describe('failed log-ins', () => {
  it('are recorded, of whoever has the account, and no flood of them fills the disk', async () => {
    const gil = await service.person()
    const failures = async (query = '') => {
      const path = `/api/v1/audit-events?event=log-in-failed&limit=100${query}`
      return (await ask('GET', path, { token: admin.token })).body.data as Event[]
    }
    service.turn(16 * 60_000)
    admin = await service.logIn(adminEmail)
    const before = (await failures()).length
    const fail = (email: string) => ask('POST', '/auth/login', { body: { email, password: 'wrong' } })
    for (let i = 0; i < 3; i += 1) assert.equal((await fail(gil.email)).status, 401)
    assert.deepEqual((await failures(`&userId=${gil.id}`)).map(tellingOf), Array(3).fill(['log-in-failed', null, null]))
    await Promise.all(Array.from({ length: 40 }, (_, i) => fail(`nobody${i}@example.com`)))
    const after = await failures()
    assert.equal(after.length - before, 21, 'twenty one by one, and the fortieth for all of them')
    assert.deepEqual(after[0]?.details, ['failuresOfAddress=40'])
    assert.deepEqual([after[0]?.userId, after[0]?.address], [null, '127.0.0.1'])
    assert.ok(!JSON.stringify(after).includes('nobody'), 'what was typed is not kept: it may be a password')
  })
})
