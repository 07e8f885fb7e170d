/**
 * Failed log-ins lock an account for strangers, but not for browsers that its owner has logged in
 * from.
 */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { failuresPerAccountMax, makeThrottle } from '../../src/accounts/throttles/throttle.ts'
import { adminEmail, password, startService } from '../../src/testing/index.ts'
import { people } from '../service/people.ts'

const browser = { 'sec-fetch-site': 'same-origin' }

describe('a device that has logged in before', async () => {
  const service = await startService(people, { env: { TRUST_PROXY: 'true', COOKIE_SECURE: 'false' } })
  after(() => service.stop())
  const { storage, clock } = service.service.engine
  type Sent = { headers?: Record<string, string>; cookie?: string; email?: string }
  const logIn = (secret: string, { headers = browser, cookie, email = adminEmail }: Sent = {}) =>
    service.ask('POST', '/auth/login', { body: { email, password: secret }, headers, ...(cookie && { cookie }) })
  const deviceOf = async (email?: string, secret = password) => {
    const reply = await logIn(secret, email === undefined ? {} : { email })
    assert.equal(reply.status, 200, reply.text)
    const line = reply.headers.getSetCookie().find((one) => one.startsWith('device=')) ?? ''
    return { line, cookie: line.split(';')[0] as string }
  }
  /** Failures under this name, counted as log-ins count them; a hash for each would take long. */
  const fail = async (account: string, times = failuresPerAccountMax) => {
    const throttle = makeThrottle(storage, clock)
    for (let i = 0; i < times; i += 1) await throttle.failed(account, `192.0.2.${i}`)
  }
  beforeEach(() => service.turn(15 * 60_000 + 1000))

  it('is known by a cookie that scripts and other sites do not get, for log-ins alone', async () => {
    const { line } = await deviceOf()
    assert.match(line, /^device=[\w-]{22}\.[\w-]{43}; Max-Age=15552000; Path=\/auth; HttpOnly; SameSite=Strict$/)
    const other = await service.ask('POST', '/auth/login', { body: { email: adminEmail, password } })
    assert.doesNotMatch(other.headers.get('set-cookie') ?? '', /device/, 'a client that is no browser gets none')
    assert.deepEqual(Object.keys(other.body), ['accessToken', 'refreshToken'])
  })

  it('logs in while a stranger has closed the account', async () => {
    const { cookie } = await deviceOf()
    await fail(adminEmail)
    assert.equal((await logIn(password)).status, 429)
    const reply = await logIn(password, { cookie })
    assert.equal(reply.status, 200)
    assert.ok(
      reply.headers.getSetCookie().some((line) => line.startsWith(cookie)),
      'and stays the device that it is',
    )
    assert.equal((await logIn(password)).status, 429, 'which opens the account to nobody else')
  })

  it('is found beside cookies that a neighbouring host has planted', async () => {
    const { cookie } = await deviceOf()
    await fail(adminEmail)
    const planted = ['device=x', `device=${'A'.repeat(22)}.${'A'.repeat(43)}`, `device=${'A'.repeat(3000)}`]
    assert.equal((await logIn(password, { cookie: [...planted, cookie].join('; ') })).status, 200)
    const many = Array.from({ length: 50 }, (_, i) => `device=${String(i).padStart(22, 'A')}.${'A'.repeat(43)}`)
    assert.equal((await logIn(password, { cookie: many.join('; ') })).status, 429)
  })

  it('has ten failures of its own, which close it and nobody else', async () => {
    const { cookie } = await deviceOf()
    for (let i = 0; i < failuresPerAccountMax - 1; i += 1)
      assert.equal((await logIn('a wrong guess', { cookie })).status, 401)
    assert.equal((await logIn('a wrong guess', { cookie })).status, 401)
    const closed = await logIn(password, { cookie })
    assert.equal(closed.status, 429)
    assert.ok(Number(closed.headers.get('retry-after')) > 0)
    assert.equal((await logIn(password)).status, 200)
  })

  it('is nothing with another account, or with an invented cookie', async () => {
    await service.ask('POST', '/api/v1/members', { body: { email: 'ann@example.com', password: 'of no importance' } })
    const { cookie } = await deviceOf('ann@example.com', 'of no importance')
    await fail(adminEmail)
    const [name, mac] = (await deviceOf('ann@example.com', 'of no importance')).cookie.slice(7).split('.')
    for (const sent of [
      cookie,
      `device=${name}.${'A'.repeat(43)}`,
      `device=${mac}.${name}`,
      'device=',
      'device=x',
      `device=${'A'.repeat(9000)}`,
    ])
      assert.equal((await logIn(password, { cookie: sent })).status, 429, sent.slice(0, 80))
  })

  it('does not help against the limit of an address', async () => {
    const { cookie } = await deviceOf()
    const throttle = makeThrottle(storage, clock)
    for (let i = 0; i < 100; i += 1) await throttle.failed(`nobody ${i}`, '198.51.100.1')
    const headers = { ...browser, 'x-forwarded-for': '198.51.100.1' }
    assert.equal((await logIn(password, { cookie, headers })).status, 429)
  })
})
