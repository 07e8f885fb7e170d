/**
 * Log-in: its request, the same response and the same work for every failure, and the limit of
 * attempts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hashesDuring } from '../helpers/hashes.ts'
import {
  type AskOptions,
  adminEmail,
  cookieParts,
  password,
  startService,
  type TestPerson,
  type TestService,
} from '../helpers/service.ts'

const mounts = ['/auth/login', '/api/v1/auth/login']

describe('a log-in', () => {
  let service: TestService
  let ann: TestPerson
  let inactive: TestPerson
  before(async () => {
    service = await startService()
    ;[ann, inactive] = await Promise.all([service.person(), service.person()])
    await service.ask('PATCH', `/api/v1/users/${inactive.id}`, {
      body: { status: 'INACTIVE' },
      token: (await service.admin()).token,
    })
  })
  after(() => service.stop())

  for (const path of mounts) {
    it(`answers both tokens at ${path}, to be kept by nobody on the way`, async () => {
      const reply = await service.ask('POST', path, { body: { email: ann.email, password } })
      assert.equal(reply.status, 200)
      assert.deepEqual(Object.keys(reply.body), ['accessToken', 'refreshToken'])
      assert.match(reply.body.refreshToken, /^[A-Za-z0-9_-]{43}$/)
      assert.equal(reply.body.accessToken.split('.').length, 3)
      assert.equal(reply.headers.get('cache-control'), 'no-store')
      assert.deepEqual(cookieParts(reply.headers.get('set-cookie')), {
        refreshToken: reply.body.refreshToken,
        'Max-Age': String(7 * 24 * 60 * 60),
        Path: path.replace('/login', ''),
        HttpOnly: '',
        SameSite: 'Strict',
      })
    })
  }

  const bodies: [string, AskOptions, number, string][] = [
    ['nothing', {}, 400, 'email and password required'],
    ['an empty object', { body: {} }, 400, 'email and password required'],
    ['no password', { body: { email: adminEmail } }, 400, 'email and password required'],
    ['an empty password', { body: { email: adminEmail, password: '' } }, 400, 'email and password required'],
    [
      'a password that is no text',
      { body: { email: adminEmail, password: { $ne: '' } } },
      400,
      'password must be a string',
    ],
    ['an email that is no text', { body: { email: [adminEmail], password } }, 400, 'email must be a string'],
    ['a list', { body: [adminEmail, password] }, 400, 'The body must be a JSON object'],
    ['two passwords', { raw: `{"email":"${adminEmail}","password":"x","password":"${password}"}` }, 400, ''],
    ['a form', { raw: `email=${adminEmail}&password=${password}`, type: 'application/x-www-form-urlencoded' }, 415, ''],
    [
      'JSON called text, as another site could',
      { raw: JSON.stringify({ email: adminEmail, password }), type: 'text/plain' },
      415,
      '',
    ],
    ['SQL', { body: { email: "' OR 1=1 --", password } }, 401, 'Invalid credentials'],
    ['a NUL', { body: { email: adminEmail, password: `${password}\0` } }, 400, ''],
  ]
  for (const [what, options, status, error] of bodies) {
    it(`with ${what} is ${status}`, async () => {
      const reply = await service.ask('POST', '/auth/login', options)
      assert.equal(reply.status, status, reply.text)
      if (error) assert.deepEqual(reply.body, { error })
      assert.equal(reply.headers.get('set-cookie'), null)
      assert.ok(!reply.text.includes(password))
    })
  }

  it('with the query and not the body is refused, so that no password stands in a log', async () => {
    const reply = await service.ask('POST', `/auth/login?email=${adminEmail}&password=${encodeURIComponent(password)}`)
    assert.equal(reply.status, 400)
    assert.ok(!service.logged.some((line) => line.includes(encodeURIComponent(password)) || line.includes(password)))
  })

  it('does not care for credentials beside it, good or stale', async () => {
    for (const options of [
      { token: 'stale.token.here' },
      { key: 'bk_nonsense' },
      { cookie: 'refreshToken=nonsense' },
    ]) {
      assert.equal(
        (await service.ask('POST', '/auth/login', { body: { email: ann.email, password }, ...options })).status,
        200,
      )
    }
  })

  it('fails with the same bytes for the same work, whether wrong, unknown or not ACTIVE', async () => {
    const attempts = { wrong: ann.email, unknown: 'nobody@example.com', inactive: inactive.email }
    const answers = new Set<string>()
    const costs = new Set<string>()
    for (const [what, email] of Object.entries(attempts)) {
      const hashes = await hashesDuring(async () => {
        const reply = await service.ask('POST', '/auth/login', {
          body: { email, password: what === 'inactive' ? password : 'not the password' },
        })
        const headers = [...reply.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
        answers.add(JSON.stringify([reply.status, headers, reply.text]))
      })
      assert.equal(hashes.length, 1, what)
      costs.add(hashes[0] as string)
    }
    assert.equal(answers.size, 1, [...answers].join('\n'))
    assert.equal(costs.size, 1, [...costs].join())
    assert.ok([...answers][0]?.startsWith('[401'))
  })
})

describe('guessing', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  let people = 0
  async function account(): Promise<string> {
    const email = `target${++people}@example.com`
    assert.equal((await service.ask('POST', '/api/v1/users', { body: { email, password } })).status, 201)
    return email
  }
  const guess = (email: string, secret = 'wrong', headers: Record<string, string> = {}) =>
    service.ask('POST', '/auth/login', { body: { email, password: secret }, headers })
  const nextWindow = () => service.turn(15 * 60_000 + 1000)

  it('is over after 10 failures, also for the right password, until the time is up', async () => {
    const email = await account()
    for (let i = 0; i < 10; i += 1) assert.equal((await guess(email)).status, 401, `failure ${i + 1}`)
    for (const secret of ['wrong', password]) {
      for (const spelled of [email, email.toUpperCase()]) {
        const reply = await guess(spelled, secret)
        assert.equal(reply.status, 429)
        const seconds = Number(reply.headers.get('retry-after'))
        assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 900, `Retry-After ${seconds}`)
      }
    }
    service.turn(14 * 60_000)
    assert.equal((await guess(email, password)).status, 429)
    service.turn(61_000)
    assert.equal((await guess(email, password)).status, 200)
  })

  it('is not helped by forged headers', async () => {
    nextWindow()
    const email = await account()
    const forged = (i: number) => ({
      'x-forwarded-for': `10.0.0.${i}`,
      'x-real-ip': `10.0.1.${i}`,
      forwarded: `for=10.0.2.${i}`,
      'user-agent': `Browser ${i}`,
    })
    const statuses: number[] = []
    for (let i = 0; i < 14; i += 1) statuses.push((await guess(email, 'wrong', forged(i))).status)
    assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(4).fill(429)])
  })

  it('tells no account from none', async () => {
    nextWindow()
    const statuses: number[] = []
    for (let i = 0; i < 12; i += 1) statuses.push((await guess('nobody@example.com')).status)
    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429])
  })

  it('in parallel gains nothing: ten are told that they are wrong, and the rest nothing', async () => {
    nextWindow()
    for (const email of [await account(), 'nobody2@example.com']) {
      const replies = await Promise.all(Array.from({ length: 40 }, () => guess(email)))
      const statuses = replies.map((reply) => reply.status).sort()
      assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(30).fill(429)])
      assert.ok(replies.every((reply) => reply.status === 401 || Number(reply.headers.get('retry-after')) > 0))
      assert.equal((await guess(email, password)).status, 429)
    }
  })

  it('in parallel at many accounts of one address gains nothing either', async () => {
    nextWindow()
    const { storage } = service.service.engine
    for (let i = 0; i < 95; i += 1) await storage.countUp('login from 127.0.0.1', 15 * 60_000, service.now())
    const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => guess(`parallel${i}@example.com`)))
    assert.equal(replies.filter((reply) => reply.status === 401).length, 5)
  })

  it('does not hold back those who know the password, however many come at once', async () => {
    nextWindow()
    const email = await account()
    for (let i = 0; i < 9; i += 1) assert.equal((await guess(email)).status, 401)
    const replies = await Promise.all(Array.from({ length: 12 }, () => guess(email, password)))
    assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([200]))
    for (let i = 0; i < 10; i += 1) assert.equal((await guess(email)).status, 401, 'nothing of it was counted')
  })

  it('is forgiven after a success', async () => {
    nextWindow()
    const email = await account()
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 9; i += 1) assert.equal((await guess(email)).status, 401)
      assert.equal((await guess(email, password)).status, 200)
    }
  })

  it('at many accounts from one address is over after 100 failures, and a success does not reset that', async () => {
    nextWindow()
    const own = await account()
    const { storage } = service.service.engine
    for (let i = 0; i < 98; i += 1) await storage.countUp('login from 127.0.0.1', 15 * 60_000, service.now())
    assert.equal((await guess('sprayed1@example.com')).status, 401)
    assert.equal((await guess(own, password)).status, 200)
    assert.equal((await guess('sprayed2@example.com')).status, 401)
    const reply = await guess(own, password, { 'x-forwarded-for': '10.9.9.9' })
    assert.deepEqual([reply.status, reply.headers.has('retry-after')], [429, true])
    nextWindow()
    assert.equal((await guess(own, password)).status, 200)
  })
})
