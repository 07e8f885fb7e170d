/**
 * Scopes of API keys narrow what the owner may do and never widen it. Also: which callers may see
 * and change which key.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type AskOptions, password, startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let editor: TestPerson
let ann: TestPerson
let bob: TestPerson
let product: string
let order: string
let draft: string
before(async () => {
  service = await startService()
  ;[admin, editor, ann, bob] = await Promise.all([
    service.admin(),
    service.person('EDITOR'),
    service.person(),
    service.person(),
  ])
  const { ask } = service
  product = (await ask('POST', '/api/v1/products', { body: { name: 'Thing', price: 1 }, token: admin.token })).body.id
  await ask('POST', `/api/v1/users/${ann.id}/cart/items`, {
    body: { productId: product, quantity: 1 },
    token: ann.token,
  })
  order = (await ask('POST', `/api/v1/users/${ann.id}/cart/checkout`, { token: ann.token })).body.id
  draft = (await ask('POST', '/api/v1/posts', { body: { title: 'Draft' }, token: ann.token })).body.id
})
after(() => service.stop())

const change = { method: 'PATCH', path: () => `/api/v1/products/${product}`, body: { description: 'x' } }
const asks = {
  'products:list': { method: 'GET', path: () => '/api/v1/products' },
  'products:update': change,
  'products:export': { method: 'GET', path: () => '/api/v1/products/export' },
  'orders:get': { method: 'GET', path: () => `/api/v1/orders/${order}` },
  'orders:list': { method: 'GET', path: () => '/api/v1/orders' },
  'messages:list': { method: 'GET', path: () => '/messages' },
  'messages:create': { method: 'POST', path: () => '/messages', body: {} },
  'users:get': { method: 'GET', path: () => `/api/v1/users/${ann.id}` },
  'users:list': { method: 'GET', path: () => '/api/v1/users' },
  'posts:get a draft': { method: 'GET', path: () => `/api/v1/posts/${draft}` },
  'books:list': { method: 'GET', path: () => '/books' },
} as const

describe('a key with scopes', () => {
  type What = keyof typeof asks
  const table: [string, () => TestPerson, string[], Partial<Record<What, number>>][] = [
    [
      'read of one thing',
      () => editor,
      ['products:read'],
      {
        'products:list': 200,
        'products:export': 200,
        'products:update': 403,
        'orders:get': 403,
        'messages:list': 403,
        'books:list': 200,
      },
    ],
    [
      'one verb',
      () => editor,
      ['products:update'],
      { 'products:update': 200, 'products:list': 200, 'products:export': 403, 'orders:list': 403 },
    ],
    [
      'everything with orders',
      () => ann,
      ['orders:*'],
      { 'orders:get': 200, 'orders:list': 403, 'messages:list': 403, 'users:get': 403, 'posts:get a draft': 404 },
    ],
    [
      'more than its owner may',
      () => ann,
      ['products:*', 'users:*', 'orders:write'],
      { 'products:update': 403, 'products:export': 403, 'users:list': 403, 'users:get': 200, 'orders:get': 403 },
    ],
    ['another user of that kind', () => bob, ['orders:*', 'users:*'], { 'orders:get': 404, 'users:get': 404 }],
    ['write without read', () => ann, ['messages:write'], { 'messages:list': 403, 'messages:create': 400 }],
    ['the beginning of another name', () => ann, ['order-items:read'], { 'orders:get': 403 }],
    [
      'everything of an ADMIN, cut down',
      () => admin,
      ['books:read'],
      { 'users:list': 403, 'products:update': 403, 'orders:list': 403, 'products:list': 200, 'posts:get a draft': 404 },
    ],
  ]
  for (const [what, owner, scopes, expected] of table) {
    it(`for ${what}: ${scopes}`, async () => {
      const key = await service.key(owner(), { scopes })
      for (const [name, status] of Object.entries(expected)) {
        const { method, path, ...rest } = asks[name as What]
        const reply = await service.ask(method, path(), { key, ...('body' in rest ? { body: rest.body } : {}) })
        assert.equal(reply.status, status, `${name}: ${reply.text.slice(0, 200)}`)
        if (status === 403) assert.deepEqual(reply.body, { error: 'Insufficient permissions' })
      }
    })
  }

  it('makes no key that may more, widens none, and cannot make itself last', async () => {
    const made = await service.ask('POST', '/api/v1/api-keys', {
      body: { name: 'Cut', scopes: ['api-keys:*', 'books:read'] },
      token: ann.token,
    })
    const { id, key } = made.body
    const wide = (await service.ask('POST', '/api/v1/api-keys', { body: { name: 'Wide' }, token: ann.token })).body
    const tries: [string, string, object][] = [
      ['POST', '', { name: 'Child' }],
      ['POST', '', { name: 'Child', scopes: ['books:*'] }],
      ['PATCH', `/${id}`, { scopes: null }],
      ['PATCH', `/${id}`, { scopes: ['users:*'] }],
      ['PUT', `/${id}`, { name: 'Cut' }],
      ['PATCH', `/${wide.id}`, { scopes: ['users:*'] }],
    ]
    for (const [method, path, body] of tries) {
      const reply = await service.ask(method, `/api/v1/api-keys${path}`, { body, key })
      assert.deepEqual(
        [reply.status, reply.body],
        [403, { error: 'Insufficient permissions' }],
        `${method} ${JSON.stringify(body)}`,
      )
    }
    const now = (await service.ask('GET', `/api/v1/api-keys/${id}`, { token: ann.token })).body
    assert.deepEqual(now.scopes, ['api-keys:*', 'books:read'])
  })

  it('gives no other key more than it has itself, whether that one works or not', async () => {
    const at = (ms: number) => new Date(service.now() + ms).toISOString()
    const [soon, later] = [at(3_600_000), at(7_200_000)]
    const make = async (values: object) =>
      (await service.ask('POST', '/api/v1/api-keys', { body: { name: 'k', ...values }, token: ann.token })).body
    const { key } = await make({ scopes: ['api-keys:*', 'books:read'], expiresAt: soon })
    const lesser = { scopes: ['books:read'], expiresAt: soon }
    const mutate = (id: string, input: string) =>
      service.ask('POST', '/graphql', {
        body: { query: `mutation { updateApiKey(id: "${id}", input: { ${input} }) { id } }` },
        key,
      })
    for (const active of [true, false]) {
      const target = await make({ ...lesser, active })
      const path = `/api/v1/api-keys/${target.id}`
      const refused: [string, object][] = [
        ['PATCH', { scopes: null }],
        ['PATCH', { expiresAt: null }],
        ['PATCH', { expiresAt: later }],
        ['PATCH', { scopes: ['books:*'] }],
        ['PATCH', { scopes: null, expiresAt: null, active: false }],
        ['PATCH', { scopes: ['users:read'], active: true }],
        ['PUT', { name: 'k', active: false }],
        ['PUT', { ...lesser, name: 'k', expiresAt: later, active: false }],
      ]
      for (const [method, body] of refused) {
        const reply = await service.ask(method, path, { body, key })
        assert.equal(reply.status, 403, `active: ${active}, ${method} ${JSON.stringify(body)}: ${reply.text}`)
      }
      for (const input of ['scopes: null, expiresAt: null, active: false', 'expiresAt: null', 'scopes: ["orders:*"]'])
        assert.equal((await mutate(target.id, input)).body.errors?.[0].extensions.code, 'FORBIDDEN', input)
      assert.equal((await service.ask('POST', `${path}/rotate`, { key })).status, active ? 201 : 409)
      const { scopes, expiresAt } = (await service.ask('GET', path, { token: ann.token })).body
      assert.deepEqual(scopes, lesser.scopes)
      assert.ok(Date.parse(expiresAt) <= Date.parse(soon))
    }
    const created = await service.ask('POST', '/api/v1/api-keys', { body: { name: 'k', active: false }, key })
    assert.equal(created.status, 403)
  })

  it('switches a wider key off and renames it, and does not switch it on', async () => {
    const key = await service.key(ann, { scopes: ['api-keys:*'] })
    const wide = await service.ask('POST', '/api/v1/api-keys', { body: { name: 'Wide' }, token: ann.token })
    const path = `/api/v1/api-keys/${wide.body.id}`
    const patch = async (body: object) => (await service.ask('PATCH', path, { body, key })).status
    assert.deepEqual(
      [await patch({ name: 'W' }), await patch({ active: false }), await patch({ name: 'X' })],
      [200, 200, 200],
    )
    assert.deepEqual([await patch({ active: true }), await patch({ scopes: ['api-keys:read'] })], [403, 200])
    assert.equal(await patch({ active: true }), 200)
    assert.equal((await service.ask('DELETE', path, { key })).status, 204)
  })

  it('follows its owner down: a role that is lost is lost at once', async () => {
    const person = await service.person('EDITOR')
    const key = await service.key(person, { scopes: ['products:update'] })
    const asked = async () => (await service.ask(change.method, change.path(), { key, body: change.body })).status
    assert.equal(await asked(), 200)
    await service.ask('PATCH', `/api/v1/users/${person.id}`, { body: { role: 'USER' }, token: admin.token })
    assert.equal(await asked(), 403)
  })

  it('signs nobody up in a role that its owner could give', async () => {
    const key = await service.key(admin, { scopes: ['books:read'] })
    const body = { email: 'raised@example.com', password: 'correct horse', role: 'ADMIN' }
    assert.equal((await service.ask('POST', '/api/v1/users', { body, key })).status, 403)
  })
})

describe('keys of others', () => {
  it("are an ADMIN's to see, change and end, and nobody else's", async () => {
    const { id } = (await service.ask('POST', '/api/v1/api-keys', { body: { name: 'Anns' }, token: ann.token })).body
    const path = `/api/v1/api-keys/${id}`
    for (const person of [bob, editor]) {
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { active: false }],
        ['PUT', { name: 'x' }],
        ['DELETE', undefined],
      ] as const) {
        const reply = await service.ask(method, path, { body, token: person.token })
        assert.deepEqual([reply.status, reply.body], [404, { error: 'API key not found' }], method)
      }
      assert.ok(!(await service.ask('GET', '/api/v1/api-keys?limit=100', { token: person.token })).text.includes(id))
    }
    assert.ok((await service.ask('GET', '/api/v1/api-keys?limit=100', { token: admin.token })).text.includes(id))
    assert.equal((await service.ask('PATCH', path, { body: { active: false }, token: admin.token })).body.active, false)
    assert.equal((await service.ask('DELETE', path, { token: admin.token })).status, 204)
  })
})

describe('the log', () => {
  it('holds no credential, wherever one is sent', async () => {
    const key = await service.key(ann)
    const asks: [string, AskOptions][] = [
      [`/books?api_key=${key}`, {}],
      [`/books?api_key=${key}&api_key=${key}`, {}],
      [`/books?apikey=${key}`, {}],
      [`/books/${key}`, {}],
      [`/${key}/${ann.token}`, {}],
      [`/books?token=${ann.token}`, {}],
      ['/books', { key, token: ann.token, cookie: `refreshToken=${ann.refreshToken}` }],
      ['/auth/refresh', { cookie: `refreshToken=${ann.refreshToken}` }],
    ]
    for (const [path, options] of asks) await service.ask('GET', path, options)
    const lines = service.logged.join('\n')
    assert.ok(lines.includes('/books'))
    for (const secret of [key, ann.token, ann.refreshToken, password]) assert.ok(!lines.includes(secret))
  })
})
