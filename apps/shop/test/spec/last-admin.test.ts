/**
 * The last active ADMIN cannot be removed, and a suspension ends sessions for good, by every
 * interface.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { adminEmail, startService, type TestPerson, type TestResponse, type TestService } from '../helpers/service.ts'

const users = '/api/v1/users'
const last = 'This user is the last active ADMIN, who cannot be demoted, suspended or deleted; make another one first'
let service: TestService
let admin: TestPerson
before(async () => {
  service = await startService()
  admin = await service.admin()
})
after(() => service.stop())

const seen = ({ status, body }: TestResponse) => [status, body]
const ask = (method: string, path: string, { token }: TestPerson, body?: object) =>
  service.ask(method, `${users}/${path}`, { token, ...(body && { body }) })
const mutate = async (query: string, { token }: TestPerson) =>
  (await service.ask('POST', '/graphql', { body: { query: `mutation { ${query} }` }, token })).body

describe('the last active ADMIN', () => {
  const ways = (id: string): [string, string, object?][] => [
    ['PATCH', id, { role: 'EDITOR' }],
    ['PATCH', id, { status: 'SUSPENDED' }],
    ['PATCH', id, { status: 'INACTIVE' }],
    ['PUT', id, { email: adminEmail, role: 'USER' }],
    ['POST', `${id}/suspend`],
    ['DELETE', id],
  ]

  it('is not demoted, suspended or deleted, over REST and GraphQL', async () => {
    // An ADMIN who is not active keeps nothing open.
    const other = await service.person('ADMIN')
    assert.equal((await ask('POST', `${other.id}/suspend`, admin)).status, 200)
    for (const [method, path, body] of ways(admin.id))
      assert.deepEqual(seen(await ask(method, path, admin, body)), [409, { error: last }], `${method} ${path}`)
    for (const query of [
      `deleteUser(id: "${admin.id}")`,
      `suspendUser(id: "${admin.id}") { id }`,
      `updateUser(id: "${admin.id}", input: { role: USER }) { id }`,
    ]) {
      const { errors } = await mutate(query, admin)
      assert.deepEqual([errors[0].extensions.code, errors[0].message], ['CONFLICT', last], query)
    }
    assert.equal((await ask('PATCH', admin.id, admin, { role: 'ADMIN', status: 'ACTIVE', name: 'A' })).status, 200)
    assert.equal((await ask('DELETE', other.id, admin)).status, 204)
  })

  it('is one of two who go at the same time, whichever way they go', async () => {
    for (const way of [0, 4, 5]) {
      const [one, two] = [await service.person('ADMIN'), await service.person('ADMIN')]
      // The first ADMIN steps back, so that these two are the last.
      assert.equal((await ask('PATCH', admin.id, one, { role: 'USER' })).status, 200)
      const go = (person: TestPerson) => {
        const [method, path, body] = ways(person.id)[way] as [string, string, object?]
        const sent = body && 'email' in body ? { ...body, email: person.email } : body
        return ask(method, path, person, sent)
      }
      const replies = await Promise.all([go(one), go(two)])
      const statuses = replies.map(({ status }) => status).sort()
      assert.equal(statuses.filter((status) => status === 409).length, 1, `${way}: ${statuses}`)
      const left = replies[0].status === 409 ? one : two
      assert.equal((await ask('PATCH', admin.id, left, { role: 'ADMIN' })).status, 200, 'one stays')
      assert.equal((await ask('DELETE', left.id, left)).status, 204)
    }
  })
})

describe('a suspension', () => {
  it('ends sessions for good: activation does not bring them back, but keys act again', async () => {
    const refresh = (refreshToken: string) =>
      service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${refreshToken}` })
    const ends: [string, (id: string) => Promise<TestResponse>][] = [
      ['the action', (id) => ask('POST', `${id}/suspend`, admin)],
      ['PATCH to SUSPENDED', (id) => ask('PATCH', id, admin, { status: 'SUSPENDED' })],
      ['PATCH to INACTIVE', (id) => ask('PATCH', id, admin, { status: 'INACTIVE' })],
    ]
    for (const [what, end] of ends) {
      const ann = await service.person()
      const key = await service.key(ann, { name: 'k' })
      const me = (by: object) => service.ask('GET', `${users}/${ann.id}`, by)
      assert.equal((await me({ token: ann.token })).status, 200)
      assert.equal((await end(ann.id)).status, 200)
      assert.equal((await me({ key })).status, 401, what)
      assert.equal((await ask('POST', `${ann.id}/activate`, admin)).status, 200)
      assert.deepEqual(seen(await me({ token: ann.token })), [401, { error: 'Invalid token' }], what)
      assert.deepEqual(seen(await refresh(ann.refreshToken)), [401, { error: 'Invalid refresh token' }], what)
      assert.equal(
        (await service.ask('GET', `/api/v1/sessions?userId=${ann.id}`, { token: admin.token })).body.meta.total,
        0,
      )
      assert.equal((await me({ key })).status, 200, what)
      const again = await service.logIn(ann.email)
      assert.equal((await ask('POST', `${ann.id}/activate`, admin)).status, 200, 'no change')
      assert.equal((await me({ token: again.token })).status, 200, 'a session of after stays')
    }
  })
})
