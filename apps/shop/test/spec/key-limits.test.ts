/**
 * API keys as their owners see them: the prefix, the last use, the addresses that they work from,
 * and rotation.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { adminEmail, startService, type TestPerson, type TestResponse, type TestService } from '../helpers/service.ts'

const path = '/api/v1/api-keys'
let service: TestService
let ann: TestPerson
let admin: TestPerson
before(async () => {
  service = await startService({ TRUST_PROXY: 'loopback' })
  ann = await service.person()
  admin = await service.admin()
})
after(() => service.stop())

const make = (
  body: object,
  credential: { token?: string; key?: string } = { token: ann.token },
): Promise<TestResponse> => service.ask('POST', path, { ...credential, body: { name: 'test', ...body } })
const use = (key: string, address?: string, query = '') =>
  service.ask('GET', `/api/v1/messages${query}`, {
    key,
    headers: address === undefined ? {} : { 'x-forwarded-for': address },
  })
const shown = async (id: string) => (await service.ask('GET', `${path}/${id}`, { token: ann.token })).body

describe('a key', () => {
  it('shows how it begins, and when and from where it was last used', async () => {
    const { body } = await make({})
    assert.equal(body.prefix, body.key.slice(0, 9))
    assert.match(body.prefix, /^bk_.{6}$/)
    assert.equal((await use(body.key, '198.51.100.9')).status, 200)
    const after = await shown(body.id)
    assert.deepEqual([after.prefix, after.lastUsedFrom, after.key], [body.prefix, '198.51.100.9', undefined])
    assert.ok(after.lastUsedAt)
    const found = await service.ask('GET', `${path}?lastUsedFrom=198.51.100.9`, { token: ann.token })
    assert.equal(found.body.meta.total, 1)
  })

  it('works at the addresses that it is bound to, and nowhere else', async () => {
    const { body } = await make({ addresses: ['203.0.113.0/24', '2001:db8::/48', '192.0.2.7'] })
    const rows: [string | undefined, number][] = [
      ['203.0.113.1', 200],
      ['203.0.113.255', 200],
      ['203.0.114.1', 401],
      ['192.0.2.7', 200],
      ['192.0.2.8', 401],
      ['::ffff:203.0.113.9', 200],
      ['::ffff:203.0.114.9', 401],
      ['2001:db8:0:ffff::1', 200],
      ['2001:db8:1::1', 401],
      ['::1', 401],
      [undefined, 401],
      ['203.0.113.1, 198.51.100.1', 401], // the first is what the client says of itself
    ]
    for (const [address, status] of rows) {
      const reply = await use(body.key, address)
      assert.equal(reply.status, status, `${address}`)
      if (status === 401) {
        assert.deepEqual(reply.body, { error: 'Invalid API key' })
        assert.ok(reply.headers.get('www-authenticate'))
      }
    }
    assert.equal((await service.ask('GET', '/books', { key: body.key })).status, 401, 'on open routes too')
    const patched = await service.ask('PATCH', `${path}/${body.id}`, { token: ann.token, body: { addresses: null } })
    assert.deepEqual([patched.status, patched.body.addresses], [200, null])
    assert.equal((await use(body.key, '198.51.100.1')).status, 200)
  })

  it('is not bound to what is no address', async () => {
    for (const one of ['', 'here', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', 'fe80::1%eth0', '10.0.0']) {
      const reply = await make({ addresses: ['10.0.0.1', one] })
      const error = `addresses has ${one}, which is no address or network; use for example 203.0.113.0/24`
      assert.deepEqual([reply.status, reply.body], [400, { error }])
    }
    assert.equal((await make({ addresses: [] })).status, 400)
  })

  it('makes no key that works where it does not', async () => {
    const from = { 'x-forwarded-for': '203.0.113.5' }
    const { body } = await make({ addresses: ['203.0.113.0/24'], scopes: ['api-keys:*'] })
    const within = (addresses: unknown) =>
      service.ask('POST', path, {
        key: body.key,
        headers: from,
        body: { name: 'inner', scopes: ['api-keys:read'], addresses },
      })
    for (const addresses of [null, ['203.0.112.0/23'], ['203.0.113.1', '198.51.100.1'], ['::/0'], undefined])
      assert.equal((await within(addresses)).status, 403, JSON.stringify(addresses))
    assert.equal((await within(['203.0.113.128/25', '203.0.113.7'])).status, 201)
    const freed = await service.ask('PATCH', `${path}/${body.id}`, {
      key: body.key,
      headers: from,
      body: { addresses: null },
    })
    assert.equal(freed.status, 403)
  })
})

describe('rotating a key', () => {
  const rotate = (id: string, body?: object, credential: { token?: string; key?: string } = { token: ann.token }) =>
    service.ask('POST', `${path}/${id}/rotate`, { ...credential, body })

  it('gives a new one with the same limits, and the old one an hour', async () => {
    const made = (await make({ scopes: ['messages:read'], addresses: ['0.0.0.0/0'], name: 'nightly' })).body
    const reply = await rotate(made.id)
    assert.equal(reply.status, 201, reply.text)
    const { id, key, name, scopes, addresses, expiresAt, rotatedAt, userId } = reply.body
    assert.equal(reply.headers.get('location'), `${path}/${id}`)
    assert.notEqual(key, made.key)
    assert.deepEqual(
      { name, scopes, addresses, expiresAt, rotatedAt, userId },
      {
        name: 'nightly',
        scopes: made.scopes,
        addresses: made.addresses,
        expiresAt: null,
        rotatedAt: null,
        userId: ann.id,
      },
    )
    const old = await shown(made.id)
    assert.equal(Date.parse(old.expiresAt) - Date.parse(old.rotatedAt), 3_600_000)
    for (const one of [made.key, key]) assert.equal((await use(one)).status, 200)
    const again = await rotate(made.id)
    assert.deepEqual(
      [again.status, again.body.error],
      [409, 'This API key was rotated already; rotate the one that took its place'],
    )
    assert.equal((await rotate(id, { overlapSeconds: 0 })).status, 201)
    assert.deepEqual((await use(key)).body, { error: 'Invalid API key' })
    const { body } = await service.ask('GET', `/api/v1/users/${ann.id}/audit-events?limit=4`, { token: ann.token })
    assert.deepEqual(
      body.data.map(({ event }: { event: string }) => event),
      ['key-created', 'key-rotated', 'key-created', 'key-rotated'],
    )
  })

  it('is refused beyond its bounds, for keys that do not work, and for others than the owner', async () => {
    const made = (await make({})).body
    for (const overlapSeconds of [-1, 604_801, 1.5, '60'])
      assert.equal((await rotate(made.id, { overlapSeconds })).status, 400, `${overlapSeconds}`)
    assert.equal((await rotate(made.id, { overlap: 5 })).status, 400)
    assert.equal((await rotate(made.id, {}, { token: admin.token })).status, 403, 'it would be shown to the ADMIN')
    assert.equal((await rotate(made.id, {}, { token: (await service.person()).token })).status, 404)
    await service.ask('PATCH', `${path}/${made.id}`, { token: ann.token, body: { active: false } })
    assert.equal((await rotate(made.id)).status, 409)
    const total = (await service.ask('GET', `${path}?name=test&rotatedAt[null]=false`, { token: ann.token })).body.meta
      .total
    assert.equal(total, 0, 'nothing was half done')
  })

  it('never lets the old one live longer than it would, nor the new one', async () => {
    const expiresAt = new Date(service.now() + 60_000).toISOString()
    const made = (await make({ expiresAt })).body
    const { body } = await rotate(made.id)
    assert.deepEqual([body.expiresAt, (await shown(made.id)).expiresAt], [expiresAt, expiresAt])
  })

  it('by a key takes a scope, and gives no more than that key may', async () => {
    const plain = (await make({})).body
    assert.equal((await rotate(plain.id, {}, { key: plain.key })).status, 403)
    const expiresAt = new Date(service.now() + 3_600_000).toISOString()
    const own = (await make({ scopes: ['api-keys:rotate', 'api-keys:read'], expiresAt })).body
    assert.equal((await rotate(plain.id, {}, { key: own.key })).status, 403)
    const itself = await rotate(own.id, {}, { key: own.key })
    assert.deepEqual([itself.status, itself.body.expiresAt], [201, expiresAt])
  })

  it('is one successor for many at once', async () => {
    const made = (await make({})).body
    const replies = await Promise.all(Array.from({ length: 8 }, () => rotate(made.id)))
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, ...Array(7).fill(409)])
  })
})

describe('a role is no credential', () => {
  it("so an ADMIN's key without scopes sets one, and the audit names the key; a scoped one does not", async () => {
    const made = (await make({ name: 'staff' }, { token: (await service.logIn(adminEmail)).token })).body
    const set = (role: string, key: string) => service.ask('PATCH', `/api/v1/users/${ann.id}`, { key, body: { role } })
    assert.equal((await set('EDITOR', made.key)).body.role, 'EDITOR')
    const scoped = (await make({ scopes: ['users:*'] }, { token: admin.token })).body
    assert.equal((await set('ADMIN', scoped.key)).status, 403)
    const password = { password: 'another horse' }
    assert.equal((await service.ask('PATCH', `/api/v1/users/${ann.id}`, { key: made.key, body: password })).status, 403)
    const events = `/api/v1/audit-events?userId=${ann.id}&event=role-changed`
    const [event] = (await service.ask('GET', events, { token: admin.token })).body.data
    assert.deepEqual([event.credential, event.actorId], [`key:${made.id}`, admin.id])
  })
})

it('a key is rotated alone: a batch that is kept for a retry would keep the new one', async () => {
  const { id } = (await service.ask('POST', path, { token: ann.token, body: { name: 'batched' } })).body
  const operations = [{ method: 'POST', path: `/api-keys/${id}/rotate`, body: {} }]
  const ways: Record<string, string>[] = [{}, { 'idempotency-key': 'rotated-once' }]
  for (const headers of ways) {
    const { status, body } = await service.ask('POST', '/api/v1/batch', {
      token: ann.token,
      body: { operations },
      headers,
    })
    assert.deepEqual(
      [status, body.error],
      [400, 'operations[0]: rotate of apiKeys is not possible in a batch; send it alone; nothing was stored'],
    )
  }
})
