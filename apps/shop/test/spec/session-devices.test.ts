/**
 * Sessions as users see them: device, address, and which one is the current. A user ends all others
 * on every instance, and an idle session expires.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import {
  adminEmail,
  password,
  startService,
  type TestPerson,
  type TestResponse,
  type TestService,
} from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

const minute = 60_000
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const proxied = { TRUST_PROXY: 'loopback', PROXY_PLACE_HEADER: 'CF-IPCountry' }

let one: TestService
let two: TestService
let ann: TestPerson
before(async () => {
  one = await startService(proxied)
  two = await startService({ ...proxied, DATA_DIR: one.folder })
  ann = await one.person()
})
after(async () => {
  await two.stop()
  await one.stop()
})

const sidOf = ({ token }: Pick<TestPerson, 'token'>) =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).sid as string
async function logIn(service: TestService, headers: Record<string, string> = {}, email = ann.email) {
  const reply = await service.ask('POST', '/auth/login', { body: { email, password }, headers })
  assert.equal(reply.status, 200, reply.text)
  return { token: reply.body.accessToken as string, refreshToken: reply.body.refreshToken as string }
}
const list = async (service: TestService, token: string, query = '') =>
  (await service.ask('GET', `/api/v1/sessions${query}`, { token })).body.data as Record<string, unknown>[]
describe('a session', () => {
  it('shows the device, the address and the place that the proxy says', async () => {
    const there = { 'x-forwarded-for': '203.0.113.7', 'cf-ipcountry': 'NL', 'user-agent': firefox }
    const { token } = await logIn(one, there)
    const path = `/api/v1/sessions/${sidOf({ token })}`
    const { body } = await one.ask('GET', path, { token })
    assert.deepEqual([body.device, body.address, body.place], ['Firefox on Linux', '203.0.113.7', 'NL'])
  })

  it('shows the same when a second factor ended the log-in', async () => {
    const bea = await one.person()
    const asking = { type: 'totp', currentPassword: password }
    const begun = (await one.ask('POST', '/api/v1/factors', { token: bea.token, body: asking })).body
    const code = (asideMs: number) =>
      new TOTP({ secret: Secret.fromBase32(begun.secret) }).generate({ timestamp: one.now() + asideMs })
    const finish = { ticket: begun.ticket, code: code(0) }
    assert.equal((await one.ask('POST', '/api/v1/factors/finish', { token: bea.token, body: finish })).status, 201)
    const headers = { 'x-forwarded-for': '203.0.113.7', 'cf-ipcountry': 'NL', 'user-agent': firefox }
    const first = await one.ask('POST', '/auth/login', { body: { email: bea.email, password }, headers })
    const shown = { ticket: first.body.ticket, code: code(30_000) }
    const { accessToken: token } = (await one.ask('POST', '/auth/factor', { body: shown, headers })).body
    const session = (await list(one, token)).find(({ current }) => current === true)
    assert.deepEqual([session?.device, session?.address, session?.place], ['Firefox on Linux', '203.0.113.7', 'NL'])
  })

  it('takes the place from nobody but a trusted proxy', async () => {
    const plain = await startService({ TRUST_PROXY: '203.0.113.0/24', PROXY_PLACE_HEADER: 'CF-IPCountry' })
    try {
      const sent = { 'x-forwarded-for': '198.51.100.1', 'cf-ipcountry': 'NL' }
      const { token } = await logIn(plain, sent, adminEmail)
      const [session] = await list(plain, token)
      assert.deepEqual([session?.address, session?.place], ['127.0.0.1', null])
    } finally {
      await plain.stop()
    }
    const { token } = await logIn(one, { 'cf-ipcountry': 'NL' })
    const { body } = await one.ask('GET', `/api/v1/sessions/${sidOf({ token })}`, { token })
    assert.equal(body.place, null, 'the proxy that says nothing of the address says nothing of its place')
  })

  it('says which one the request came with, to each its own, in kept answers and ETags too', async () => {
    const [here, there] = [await logIn(one), await logIn(one)]
    for (let round = 0; round < 4; round += 1) {
      for (const { token } of [here, there]) {
        const current = (await list(one, token)).filter((session) => session.current)
        assert.deepEqual(
          current.map(({ id }) => id),
          [sidOf({ token })],
        )
        const { body } = await one.ask('POST', '/graphql', {
          token,
          body: { query: '{ sessions { data { id current } } }' },
        })
        const own = body.data.sessions.data.filter((session: { current: boolean }) => session.current)
        assert.deepEqual(own, [{ id: sidOf({ token }), current: true }])
      }
    }
    const path = `/api/v1/sessions/${sidOf(here)}`
    const shown = await one.ask('GET', path, { token: here.token })
    const headers = { 'if-none-match': shown.headers.get('etag') as string }
    const other = await one.ask('GET', path, { token: there.token, headers })
    assert.deepEqual([shown.body.current, other.status, other.body.current], [true, 200, false])
    assert.notEqual(other.headers.get('etag'), shown.headers.get('etag'))
    const key = await one.key(ann, { scopes: ['sessions:read'] })
    const byKey = (await one.ask('GET', '/api/v1/sessions', { key })).body.data as { current: boolean }[]
    assert.ok(byKey.length >= 2 && byKey.every(({ current }) => !current))
  })
})

describe('ending all others', () => {
  it('leaves the one that is named, at once here and soon elsewhere', async () => {
    const bob = await one.person()
    const others = await Promise.all([logIn(one, {}, bob.email), logIn(two, {}, bob.email), logIn(two, {}, bob.email)])
    for (const service of [one, two])
      for (const { token } of others) assert.equal((await list(service, token)).length, 4)
    const end = (token: string, id: string) => one.ask('POST', `/api/v1/sessions/${id}/end-others`, { token })
    assert.equal((await end(ann.token, sidOf(bob))).status, 404)
    assert.equal((await end(bob.token, sidOf(ann))).status, 404)
    const reply = await end(bob.token, sidOf(bob))
    assert.deepEqual([reply.status, reply.body.id, reply.body.current], [200, sidOf(bob), true])
    const statusOf = async (service: TestService, token: string) =>
      (await service.ask('GET', '/api/v1/sessions', { token })).status
    for (const { token, refreshToken } of others) {
      assert.equal(await statusOf(one, token), 401)
      assert.equal((await one.ask('POST', '/auth/refresh', { cookie: `refreshToken=${refreshToken}` })).status, 401)
    }
    for (const { token } of others)
      await until(
        async () => (await statusOf(two, token)) === 401,
        () => 'the other instance knows',
      )
    assert.equal((await list(two, bob.token)).length, 1)
    assert.equal(
      (await list(one, ann.token)).some(({ id }) => id === sidOf(ann)),
      true,
      "another's stay",
    )
    assert.equal((await end(bob.token, sidOf(bob))).status, 200, 'once more changes nothing')
  })

  it('takes a key whose scopes name sessions', async () => {
    const carl = await one.person()
    const path = `/api/v1/sessions/${sidOf(carl)}/end-others`
    const unscoped = await one.key(carl)
    const scoped = await one.key(carl, { scopes: ['sessions:endOthers', 'sessions:read'] })
    const { token } = await logIn(one, {}, carl.email)
    assert.equal((await one.ask('POST', path, { key: unscoped })).status, 403)
    assert.equal((await list(one, token)).length, 2)
    assert.equal((await one.ask('POST', path, { key: scoped })).status, 200)
    assert.equal((await list(one, carl.token)).length, 1)
  })
})

describe('a hundred refreshes at once, on two instances', () => {
  it('give one successor and log nobody out; late reuse ends the family in that request', async () => {
    const { token, refreshToken } = await logIn(one)
    // A database that has too much to do says so, and clients try again.
    const refresh = async (service: TestService, value: string): Promise<TestResponse> => {
      const reply = await service.ask('POST', '/auth/refresh', { body: { refreshToken: value } })
      return reply.status === 503 ? refresh(service, value) : reply
    }
    const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => refresh(i % 2 ? one : two, refreshToken)))
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200])
    const successors = new Set(replies.map(({ body }) => body.refreshToken))
    assert.equal(successors.size, 1)
    assert.equal(
      (await list(one, token)).some(({ id }) => id === sidOf({ token })),
      true,
    )
    const [successor] = successors
    one.turn(61_000)
    two.turn(61_000)
    assert.equal((await refresh(one, refreshToken)).status, 401)
    assert.equal((await one.ask('GET', '/api/v1/sessions', { token })).status, 401)
    assert.equal((await refresh(one, successor)).status, 401)
    assert.equal((await refresh(two, successor)).status, 401)
  })
})

describe('SESSION_IDLE', () => {
  it('ends sessions that nobody used for so long, and no others', async () => {
    const idle = await startService({ SESSION_IDLE: '30m' })
    try {
      const [used, refreshed, unused] = [
        await logIn(idle, {}, adminEmail),
        await logIn(idle, {}, adminEmail),
        await logIn(idle, {}, adminEmail),
      ]
      const refresh = async (value: string) => {
        const reply = await idle.ask('POST', '/auth/refresh', { body: { refreshToken: value } })
        return { status: reply.status, token: reply.body.accessToken, refreshToken: reply.body.refreshToken }
      }
      let latest = { status: 200, ...refreshed }
      for (let passed = 0; passed < 45; passed += 9) {
        idle.turn(9 * minute)
        latest = await refresh(latest.refreshToken)
        assert.equal(latest.status, 200)
        if (passed < 9) assert.equal((await list(idle, used.token)).length, 3)
      }
      assert.equal((await refresh(unused.refreshToken)).status, 401)
      assert.equal((await refresh(used.refreshToken)).status, 401, 'idle since the ninth minute')
      assert.equal((await list(idle, latest.token)).length, 3)
      await idle.sweep()
      assert.deepEqual(
        (await list(idle, latest.token)).map(({ id }) => id),
        [sidOf(latest)],
      )
      const again = await logIn(idle, {}, adminEmail)
      for (let passed = 0; passed < 14; passed += 7) {
        idle.turn(7 * minute)
        assert.equal((await idle.ask('GET', '/api/v1/sessions', { token: again.token })).status, 200)
      }
      idle.turn(25 * minute)
      assert.equal((await refresh(again.refreshToken)).status, 200, 'used 25 minutes ago')
    } finally {
      await idle.stop()
    }
  })
})
