/**
 * Users: sign-up and its three settings, the callers who may change each field, activation and
 * suspension.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { password, startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let ann: TestPerson
let bob: TestPerson
const make = (email: string, extra: object = {}) => ({ email, password, ...extra })

before(async () => {
  service = await startService()
  admin = await service.admin()
  ann = await service.person()
  bob = await service.person()
})
after(() => service.stop())

describe('signing up', () => {
  it('makes an ACTIVE USER, who can log in, and never shows the password', async () => {
    const reply = await service.ask('POST', '/api/v1/users', { body: make('New@Example.com', { name: 'New' }) })
    assert.equal(reply.status, 201)
    assert.equal(reply.body.role, 'USER')
    assert.equal(reply.body.status, 'ACTIVE')
    assert.equal(reply.headers.get('location'), `/api/v1/users/${reply.body.id}`)
    assert.deepEqual(Object.keys(reply.body).sort(), [
      'createdAt',
      'email',
      'id',
      'name',
      'role',
      'status',
      'updatedAt',
    ])
    assert.ok(!reply.text.includes(password) && !reply.text.includes('argon2'))
    assert.equal((await service.logIn('new@EXAMPLE.com')).id, reply.body.id)
  })

  const refusals: [string, object, number, string][] = [
    ['a taken email, in other letters', make('PERSON1@example.COM'), 409, 'email is already taken'],
    ['no email', { password }, 400, 'email is required'],
    ['no password', { email: 'x@example.com' }, 400, 'password is required'],
    ['neither', {}, 400, 'email and password are required'],
    ['a short password', make('x@example.com', { password: '1234567' }), 400, 'password must have 8 to 1024 bytes'],
    [
      'a long password',
      make('x@example.com', { password: 'é'.repeat(513) }),
      400,
      'password must have 8 to 1024 bytes',
    ],
    ['no address', make('nobody'), 400, 'email must be an email address'],
    ['an id', make('x@example.com', { id: '01926e0f-0000-7000-8000-000000000000' }), 400, 'id is read-only'],
    ['a field that does not exist', make('x@example.com', { isAdmin: true }), 400, 'Unknown field isAdmin'],
    ['a role', make('x@example.com', { role: 'ADMIN' }), 403, 'Insufficient permissions'],
    ['the role that it would be anyway', make('x@example.com', { role: 'USER' }), 403, 'Insufficient permissions'],
    ['a status', make('x@example.com', { status: 'ACTIVE' }), 403, 'Insufficient permissions'],
    ['a role of null', make('x@example.com', { role: null }), 403, 'Insufficient permissions'],
  ]
  for (const [what, body, status, error] of refusals) {
    it(`refuses ${what}`, async () => {
      const reply = await service.ask('POST', '/api/v1/users', { body })
      assert.equal(reply.status, status)
      assert.deepEqual(reply.body, { error })
    })
  }

  it('is for an ADMIN to do in any role and status', async () => {
    const body = make('made@example.com', { role: 'EDITOR', status: 'SUSPENDED' })
    const reply = await service.ask('POST', '/api/v1/users', { body, token: admin.token })
    assert.equal(reply.status, 201)
    assert.equal(reply.body.role, 'EDITOR')
    assert.equal(reply.body.status, 'SUSPENDED')
  })

  it('with SIGN_UP=approval makes users INACTIVE, until an ADMIN activates them', async () => {
    const other = await startService({ SIGN_UP: 'approval' })
    try {
      const made = await other.ask('POST', '/api/v1/users', { body: make('waiting@example.com') })
      assert.equal(made.status, 201)
      assert.equal(made.body.status, 'INACTIVE')
      await assert.rejects(other.logIn('waiting@example.com'), /401/)
      const boss = await other.admin()
      assert.equal(
        (await other.ask('POST', `/api/v1/users/${made.body.id}/activate`, { token: boss.token })).status,
        200,
      )
      await other.logIn('waiting@example.com')
      const byAdmin = await other.ask('POST', '/api/v1/users', { body: make('known@example.com'), token: boss.token })
      assert.equal(byAdmin.body.status, 'ACTIVE')
    } finally {
      await other.stop()
    }
  })

  it('with SIGN_UP=closed is for an ADMIN alone', async () => {
    const other = await startService({ SIGN_UP: 'closed' })
    try {
      const anonymous = await other.ask('POST', '/api/v1/users', { body: make('a@example.com') })
      assert.equal(anonymous.status, 401)
      assert.deepEqual(anonymous.body, { error: 'Token required' })
      const user = await other.person()
      const byUser = await other.ask('POST', '/api/v1/users', { body: make('a@example.com'), token: user.token })
      assert.equal(byUser.status, 403)
      assert.deepEqual(byUser.body, { error: 'Insufficient permissions' })
    } finally {
      await other.stop()
    }
  })
})

describe('changing a user', () => {
  const self = () => `/api/v1/users/${ann.id}`

  it('is for that user: name, email, but neither role nor status', async () => {
    assert.equal((await service.ask('PATCH', self(), { body: { name: 'Ann' }, token: ann.token })).body.name, 'Ann')
    for (const body of [
      { role: 'ADMIN' },
      { role: 'EDITOR' },
      { status: 'SUSPENDED' },
      { name: 'Not', role: 'ADMIN' },
    ]) {
      for (const method of ['PATCH', 'PUT']) {
        const reply = await service.ask(method, self(), {
          body: method === 'PUT' ? { email: ann.email, ...body } : body,
          token: ann.token,
        })
        assert.equal(reply.status, 403, `${method} ${JSON.stringify(body)}`)
        assert.deepEqual(reply.body, { error: 'Insufficient permissions' })
      }
    }
    const now = await service.ask('GET', self(), { token: ann.token })
    assert.equal(now.body.role, 'USER')
    assert.equal(now.body.name, 'Ann')
  })

  it('takes back a user as it was read, edited', async () => {
    const read = (await service.ask('GET', self(), { token: ann.token })).body
    const put = await service.ask('PUT', self(), { body: { ...read, name: 'Edited' }, token: ann.token })
    assert.equal(put.status, 200)
    assert.equal(put.body.name, 'Edited')
    assert.equal(put.body.role, 'USER')
    await service.logIn(ann.email)
  })

  it('lets nobody else find the user, whatever is sent', async () => {
    for (const body of [{ name: 'X' }, { role: 'ADMIN' }, { nonsense: 1 }]) {
      for (const method of ['PATCH', 'PUT', 'DELETE']) {
        const reply = await service.ask(method, self(), {
          body: method === 'DELETE' ? undefined : { ...body, email: 'x@example.com' },
          token: bob.token,
        })
        assert.ok(reply.status === 404 || (reply.status === 400 && 'nonsense' in body), `${method} ${reply.status}`)
        assert.ok(!reply.text.includes(ann.email))
      }
    }
  })

  it('lets an ADMIN set role and status', async () => {
    const reply = await service.ask('PATCH', self(), { body: { role: 'EDITOR' }, token: admin.token })
    assert.equal(reply.body.role, 'EDITOR')
    const back = await service.ask('PATCH', self(), { body: { role: 'USER' }, token: admin.token })
    assert.equal(back.body.role, 'USER')
    const wrong = await service.ask('PATCH', self(), { body: { role: 'ROOT' }, token: admin.token })
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'role must be one of USER, EDITOR, ADMIN'])
  })

  it('shows no trace of the password in fields, sort or filters', async () => {
    for (const query of [
      'fields=password',
      'sort=password',
      'password=x',
      'password[startsWith]=%24argon2',
      'role=x',
    ]) {
      const reply = await service.ask('GET', `/api/v1/users?${query}`, { token: admin.token })
      assert.equal(reply.status, 400, query)
    }
    const list = await service.ask('GET', '/api/v1/users?q=argon2', { token: admin.token })
    assert.equal(list.body.meta.total, 0)
  })
})

describe('activate and suspend', () => {
  it('move there and back, and may be repeated without another write', async () => {
    const path = `/api/v1/users/${bob.id}`
    const post = (action: string, token: string) => service.ask('POST', `${path}/${action}`, { token })
    const first = await post('suspend', admin.token)
    assert.deepEqual([first.status, first.body.status], [200, 'SUSPENDED'])
    const second = await post('suspend', admin.token)
    assert.equal(second.status, 200)
    assert.equal(second.headers.get('etag'), first.headers.get('etag'))
    assert.equal((await service.ask('GET', path, { token: bob.token })).status, 401)
    assert.equal((await post('activate', admin.token)).body.status, 'ACTIVE')
    assert.equal((await post('activate', admin.token)).body.status, 'ACTIVE')
    assert.equal((await post('suspend', ann.token)).status, 403)
    assert.equal((await post('explode', admin.token)).status, 404)
  })

  it('answer 404 for nobody', async () => {
    for (const id of ['01926e0f-0000-7000-8000-000000000000', 'abc', '1']) {
      const reply = await service.ask('POST', `/api/v1/users/${id}/activate`, { token: admin.token })
      assert.deepEqual([reply.status, reply.body.error], [404, 'User not found'])
    }
  })
})

describe('the current user', () => {
  const me = (send: object = {}, query = '') => service.ask('GET', `/api/v1/me${query}`, send)

  it('is told who they are, the same as at their own path, and nobody is told of another', async () => {
    const [carl, dora] = [await service.person(), await service.person('ADMIN')]
    for (const person of [carl, dora, admin]) {
      const own = await service.ask('GET', `/api/v1/users/${person.id}`, { token: person.token })
      // A second time from what is kept, where the ADMIN sees every user.
      for (let i = 0; i < 2; i += 1) {
        const reply = await me({ token: person.token })
        assert.deepEqual([reply.status, reply.body], [200, own.body])
        // One address for all callers, so the ETag says whose record it is.
        assert.match(reply.headers.get('etag') ?? '', /^"1\.[\w-]{16}"$/)
      }
    }
    const key = await service.key(carl, { scopes: ['users:read'] })
    assert.equal((await me({ key })).body.id, carl.id)
    assert.deepEqual((await me({ token: carl.token }, '?fields=email')).body, { id: carl.id, email: carl.email })
  })

  it('needs a credential that may read users', async () => {
    assert.deepEqual([(await me()).status, (await me()).body], [401, { error: 'Token required' }])
    assert.equal((await me({ key: await service.key(admin, { scopes: ['products:read'] }) })).status, 403)
    assert.equal((await service.ask('PATCH', '/api/v1/me', { token: admin.token, body: {} })).status, 405)
    assert.equal((await service.ask('GET', '/me', { token: admin.token })).status, 404)
  })
})
