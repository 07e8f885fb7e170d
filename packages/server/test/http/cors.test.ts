/**
 * Browsers on other origins: allowed origins get CORS headers on every response and may use every
 * method, others get none.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startService } from '../helpers/application.ts'

const origin = 'https://app.example'
const service = await startService({ CORS_ORIGINS: origin })
after(service.stop)

test('an allowed origin sees answers, errors too', async () => {
  for (const path of ['/shelves', '/shelves/999', '/nothing', '/graphql?query=%7B__typename%7D']) {
    const reply = await service.ask('GET', path, { headers: { origin } })
    assert.equal(reply.headers.get('access-control-allow-origin'), origin, path)
    assert.equal(reply.headers.get('access-control-allow-credentials'), 'true', path)
    assert.match(reply.headers.get('vary') ?? '', /origin/i, path)
  }
})

test('a preflight allows every method that there is', async () => {
  const headers = {
    origin,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'content-type,if-match',
  }
  const reply = await service.ask('OPTIONS', '/shelves/1', { headers })
  assert.equal(reply.status, 204)
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    assert.match(reply.headers.get('access-control-allow-methods') ?? '', new RegExp(method))
  }
})

test('OPTIONS answers as it does without CORS, with its headers beside', async (t) => {
  const preflight = { 'access-control-request-method': 'GET' }
  const asked: [string, string, Record<string, string>][] = [
    ['plain', '/shelves', {}],
    ['of an origin, no preflight', '/shelves', { origin }],
    ['a preflight', '/shelves', { origin, ...preflight }],
    ['a preflight of another origin', '/shelves', { origin: 'https://evil.example', ...preflight }],
    ['plain, of no path', '/nope', {}],
    ['a preflight of no path', '/nope', { origin, ...preflight }],
  ]
  for (const [what, path, headers] of asked) {
    await t.test(what, async () => {
      const reply = await service.ask('OPTIONS', path, { headers })
      assert.equal(reply.headers.get('access-control-allow-origin'), headers.origin === origin ? origin : null)
      if (path === '/nope') return assert.deepEqual([reply.status, reply.body], [404, { error: 'Not found' }])
      assert.deepEqual([reply.status, reply.text], [204, ''])
      assert.deepEqual(reply.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'OPTIONS', 'POST', 'QUERY'])
    })
  }
})

test('another origin is told nothing', async () => {
  const reply = await service.ask('GET', '/shelves', { headers: { origin: 'https://evil.example' } })
  assert.notEqual(reply.headers.get('access-control-allow-origin'), 'https://evil.example')
})
