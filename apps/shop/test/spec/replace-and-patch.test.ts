/**
 * The fields that PUT keeps and drops, the fields that PATCH clears and resets, and the fields that
 * no response contains.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  askWith,
  check,
  checkReply,
  password,
  startService,
  type TestPerson,
  type TestService,
} from '../helpers/service.ts'

let service: TestService
let admin: TestPerson
let user: TestPerson
const v1 = '/api/v1'

before(async () => {
  service = await startService()
  admin = await service.admin()
  user = await service.person()
})
after(() => service.stop())

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
  checkReply(
    { status: 400, error: 'email is required' },
    await ask('PUT', path, { body: { name: 'x' }, token: other.token }),
  )
  checkReply(
    { status: 403, error: 'Insufficient permissions' },
    await ask('PUT', path, { body: { email: other.email, role: 'ADMIN' }, token: other.token }),
  )
  checkReply({ status: 403 }, await ask('PATCH', path, { body: { status: 'SUSPENDED' }, token: other.token }))
  checkReply(
    { status: 400, error: 'password is required' },
    await ask('PUT', path, { body: { email: other.email, password: null }, token: other.token }),
  )
  checkReply(
    { status: 400, says: 'role must be one of USER, EDITOR, ADMIN' },
    await ask('PATCH', path, { body: { role: 'admin' }, token: admin.token }),
  )
  const byAdmin = await ask('PUT', path, { body: { email: other.email, role: 'USER' }, token: admin.token })
  checkReply({ status: 200, says: '"role":"USER"', hides: ['password', 'argon2'] }, byAdmin)
  const body = { email: other.email, password: 'another one', currentPassword: password }
  await ask('PUT', path, { body, token: other.token })
  await assert.rejects(service.logIn(other.email), /401/)
  await service.logIn(other.email, 'another one')
})

test('PATCH: null clears what is optional, resets what has a default, and cannot clear what is required', async (t) => {
  const { ask } = service
  const sent = { title: 'Draft', body: 'Text', published: true, tags: ['a'] }
  const { body: post } = await ask('POST', `${v1}/posts`, { body: sent, token: user.token })
  const path = `${v1}/posts/${post.id}`
  await check(t, askWith(ask, { token: user.token }), [
    { it: 'body', ask: `PATCH ${path}`, send: { body: { body: null } }, status: 200, says: '"body":null' },
    {
      it: 'published',
      ask: `PATCH ${path}`,
      send: { body: { published: null } },
      status: 200,
      says: '"published":false',
    },
    { it: 'tags', ask: `PATCH ${path}`, send: { body: { tags: null } }, status: 200, says: '"tags":[]' },
    { it: 'title', ask: `PATCH ${path}`, send: { body: { title: null } }, status: 400, error: 'title is required' },
    { it: 'nothing', ask: `PATCH ${path}`, send: { body: {} }, status: 200, says: '"title":"Draft"' },
    {
      it: 'a list is replaced whole',
      ask: `PATCH ${path}`,
      send: { body: { tags: ['z'] } },
      status: 200,
      says: '"tags":["z"]',
    },
  ])
})

test('nothing that is hidden is ever in an answer', async () => {
  const { ask } = service
  const key = await service.key(user)
  const paths = [`/users/${user.id}`, '/users', '/api-keys', '/sessions', `/users/${user.id}/cart`]
  for (const path of paths) {
    const reply = await ask('GET', v1 + path, { token: admin.token })
    checkReply(
      { status: 200, hides: ['argon2', 'password', 'hash', 'cartId', 'version', key, key.slice(3, 20)] },
      reply,
    )
  }
  const conflict = await ask('POST', `${v1}/users`, { body: { email: user.email.toUpperCase(), password } })
  checkReply({ status: 409, hides: ['users.', 'folded'] }, conflict)
})
