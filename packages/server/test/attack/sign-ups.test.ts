/**
 * Hundreds of sign-ups: one address creates a limited number of accounts, also in parallel and on
 * several servers, and log-ins of others do not wait.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  askPlain,
  password,
  removeDatabase,
  removeFolder,
  startService,
  type TestPerson,
  type TestResponse,
  type TestService,
  temporaryFolder,
} from '../helpers/application.ts'

const path = '/api/v1/members'
const limited = { error: 'Too many sign-ups, try again later' }
const most = 10
let folder: string
let one: TestService
let two: TestService
let ann: TestPerson
let serial = 0
before(async () => {
  folder = temporaryFolder()
  const env = { DATA_DIR: folder, TRUST_PROXY: 'true', SIGN_UP_LIMIT: `${most}/15m` }
  one = await startService(env, { passwordCost: 'usual' })
  two = await startService(env, { passwordCost: 'usual' })
  ann = await one.person()
})
after(async () => {
  await Promise.all([one.stop(), two.stop()])
  await removeDatabase(folder)
  removeFolder(folder)
})

function signUp(service: TestService, address: string, by: { token?: string } = {}): Promise<TestResponse> {
  serial += 1
  const body = { email: `new${serial}@example.com`, password: `${password} ${serial}` }
  return service.ask('POST', path, { body, headers: { 'x-forwarded-for': address }, ...by })
}
const times = (count: number) => Array.from({ length: count }, (_, i) => i)
/** On a connection of its own: one that sign-ups share would wait for them at the client. */
async function logIn(): Promise<void> {
  const reply = await askPlain(one.url, {
    method: 'POST',
    path: '/auth/login',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ann.email, password }),
  })
  assert.equal(reply.status, 200)
}

describe('sign-ups', () => {
  it('from one address stop at the limit, exactly, however many come at once and on whichever server', async () => {
    const all = Promise.all(times(80).map((i) => signUp(i % 2 ? one : two, '192.0.2.1')))
    await logIn()
    const replies = await all
    assert.equal(replies.filter(({ status }) => status === 201).length, most)
    for (const { status, body, headers } of replies.filter((reply) => reply.status !== 201)) {
      assert.deepEqual([status, body], [429, limited])
      const wait = Number(headers.get('retry-after'))
      assert.ok(wait > 0 && wait <= 900, `${wait} s`)
    }
  })

  it('count over GraphQL as well, and for users too, but for no ADMIN and no other address', async () => {
    const query = 'mutation { createMember(input: { email: "g@example.com", password: "long enough" }) { id } }'
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const { errors } = (await one.ask('POST', '/graphql', { body: { query }, headers })).body
    assert.deepEqual([errors[0].message, errors[0].extensions.code], [limited.error, 'TOO_MANY_REQUESTS'])
    assert.equal((await signUp(one, '192.0.2.1', { token: ann.token })).status, 429)
    const { token } = await one.admin()
    assert.equal((await signUp(one, '192.0.2.1', { token })).status, 201)
    assert.equal((await signUp(one, '192.0.2.2')).status, 201)
  })

  it('begin again when the window is over', async () => {
    one.turn(15 * 60_000)
    assert.equal((await signUp(one, '192.0.2.1')).status, 201)
  })

  it('that are repeated with their key hash nothing, so they wait for none that does', async () => {
    const key = { 'idempotency-key': 'c1d9e0b4-5f0e-4b34-9d0c-2f6c4a3f7a11' }
    const body = { email: 'keyed@example.com', password: 'a password of its own' }
    const send = (address: string, headers: Record<string, string> = key) =>
      one.ask('POST', path, { body, headers: { 'x-forwarded-for': address, ...headers } })
    const first = await send('192.0.2.8')
    assert.equal(first.status, 201)
    for (let i = 1; i < most; i += 1) assert.equal((await signUp(one, '192.0.2.8')).status, 201)
    let waiting = 0
    const all = times(24).map(async (i) => {
      waiting += 1
      await signUp(one, `203.0.113.${i}`)
      waiting -= 1
    })
    const replies = await Promise.all(times(20).map(() => send('192.0.2.8')))
    const fresh = await send('192.0.2.8', { 'idempotency-key': '5b0a2f6e-1df4-4a7e-8d5b-9e1f7c2a6b33' })
    assert.ok(waiting > 6, `they ended when ${waiting} of 24 sign-ups still waited`)
    for (const { status, text } of replies) assert.deepEqual([status, text], [201, first.text])
    assert.deepEqual([fresh.status, fresh.body], [429, limited], 'refused before anything is hashed')
    await Promise.all(all)
  })

  it('of many addresses leave log-ins a place', async () => {
    let waiting = 0
    const all = times(24).map(async (i) => {
      waiting += 1
      await signUp(one, `198.51.100.${i}`)
      waiting -= 1
    })
    await Promise.race(all)
    await logIn()
    assert.ok(waiting > 6, `the log-in ended when ${waiting} of 24 sign-ups still waited`)
    await Promise.all(all)
  })
})
