/**
 * Attempts to get around `RATE_LIMIT` with knowledge of the code: other spellings of a path, other
 * methods, other interfaces, and forged addresses. Once the limit is reached, none of them gets a
 * request processed.
 */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { adminEmail, password, startService, type TestService } from '../../src/testing/index.ts'
import { type Issuer, providerEnv, startIssuer } from '../helpers/oidc-issuer.ts'
import { links, notes, people } from '../service/people.ts'

const spent = 3
type Sent = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: unknown }

/** The path goes out as it is written here: `fetch` would put it in order. */
function ask(url: string, path: string, { method = 'POST', headers = {}, body }: Sent = {}) {
  const { hostname, port } = new URL(url)
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const own =
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const asking = httpRequest({ hostname, port, path, method, headers: { ...own, ...headers } }, (answer) => {
      let said = ''
      answer.setEncoding('utf8').on('data', (part) => {
        said += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: said, headers: answer.headers }))
    })
    asking.on('error', reject)
    asking.end(text)
  })
}

/** These statuses refuse a request before any work: 400, 404, 405 and 429. */
const undone = [400, 404, 405, 429]

describe('the limit of requests about log-ins', () => {
  let service: TestService
  let issuer: Issuer
  before(async () => {
    issuer = await startIssuer()
    const env = { RATE_LIMIT: `auth=${spent}/1m`, OIDC_PROVIDERS: 'corp', ...providerEnv('CORP', issuer.url) }
    service = await startService([...people, notes, links], { env })
    for (let i = 0; i < spent; i += 1) await ask(service.url, '/auth/login', { body: {} })
  })
  after(async () => {
    await service?.stop()
    await issuer?.stop()
  })
  const body = { email: adminEmail, password }

  for (const path of [
    '/auth/login',
    '/api/v1/auth/login',
    '/auth/login?x=1',
    '/auth/%6Cogin',
    '/%61uth/login',
    '/auth/login/',
    '//auth/login',
    '/./auth/login',
    '/x/../auth/login',
    '/AUTH/LOGIN',
    '/auth%2Flogin',
    '/auth/login;x=1',
    '/auth/login%00',
    '/auth/login#x',
    'http://127.0.0.1/auth/login',
  ])
    it(`holds for ${path}`, async () => {
      const { status, text } = await ask(service.url, path, { body })
      assert.ok(undone.includes(status) && !text.includes('accessToken'), `${status} ${text}`)
    })

  for (const [method, path] of [
    ['POST', '/auth/refresh'],
    ['POST', '/api/v1/auth/refresh-token'],
    ['POST', '/auth/logout'],
    ['GET', '/auth/oidc'],
    ['HEAD', '/auth/oidc'],
    ['GET', '/api/v1/auth/oidc'],
    ['GET', '/auth/oidc/corp'],
    ['HEAD', '/auth/oidc/corp'],
    ['GET', '/auth/oidc/corp/callback?code=x&state=x'],
    ['POST', '/auth/oidc/corp/callback'],
    ['POST', '/auth/oidc/corp'],
    ['POST', '/auth/oidc/link'],
  ] as const)
    it(`counts ${method} ${path} with the others`, async () => {
      assert.equal((await ask(service.url, path, { method })).status, 429)
    })

  it('does not look at headers that a client makes up', async () => {
    for (const [name, value] of [
      ['x-forwarded-for', '198.51.100.7'],
      ['forwarded', 'for=198.51.100.7'],
      ['x-real-ip', '198.51.100.7'],
      ['cf-connecting-ip', '198.51.100.7'],
      ['x-http-method-override', 'GET'],
      ['authorization', 'Bearer made.up.token'],
      ['x-api-key', 'bk_made_up'],
    ] as const)
      assert.equal((await ask(service.url, '/auth/login', { body, headers: { [name]: value } })).status, 429, name)
  })

  it('has no other door: batches know nothing of log-ins', async () => {
    const operations = [{ method: 'POST', path: '/auth/login', body }]
    const { status, text } = await ask(service.url, '/api/v1/batch', { body: { operations } })
    assert.deepEqual(
      [status, JSON.parse(text).error],
      [400, 'operations[0]: there is no POST /auth/login; nothing was stored'],
    )
  })
})

