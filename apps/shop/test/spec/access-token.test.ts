/**
 * Access tokens: which header counts, what makes a token valid, what it contains, and how soon a
 * change to its user takes effect.
 */
import assert from 'node:assert/strict'
import { createHash, createHmac, generateKeyPairSync } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { adminEmail, password, startService, type TestPerson, type TestService } from '../helpers/service.ts'

const secret = 'the signing secret of this test, 32+'
const previous = 'the secret that it replaced, 32 bytes'
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decoded = (token: string, part: 0 | 1) =>
  JSON.parse(Buffer.from(token.split('.')[part] as string, 'base64url').toString())

let service: TestService
let admin: TestPerson
let ann: TestPerson
let claims: Record<string, unknown>
before(async () => {
  service = await startService({ JWT_SECRET: secret, JWT_SECRET_PREVIOUS: previous })
  ;[admin, ann] = await Promise.all([service.admin(), service.person()])
  claims = decoded(ann.token, 1)
})
after(() => service.stop())

const get = (authorization: string, path = '/messages') => service.ask('GET', path, { headers: { authorization } })

function signed(text: string, key = secret, hash = 'sha256'): string {
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
}

/** Makes a token by hand, so that it can be wrong in any way. */
function forge({
  header = {},
  payload = {},
  key = secret,
  hash = 'sha256',
}: {
  header?: object
  payload?: object
  key?: string
  hash?: string
} = {}): string {
  return signed(`${encoded({ alg: 'HS256', ...header })}.${encoded({ ...claims, ...payload })}`, key, hash)
}

describe('a token', () => {
  it('says who, in which role, which session, by whom and how long: 15 minutes', () => {
    const { iat, exp, sid, ...rest } = claims as { iat: number; exp: number; sid: string }
    assert.deepEqual(rest, { userId: ann.id, role: 'USER', email: ann.email, iss: 'bindery' })
    assert.equal(exp - iat, 15 * 60)
    assert.match(sid, /^[0-9a-f-]{36}$/)
    const { kid, ...header } = decoded(ann.token, 0)
    assert.deepEqual(header, { alg: 'HS256', typ: 'JWT' })
    assert.ok(
      kid &&
        !secret.includes(kid) &&
        kid !== createHash('sha256').update(secret).digest('base64url').slice(0, kid.length),
    )
  })

  const required = [
    'Basic YTpi',
    'bearer TOKEN',
    'BEARER TOKEN',
    'Bearer',
    'BearerTOKEN',
    'Bearer\tTOKEN',
    'Token TOKEN',
    'TOKEN',
  ]
  for (const header of required) {
    it(`in "${header}" is none: Token required`, async () => {
      const reply = await get(header.replace('TOKEN', ann.token))
      assert.deepEqual([reply.status, reply.body], [401, { error: 'Token required' }])
      assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer/)
    })
  }

  it('is required where there is no header at all', async () => {
    const reply = await service.ask('GET', '/messages')
    assert.deepEqual([reply.status, reply.body], [401, { error: 'Token required' }])
  })

  it('that is good is good with more than one space, and also without a kid', async () => {
    for (const header of [
      `Bearer ${ann.token}`,
      `Bearer  ${ann.token}`,
      `Bearer ${forge()}`,
      `Bearer ${forge({ key: previous })}`,
    ]) {
      assert.equal((await get(header)).status, 200, header)
    }
  })

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
    type: 'spki',
    format: 'pem',
  }) as string
  const kid = () => decoded(ann.token, 0).kid as string
  const invalid: [string, () => string][] = [
    ['nonsense', () => 'nonsense'],
    ['three dots', () => '..'],
    ['four parts', () => `${ann.token}.x`],
    ['no signature', () => ann.token.replace(/[^.]*$/, '')],
    ['another signature', () => ann.token.replace(/[^.]*$/, 'A'.repeat(43))],
    [
      'another payload under the same signature',
      () =>
        [
          ann.token.split('.')[0],
          encoded({ ...claims, role: 'ADMIN', userId: admin.id }),
          ann.token.split('.')[2],
        ].join('.'),
    ],
    ['alg none', () => `${encoded({ alg: 'none' })}.${encoded(claims)}.`],
    ['alg None', () => `${encoded({ alg: 'None' })}.${encoded(claims)}.`],
    ['alg none, with a good signature', () => forge({ header: { alg: 'none' } })],
    ['alg HS512', () => forge({ header: { alg: 'HS512' }, hash: 'sha512' })],
    ['alg HS384', () => forge({ header: { alg: 'HS384' }, hash: 'sha384' })],
    ['alg RS256 over the secret', () => forge({ header: { alg: 'RS256' } })],
    ['a public key as the secret', () => forge({ key: rsa })],
    ['no alg', () => forge({ header: { alg: undefined } })],
    ['the empty secret', () => forge({ key: '' })],
    ['another secret', () => forge({ key: 'another secret, of 32 bytes or more' })],
    [
      'another secret, its kid ours',
      () => forge({ key: 'another secret, of 32 bytes or more', header: { kid: kid() } }),
    ],
    ["the previous secret, its kid the new one's", () => forge({ key: previous, header: { kid: kid() } })],
    ['an unknown kid', () => forge({ header: { kid: 'unknown' } })],
    ['a kid that is a path', () => forge({ header: { kid: '../../dev/null' } })],
    ['a kid that is SQL', () => forge({ header: { kid: "' UNION SELECT 'x" } })],
    ['its own key in the header', () => forge({ key: 'mine', header: { jwk: { kty: 'oct', k: encoded('mine') } } })],
    ['a critical extension', () => forge({ header: { crit: ['x'], x: 1 } })],
    ['another issuer', () => forge({ payload: { iss: 'somebody' } })],
    ['no issuer', () => forge({ payload: { iss: undefined } })],
    ['no expiry', () => forge({ payload: { exp: undefined } })],
    ['an expiry that is no number', () => forge({ payload: { exp: 'never' } })],
    ['not yet valid', () => forge({ payload: { nbf: 9e9 } })],
    ['no session', () => forge({ payload: { sid: undefined } })],
    ['the session of another user', () => forge({ payload: { sid: decoded(admin.token, 1).sid } })],
    ["another user in one's session", () => forge({ payload: { userId: admin.id } })],
    ['a list as user', () => forge({ payload: { userId: [ann.id] } })],
    ['8,000 characters', () => forge({ payload: { pad: 'x'.repeat(8000) } })],
    ['an encrypted one', () => `${encoded({ alg: 'dir', enc: 'A256GCM' })}..x.y.z`],
    ['claims that are no object', () => signed(`${encoded({ alg: 'HS256' })}.${encoded('claims')}`)],
    ['claims that are null', () => signed(`${encoded({ alg: 'HS256' })}.${encoded(null)}`)],
    ['a header that is null', () => signed(`${encoded(null)}.${encoded(claims)}`)],
  ]
  for (const [what, make] of invalid) {
    it(`that is ${what} is an Invalid token, also on an open route`, async () => {
      const token = make()
      for (const path of ['/messages', '/books', '/api/v1/products']) {
        const reply = await get(`Bearer ${token}`, path)
        assert.deepEqual([reply.status, reply.body], [401, { error: 'Invalid token' }], path)
        assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
      }
    })
  }

  it('gives the role of the user, not the one that it claims', async () => {
    const reply = await get(`Bearer ${forge({ payload: { role: 'ADMIN' } })}`, '/api/v1/users')
    assert.equal(reply.status, 403)
  })

  it('expires after 15 minutes, remembered or not', async () => {
    const turned = await startService({ JWT_SECRET: secret })
    try {
      const { accessToken } = (await turned.ask('POST', '/auth/login', { body: { email: adminEmail, password } })).body
      turned.turn(14 * 60_000 + 50_000)
      assert.equal((await turned.ask('GET', '/messages', { token: accessToken })).status, 200)
      turned.turn(11_000)
      const unseen = forge({ payload: { ...decoded(accessToken, 1), extra: 1 } })
      for (const token of [accessToken, unseen]) {
        for (const path of ['/messages', '/books']) {
          const reply = await turned.ask('GET', path, { token })
          assert.deepEqual([reply.status, reply.body], [401, { error: 'Token expired' }], path)
          assert.match(reply.headers.get('www-authenticate') ?? '', /invalid_token/)
        }
      }
      const wrong = forge({ payload: decoded(accessToken, 1), key: 'another secret, of 32 bytes or more' })
      assert.deepEqual((await turned.ask('GET', '/messages', { token: wrong })).body, { error: 'Invalid token' })
    } finally {
      await turned.stop()
    }
  })
})

