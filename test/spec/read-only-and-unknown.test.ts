/** Bodies against the declaration: fields that nobody sets, fields that do not exist, wrong types, what PUT keeps and PATCH clears. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { check, checkReply, type Scenario } from '../helpers/scenario.ts'
import { password, type Person, startService, type TestService } from '../helpers/service.ts'

let service: TestService
let admin: Person
let editor: Person
let user: Person
const v1 = '/api/v1'
const none = '01926e0f-0000-7000-8000-000000000000'
const longAgo = '2001-01-01T00:00:00.000Z'

before(async () => {
  service = await startService()
  admin = await service.admin()
  editor = await service.person('EDITOR')
  user = await service.person()
})
after(() => service.stop())

test('read-only on create, whatever its value', async (t) => {
  const { ask } = service
  const product = (await ask('POST', `${v1}/products`, { body: { name: 'Lamp', price: 1 }, token: editor.token })).body
  const signUp = { email: 'new@example.com', password }
  const cases: [string, object, string[], string | undefined][] = [
    ['/products', { name: 'x', price: 1 }, ['id', 'createdAt', 'updatedAt'], editor.token],
    [`/products/${product.id}/reviews`, { rating: 5 }, ['id', 'productId', 'userId', 'createdAt'], user.token],
    ['/users', signUp, ['id', 'createdAt', 'updatedAt'], undefined],
    ['/posts', { title: 'x' }, ['id', 'authorId', 'createdAt', 'updatedAt'], user.token],
    ['/messages', { recipientId: editor.id, text: 'x' }, ['_id', 'senderId', 'createdAt'], user.token],
    ['/api-keys', { name: 'x' }, ['id', 'userId', 'lastUsedAt', 'createdAt'], user.token],
    [`/users/${user.id}/cart/items`, { productId: product.id, quantity: 1 }, ['id', 'unitPrice', 'lineTotal'], user.token],
  ]
  for (const [path, body, names, token] of cases) {
    const values = [user.id, null, 0, longAgo]
    const scenarios = names.flatMap((name) =>
      values.map((value): Scenario => {
        const send = { body: { ...body, [name]: value }, token }
        return { it: `${name} ${value}`, ask: `POST ${v1}${path}`, send, status: 400, error: `${name} is read-only` }
      }),
    )
    await check(t, ask, scenarios)
  }
  checkReply({ status: 200, says: '"total":0' }, await ask('GET', `${v1}/products/${product.id}/reviews`))
  checkReply({ status: 200, says: '"total":0' }, await ask('GET', `${v1}/posts`))
  checkReply({ status: 200, says: '"items":[]' }, await ask('GET', `${v1}/users/${user.id}/cart`, { token: user.token }))
})

test('read-only on a change: the same is taken, another is not', async (t) => {
  const { ask } = service
  const { body: post } = await ask('POST', `${v1}/posts`, { body: { title: 'Mine', tags: ['a', 'b'] }, token: user.token })
  const path = `${v1}/posts/${post.id}`
  const same = { id: post.id, authorId: post.authorId, createdAt: post.createdAt }
  const refused = [{ id: none }, { id: null }, { authorId: editor.id }, { authorId: null }, { createdAt: longAgo }, { updatedAt: longAgo }, { createdAt: 5 }]
  for (const method of ['PATCH', 'PUT']) {
    const scenarios = refused.map((body): Scenario => {
      const name = Object.keys(body)[0]
      return { it: JSON.stringify(body), ask: `${method} ${path}`, send: { body: { title: 'Mine', ...body } }, status: 400, error: `${name} is read-only` }
    })
    await check(t, ask, scenarios, { token: user.token })
  }
  checkReply({ status: 200, body: post }, await ask('GET', path, { token: user.token }))
  const patched = await ask('PATCH', path, { body: { ...same, title: 'Ours' }, token: user.token })
  checkReply({ status: 200, says: '"title":"Ours"' }, patched)
  const put = await ask('PUT', path, { body: patched.body, token: user.token })
  assert.deepEqual({ ...put.body, updatedAt: '' }, { ...patched.body, updatedAt: '' })
})

test('a field that does not exist is named, also when it is hidden or of the prototype', async (t) => {
  const names = ['nmae', 'Name', 'name ', '', 'passwordHash', 'password_hash', 'email_folded', 'version', 'row_id', 'toString', 'hasOwnProperty', 'valueOf', 'search', '$set', 'x.y', 'x[y]']
  const { ask } = service
  const at = `${v1}/users/${user.id}`
  const scenarios = names.flatMap((name): Scenario[] => [
    { it: name, ask: `PATCH ${at}`, send: { body: { name: 'Changed', [name]: 'x' }, token: user.token }, status: 400, says: name },
    { it: name, ask: `PUT ${at}`, send: { body: { email: user.email, [name]: 'x' }, token: user.token }, status: 400, says: name },
    { it: name, ask: `POST ${v1}/users`, send: { body: { email: 'n@example.com', password, [name]: 'x' } }, status: 400, says: name },
  ])
  await check(t, ask, scenarios)
  const keyBody = { name: 'k', key: 'bk_mine' }
  checkReply({ status: 400, says: 'key' }, await ask('POST', `${v1}/api-keys`, { body: keyBody, token: user.token }))
  const read = await ask('GET', at, { token: user.token })
  assert.notEqual(read.body.name, 'Changed')
  assert.equal(Object.hasOwn(Object.prototype, 'name'), false)
})

test('wrong types are named, and nothing is turned into another type', async (t) => {
  const { ask } = service
  const cases: [string, object, string, string][] = [
    ['/posts', { title: 1 }, 'title must be a string', user.token],
    ['/posts', { title: 'x', body: {} }, 'body must be a string', user.token],
    ['/posts', { title: 'x', published: 'true' }, 'published must be a boolean', user.token],
    ['/posts', { title: 'x', published: 1 }, 'published must be a boolean', user.token],
    ['/posts', { title: 'x', tags: 'a,b' }, 'tags must be a list of strings', user.token],
    ['/posts', { title: 'x', tags: ['a', 1] }, 'tags must be a list of strings', user.token],
    ['/posts', { title: 'x', tags: { 0: 'a' } }, 'tags must be a list of strings', user.token],
    ['/messages', { recipientId: 5, text: 'x' }, 'recipientId must be a string', user.token],
    ['/messages', { recipientId: editor.id, text: 5 }, 'text must be a string', user.token],
    ['/users', { email: ['a@example.com'], password }, 'email must be a string', ''],
    ['/users', { email: 'x@example.com', password: 12345678 }, 'password must be a string', ''],
    ['/api-keys', { name: 'x', active: 'no' }, 'active must be a boolean', user.token],
  ]
  await check(t, ask, cases.map(([path, body, error, token]): Scenario => ({ it: error, ask: `POST ${v1}${path}`, send: { body, token }, status: 400, error })))
  await check(t, ask, [
    { it: 'a required text that is blank', ask: `POST ${v1}/messages`, send: { body: { recipientId: editor.id, text: ' \n' } }, status: 400, error: 'text is required' },
    { it: 'both missing', ask: `POST ${v1}/messages`, send: { body: {} }, status: 400, says: /recipientId.*text/ },
    { it: '4,001 characters', ask: `POST ${v1}/messages`, send: { body: { recipientId: editor.id, text: 'x'.repeat(4001) } }, status: 400, says: 'text' },
    { it: '4,000 characters', ask: `POST ${v1}/messages`, send: { body: { recipientId: editor.id, text: '𝒳'.repeat(4000) } }, status: 201 },
    { it: 'to nobody', ask: `POST ${v1}/messages`, send: { body: { recipientId: none, text: 'x' } }, status: 400, says: 'recipientId' },
    { it: 'to no id', ask: `POST ${v1}/messages`, send: { body: { recipientId: 'bob', text: 'x' } }, status: 400, says: 'recipientId' },
  ], { token: user.token })
})

test('PUT on a user keeps password, role and status, and drops the rest', async () => {
  const { ask } = service
  const other = await service.person('EDITOR')
  const path = `${v1}/users/${other.id}`
  const before = (await ask('GET', path, { token: other.token })).body
  assert.deepEqual(Object.keys(before), ['id', 'email', 'name', 'role', 'status', 'createdAt', 'updatedAt'])
  const put = await ask('PUT', path, { body: { email: other.email }, token: other.token })
  assert.deepEqual(put.body, { ...before, name: null, updatedAt: put.body.updatedAt })
  await service.logIn(other.email)
  checkReply({ status: 200 }, await ask('PUT', path, { body: put.body, token: other.token }))
  checkReply({ status: 400, error: 'email is required' }, await ask('PUT', path, { body: { name: 'x' }, token: other.token }))
  checkReply({ status: 403, error: 'Insufficient permissions' }, await ask('PUT', path, { body: { email: other.email, role: 'ADMIN' }, token: other.token }))
  checkReply({ status: 403 }, await ask('PATCH', path, { body: { status: 'SUSPENDED' }, token: other.token }))
  checkReply({ status: 400, error: 'password is required' }, await ask('PUT', path, { body: { email: other.email, password: null }, token: other.token }))
  checkReply({ status: 400, says: 'role must be one of USER, EDITOR, ADMIN' }, await ask('PATCH', path, { body: { role: 'admin' }, token: admin.token }))
  const byAdmin = await ask('PUT', path, { body: { email: other.email, role: 'USER' }, token: admin.token })
  checkReply({ status: 200, says: '"role":"USER"', hides: ['password', 'argon2'] }, byAdmin)
  await ask('PUT', path, { body: { email: other.email, password: 'another one' }, token: other.token })
  await assert.rejects(service.logIn(other.email), /401/)
  await service.logIn(other.email, 'another one')
})

test('PATCH: null clears what is optional, resets what has a default, and cannot clear what is required', async (t) => {
  const { ask } = service
  const sent = { title: 'Draft', body: 'Text', published: true, tags: ['a'] }
  const { body: post } = await ask('POST', `${v1}/posts`, { body: sent, token: user.token })
  const path = `${v1}/posts/${post.id}`
  await check(t, ask, [
    { it: 'body', ask: `PATCH ${path}`, send: { body: { body: null } }, status: 200, says: '"body":null' },
    { it: 'published', ask: `PATCH ${path}`, send: { body: { published: null } }, status: 200, says: '"published":false' },
    { it: 'tags', ask: `PATCH ${path}`, send: { body: { tags: null } }, status: 200, says: '"tags":[]' },
    { it: 'title', ask: `PATCH ${path}`, send: { body: { title: null } }, status: 400, error: 'title is required' },
    { it: 'nothing', ask: `PATCH ${path}`, send: { body: {} }, status: 200, says: '"title":"Draft"' },
    { it: 'a list is replaced whole', ask: `PATCH ${path}`, send: { body: { tags: ['z'] } }, status: 200, says: '"tags":["z"]' },
  ], { token: user.token })
})

test('nothing that is hidden is ever in an answer', async () => {
  const { ask } = service
  const key = await service.key(user)
  const paths = [`/users/${user.id}`, '/users', '/api-keys', '/sessions', `/users/${user.id}/cart`]
  for (const path of paths) {
    const reply = await ask('GET', v1 + path, { token: admin.token })
    checkReply({ status: 200, hides: ['argon2', 'password', 'hash', 'cartId', 'version', key, key.slice(3, 20)] }, reply)
  }
  const conflict = await ask('POST', `${v1}/users`, { body: { email: user.email.toUpperCase(), password } })
  checkReply({ status: 409, hides: ['users.', 'folded'] }, conflict)
})
