/**
 * Security headers that every response sends to browsers, and the host names that this server
 * accepts.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { askPlain, startService } from '../helpers/application.ts'
import { exchange } from '../helpers/wire.ts'

const guards = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
const refused = { error: 'Host names another server; HOSTS has the names of this one' }
const pick = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(guards).map((name) => [name, headers[name]]))

describe('on the loopback', async () => {
  const service = await startService({ RATE_LIMIT: '60/1m' })
  after(service.stop)
  const { url } = service
  const get = (path: string, host: string) => askPlain(url, { method: 'GET', path, headers: { host } })

  for (const [what, ask] of [
    ['an answer', 'GET /shelves HTTP/1.1\r\nHost: localhost'],
    ['an answer from memory', 'GET /shelves HTTP/1.1\r\nHost: localhost'],
    ['an error', 'GET /nothing HTTP/1.1\r\nHost: localhost'],
    ['health', 'GET /livez HTTP/1.1\r\nHost: localhost'],
    ['GraphQL', 'GET /graphql?query={__typename} HTTP/1.1\r\nHost: localhost'],
    ['a document', 'GET /openapi.json HTTP/1.1\r\nHost: localhost'],
    ['what the parser refuses', 'GET /shelves HTTP/1.1\r\nHost: localhost\r\nbroken header'],
    ['a request for another server', 'GET /shelves HTTP/1.1\r\nHost: evil.example'],
  ] as const) {
    it(`guards ${what}, and says nothing of TLS`, async () => {
      const { headers } = await exchange(url, `${ask}\r\nConnection: close\r\n\r\n`)
      assert.deepEqual(pick(headers), guards)
      assert.equal(headers['strict-transport-security'], undefined)
    })
  }

  it('a page for people has a policy of its own', async () => {
    const { headers } = await askPlain(url, { method: 'GET', path: '/graphql', headers: { accept: 'text/html' } })
    assert.match(String(headers['content-security-policy']), /script-src/)
    assert.equal(headers['referrer-policy'], 'no-referrer')
  })

  for (const host of [
    'localhost',
    'LOCALHOST:80',
    'localhost.:1',
    'app.localhost',
    '127.0.0.1',
    '127.1.2.3:9',
    '[::1]:3000',
  ])
    it(`answers to ${host}`, async () => assert.equal((await get('/shelves', host)).status, 200))

  const others = [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1:80.evil.example',
    '10.0.0.1',
    '[::2]',
    'notlocalhost',
    'localhost@evil.example',
  ]
  for (const host of others) {
    it(`is 421 to ${host}, wherever it asks`, async () => {
      for (const path of ['/shelves', '/nothing', '/%zz', '/graphql', '/openapi.json', '/auth/login']) {
        const reply = await get(path, host)
        assert.deepEqual([reply.status, JSON.parse(reply.text)], [421, refused], path)
      }
      assert.equal((await get('/livez', host)).status, 200)
      assert.equal((await get('/readyz', host)).status, 200)
    })
  }

  it('does nothing for another name: a log-in is not tried, a write not done', async () => {
    const headers = { host: 'evil.example', 'content-type': 'application/json' }
    const body = '{"label":"a","room":"b"}'
    const before = (await service.ask('GET', '/shelves')).text
    assert.equal((await askPlain(url, { method: 'POST', path: '/shelves', headers, body })).status, 421)
    assert.equal((await service.ask('GET', '/shelves')).text, before)
  })
})

describe('behind a proxy', async () => {
  const service = await startService({ TRUST_PROXY: 'loopback', HOSTS: 'api.example, ::1' })
  after(service.stop)
  const get = (headers: Record<string, string>) => askPlain(service.url, { method: 'GET', path: '/shelves', headers })

  it('says that TLS is to stay where the client came by TLS', async () => {
    const host = 'api.example'
    const secure = await get({ host, 'x-forwarded-proto': 'https' })
    assert.equal(secure.headers['strict-transport-security'], 'max-age=31536000')
    assert.equal((await get({ host, 'x-forwarded-proto': 'http' })).headers['strict-transport-security'], undefined)
    assert.equal((await get({ host })).headers['strict-transport-security'], undefined)
  })

  it('answers to the names of HOSTS alone', async () => {
    for (const host of ['api.example', 'API.example:443', '[::1]:80']) assert.equal((await get({ host })).status, 200)
    for (const host of ['localhost', 'www.api.example']) assert.equal((await get({ host })).status, 421)
    // A host in any other header does not count.
    const forwarded = await get({ host: 'evil.example', 'x-forwarded-host': 'api.example' })
    assert.equal(forwarded.status, 421)
  })
})

describe('HOSTS', () => {
  const of = (env: Record<string, string>) => readConfig(env).hosts
  const local = { names: [], loopback: true }

  it('is on where the server listens on the loopback and trusts no proxy', () => {
    for (const HOST of ['', '127.0.0.1', 'localhost', '::1', '127.0.0.2']) assert.deepEqual(of({ HOST }), local, HOST)
    for (const HOST of ['0.0.0.0', '::', '10.0.0.1', 'example.com']) assert.equal(of({ HOST }), undefined, HOST)
    assert.equal(of({ TRUST_PROXY: '1' }), undefined)
    assert.deepEqual(of({ TRUST_PROXY: 'false' }), local)
  })

  it('takes names, or any', () => {
    assert.deepEqual(of({ HOSTS: 'API.example,[::1]' }), { names: ['api.example', '[::1]'], loopback: false })
    assert.equal(of({ HOSTS: '*' }), undefined)
    for (const HOSTS of ['https://a.example', 'a.example:80', 'a.example,*', '*.example', 'a b', 'ä.example'])
      assert.throws(() => of({ HOSTS }), /^StartError: HOSTS must be names such as api.example/, HOSTS)
  })
})
