/**
 * API keys: created, shown once, used, narrowed by scopes, revoked. The database never holds the
 * secret itself.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type AskOptions,
  adminEmail,
  askPlain,
  everythingStored,
  password,
  startService,
  type TestService,
} from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

type Someone = { id: string; email: string; token: string; refreshToken: string }
let service: TestService
let admin: Someone
let editor: Someone
let ann: Someone
let bob: Someone

async function logIn(email: string): Promise<Someone> {
  const { accessToken: token, refreshToken } = (await service.ask('POST', '/auth/login', { body: { email, password } }))
    .body
  const { userId: id } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  return { id, email, token, refreshToken }
}
async function join_(email: string, role = 'USER'): Promise<Someone> {
  await service.ask('POST', '/api/v1/users', { body: { email, password, role }, token: admin.token })
  return logIn(email)
}
before(async () => {
  service = await startService({}, { passwordCost: 'usual' })
  admin = await logIn(adminEmail)
  editor = await join_('editor@example.com', 'EDITOR')
  ann = await join_('ann@example.com')
  bob = await join_('bob@example.com')
})
after(() => service.stop())

const make = (person: Someone, body: object = {}) =>
  service.ask('POST', '/api/v1/api-keys', { body: { name: 'Robot', ...body }, token: person.token })
const keyOf = async (person: Someone, body: object = {}) => (await make(person, body)).body.key as string
const invalid = { error: 'Invalid API key' }

describe('making a key', () => {
  it('shows it in that answer and in no other', async () => {
    const reply = await make(ann)
    const { id, key, createdAt, ...rest } = reply.body
    assert.equal(reply.status, 201)
    assert.match(key, /^bk_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/)
    assert.deepEqual(rest, {
      userId: ann.id,
      name: 'Robot',
      prefix: key.slice(0, 9),
      scopes: null,
      addresses: null,
      active: true,
      expiresAt: null,
      lastUsedAt: null,
      lastUsedFrom: null,
      rotatedAt: null,
    })
    assert.ok(createdAt)
    const path = `/api/v1/api-keys/${id}`
    const later: [string, string, AskOptions][] = [
      ['GET', path, {}],
      ['GET', '/api/v1/api-keys', {}],
      ['PATCH', path, { body: { name: 'New' } }],
      ['PUT', path, { body: { name: 'Put' } }],
    ]
    for (const [method, where, options] of later) {
      const next = await service.ask(method, where, { ...options, token: ann.token })
      assert.equal(next.status, 200, next.text)
      assert.ok(!next.text.includes(key) && !next.text.includes('"key"'), method)
    }
    for (const query of ['fields=key', 'sort=key', 'key=x', 'key[startsWith]=a']) {
      assert.equal((await service.ask('GET', `/api/v1/api-keys?${query}`, { token: admin.token })).status, 400, query)
    }
  })

  it('says of all that is wrong where it is', async () => {
    const body = { name: 'a', scopes: ['books:fly'], addresses: ['300.1.1.1'] }
    const headers = { accept: 'application/problem+json' }
    const reply = await service.ask('POST', '/api/v1/api-keys', { body, headers, token: ann.token })
    const places = (reply.body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer)
    assert.deepEqual(places, ['#/addresses', '#/scopes'])
  })

  const refusals: [string, object, number, RegExp][] = [
    ['no name', { name: undefined }, 400, /^name is required$/],
    ["a key of one's own", { key: `bk_${'A'.repeat(51)}` }, 400, /key/],
    ['another owner', { userId: '01926e0f-0000-7000-8000-000000000000' }, 400, /^userId is read-only$/],
    ['a last use', { lastUsedAt: '2026-01-01T00:00:00Z' }, 400, /^lastUsedAt is read-only$/],
    ['no scopes', { scopes: [] }, 400, /scopes/],
    ['a scope of nothing', { scopes: ['planets:read'] }, 400, /planets:read/],
    ['a scope that nobody has', { scopes: ['books:fly'] }, 400, /books:fly/],
    ['a star', { scopes: ['*'] }, 400, /\*/],
    ['a star for all', { scopes: ['*:*'] }, 400, /\*:\*/],
    ['a scope with a tail', { scopes: ['books:read:all'] }, 400, /books:read:all/],
    ['a hidden resource', { scopes: ['refresh-tokens:read'] }, 400, /refresh-tokens/],
    ['a scope that every object has', { scopes: ['books:constructor'] }, 400, /constructor/],
  ]
  for (const [what, body, status, error] of refusals) {
    it(`refuses ${what}`, async () => {
      const reply = await make(ann, body)
      assert.equal(reply.status, status, reply.text)
      assert.match(reply.body.error, error)
    })
  }
})

