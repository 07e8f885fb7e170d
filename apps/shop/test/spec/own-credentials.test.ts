/**
 * A change of one's own password, address or factor needs the current password beside it; an API
 * key needs a scope that names the field.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hashesDuring } from '../helpers/hashes.ts'
import {
  adminEmail,
  password,
  startService,
  type TestPerson,
  type TestResponse,
  type TestService,
} from '../helpers/service.ts'

const users = '/api/v1/users'
const required = { error: 'currentPassword is required' }
const wrong = { error: 'currentPassword is wrong' }
const unknown = { error: 'Unknown field currentPassword' }
const forbidden = { error: 'Insufficient permissions' }
const hour = 3_600_000
let service: TestService
let admin: TestPerson
before(async () => {
  service = await startService()
  admin = await service.admin()
})
after(() => service.stop())

type By = { token?: string; key?: string }
const patch = ({ id }: TestPerson, body: object, by: By) => service.ask('PATCH', `${users}/${id}`, { body, ...by })
const put = ({ id }: TestPerson, body: object, by: By) => service.ask('PUT', `${users}/${id}`, { body, ...by })
const logIn = (email: string, secret: string) =>
  service.ask('POST', '/auth/login', { body: { email, password: secret } })
const seen = ({ status, body }: TestResponse) => [status, body]
async function update({ id, token }: TestPerson, input: object): Promise<TestResponse['body']> {
  const query = 'mutation ($id: ID!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { email } }'
  return (await service.ask('POST', '/graphql', { body: { query, variables: { id, input } }, token })).body
}

describe("a change of one's own e-mail or password", () => {
  it('needs the password of today beside it, in PATCH, PUT and GraphQL', async () => {
    const ann = await service.person()
    const own = { token: ann.token }
    const changes = [{ password: 'a new password' }, { email: 'new@example.com' }, { email: ann.email.toUpperCase() }]
    for (const change of changes) {
      assert.deepEqual(seen(await patch(ann, change, own)), [403, required])
      assert.deepEqual(seen(await patch(ann, { ...change, currentPassword: null }, own)), [403, required])
      assert.deepEqual(seen(await put(ann, { email: ann.email, ...change }, own)), [403, required])
      const { errors } = await update(ann, change)
      assert.deepEqual([errors[0].message, errors[0].extensions.code], [required.error, 'FORBIDDEN'])
    }
    assert.deepEqual(seen(await patch(ann, { email: 'n@e.c', currentPassword: 'not it at all' }, own)), [403, wrong])
    assert.deepEqual(seen(await patch(ann, { email: 'n@e.c', currentPassword: 7 }, own)), [
      400,
      { error: 'currentPassword must be a string' },
    ])
    const changed = await patch(ann, { email: 'ann@new.example', currentPassword: password }, own)
    assert.equal(changed.status, 200, changed.text)
    assert.ok(!changed.text.includes('urrentPassword'))
    const replaced = { email: 'ann@newer.example', password: 'quite another one', currentPassword: password }
    assert.equal((await put(ann, replaced, own)).status, 200)
    assert.equal((await logIn('ann@newer.example', 'quite another one')).status, 200)
    const last = { password: 'the last of them', currentPassword: 'quite another one' }
    assert.deepEqual((await update(ann, last)).data, { updateUser: { email: 'ann@newer.example' } })
    assert.equal((await logIn('ann@newer.example', 'the last of them')).status, 200)
  })

  it('needs it of an ADMIN too; for others an ADMIN has none to send', async () => {
    const bob = await service.person()
    const by = { token: admin.token }
    assert.deepEqual(seen(await patch(admin, { password: 'a new password' }, by)), [403, required])
    for (const body of [{ password: 'set by an admin' }, { email: 'bob@new.example' }])
      assert.equal((await patch(bob, body, by)).status, 200)
    assert.deepEqual(seen(await patch(bob, { email: 'b@e.c', currentPassword: password }, by)), [400, unknown])
  })

  it('needs none where nothing of it changes, and takes none in any other write', async () => {
    const eve = await service.person()
    const own = { token: eve.token }
    const { body: read } = await service.ask('GET', `${users}/${eve.id}`, own)
    assert.equal((await put(eve, { ...read, name: 'Eve' }, own)).status, 200)
    assert.equal((await patch(eve, { email: eve.email, name: 'E' }, own)).status, 200)
    const currentPassword = password
    assert.deepEqual(seen(await patch(eve, { name: 'Eve', currentPassword }, own)), [400, unknown])
    const made = { email: 'made@example.com', password, currentPassword }
    assert.deepEqual(seen(await service.ask('POST', users, { body: made })), [400, unknown])
    const post = { title: 'T', currentPassword }
    assert.deepEqual(seen(await service.ask('POST', '/api/v1/posts', { body: post, ...own })), [400, unknown])
    assert.equal((await update(eve, { name: 'Eve', currentPassword })).errors[0].message, unknown.error)
  })

  it('counts a wrong one as a failed log-in, and is held up with them', async () => {
    const cat = await service.person()
    const guess = { email: 'cat@new.example', currentPassword: 'not it at all' }
    for (let n = 0; n < 9; n += 1) assert.equal((await patch(cat, guess, { token: cat.token })).status, 403)
    assert.equal((await logIn(cat.email, 'not it at all')).status, 401)
    const held = await patch(cat, { ...guess, currentPassword: password }, { token: cat.token })
    assert.equal(held.status, 429)
    assert.ok(Number(held.headers.get('retry-after')) > 0)
    assert.equal((await logIn(cat.email, password)).status, 429)
    assert.equal((await patch(cat, { name: 'Cat' }, { token: cat.token })).status, 200)
  })

  it('is judged before a hash is made', async () => {
    const [ann, bob] = [await service.person(), await service.person()]
    const own = { token: bob.token }
    for (const body of [
      { name: 'x' },
      { password: 'some password' },
      { password: 'some password', currentPassword: password },
    ]) {
      const hashes = await hashesDuring(async () => {
        assert.deepEqual(seen(await patch(ann, body, own)), [404, { error: 'User not found' }])
      })
      assert.deepEqual(hashes, [])
    }
    const hashing = async () => assert.equal((await logIn(ann.email, password)).status, 200)
    assert.equal((await hashesDuring(hashing)).length, 1)
  })
})

describe('a key', () => {
  const keys = '/api/v1/api-keys'
  const makeKey = async (person: TestPerson, extra: object = {}) =>
    (await service.ask('POST', keys, { body: { name: 'k', ...extra }, token: person.token })).body as {
      id: string
      key: string
    }
  const inHours = (hours: number) => new Date(service.now() + hours * hour).toISOString()

  it('without scopes manages no keys, no sessions and no credentials', async () => {
    const ann = await service.person()
    const { id, key } = await makeKey(ann, { expiresAt: inHours(1) })
    const sessions = (await service.ask('GET', '/api/v1/sessions', { key })).body.data
    const attempts: [string, string, object?][] = [
      ['PATCH', `${keys}/${id}`, { expiresAt: null }],
      ['POST', keys, { name: 'endless' }],
      ['PUT', `${keys}/${id}`, { name: 'endless' }],
      ['DELETE', `${keys}/${id}`],
      ['DELETE', `/api/v1/sessions/${sessions[0].id}`],
      ['PATCH', `${users}/${ann.id}`, { password: 'set by the key', currentPassword: password }],
      ['PATCH', `${users}/${ann.id}`, { email: 'taken@over.example', currentPassword: password }],
    ]
    for (const [method, path, body] of attempts)
      assert.deepEqual(seen(await service.ask(method, path, { body, key })), [403, forbidden], `${method} ${path}`)
    assert.equal((await patch(ann, { name: 'Ann' }, { key })).status, 200, 'what is none of these it may')
    const query = 'mutation { createApiKey(input: { name: "endless" }) { id } }'
    const { errors } = (await service.ask('POST', '/graphql', { body: { query }, key })).body
    assert.equal(errors[0].extensions.code, 'FORBIDDEN')
    assert.equal((await logIn(ann.email, password)).status, 200)
  })

  it('with users:write alone sets nobody an e-mail or a password', async () => {
    const bob = await service.person()
    const { key } = await makeKey(admin, { scopes: ['users:write', 'users:read'] })
    for (const body of [{ email: 'x@e.c' }, { password: 'set by the key' }, { email: 'x@e.c', currentPassword: 'no' }])
      for (const whom of [admin, bob]) assert.deepEqual(seen(await patch(whom, body, { key })), [403, forbidden])
    assert.equal((await patch(bob, { name: 'Bob', email: bob.email }, { key })).status, 200)
    assert.equal((await logIn(adminEmail, password)).status, 200)
  })

  it('whose scopes name credentials sets them, with the password of today, and nothing else', async () => {
    const cat = await service.person()
    const { key } = await makeKey(cat, { scopes: ['credentials:write'] })
    assert.deepEqual(seen(await patch(cat, { password: 'a new password' }, { key })), [403, required])
    const sent = { password: 'a new password', currentPassword: password }
    assert.deepEqual(seen(await patch(cat, { ...sent, name: 'C' }, { key })), [403, forbidden])
    assert.equal((await patch(cat, sent, { key })).status, 200)
    const bad = await service.ask('POST', keys, {
      body: { name: 'k', scopes: ['credentials:read'] },
      token: admin.token,
    })
    assert.deepEqual(seen(bad), [400, { error: 'scopes has credentials:read; for credentials there are write, *' }])
  })

  it('whose scopes name keys and sessions manages them, never beyond its own scopes and expiry', async () => {
    const dan = await service.person()
    const ends = inHours(2)
    const { id, key } = await makeKey(dan, { scopes: ['api-keys:*', 'orders:read', 'sessions:*'], expiresAt: ends })
    const make = (body: object) => service.ask('POST', keys, { body: { name: 'k', ...body }, key })
    const beyond = [
      {},
      { scopes: ['orders:read'] },
      { expiresAt: ends },
      { scopes: ['orders:*'], expiresAt: ends },
      { scopes: ['orders:cancel'], expiresAt: ends },
      { scopes: ['orders:read'], expiresAt: inHours(3) },
      { scopes: ['credentials:write'], expiresAt: ends },
    ]
    for (const body of beyond) assert.deepEqual(seen(await make(body)), [403, forbidden], JSON.stringify(body))
    const made = await make({ scopes: ['orders:list', 'api-keys:read'], expiresAt: inHours(1) })
    assert.equal(made.status, 201, made.text)
    const change = (body: object, which = id) => service.ask('PATCH', `${keys}/${which}`, { body, key })
    for (const body of [{ expiresAt: null }, { scopes: null }, { expiresAt: inHours(3) }, { scopes: ['users:*'] }])
      assert.deepEqual(seen(await change(body)), [403, forbidden], JSON.stringify(body))
    const wide = await makeKey(dan, { active: false })
    assert.deepEqual(seen(await change({ active: true }, wide.id)), [403, forbidden])
    assert.equal((await change({ name: 'renamed' }, wide.id)).status, 200)
    assert.equal((await change({ expiresAt: inHours(1), active: true })).status, 200)
    assert.equal((await service.ask('DELETE', `${keys}/${wide.id}`, { key })).status, 204)
    const [{ id: session }] = (await service.ask('GET', '/api/v1/sessions', { key })).body.data
    assert.equal((await service.ask('DELETE', `/api/v1/sessions/${session}`, { key })).status, 204)
  })
})
