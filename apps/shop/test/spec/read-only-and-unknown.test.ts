/** Bodies that do not fit the declaration: read-only fields, unknown fields, wrong types. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  askWith,
  check,
  checkReply,
  password,
  type Scenario,
  startService,
  type TestPerson,
  type TestService,
} from '../helpers/service.ts'

let service: TestService
let editor: TestPerson
let user: TestPerson
const v1 = '/api/v1'
const none = '01926e0f-0000-7000-8000-000000000000'
const longAgo = '2001-01-01T00:00:00.000Z'

before(async () => {
  service = await startService()
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
    [
      `/users/${user.id}/cart/items`,
      { productId: product.id, quantity: 1 },
      ['id', 'unitPrice', 'lineTotal'],
      user.token,
    ],
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
  checkReply(
    { status: 200, says: '"items":[]' },
    await ask('GET', `${v1}/users/${user.id}/cart`, { token: user.token }),
  )
})

test('read-only on a change: the same is taken, another is not', async (t) => {
  const { ask } = service
  const { body: post } = await ask('POST', `${v1}/posts`, {
    body: { title: 'Mine', tags: ['a', 'b'] },
    token: user.token,
  })
  const path = `${v1}/posts/${post.id}`
  const same = { id: post.id, authorId: post.authorId, createdAt: post.createdAt }
  const refused = [
    { id: none },
    { id: null },
    { authorId: editor.id },
    { authorId: null },
    { createdAt: longAgo },
    { updatedAt: longAgo },
    { createdAt: 5 },
  ]
  for (const method of ['PATCH', 'PUT']) {
    const scenarios = refused.map((body): Scenario => {
      const name = Object.keys(body)[0]
      return {
        it: JSON.stringify(body),
        ask: `${method} ${path}`,
        send: { body: { title: 'Mine', ...body } },
        status: 400,
        error: `${name} is read-only`,
      }
    })
    await check(t, askWith(ask, { token: user.token }), scenarios)
  }
  checkReply({ status: 200, body: post }, await ask('GET', path, { token: user.token }))
  const patched = await ask('PATCH', path, { body: { ...same, title: 'Ours' }, token: user.token })
  checkReply({ status: 200, says: '"title":"Ours"' }, patched)
  const put = await ask('PUT', path, { body: patched.body, token: user.token })
  assert.deepEqual({ ...put.body, updatedAt: '' }, { ...patched.body, updatedAt: '' })
})

test('a field that does not exist is named, also when it is hidden or of the prototype', async (t) => {
  const names = [
    'nmae',
    'Name',
    'name ',
    '',
    'passwordHash',
    'password_hash',
    'email_folded',
    'version',
    'row_id',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'search',
    '$set',
    'x.y',
    'x[y]',
  ]
  const { ask } = service
  const at = `${v1}/users/${user.id}`
  const scenarios = names.flatMap((name): Scenario[] => [
    {
      it: name,
      ask: `PATCH ${at}`,
      send: { body: { name: 'Changed', [name]: 'x' }, token: user.token },
      status: 400,
      says: name,
    },
    {
      it: name,
      ask: `PUT ${at}`,
      send: { body: { email: user.email, [name]: 'x' }, token: user.token },
      status: 400,
      says: name,
    },
    {
      it: name,
      ask: `POST ${v1}/users`,
      send: { body: { email: 'n@example.com', password, [name]: 'x' } },
      status: 400,
      says: name,
    },
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
  await check(
    t,
    ask,
    cases.map(
      ([path, body, error, token]): Scenario => ({
        it: error,
        ask: `POST ${v1}${path}`,
        send: { body, token },
        status: 400,
        error,
      }),
    ),
  )
  await check(t, askWith(ask, { token: user.token }), [
    {
      it: 'a required text that is blank',
      ask: `POST ${v1}/messages`,
      send: { body: { recipientId: editor.id, text: ' \n' } },
      status: 400,
      error: 'text is required',
    },
    { it: 'both missing', ask: `POST ${v1}/messages`, send: { body: {} }, status: 400, says: /recipientId.*text/ },
    {
      it: '4,001 characters',
      ask: `POST ${v1}/messages`,
      send: { body: { recipientId: editor.id, text: 'x'.repeat(4001) } },
      status: 400,
      says: 'text',
    },
    {
      it: '4,000 characters',
      ask: `POST ${v1}/messages`,
      send: { body: { recipientId: editor.id, text: '𝒳'.repeat(4000) } },
      status: 201,
    },
    {
      it: 'to nobody',
      ask: `POST ${v1}/messages`,
      send: { body: { recipientId: none, text: 'x' } },
      status: 400,
      says: 'recipientId',
    },
    {
      it: 'to no id',
      ask: `POST ${v1}/messages`,
      send: { body: { recipientId: 'bob', text: 'x' } },
      status: 400,
      says: 'recipientId',
    },
  ])
})
