/**
 * A logged-in user proves their own address. That ends none of the account's sessions or keys,
 * since mailbox and account have one owner. A link alone proves nothing, or a user could prove an
 * account that a stranger created with their address.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Mailbox, mailboxOf } from '../helpers/mails.ts'
import { password, startService, type TestService } from '../helpers/service.ts'

const next = 'a much longer horse'
const subject = 'Confirm the address of your account'
const dead = { error: 'token is used, expired or unknown; ask for a new mail' }
let service: TestService
let box: Mailbox
let people = 0
before(async () => {
  service = await startService()
  box = mailboxOf(service)
})
after(() => service.stop())

type Person = { readonly id: string; readonly email: string; readonly token: string }
const post = (path: string, body: object, credentials: { token?: string; headers?: Record<string, string> } = {}) =>
  service.ask('POST', path, { body, ...credentials })

/** Signs up; the address is not proven. */
async function signUp(): Promise<Person> {
  people += 1
  const email = `own-${people}@example.com`
  assert.equal((await post('/api/v1/users', { email, password })).status, 201)
  return service.logIn(email)
}
const verify = ({ id, token }: Person, body: object) => post(`/api/v1/users/${id}/verify`, body, { token })

async function tokenOf(person: Person, count = 1): Promise<string> {
  const asked = await verify(person, {})
  assert.deepEqual([asked.status, asked.body.email], [200, person.email], asked.text)
  const mail = await box.wait(person.email, count)
  assert.equal(mail.subject, subject)
  return mail.token
}
async function reset(email: string, count: number) {
  assert.equal((await post('/auth/forgot', { email })).status, 202)
  const { token } = await box.wait(email, count)
  assert.equal((await post('/auth/reset', { token, password: next })).status, 204)
}
const isGood = async (key: string) =>
  (await service.ask('GET', '/api/v1/orders?limit=1', { headers: { 'x-api-key': key } })).status !== 401
const makeKey = async (person: Person, values: object = {}) =>
  (await post('/api/v1/api-keys', { name: 'a key', ...values }, { token: person.token })).body.key as string

