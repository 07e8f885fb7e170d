/**
 * Repeats each finding of an earlier attack on the running shop, as an attacker who has read the
 * code would. `SECURITY.md` names the more detailed tests of each finding.
 */
import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { findOpenDoor } from '../../demo/own-machine.ts'
import { hashesDuring } from '../helpers/hashes.ts'
import { mailboxOf } from '../helpers/mails.ts'
import {
  type AskOptions,
  databaseOf,
  password,
  removeDatabase,
  removeFolder,
  startService,
  type TestService,
  temporaryFolder,
} from '../helpers/service.ts'

const env = { TRUST_PROXY: 'loopback', SIGN_UP_LIMIT: '30/15m' }
const wrong = 'not the horse at all'
const hour = 60 * 60_000
type Person = Awaited<ReturnType<TestService['person']>>

let service: TestService
let admin: Person
before(async () => {
  service = await startService(env)
  admin = await service.admin()
})
after(() => service?.stop())

let clients = 0
/** Each request is a client of its own, unless it says otherwise. */
function ask(method: string, path: string, { headers = {}, ...options }: AskOptions = {}) {
  clients += 1
  const from = { 'x-forwarded-for': `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}` }
  return service.ask(method, path, { ...options, headers: { ...from, ...headers } })
}
const post = (path: string, body: unknown, options: AskOptions = {}) => ask('POST', path, { ...options, body })
const patch = (path: string, body: unknown, options: AskOptions = {}) => ask('PATCH', path, { ...options, body })
const graphql = async (query: string, options: AskOptions = {}) => (await post('/graphql', { query }, options)).body
const codeOf = async (query: string, options: AskOptions) =>
  (await graphql(query, options)).errors?.[0]?.extensions.code
const logIn = (email: string, secret = password, options: AskOptions = {}) =>
  post('/auth/login', { email, password: secret }, options)
const user = ({ id }: { id: string }) => `/api/v1/users/${id}`
async function keyOf({ token }: Person, values: object) {
  const { status, body } = await post('/api/v1/api-keys', { name: 'a key', ...values }, { token })
  assert.equal(status, 201)
  return body as { id: string; key: string }
}
async function productOf(values: object): Promise<string> {
  const { token } = await service.person('EDITOR')
  return (await post('/api/v1/products', { name: 'A thing', price: 5, ...values }, { token })).body.id
}
const fill = ({ id, token }: Person, productId: string, quantity: number) =>
  post(`/api/v1/users/${id}/cart/items`, { productId, quantity }, { token })
const checkout = ({ id, token }: Person, headers = {}) =>
  post(`/api/v1/users/${id}/cart/checkout`, {}, { token, headers })

