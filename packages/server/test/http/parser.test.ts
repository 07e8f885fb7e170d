/**
 * Requests that the parser or the router refuses never reach a route, and are answered in the same
 * format as every other error.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startServer } from '../helpers/server.ts'
import { exchange, openWire, type WireAnswer } from '../helpers/wire.ts'

const { url, server, logged, stop } = await startServer()
after(stop)

const host = 'Host: localhost\r\n'
const longerThanHeaders = 'x'.repeat(40_000)

function checkError({ status, headers, body }: WireAnswer, expected: number): void {
  assert.equal(status, expected, body)
  assert.match(headers['content-type'] ?? '', /^application\/json/)
  assert.match(headers['x-request-id'] ?? '', /./)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  const parsed = JSON.parse(body) as { error: unknown }
  assert.deepEqual(Object.keys(parsed), ['error'])
  assert.equal(typeof parsed.error, 'string')
}

const refusals: readonly (readonly [string, string, number])[] = [
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['an unknown version', `GET /ok HTTP/9.9\r\n${host}\r\n`, 400],
  ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['an unknown method', `FROBNICATE /ok HTTP/1.1\r\n${host}\r\n`, 400],
  ['a space in the target', `GET /ok ok HTTP/1.1\r\n${host}\r\n`, 400],
  ['a header without a colon', `GET /ok HTTP/1.1\r\n${host}nonsense\r\n\r\n`, 400],
  ['a space before the colon', `GET /ok HTTP/1.1\r\n${host}X-A : b\r\n\r\n`, 400],
  ['a folded header', `GET /ok HTTP/1.1\r\n${host}X-A: b\r\n c\r\n\r\n`, 400],
  ['a bare line feed in a header', `GET /ok HTTP/1.1\r\n${host}X-A: b\nX-B: c\r\n\r\n`, 400],
  ['a NUL in a header', `GET /ok HTTP/1.1\r\n${host}X-A: b\0c\r\n\r\n`, 400],
  ['two Host headers', `GET /ok HTTP/1.1\r\n${host}Host: other\r\n\r\n`, 400],
  ['two equal Host headers', `GET /ok HTTP/1.1\r\n${host}${host}\r\n`, 400],
  ['no Host header', 'GET /ok HTTP/1.1\r\n\r\n', 400],
  ['a malformed percent escape', `GET /%zz HTTP/1.1\r\n${host}\r\n`, 400],
  ['a percent escape of no UTF-8', `GET /%ff HTTP/1.1\r\n${host}\r\n`, 400],
  ['TRACE', `TRACE /ok HTTP/1.1\r\n${host}\r\n`, 405],
  ['CONNECT', `CONNECT test:443 HTTP/1.1\r\n${host}\r\n`, 405],
  ['a method of WebDAV', `PROPFIND /ok HTTP/1.1\r\n${host}\r\n`, 405],
  ['an unknown path', `GET /nothing HTTP/1.1\r\n${host}\r\n`, 404],
  ['headers over the limit', `GET /ok HTTP/1.1\r\n${host}X-A: ${longerThanHeaders}\r\n\r\n`, 431],
  ['many small headers over the limit', `GET /ok HTTP/1.1\r\n${host}${'X-A: 12345678\r\n'.repeat(3000)}\r\n`, 431],
  ['a target over 8 KiB', `GET /ok?${'x'.repeat(9000)} HTTP/1.1\r\n${host}\r\n`, 414],
  ['a target over the limit of headers', `GET /ok?${longerThanHeaders} HTTP/1.1\r\n${host}\r\n`, 414],
  [
    'Content-Length and Transfer-Encoding',
    `POST /echo HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'Transfer-Encoding and Content-Length',
    `POST /echo HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['two Content-Lengths', `POST /echo HTTP/1.1\r\n${host}Content-Length: 4\r\nContent-Length: 5\r\n\r\nnull`, 400],
  ['a Content-Length that is no number', `POST /echo HTTP/1.1\r\n${host}Content-Length: 4x\r\n\r\nnull`, 400],
  ['a negative Content-Length', `POST /echo HTTP/1.1\r\n${host}Content-Length: -4\r\n\r\nnull`, 400],
  [
    'chunked that is not the last coding',
    `POST /echo HTTP/1.1\r\n${host}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a chunk size that is no number',
    `POST /echo HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nnull\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a chunk longer than its size',
    `POST /echo HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nnull\r\n0\r\n\r\n`,
    400,
  ],
]

for (const [name, text, status] of refusals) {
  test(`${name}: ${status}`, async () => checkError(await exchange(url, Buffer.from(text, 'latin1')), status))
}

test('a refusal of the parser is logged, and closes the connection', async () => {
  const wire = await openWire(url)
  wire.send('hello\r\n\r\n')
  const answer = await wire.next()
  await wire.closed
  assert.equal(answer.headers.connection, 'close')
  assert.ok(logged.some((line) => line.includes(answer.headers['x-request-id'] as string)))
  wire.end()
})

test('a target that arrives in pieces and passes the limit is 414 or 431, never silence', async () => {
  const wire = await openWire(url)
  wire.send('GET /ok?')
  for (let i = 0; i < 10; i += 1) {
    wire.send('x'.repeat(4096))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const answer = await wire.next()
  assert.ok(answer.status === 414 || answer.status === 431, String(answer.status))
  checkError(answer, answer.status)
  wire.end()
})

const served: readonly (readonly [string, string, number, string])[] = [
  ['absolute form', `GET http://elsewhere/ok?a=1 HTTP/1.1\r\n${host}\r\n`, 200, '{"path":"/ok","query":"a=1"}'],
  ['absolute form over https', `GET HTTPS://elsewhere/ok HTTP/1.1\r\n${host}\r\n`, 200, '{"path":"/ok","query":""}'],
  ['absolute form without a path', `GET http://elsewhere?a=1 HTTP/1.1\r\n${host}\r\n`, 404, '{"error":"Not found"}'],
  ['an empty Host', 'GET /ok HTTP/1.1\r\nHost:\r\n\r\n', 200, '{"path":"/ok","query":""}'],
  ['HTTP/1.0 without Host', 'GET /ok HTTP/1.0\r\n\r\n', 200, '{"path":"/ok","query":""}'],
  ['a trailing slash', `GET /ok/ HTTP/1.1\r\n${host}\r\n`, 404, '{"error":"Not found"}'],
  ['another case', `GET /OK HTTP/1.1\r\n${host}\r\n`, 404, '{"error":"Not found"}'],
  [
    'an expectation that is unknown',
    `GET /ok HTTP/1.1\r\n${host}Expect: a-miracle\r\n\r\n`,
    200,
    '{"path":"/ok","query":""}',
  ],
  [
    'an upgrade that is not wanted',
    `GET /ok HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    200,
    '{"path":"/ok","query":""}',
  ],
  ['an escaped path', `GET /%6fk HTTP/1.1\r\n${host}\r\n`, 200, '{"path":"/%6fk","query":""}'],
]

for (const [name, text, status, body] of served) {
  test(`${name}: ${status}`, async () => {
    const answer = await exchange(url, text)
    assert.equal(answer.status, status)
    assert.equal(answer.body, body)
    assert.ok(answer.headers['x-request-id'])
  })
}

test('OPTIONS * is answered', async () => {
  const answer = await exchange(url, `OPTIONS * HTTP/1.1\r\n${host}\r\n`)
  assert.ok([204, 404].includes(answer.status), String(answer.status))
})

test('HTTP/1.0 closes the connection, unless it asks for keep-alive', async () => {
  const wire = await openWire(url)
  wire.send('GET /ok HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
  assert.equal((await wire.next()).headers.connection, 'keep-alive')
  wire.send('GET /ok HTTP/1.0\r\n\r\n')
  assert.equal((await wire.next()).status, 200)
  await wire.closed
})

test('Expect: 100-continue: the client is told to send its body', async () => {
  const wire = await openWire(url)
  wire.send(
    `POST /echo HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n`,
  )
  assert.equal((await wire.next()).status, 100)
  wire.send('true')
  assert.equal((await wire.next()).body, 'true')
  wire.end()
})

test('a request that does not arrive in time: 408', async (t) => {
  const slow = await startServer()
  t.after(slow.stop)
  const { http } = slow.server
  Object.assign(http, { headersTimeout: 300, requestTimeout: 600 })
  const [headers, body] = await Promise.all([openWire(slow.url), openWire(slow.url)])
  headers.send(`GET /ok HTTP/1.1\r\n${host}X-A:`)
  body.send(`POST /echo HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`)
  const answers = await Promise.all([headers.next(), body.next()])
  for (const answer of answers) checkError(answer, 408)
  await Promise.all([headers.closed, body.closed])
})

test('timeouts are checked often enough to matter', () => {
  const { headersTimeout, requestTimeout } = server.http
  assert.equal(headersTimeout, 10_000)
  assert.equal(requestTimeout, 600_000)
})
