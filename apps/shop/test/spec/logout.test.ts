/** Logging out: always 204, at once, for this session alone. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type AskOptions, cookieParts, startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let ann: TestPerson
before(async () => {
  service = await startService()
  ann = await service.person()
})
after(() => service.stop())

describe('a log-out', () => {
  for (const mount of ['', '/api/v1']) {
    it(`at ${mount}/auth/logout ends the session at once, clears the cookie, and may be repeated`, async () => {
      const [gone, other] = [await service.logIn(ann.email), await service.logIn(ann.email)]
      const cookie = `refreshToken=${gone.refreshToken}`
      assert.equal((await service.ask('GET', '/messages', { token: gone.token })).status, 200)
      const reply = await service.ask('POST', `${mount}/auth/logout`, { cookie })
      assert.deepEqual([reply.status, reply.text], [204, ''])
      assert.deepEqual(cookieParts(reply.headers.get('set-cookie')), {
        refreshToken: '',
        'Max-Age': '0',
        Path: `${mount}/auth`,
        HttpOnly: '',
        SameSite: 'Strict',
      })
      assert.equal(reply.headers.get('cache-control'), 'no-store')

      assert.deepEqual((await service.ask('GET', '/messages', { token: gone.token })).body, { error: 'Invalid token' })
      assert.deepEqual((await service.ask('POST', '/auth/refresh', { cookie })).body, {
        error: 'Invalid refresh token',
      })
      assert.equal((await service.ask('POST', `${mount}/auth/logout`, { cookie })).status, 204)
      assert.equal((await service.ask('GET', '/messages', { token: other.token })).status, 200)
      assert.equal(
        (await service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${other.refreshToken}` })).status,
        200,
      )
    })
  }

  it('with a token that was used already ends the session too', async () => {
    const { token, refreshToken } = await service.logIn(ann.email)
    const refreshed = await service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${refreshToken}` })
    assert.equal((await service.ask('POST', '/auth/logout', { cookie: `refreshToken=${refreshToken}` })).status, 204)
    for (const one of [token, refreshed.body.accessToken])
      assert.equal((await service.ask('GET', '/messages', { token: one })).status, 401)
    const successor = cookieParts(refreshed.headers.get('set-cookie')).refreshToken
    assert.equal((await service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${successor}` })).status, 401)
  })

  const always: [string, AskOptions][] = [
    ['nothing', {}],
    ['an empty cookie', { cookie: 'refreshToken=' }],
    ['an unknown cookie', { cookie: 'refreshToken=unknown' }],
    ['a stale Authorization header', { headers: { authorization: 'Bearer stale' } }],
    ['a bad key', { key: 'bk_wrong' }],
    ['an empty body', { raw: '' }],
    ['an empty object', { body: {} }],
    ['half a body', { raw: '{' }],
    ['a list', { body: [] }],
    ['a token that is no text', { body: { refreshToken: 5 } }],
    ['a body that is no JSON', { raw: 'out', type: 'text/plain' }],
    ['a type that is none', { raw: 'out', type: 'nonsense' }],
    ['an Accept without JSON', { headers: { accept: 'text/html' } }],
  ]
  for (const [what, options] of always) {
    it(`with ${what} is 204`, async () => {
      assert.equal((await service.ask('POST', '/auth/logout', options)).status, 204)
    })
  }

  it('with a query is 204, and ends the session', async () => {
    const { token, refreshToken } = await service.logIn(ann.email)
    const cookie = `refreshToken=${refreshToken}`
    for (const query of ['x=1', 'x=1&x=2', '%zz'])
      assert.equal((await service.ask('POST', `/auth/logout?${query}`, { cookie })).status, 204, query)
    assert.equal((await service.ask('GET', '/messages', { token })).status, 401)
  })

  it('is a POST: another method changes nothing', async () => {
    const { token, refreshToken } = await service.logIn(ann.email)
    for (const method of ['GET', 'DELETE', 'PUT']) {
      assert.equal((await service.ask(method, '/auth/logout', { cookie: `refreshToken=${refreshToken}` })).status, 405)
    }
    assert.equal((await service.ask('GET', '/messages', { token })).status, 200)
  })
})