describe('findings of an attack', () => {
  // That the other does not wait for the flood: `attack/sign-ups.test.ts` of the engine.
  it('1 and 2: sign-ups without end from one address; a foreign password is hashed before it is judged', async () => {
    const slow = await startService(env)
    after(() => slow.stop())
    const { email } = await slow.person()
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const flood = Array.from({ length: 320 }, (_, i) =>
      slow.ask('POST', '/api/v1/users', {
        body: { email: `f${i}@example.com`, password: `words and more ${i}` },
        headers,
      }),
    )
    const other = await slow.ask('POST', '/auth/login', {
      body: { email, password },
      headers: { 'x-forwarded-for': '192.0.2.2' },
    })
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    assert.equal(other.status, 200)
    assert.equal(statuses.filter((status) => status === 201).length, 30)
    assert.equal(statuses.filter((status) => status === 429).length, 290)
    const [ann, bob] = [await slow.person(), await slow.person()]
    for (const field of ['password', 'name'])
      assert.deepEqual(
        await hashesDuring(async () => {
          const body = { [field]: 'a horse of somebody else' }
          assert.equal((await slow.ask('PATCH', user(bob), { body, token: ann.token })).status, 404)
        }),
        [],
      )
  })

  it('3: a key outlives itself, makes an endless one, or sets credentials', async () => {
    const [ann, boss] = [await service.person(), await service.person('ADMIN')]
    const expiresAt = new Date(service.now() + hour).toISOString()
    const { id, key } = await keyOf(ann, { expiresAt })
    const listed = await keyOf(ann, { expiresAt, scopes: ['api-keys:write'] })
    const { key: users } = await keyOf(admin, { scopes: ['users:write'] })
    const soon = new Date(service.now() + hour / 2).toISOString()
    const mine = '/api/v1/api-keys'
    for (const [what, reply] of Object.entries({
      'clears its end': await patch(`${mine}/${id}`, { expiresAt: null }, { key }),
      'makes an endless key': await post(mine, { name: 'x' }, { key }),
      'sets a password': await patch(user(ann), { password: wrong, currentPassword: password }, { key }),
      'makes a longer one': await post(mine, { name: 'x', scopes: ['api-keys:write'] }, { key: listed.key }),
      'makes a wider one': await post(mine, { name: 'x', scopes: ['orders:*'], expiresAt: soon }, { key: listed.key }),
      'sets an ADMIN’s e-mail': await patch(user(boss), { email: 'evil@example.com' }, { key: users }),
    }))
      assert.equal(reply.status, 403, what)
    const change = `mutation { updateUser(id: "${boss.id}", input: { email: "evil@example.com" }) { id } }`
    assert.equal(await codeOf(change, { key: users }), 'FORBIDDEN')
    assert.equal((await logIn(boss.email)).status, 200)
  })

  it('4: a token alone changes e-mail and password', async () => {
    const ann = await service.person()
    const { token } = ann
    for (const [body, said] of [
      [{ password: wrong }, 'currentPassword is required'],
      [{ email: 'taken-over@example.com' }, 'currentPassword is required'],
      [{ email: 'taken-over@example.com', currentPassword: wrong }, 'currentPassword is wrong'],
    ] as const) {
      const reply = await patch(user(ann), body, { token })
      assert.deepEqual([reply.status, reply.body], [403, { error: said }])
    }
    const moved = { email: 'moved@example.com', currentPassword: password }
    assert.equal((await patch(user(ann), moved, { token })).status, 200)
    assert.match((await mailboxOf(service).wait(ann.email)).text, /moved@example\.com/)
  })

  it('5: a suspension and an activation bring tokens back', async () => {
    const ann = await service.person()
    for (const move of ['suspend', 'activate'])
      assert.equal((await post(`${user(ann)}/${move}`, {}, { token: admin.token })).status, 200)
    assert.equal((await ask('GET', user(ann), { token: ann.token })).status, 401)
    assert.equal((await post('/auth/refresh', { refreshToken: ann.refreshToken })).status, 401)
    assert.equal((await logIn(ann.email)).status, 200)
  })

  it('6: a planted cookie is taken, and pages of the same site refresh and log out', async () => {
    const [ann, eve] = [await service.person(), await service.person()]
    const cookie = `refreshToken=${ann.refreshToken}`
    for (const two of [`refreshToken=${eve.refreshToken}; ${cookie}`, `${cookie}; refreshToken=${eve.refreshToken}`])
      assert.equal((await ask('POST', '/auth/refresh', { cookie: two })).status, 400)
    for (const [name, value] of [
      ['sec-fetch-site', 'same-site'],
      ['sec-fetch-site', 'cross-site'],
      ['origin', 'http://sub.127.0.0.1'],
      ['origin', 'null'],
    ] as const)
      for (const path of ['/auth/refresh', '/auth/logout'])
        assert.equal((await ask('POST', path, { cookie, headers: { [name]: value } })).status, 403, `${path} ${value}`)
    assert.equal((await ask('POST', '/auth/refresh', { cookie })).status, 200, 'it is unspent')
  })

  it('7: the last ADMIN leaves, by any way', async () => {
    const others = (await ask('GET', '/api/v1/users?role=ADMIN', { token: admin.token })).body.data as Person[]
    for (const one of others.filter(({ id }) => id !== admin.id))
      assert.equal((await patch(user(one), { role: 'USER' }, { token: admin.token })).status, 200)
    const { token } = admin
    const operations = [{ method: 'POST', path: `/users/${admin.id}/suspend`, body: {} }]
    for (const { status } of [
      await patch(user(admin), { role: 'USER' }, { token }),
      await patch(user(admin), { status: 'INACTIVE' }, { token }),
      await post(`${user(admin)}/suspend`, {}, { token }),
      await ask('DELETE', user(admin), { token }),
      await post('/api/v1/batch', { operations }, { token }),
    ])
      assert.equal(status, 409)
    assert.equal(await codeOf(`mutation { deleteUser(id: "${admin.id}") }`, { token }), 'CONFLICT')
  })

  it('8: an order of an untracked product makes stock when it is cancelled; a count goes beyond its limit', async () => {
    const [ann, editor] = [await service.person(), await service.person('EDITOR')]
    const order = async (stock: object, quantity: number, then: number) => {
      const product = await productOf(stock)
      await fill(ann, product, quantity)
      const { id } = (await checkout(ann)).body
      await patch(`/api/v1/products/${product}`, { stock: then }, { token: editor.token })
      const cancelled = await graphql(`mutation { cancelOrder(id: "${id}") { status } }`, { token: ann.token })
      return { cancelled, stock: (await ask('GET', `/api/v1/products/${product}`)).body.stock }
    }
    const untracked = await order({}, 999, 5)
    assert.deepEqual([untracked.cancelled.data?.cancelOrder.status, untracked.stock], ['CANCELLED', 5])
    const most = 2 ** 31 - 1
    const full = await order({ stock: 10 }, 5, most)
    assert.deepEqual([full.cancelled.errors[0].extensions.code, full.stock], ['CONFLICT', most])
  })

  it('9: a network of many addresses guesses without end', async () => {
    const guess = (address: string) => logIn('nobody@example.com', wrong, { headers: { 'x-forwarded-for': address } })
    for (let i = 0; i < 100; i += 1)
      await logIn(`nobody-${i}@example.com`, wrong, { headers: { 'x-forwarded-for': `2001:db8:5:6::${i}` } })
    assert.equal((await guess('2001:db8:5:6:ffff::1')).status, 429)
    assert.equal((await guess('2001:db8:5:7::1')).status, 401)
  })

  it('10: a cart is sold at another price than it showed', async () => {
    const [ann, editor] = [await service.person(), await service.person('EDITOR')]
    const product = await productOf({ price: 50 })
    await fill(ann, product, 1)
    const shown = await ask('GET', `${user(ann)}/cart`, { token: ann.token })
    await patch(`/api/v1/products/${product}`, { price: 50_000 }, { token: editor.token })
    const etag = shown.headers.get('etag') as string
    assert.equal((await checkout(ann, { 'if-match': etag })).status, 412)
    const again = await ask('GET', `${user(ann)}/cart`, { token: ann.token })
    assert.equal((await checkout(ann, { 'if-match': again.headers.get('etag') as string })).status, 201)
  })

  it('11: files of the data folder that others can read stay so', async () => {
    const folder = temporaryFolder()
    const own = { ...env, DATA_DIR: folder, ...(await databaseOf(folder)) }
    await (await startService(own)).stop()
    // With PostgreSQL the mails are what is worth reading there.
    const kept = () => readdirSync(folder).filter((name) => /\.db|secret|mail/.test(name))
    const paths = () => kept().map((name) => join(folder, name))
    for (const path of paths()) chmodSync(path, statSync(path).mode | 0o055)
    await (await startService(own)).stop()
    const open = paths().filter((path) => (statSync(path).mode & 0o077) !== 0)
    await removeDatabase(folder)
    removeFolder(folder)
    assert.deepEqual(open, [])
  })

  it('12: refreshes and sessions leave rows without end', async () => {
    const ann = await service.person()
    const { storage, catalog } = service.service.engine
    const rows = () => storage.count(catalog.get('refreshToken'), { kind: 'true' })
    const before = await rows()
    let token = ann.refreshToken
    for (let i = 0; i < 60; i += 1) token = (await post('/auth/refresh', { refreshToken: token })).body.refreshToken
    service.turn(61_000) // a lost answer is given once more until then
    assert.equal((await post('/auth/refresh', { refreshToken: token })).status, 200)
    assert.ok((await rows()) - before <= 3, `${(await rows()) - before} rows of 60 refreshes`)
    for (let i = 0; i < 105; i += 1) assert.equal((await logIn(ann.email)).status, 200)
    const last = await logIn(ann.email)
    const { meta } = (await ask('GET', '/api/v1/sessions?limit=1', { token: last.body.accessToken })).body
    assert.equal(meta.total, 100)
  })

  it('13: one address is another’s for the log-in alone; characters that nobody sees', async () => {
    const sign = (email: string, secret: string) => post('/api/v1/users', { email, password: secret })
    assert.equal((await sign('strasse@example.com', 'long horse one')).status, 201)
    const other = await sign('straße@example.com', 'long horse two')
    const entered = await logIn('straße@example.com', 'long horse one')
    assert.deepEqual([other.status, entered.status], [201, 401], 'two addresses, and two accounts')
    assert.equal((await logIn('STRASSE@example.com', 'long horse one')).status, 200)
    for (const odd of ['\u200b', '\u202e', '\u00ad', '\ufeff', '\u2066', '\u{e0041}'])
      assert.equal((await sign(`a${odd}b@example.com`, 'long horse two')).status, 400, JSON.stringify(odd))
  })

  it('14: passwords that everybody tries first, and those of the account itself', async () => {
    const body = { email: 'johnny@example.com', name: 'Johnny Longname' }
    for (const easy of [
      'password',
      '12345678',
      'qwertyuiop',
      'johnny@example.com',
      'JOHNNY@EXAMPLE.COM',
      'Johnny Longname',
    ])
      assert.equal((await post('/api/v1/users', { ...body, password: easy })).status, 400, easy)
  })

  it('15: a stranger locks an account’s owner out', async () => {
    const { email } = await service.person()
    const browser = { 'sec-fetch-site': 'same-origin' }
    const first = await logIn(email, password, { headers: browser })
    const device = first.headers
      .getSetCookie()
      .find((one) => one.startsWith('device='))
      ?.split(';')[0] as string
    for (let i = 0; i < 10; i += 1) await logIn(email, wrong)
    assert.equal((await logIn(email)).status, 429)
    assert.equal((await logIn(email, password, { headers: browser, cookie: `${device.slice(0, -4)}AAAA` })).status, 429)
    assert.equal((await logIn(email, password, { headers: browser, cookie: device })).status, 200)
  })

  it('16: the demo’s published passwords are good beyond this machine', () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1'])
      assert.match(findOpenDoor(host, []) ?? '', /passwords of the demo/)
    for (const host of ['', '127.0.0.1', '::1', 'localhost']) assert.equal(findOpenDoor(host, []), undefined)
  })
})

describe('bars', () => {
  it('a hundred refreshes at once give one successor and no log-out, and late reuse ends the session', async () => {
    const ann = await service.person()
    const cookie = `refreshToken=${ann.refreshToken}`
    const replies = await Promise.all(Array.from({ length: 100 }, () => ask('POST', '/auth/refresh', { cookie })))
    const next = new Set(
      replies.map(({ headers }) => /refreshToken=([^;]+)/.exec(headers.getSetCookie()[0] ?? '')?.[1]),
    )
    assert.deepEqual([[...new Set(replies.map(({ status }) => status))], next.size], [[200], 1])
    assert.equal((await ask('GET', user(ann), { token: ann.token })).status, 200)
    service.turn(61_000)
    assert.equal((await ask('POST', '/auth/refresh', { cookie })).status, 401)
    assert.equal((await ask('GET', user(ann), { token: ann.token })).status, 401, 'ended in that request')
    assert.equal((await ask('POST', '/auth/refresh', { cookie: `refreshToken=${[...next][0]}` })).status, 401)
  })
})