describe('a change to the user of a token', () => {
  const patch = (person: TestPerson, body: object, by = admin) =>
    service.ask('PATCH', `/api/v1/users/${person.id}`, { body, token: by.token })
  const status = async (person: TestPerson, path = '/messages') => (await get(`Bearer ${person.token}`, path)).status

  it('of the role is felt at once with the same token, up and down', async () => {
    const person = await service.person()
    for (const [role, expected] of [
      ['USER', 403],
      ['ADMIN', 200],
      ['EDITOR', 403],
      ['ADMIN', 200],
      ['USER', 403],
    ] as const) {
      await patch(person, { role })
      assert.equal(await status(person, '/api/v1/users'), expected, role)
      assert.equal(await status(person), 200)
    }
  })

  it('of the status is felt at once', async () => {
    let person = await service.person()
    for (const to of ['SUSPENDED', 'INACTIVE']) {
      assert.equal(await status(person), 200)
      await patch(person, { status: to })
      assert.equal(await status(person), 401, to)
      await patch(person, { status: 'ACTIVE' })
      assert.equal(await status(person), 401, 'activation does not bring a session back')
      if (to === 'SUSPENDED') person = await service.logIn(person.email)
    }
    assert.deepEqual((await get(`Bearer ${person.token}`, '/books')).body, { error: 'Invalid token' })
  })

  it("of the password ends every other session of that user, and nobody else's", async () => {
    const here = await service.person()
    const there = await service.logIn(here.email)
    assert.equal((await patch(here, { password: 'a new password', currentPassword: password }, here)).status, 200)
    assert.deepEqual([await status(here), await status(there), await status(ann)], [200, 401, 200])
    assert.equal(
      (await service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${there.refreshToken}` })).status,
      401,
    )
    assert.equal(
      (await service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${here.refreshToken}` })).status,
      200,
    )
    await assert.rejects(service.logIn(here.email), /401/)
    const again = await service.logIn(here.email, 'a new password')

    assert.equal((await patch(here, { password: 'set by an admin' })).status, 200)
    assert.deepEqual([await status(here), await status(again), await status(admin)], [401, 401, 200])
  })
})