describe('the proof of one’s own address', () => {
  it('ends nothing, and a reset afterwards leaves keys', async () => {
    const ann = await signUp()
    const key = await makeKey(ann)
    const token = await tokenOf(ann)
    const proven = await verify(ann, { token })
    assert.deepEqual([proven.status, proven.body.id, proven.body.email], [200, ann.id, ann.email], proven.text)
    assert.equal(await isGood(key), true)
    await reset(ann.email, 2)
    assert.equal(await isGood(key), true, 'the reset was not the first proof')
    const owner = await service.logIn(ann.email, next)
    const { data } = (await service.ask('GET', `/api/v1/users/${ann.id}/audit-events`, { token: owner.token })).body
    const events = data.map(({ event }: { event: string }) => event)
    for (const event of ['verification-requested', 'email-verified']) assert.ok(events.includes(event), `${events}`)
    const told = data.find(({ event }: { event: string }) => event === 'email-verified')
    assert.deepEqual([told.userId, told.actorId], [ann.id, ann.id])
    assert.match(told.credential, /^session:/)
  })

  it('is not made by the link alone, and never in an account of somebody else', async () => {
    const [squatter, bob] = [await signUp(), await signUp()]
    const key = await makeKey(squatter)
    const token = await tokenOf(squatter)
    const anonymous = await post(`/api/v1/users/${squatter.id}/verify`, { token })
    assert.deepEqual([anonymous.status, anonymous.body], [401, { error: 'Token required' }])
    const foreign = await verify({ ...squatter, token: bob.token }, { token })
    assert.deepEqual([foreign.status, foreign.body], [404, { error: 'User not found' }])
    assert.deepEqual([(await verify(bob, { token })).status, (await verify(bob, { token })).body], [403, dead])
    for (const path of ['/auth/verify', '/auth/reset', '/auth/login-link'])
      assert.ok(
        [401, 404].includes((await post(path, { token, password: next }, { token: squatter.token })).status),
        path,
      )
    await reset(squatter.email, 2)
    assert.equal(await isGood(key), false, 'the reset was the first proof')
  })

  it('takes its own token alone, once, for half an hour, until the password changes', async () => {
    const ann = await signUp()
    await post('/auth/forgot', { email: ann.email })
    const other = (await box.wait(ann.email)).token
    assert.deepEqual((await verify(ann, { token: other })).body, dead)
    const [used, late] = [await tokenOf(ann, 2), await tokenOf(ann, 3)]
    const [one, two] = await Promise.all([verify(ann, { token: used }), verify(ann, { token: used })])
    assert.deepEqual([one.status, two.status].toSorted(), [200, 403])
    service.turn(31 * 60_000)
    const again = await service.logIn(ann.email)
    assert.deepEqual((await verify({ ...ann, token: again.token }, { token: late })).body, dead)
    const ended = await tokenOf({ ...ann, token: again.token }, 4)
    const body = { password: next, currentPassword: password }
    assert.equal((await service.ask('PATCH', `/api/v1/users/${ann.id}`, { body, token: again.token })).status, 200)
    assert.deepEqual((await verify({ ...ann, token: again.token }, { token: ended })).body, dead)
  })

  it('is asked of its user alone, also by GraphQL, and of keys whose scopes name credentials', async () => {
    const [ann, admin] = [await signUp(), await service.admin()]
    assert.equal((await verify({ ...ann, token: admin.token }, {})).status, 403)
    const query = `mutation ($input: VerifyUserInput!) { verifyUser(id: "${ann.id}", input: $input) { email } }`
    const ask = (input: object) => post('/graphql', { query, variables: { input } }, { token: ann.token })
    assert.equal((await ask({})).body.data?.verifyUser.email, ann.email)
    const { token } = await box.wait(ann.email)
    assert.equal((await ask({ token: 'no token' })).body.errors[0].extensions.code, 'FORBIDDEN')
    assert.equal((await ask({ token })).body.data?.verifyUser.email, ann.email)
    const statuses: number[] = []
    for (const values of [{}, { scopes: ['users:*'] }, { scopes: ['credentials:write'] }]) {
      const headers = { 'x-api-key': await makeKey(ann, values) }
      statuses.push((await post(`/api/v1/users/${ann.id}/verify`, {}, { headers })).status)
    }
    assert.deepEqual(statuses, [403, 403, 200])
  })

  it('counts its mails with those of the address, and tries with those of other tokens', async () => {
    service.turn(16 * 60_000) // what was counted before is over
    const [ann, bob] = [await signUp(), await signUp()]
    const statuses: number[] = []
    for (let i = 0; i < 11; i += 1) statuses.push((await verify(ann, {})).status)
    assert.deepEqual([...new Set(statuses)], [200, 429])
    assert.equal(statuses.indexOf(429), 10)
    assert.equal((await post('/auth/forgot', { email: ann.email })).status, 429)
    // Attempts with another user's token do not count towards Bob's limit.
    for (let i = 0; i < 12; i += 1) await verify({ ...bob, token: ann.token }, {})
    assert.equal((await verify(bob, {})).status, 200)
    await box.settle()
    assert.equal(box.to(ann.email).length, 3, 'three of a kind while their tokens live')
    const tries = await Promise.all(Array.from({ length: 100 }, () => verify(bob, { token: 'x' })))
    assert.deepEqual([...new Set(tries.map(({ status }) => status))], [403])
    const over = await verify(bob, { token: 'x' })
    assert.deepEqual([over.status, over.headers.get('retry-after') !== null], [429, true])
  })

  it('comes alone: not in a batch', async () => {
    const ann = await signUp()
    const operations = [{ method: 'POST', path: `/users/${ann.id}/verify`, body: {} }]
    const reply = await post('/api/v1/batch', { operations }, { token: ann.token })
    assert.deepEqual(
      [reply.status, reply.body.error],
      [400, 'operations[0]: verify of users is not possible in a batch; send it alone; nothing was stored'],
    )
  })
})
