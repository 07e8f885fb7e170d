/**
 * The access log: one JSON line per request, with the id of its response, and never a credential.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { adminEmail, makeAsk, password, spawnServer, startService } from '../helpers/application.ts'
import { exchange } from '../helpers/wire.ts'

const server = spawnServer({ env: { LOG_LEVEL: 'trace' } })
after(() => server.child.kill('SIGKILL'))
const url = await server.ready()
const ask = makeAsk(url)

const login = await ask('POST', '/auth/login', { body: { email: adminEmail, password } })
const { accessToken, refreshToken } = login.body as { accessToken: string; refreshToken: string }
const made = await ask('POST', '/api/v1/access-keys', { body: { name: 'k' }, token: accessToken })
const key = made.body.key as string
const random = key.slice(3)

test('one JSON line a request, with the id that the caller got', async () => {
  const reply = await ask('GET', '/shelves?room=x', { headers: { 'user-agent': 'probe' } })
  const id = reply.headers.get('x-request-id') as string
  await server.wrote(id)
  const lines = server.lines().filter((line) => line.requestId === id)
  assert.equal(lines.length, 1)
  const { level, method, path, status, ms, address, time } = lines[0] as Record<string, unknown>
  assert.deepEqual(
    { level, method, path, status, address },
    { level: 'info', method: 'GET', path: '/shelves', status: 200, address: '127.0.0.1' },
  )
  assert.equal(typeof ms, 'number')
  assert.match(time as string, /^\d{4}-\d\d-\d\dT.*Z$/)
})

/** Requests with a credential where it belongs, and where it does not. */
const carrying: readonly (readonly [string, Parameters<typeof ask>])[] = [
  ['query', ['GET', `/api/v1/members?api_key=${key}`]],
  ['query with an escaped name', ['GET', `/api/v1/members?%61pi%5Fkey=${key}`]],
  [
    'query with an escaped value',
    ['GET', `/api/v1/members?api_key=${encodeURIComponent(key).replace('bk_', '%62k%5F')}`],
  ],
  ['query twice', ['GET', `/api/v1/members?api_key=${key}&api_key=${key}x`]],
  ['unknown parameter', ['GET', `/api/v1/members?key=${key}`, { token: accessToken }]],
  ['value of a filter', ['GET', `/api/v1/members?sort=${key}`, { token: accessToken }]],
  ['X-API-Key', ['GET', '/api/v1/members', { key }]],
  ['wrong X-API-Key', ['GET', '/api/v1/members', { key: `${key}x` }]],
  ['Authorization', ['GET', '/api/v1/members', { token: accessToken }]],
  ['wrong Authorization', ['GET', '/api/v1/members', { token: `${accessToken}x` }]],
  [
    'Basic',
    [
      'GET',
      '/api/v1/members',
      { headers: { authorization: `Basic ${Buffer.from(`a:${password}`).toString('base64')}` } },
    ],
  ],
  ['cookie', ['POST', '/auth/refresh', { cookie: `refreshToken=${refreshToken}` }]],
  ['body of a log-in', ['POST', '/auth/login', { body: { email: adminEmail, password: 'wrong secret of mine' } }]],
  ['broken body of a log-in', ['POST', '/auth/login', { raw: '{"password":"wrong secret of mine"' }]],
  [
    'body of a sign-up',
    ['POST', '/api/v1/members', { body: { email: 'x@example.com', password: 'wrong secret of mine', x: 1 } }],
  ],
  ['path', ['GET', `/api/v1/editions/${key}`]],
  ['escaped path', ['GET', `/api/v1/editions/${key.replace('bk_', 'bk%5f')}`]],
  ['wholly escaped path', ['GET', `/api/v1/${key.replace('bk_', '%62%6b%5F')}`]],
  ['token in the path', ['GET', `/api/v1/editions/${accessToken}`]],
  ['escaped token in the path', ['GET', `/api/v1/editions/${accessToken.replace('eyJ', '%65yJ')}`]],
  ['user agent', ['GET', '/livez', { headers: { 'user-agent': `probe ${key}` } }]],
]

test('no line holds a credential', async () => {
  let last = ''
  for (const [, parameters] of carrying) last = (await ask(...parameters)).headers.get('x-request-id') as string
  await exchange(url, `GET /%zz/${key}?api_key=${key} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await exchange(url, `GET /ok HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nbroken ${key}\r\n\r\n`)
  await server.wrote(last)
  await ask('GET', '/livez')
  await new Promise((resolve) => setTimeout(resolve, 500))
  const output = server.stdout() + server.stderr()
  const [header = '', payload = '', signature = ''] = accessToken.split('.')
  for (const secret of [random, payload, signature, refreshToken, password, 'wrong secret', `${header}.`]) {
    const line = output.split('\n').find((one) => one.includes(secret))
    assert.equal(line, undefined)
  }
})

test('a fault is logged with its cause and the request id, and answered without', async (t) => {
  const faulty = await startService({ DATABASE_URL: '' })
  t.after(() => faulty.stop().catch(() => undefined)) // its database is already closed
  await faulty.service.engine.storage.close()
  for (const [path, status] of [
    ['/shelves/1', 500],
    ['/readyz', 503],
  ] as const) {
    const { status: got, body, headers } = await faulty.ask('GET', path)
    assert.equal(got, status)
    assert.deepEqual(Object.keys(body), ['error'])
    assert.doesNotMatch(body.error, /not open|finalized/)
    assert.ok(headers.get('x-request-id'))
  }
  const faults = faulty.logged.filter((line) => line.startsWith('error'))
  assert.equal(faults.length, 1)
  assert.match(faults[0] ?? '', /(not open|finalized)[\s\S]*at /)
  // A database that has been closed has no log file beside it any more.
  assert.equal(faulty.logged.filter((line) => /^warn The database file .* is gone/.test(line)).length, 1)
})

test('the log of the server is JSON to the last line', async () => {
  assert.equal((await server.stop()).code, 0)
  for (const line of server.stdout().trimEnd().split('\n')) assert.doesNotThrow(() => JSON.parse(line), line)
})
