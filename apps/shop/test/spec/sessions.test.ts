/**
 * Sessions: users see and end their own, an ADMIN sees and ends all, and no caller creates or
 * changes one directly.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let ann: TestPerson
let bob: TestPerson
before(async () => {
  service = await startService()
  ;[admin, ann, bob] = await Promise.all([service.admin(), service.person(), service.person()])
})
after(() => service.stop())

const sidOf = ({ token }: TestPerson) =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).sid as string
const get = (path: string, person?: TestPerson) =>
  service.ask('GET', `/api/v1/sessions${path}`, { token: person?.token })

describe('sessions', () => {
  it('say where somebody is logged in, and nothing that could be used to be them', async () => {
    const reply = await get('', ann)
    assert.equal(reply.body.meta.total, 1)
    const { id, createdAt, lastUsedAt, expiresAt, userAgent, ...rest } = reply.body.data[0]
    assert.equal(id, sidOf(ann))
    assert.ok(createdAt && lastUsedAt && typeof userAgent === 'string')
    assert.deepEqual(rest, { userId: ann.id, device: 'node', address: '127.0.0.1', place: null, current: true })
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 24 * 60 * 60_000)
    assert.ok(!reply.text.includes(ann.refreshToken))
  })

  it("are one's own; for an ADMIN everybody's", async () => {
    assert.deepEqual((await get(`/${sidOf(ann)}`, bob)).body, { error: 'Session not found' })
    assert.equal((await get(`?userId=${ann.id}`, bob)).body.meta.total, 0)
    assert.equal((await get(`/${sidOf(ann)}`, admin)).status, 200)
    assert.ok((await get('', admin)).body.meta.total >= 3)
    assert.deepEqual((await get('')).body, { error: 'Token required' })
  })

  it('are not made or changed by hand', async () => {
    for (const [method, path] of [
      ['POST', ''],
      ['PUT', `/${sidOf(ann)}`],
      ['PATCH', `/${sidOf(ann)}`],
    ] as const) {
      const reply = await service.ask(method, `/api/v1/sessions${path}`, {
        body: { userId: admin.id, expiresAt: '2099-01-01T00:00:00Z' },
        token: ann.token,
      })
      assert.equal(reply.status, 405, method)
    }
  })

  it('end at once when they are deleted, for access and refresh tokens, and only they', async () => {
    const phone = await service.logIn(ann.email)
    const path = `/api/v1/sessions/${sidOf(phone)}`
    assert.equal((await service.ask('DELETE', path, { token: bob.token })).status, 404)
    assert.equal((await service.ask('DELETE', path, { token: ann.token })).status, 204)
    assert.deepEqual((await get('', phone)).body, { error: 'Invalid token' })
    assert.equal(
      (await service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${phone.refreshToken}` })).status,
      401,
    )
    assert.equal((await get('', ann)).body.meta.total, 1)
  })

  it('keep no more of a client than they need, whatever it calls itself', async () => {
    const headers = { 'user-agent': `Browser ${'x'.repeat(2000)}`, 'x-forwarded-for': '10.1.2.3' }
    const reply = await service.ask('POST', '/auth/login', {
      body: { email: bob.email, password: 'correct horse' },
      headers,
    })
    const own = (await service.ask('GET', '/api/v1/sessions', { token: reply.body.accessToken })).body.data[0]
    assert.equal(own.userAgent.length, 300)
    assert.equal(own.address, '127.0.0.1')
  })
})