describe('using a key', () => {
  it('acts for its owner, by header and by query, and is kept by nobody on the way when it is in the query', async () => {
    const key = await keyOf(ann)
    const byHeader = await service.ask('GET', `/api/v1/users/${ann.id}`, { key })
    assert.deepEqual([byHeader.status, byHeader.body.email], [200, ann.email])
    for (const path of [
      `/api/v1/users/${ann.id}`,
      '/messages',
      '/books',
      '/books/99',
      `/api/v1/users/${bob.id}`,
      '/messages?nonsense=1',
      '/api/v1/orders',
    ]) {
      const query = `${path}${path.includes('?') ? '&' : '?'}api_key=${key}`
      const reply = await service.ask('GET', query)
      assert.equal(reply.status, (await service.ask('GET', path, { key })).status, path)
      assert.equal(reply.headers.get('cache-control'), 'no-store', `${path} ${reply.status}`)
      assert.ok(!reply.text.includes(key) && ![...reply.headers.values()].some((value) => value.includes(key)))
    }
  })

  const mistyped = (key: string) => [
    key.slice(0, -1),
    `${key}0`,
    key.slice(3),
    key.toUpperCase(),
    key.replace('bk_', 'ak_'),
    `${key.slice(0, 10)}${key[10] === 'x' ? 'y' : 'x'}${key.slice(11)}`,
    `Bearer ${key}`,
  ]
  it('is 401 when it is unknown or mistyped, also on open routes and beside a good token', async () => {
    const key = await keyOf(ann)
    for (const wrong of [...mistyped(key), 'bk_', 'x', "' OR 1=1 --", `bk_${'A'.repeat(43)}${'0'.repeat(8)}`]) {
      const sent: AskOptions[] = [{ key: wrong }, { key: wrong, token: ann.token }]
      for (const options of sent) {
        for (const path of ['/books', '/messages']) {
          const reply = await service.ask('GET', path, options)
          assert.deepEqual([reply.status, reply.body], [401, invalid], wrong)
          assert.ok(reply.headers.get('www-authenticate'))
        }
      }
      assert.deepEqual((await service.ask('GET', `/books?api_key=${encodeURIComponent(wrong)}`)).body, invalid, wrong)
    }
  })

  it('is 401 as soon as it is inactive, expired or deleted, or its owner is suspended', async () => {
    const { id, key } = (await make(bob, { expiresAt: new Date(service.now() + 60_000).toISOString() })).body
    const asked = async () => (await service.ask('GET', '/messages', { key })).status
    const patch = (body: object) => service.ask('PATCH', `/api/v1/api-keys/${id}`, { body, token: bob.token })
    assert.equal(await asked(), 200)
    await patch({ active: false })
    assert.equal(await asked(), 401)
    await patch({ active: true })
    assert.equal(await asked(), 200)
    await service.ask('POST', `/api/v1/users/${bob.id}/suspend`, { token: admin.token })
    assert.equal(await asked(), 401)
    await service.ask('POST', `/api/v1/users/${bob.id}/activate`, { token: admin.token })
    bob = await service.logIn(bob.email)
    assert.equal(await asked(), 200)
    service.turn(60_000)
    assert.deepEqual((await service.ask('GET', '/books', { key })).body, invalid)
    await patch({ expiresAt: null })
    assert.equal(await asked(), 200)
    assert.equal((await service.ask('DELETE', `/api/v1/api-keys/${id}`, { token: bob.token })).status, 204)
    assert.equal(await asked(), 401)
  })

  it('once: two different ones are 400, however they are sent', async () => {
    const [one, two] = [await keyOf(ann), await keyOf(ann)]
    const cases: [string, Record<string, string | string[]>, number][] = [
      [`/books?api_key=${two}`, { 'x-api-key': one }, 400],
      [`/books?api%5Fkey=${two}`, { 'x-api-key': one }, 400],
      ['/books', { 'x-api-key': [one, two] }, 400],
      [`/books?api_key=${one}&api_key=${two}`, {}, 400],
      [`/books?api_key=${one}`, { 'x-api-key': one }, 200],
      ['/books', { 'x-api-key': [one, one] }, 200],
    ]
    for (const [path, headers, status] of cases) {
      const reply = await askPlain(service.url, { method: 'GET', path, headers })
      assert.equal(reply.status, status, `${path.slice(0, 12)} ${Object.keys(headers)} ${reply.text}`)
      assert.ok(!reply.text.includes(one) && !reply.text.includes(two))
    }
  })

  it('beside a good token does not decide, except on a machine route, where only it counts', async () => {
    const [keyOfEditor, keyOfAnn] = [await keyOf(editor), await keyOf(ann)]
    assert.equal(
      (await service.ask('GET', `/api/v1/users/${ann.id}`, { token: ann.token, key: keyOfEditor })).status,
      200,
    )
    assert.equal(
      (await service.ask('GET', `/api/v1/users/${editor.id}`, { token: ann.token, key: keyOfEditor })).status,
      404,
    )
    const machine: [AskOptions, number, string | undefined][] = [
      [{}, 401, 'API key required'],
      [{ token: admin.token }, 401, 'API key required'],
      [{ key: keyOfAnn }, 403, 'Insufficient permissions'],
      [{ key: keyOfAnn, token: admin.token }, 403, 'Insufficient permissions'],
      [{ key: keyOfEditor }, 200, undefined],
      [{ key: keyOfEditor, token: ann.token }, 200, undefined],
      [{ key: keyOfEditor, token: 'bad' }, 200, undefined],
      [{ key: 'bad', token: admin.token }, 401, 'Invalid API key'],
    ]
    for (const [options, status, error] of machine) {
      const reply = await service.ask('GET', '/api/v1/products/export', options)
      assert.deepEqual([reply.status, reply.body?.error], [status, error], JSON.stringify(options).slice(0, 60))
    }
  })

  it('is noted, to the minute', async () => {
    const madeMs = service.now()
    const { id, key } = (await make(ann)).body
    const used = async () => (await service.ask('GET', `/api/v1/api-keys/${id}`, { token: ann.token })).body.lastUsedAt
    assert.equal(await used(), null)
    await service.ask('GET', '/books', { key })
    await until(
      async () => (await used()) !== null,
      () => 'the first use',
    )
    const first = Date.parse(await used())
    assert.ok(first >= madeMs - 1_000 && first <= service.now())
    service.turn(120_000)
    await service.ask('GET', '/books', { key })
    await until(
      async () => Date.parse(await used()) - first >= 119_000,
      () => 'the second use',
    )
  })
})

describe('what is stored', () => {
  it('is the hash of a key, of a refresh token, of a password: in no file and no table stands one of them', async () => {
    const key = await keyOf(ann)
    const successor = /refreshToken=([^;]+)/.exec(
      (await service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${ann.refreshToken}` })).headers.get(
        'set-cookie',
      ) ?? '',
    )?.[1] as string
    const secrets = [key, key.slice(3), password, ann.refreshToken, successor, ann.token.split('.')[2] as string]
    const text = await everythingStored(service.folder)
    for (const secret of secrets) assert.ok(!text.includes(secret))
    assert.ok(text.includes('$argon2id$v=19$m=19456,t=2,p=1$'))
  })
})
