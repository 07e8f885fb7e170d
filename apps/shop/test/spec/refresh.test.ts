/**
 * Refresh tokens: rotation, the cookie and its attributes, the minute of grace, stolen tokens, the
 * seven days, and requests from other sites.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type AskOptions,
  adminEmail,
  askPlain,
  cookieParts,
  password,
  startService,
  type TestService,
} from '../helpers/service.ts'

const dead = { error: 'Invalid refresh token' }
const sevenDays = 7 * 24 * 60 * 60
let service: TestService
before(async () => {
  // Time stands still but for what the tests turn, so that a minute ends when they say so, however
  // busy the machine is.
  const startedMs = Date.now()
  service = await startService({}, { clock: () => startedMs })
})
after(() => service.stop())

type Pair = { access: string; cookie: string }
async function logIn(email = adminEmail): Promise<Pair> {
  const reply = await service.ask('POST', '/auth/login', { body: { email, password } })
  assert.equal(reply.status, 200, reply.text)
  return { access: reply.body.accessToken, cookie: reply.body.refreshToken }
}
const refresh = (token: string, options: object = {}) =>
  service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${token}`, ...options })
async function next(token: string): Promise<Pair> {
  const reply = await refresh(token)
  assert.equal(reply.status, 200, reply.text)
  return { access: reply.body.accessToken, cookie: cookieParts(reply.headers.get('set-cookie')).refreshToken as string }
}
const works = async (access: string) => (await service.ask('GET', '/api/v1/sessions', { token: access })).status === 200

describe('a refresh', () => {
  for (const path of ['/auth/refresh', '/api/v1/auth/refresh', '/api/v1/auth/refresh-token']) {
    it(`at ${path} gives an access token, and the successor in the cookie alone`, async () => {
      const { cookie } = await logIn()
      const reply = await service.ask('POST', path, { cookie: `refreshToken=${cookie}` })
      assert.deepEqual([reply.status, Object.keys(reply.body)], [200, ['accessToken']])
      assert.ok(await works(reply.body.accessToken))
      const parts = cookieParts(reply.headers.get('set-cookie'))
      assert.notEqual(parts.refreshToken, cookie)
      assert.match(parts.refreshToken as string, /^[A-Za-z0-9_-]{43}$/)
      assert.ok(!reply.text.includes(parts.refreshToken as string))
      assert.equal(reply.headers.get('cache-control'), 'no-store')
      const { refreshToken: _token, 'Max-Age': maxAge, ...rest } = parts
      assert.deepEqual(rest, {
        Path: path.startsWith('/api') ? '/api/v1/auth' : '/auth',
        HttpOnly: '',
        SameSite: 'Strict',
      })
      assert.ok(Number(maxAge) <= sevenDays && Number(maxAge) > sevenDays - 60)
    })
  }

  const refused: [string, Record<string, string>][] = [
    ['no cookie', {}],
    ['an empty one', { cookie: 'refreshToken=' }],
    ['an unknown one', { cookie: `refreshToken=${'A'.repeat(43)}` }],
    ['a huge one', { cookie: `refreshToken=${'A'.repeat(8000)}` }],
    ['another name', { cookie: 'refreshtoken=x; token=y' }],
    ['SQL', { cookie: "refreshToken=' OR '1'='1" }],
  ]
  for (const [what, headers] of refused) {
    it(`with ${what} is 401`, async () => {
      const reply = await service.ask('POST', '/auth/refresh', { headers })
      assert.deepEqual([reply.status, reply.body], [401, dead])
      assert.ok(reply.headers.get('www-authenticate'))
    })
  }

  const withoutToken: [string, AskOptions][] = [
    ['half a body', { raw: '{' }],
    ['a list', { body: [] }],
    ['null', { body: null }],
    ['a token that is no text', { body: { refreshToken: 5 } }],
    ['an empty token', { body: { refreshToken: '' } }],
    ['a body that is no JSON', { raw: 'x', type: 'text/plain' }],
    ['a type that is none', { raw: 'x', type: 'nonsense' }],
    ['an Accept without JSON', { headers: { accept: 'text/html' } }],
  ]
  for (const [what, options] of withoutToken) {
    it(`with ${what} and no cookie is 401`, async () => {
      const reply = await service.ask('POST', '/auth/refresh', options)
      assert.deepEqual([reply.status, reply.body], [401, dead])
    })
  }

  it('that could not be answered is refused before the token is spent', async () => {
    const { cookie } = await logIn()
    assert.equal((await refresh(cookie, { headers: { accept: 'text/html' } })).status, 406)
    const sent = { cookie: `refreshToken=${cookie}` }
    assert.equal((await service.ask('POST', '/auth/refresh?x=1', sent)).status, 400)
    service.turn(61_000)
    assert.equal((await refresh(cookie)).status, 200)
  })

  it('takes no access token for a refresh token, and no refresh token for an access token', async () => {
    const { access, cookie } = await logIn()
    assert.equal((await refresh(access)).status, 401)
    assert.deepEqual((await service.ask('GET', '/messages', { token: cookie })).body, { error: 'Invalid token' })
    assert.equal((await service.ask('GET', '/messages', { cookie: `refreshToken=${cookie}` })).status, 401)
  })

  it('ignores a stale Authorization header and a bad key beside the cookie', async () => {
    const { cookie } = await logIn()
    for (const headers of [
      { authorization: 'Bearer stale.stale.stale' },
      { authorization: 'Basic x' },
      { 'x-api-key': 'bk_wrong' },
    ]) {
      assert.equal((await refresh(cookie, { headers })).status, 200)
    }
  })
})

describe('a used refresh token', () => {
  it('yields the same successor for a minute, also to many at once, and after that ends the session', async () => {
    const first = await logIn()
    const all = await Promise.all(Array.from({ length: 10 }, () => next(first.cookie)))
    assert.equal(new Set(all.map((pair) => pair.cookie)).size, 1)
    const second = all[0] as Pair
    service.turn(59_000)
    assert.equal((await next(first.cookie)).cookie, second.cookie)
    const third = await next(second.cookie)
    assert.notEqual(third.cookie, second.cookie)
    const other = await logIn()
    service.turn(2_000)

    assert.deepEqual((await refresh(first.cookie)).body, dead)
    for (const { cookie, access } of [first, second, third]) {
      assert.deepEqual((await refresh(cookie)).body, dead)
      assert.ok(!(await works(access)), 'the access tokens of the family are dead at once')
    }
    assert.ok(await works(other.access), 'other sessions live on')
    assert.equal((await refresh(other.cookie)).status, 200)
  })

  it('cannot be turned into its successor without the server: it is no hash of it', async () => {
    const { createHash } = await import('node:crypto')
    const { cookie } = await logIn()
    const successor = (await next(cookie)).cookie
    for (const encoding of ['hex', 'base64url'] as const)
      assert.notEqual(createHash('sha256').update(cookie).digest(encoding), successor)
  })
})

describe('seven days', () => {
  it('are absolute, however often one refreshes', async () => {
    let pair = await logIn()
    for (let day = 1; day <= 6; day += 1) {
      service.turn(24 * 60 * 60_000)
      const reply = await refresh(pair.cookie)
      const parts = cookieParts(reply.headers.get('set-cookie'))
      assert.ok(
        Math.abs(Number(parts['Max-Age']) - (7 - day) * 86_400) < 60,
        `Max-Age ${parts['Max-Age']} on day ${day}`,
      )
      pair = { access: reply.body.accessToken, cookie: parts.refreshToken as string }
    }
    service.turn(24 * 60 * 60_000 - 30_000)
    pair = await next(pair.cookie)
    assert.ok(await works(pair.access))
    service.turn(31_000)
    assert.deepEqual((await refresh(pair.cookie)).body, dead)
    assert.ok(!(await works(pair.access)), 'no access token outlives its session')
  })
})

describe('a request of another origin', () => {
  const cases: [string, Record<string, string>, boolean][] = [
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }, false],
    ['cross-site, from a foreign origin', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
    ['a foreign Origin alone', { origin: 'https://evil.example' }, false],
    ['Origin: null', { origin: 'null' }, false],
    ['an Origin that begins like ours', { origin: 'http://127.0.0.1.evil.example' }, false],
    ['an Origin on another port', { origin: 'http://127.0.0.1:1' }, false],
    ['Sec-Fetch-Site: same-origin', { 'sec-fetch-site': 'same-origin' }, true],
    ['Sec-Fetch-Site: none', { 'sec-fetch-site': 'none' }, true],
    ['our own Origin', {}, true],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }, false],
    ['a neighbour of the same site', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:1' }, false],
    ['a foreign Origin, called same-origin', { 'sec-fetch-site': 'same-origin', origin: 'https://e.example' }, false],
    ['our own Origin, called cross-site', { 'sec-fetch-site': 'cross-site' }, true],
    ['our own Origin behind a proxy that ends TLS', {}, true],
    ['an Origin that is declared', { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }, true],
  ]
  it('is refused, and leaves the cookie unspent and the session alive', async () => {
    const other = await startService({ CORS_ORIGINS: 'https://app.example' })
    const own = service
    service = other
    try {
      for (const [what, headers, good] of cases) {
        const { cookie, access } = await logIn()
        const origin = what.endsWith('TLS') ? other.url.replace('http:', 'https:') : other.url
        const sent = what.startsWith('our own Origin') ? { ...headers, origin } : headers
        const reply = await askPlain(other.url, {
          method: 'POST',
          path: '/auth/refresh',
          headers: { cookie: `refreshToken=${cookie}`, ...sent },
        })
        const out = await askPlain(other.url, {
          method: 'POST',
          path: '/auth/logout',
          headers: { cookie: 'refreshToken=nothing', ...sent },
        })
        assert.deepEqual([reply.status, out.status], good ? [200, 204] : [403, 403], what)
        if (good) continue
        assert.deepEqual(JSON.parse(reply.text), { error: 'Cross-site request refused' })
        assert.equal(reply.headers['set-cookie'], undefined, what)
        other.turn(61_000)
        assert.ok(await works(access), what)
        assert.equal((await refresh(cookie)).status, 200, what)
      }
    } finally {
      service = own
      await other.stop()
    }
  })
})

describe('two refresh cookies in one request', () => {
  it('are 400 where they differ, and neither is spent; the same one twice is one', async () => {
    const [own, planted] = [await logIn(), await logIn()]
    const both = `refreshToken=${own.cookie}; other=1; refreshToken=${planted.cookie}`
    for (const path of ['/auth/refresh', '/api/v1/auth/refresh-token', '/auth/logout']) {
      const reply = await service.ask('POST', path, { cookie: both })
      assert.deepEqual([reply.status, reply.body], [400, { error: 'Two different refreshToken cookies were sent' }])
      assert.equal(reply.headers.get('set-cookie'), null)
    }
    service.turn(61_000)
    assert.ok(await works(own.access))
    assert.equal((await refresh(planted.cookie)).status, 200)
    assert.equal((await refresh(`${own.cookie}; refreshToken=${own.cookie}`)).status, 200)
  })
})

describe('the cookie is Secure', () => {
  const loopback = [
    'localhost',
    'localhost:3000',
    'LOCALHOST',
    'app.localhost:80',
    '127.0.0.1:3000',
    '127.9.9.9',
    '[::1]:3000',
    '[::1]',
  ]
  const remote = [
    'api.example',
    'localhost.example',
    '127.0.0.1.example',
    'mylocalhost',
    '10.0.0.1',
    '[::2]',
    '128.0.0.1',
    '127.0.0.1:80.example',
  ]
  const settings: [Record<string, string>, Record<string, string>, (host: string) => boolean][] = [
    [{}, {}, (host) => remote.includes(host)],
    [{}, { 'x-forwarded-proto': 'https' }, (host) => remote.includes(host)],
    [{ COOKIE_SECURE: 'false' }, {}, () => false],
    [{ TRUST_PROXY: 'loopback' }, { 'x-forwarded-proto': 'https' }, () => true],
  ]
  for (const [env, headers, expected] of settings) {
    it(`by Host, with ${JSON.stringify({ ...env, ...headers })}`, async () => {
      const other = await startService({ HOSTS: '*', ...env })
      try {
        const cookie = `refreshToken=${(await other.admin()).refreshToken}`
        for (const host of [...loopback, ...remote]) {
          const reply = await askPlain(other.url, {
            method: 'POST',
            path: '/auth/refresh',
            headers: { ...headers, cookie, host },
          })
          assert.equal(reply.status, 200, reply.text)
          assert.equal('Secure' in cookieParts(reply.headers['set-cookie']), expected(host), host)
        }
      } finally {
        await other.stop()
      }
    })
  }
})

describe('a suspended user', () => {
  it('gets no new token, also within the minute of grace', async () => {
    const admin = await logIn()
    const email = 'suspended@example.com'
    const { id } = (await service.ask('POST', '/api/v1/users', { body: { email, password } })).body
    const [first, second] = [await logIn(email), await logIn(email)]
    await next(first.cookie)
    await service.ask('POST', `/api/v1/users/${id}/suspend`, { token: admin.access })
    for (const { cookie } of [first, second]) assert.deepEqual((await refresh(cookie)).body, dead)
  })
})