describe('the limits of writes and of reads', () => {
  const env = { RATE_LIMIT: `read=${spent}/1m,write=${spent}/1m`, TRUST_PROXY: 'loopback' }
  let service: TestService
  before(async () => {
    service = await startService([...people, notes], { env })
  })
  after(() => service.stop())
  const from = (address: string, more = {}) => ({ 'x-forwarded-for': address, ...more })
  const note = { title: 'a' }

  it('are one for each method and spelling', async () => {
    const headers = from('192.0.2.1')
    for (let i = 0; i < spent; i += 1)
      assert.equal((await ask(service.url, '/api/v1/notes', { body: note, headers })).status, 201)
    for (const [method, path, more] of [
      ['POST', '/api/v1/notes', {}],
      ['POST', '/api/v1/%6Eotes', {}],
      ['POST', '/api/v1/notes', { 'x-http-method-override': 'GET' }],
      ['POST', '/api/v1/notes?_method=GET', {}],
      ['PATCH', '/api/v1/notes/x', {}],
      ['DELETE', '/api/v1/notes/x', {}],
    ] as const)
      assert.equal(
        (await ask(service.url, path, { method, body: note, headers: from('192.0.2.1', more) })).status,
        429,
        path,
      )
    const list = (method: string, path = '/api/v1/notes') => ask(service.url, path, { method, headers })
    const statuses: number[] = []
    for (const method of ['GET', 'HEAD', 'QUERY', 'GET', 'HEAD', 'QUERY']) statuses.push((await list(method)).status)
    assert.deepEqual(statuses, [200, 200, 200, 429, 429, 429])
    assert.equal((await list('GET', '/api/v1/notes/x')).status, 429)
  })

  it('count each operation of a batch', async () => {
    const { token } = await service.admin()
    const operations = Array.from({ length: spent + 1 }, () => ({ method: 'POST', path: '/notes', body: note }))
    const headers = { authorization: `Bearer ${token}` }
    const before = JSON.parse((await ask(service.url, '/api/v1/notes', { method: 'GET', headers })).text).meta.total
    assert.equal((await ask(service.url, '/api/v1/batch', { body: { operations }, headers })).status, 429)
    const after = JSON.parse((await ask(service.url, '/api/v1/notes', { method: 'GET', headers })).text).meta.total
    assert.equal(after, before)
  })

  it('know one client behind a trusted proxy by what the proxy adds, whatever the client wrote before it', async () => {
    const statuses: number[] = []
    for (let i = 0; i < spent + 2; i += 1)
      statuses.push(
        (await ask(service.url, '/api/v1/notes', { method: 'GET', headers: from(`10.0.0.${i}, 192.0.2.77`) })).status,
      )
    assert.deepEqual(statuses, [200, 200, 200, 429, 429])
    const network: number[] = []
    for (let i = 0; i < spent + 1; i += 1)
      network.push(
        (await ask(service.url, '/api/v1/notes', { method: 'GET', headers: from(`2001:db8:0:9::${i}`) })).status,
      )
    assert.deepEqual(network, [200, 200, 200, 429])
  })
})

describe('the limit of GraphQL', () => {
  it('holds for each way to send a document, and aliases stay within the cost of one request', async (t) => {
    const service = await startService([...people, notes], { env: { RATE_LIMIT: `graphql=${spent}/1m` } })
    t.after(() => service.stop())
    const query = '{ __typename }'
    for (let i = 0; i < spent; i += 1)
      assert.equal((await ask(service.url, '/graphql', { body: { query } })).status, 200)
    const address = `/graphql?query=${encodeURIComponent(query)}`
    const statuses = [
      await ask(service.url, '/graphql', { body: { query } }),
      await ask(service.url, address, { method: 'GET' }),
      await ask(service.url, address, { method: 'HEAD' }),
      await ask(service.url, '/%67raphql', { body: { query } }),
      await ask(service.url, '/graphql', { body: [{ query }, { query }] }),
      await ask(service.url, '/graphql', { body: {} }),
    ].map(({ status }) => status)
    assert.deepEqual(statuses, Array(6).fill(429))
  })
})
