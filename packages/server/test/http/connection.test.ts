/**
 * Limits of one connection: several requests at once, bodies that are too large, clients that
 * disconnect, and clients that read slowly.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../../src/errors.ts'
import { json } from '../../src/http/messages/exchange.ts'
import { readLines } from '../../src/http/messages/read-body.ts'
import type { HttpRoute } from '../../src/http/server.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { startService } from '../helpers/application.ts'
import { probeRoutes, startServer } from '../helpers/server.ts'
import { stuckMs, until } from '../helpers/until.ts'
import { openWire, type Wire } from '../helpers/wire.ts'

/** Reads `:count` lines, and then fails or stops reading, as `:end` says. */
const lineRoute: HttpRoute = {
  methods: ['POST'],
  path: '/lines/:count/:end',
  async answer(request) {
    const { count, end } = request.parameters
    let taken = 0
    for await (const _ of readLines(request)) {
      taken += 1
      if (taken < Number(count)) continue
      if (end === 'leaves') break
      throw end === 'unavailable' ? new ApiError('unavailable', 'not now') : new Error('a fault')
    }
    return json(200, { taken })
  },
}

/** So that no connection is closed because nothing happens on it. */
const never = { idleTimeoutMs: 2 * stuckMs, bodyTimeoutMs: 2 * stuckMs }
const { url, logged, stop } = await startServer([...probeRoutes, lineRoute], { limits: never })
const library = await startService()
after(async () => {
  await stop()
  await library.stop()
})

const host = 'Host: localhost\r\n'
const jsonType = 'Content-Type: application/json\r\n'
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n`
const mebibyte = 1_048_576

test('pipelined requests are answered in order, slow ones first', async () => {
  const wire = await openWire(url)
  wire.send([get('/slow/150'), get('/ok?1'), get('/slow/50'), get('/nothing'), get('/ok?2')].join(''))
  const answers = [await wire.next(), await wire.next(), await wire.next(), await wire.next(), await wire.next()]
  assert.deepEqual(
    answers.map(({ body }) => body),
    [
      '{"slow":150}',
      '{"path":"/ok","query":"1"}',
      '{"slow":50}',
      '{"error":"Not found"}',
      '{"path":"/ok","query":"2"}',
    ],
  )
  assert.equal(new Set(answers.map(({ headers }) => headers['x-request-id'])).size, 5)
  wire.end()
})

const badRequests: readonly (readonly [string, string])[] = [
  ['no HTTP', 'hello\r\n\r\n'],
  ['two Content-Lengths', `POST /echo HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n1`],
  ['a bad chunk', `POST /echo HTTP/1.1\r\n${host}${jsonType}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
]
for (const [name, bad] of badRequests) {
  for (const together of [true, false]) {
    test(`${name} after good slow requests, ${together ? 'in one packet' : 'later'}: its 400 comes last`, async () => {
      const wire = await openWire(url)
      const good = get('/slow/200') + get('/slow/100')
      wire.send(together ? good + bad : good)
      if (!together) {
        await pause(30)
        wire.send(bad)
      }
      assert.deepEqual([(await wire.next()).body, (await wire.next()).body], ['{"slow":200}', '{"slow":100}'])
      const last = await wire.next()
      assert.equal(last.status, 400)
      assert.match(last.body, /^\{"error":/)
      await wire.closed
      assert.equal(wire.unread(), 0)
    })
  }
}

/** Writes until the server closes or all is written. */
async function pour(wire: Wire, pieces: number, piece: string): Promise<void> {
  for (let i = 0; i < pieces && wire.socket.writable; i += 1) {
    if (!wire.socket.write(piece))
      await Promise.race([new Promise((resolve) => wire.socket.once('drain', resolve)), wire.closed])
  }
}

test('a body that declares more than 1 MiB: 413 at once, and what comes of it is read and forgotten', async () => {
  const wire = await openWire(url)
  wire.send(`POST /echo HTTP/1.1\r\n${host}${jsonType}Content-Length: ${mebibyte + 1}\r\n\r\n`)
  const answer = await wire.next()
  assert.equal(answer.status, 413)
  wire.send('x'.repeat(mebibyte + 1))
  wire.send(get('/ok?after'))
  assert.equal((await wire.next()).status, 200)
  wire.end()
})

for (const [name, head, piece] of [
  ['declared', `Content-Length: ${8 * mebibyte}\r\n\r\n`, 'x'.repeat(65_536)],
  ['chunked', 'Transfer-Encoding: chunked\r\n\r\n', `10000\r\n${'x'.repeat(65_536)}\r\n`],
] as const) {
  test(`a ${name} body of 8 MiB that is sent without waiting: the 413 arrives`, async () => {
    const wire = await openWire(url)
    wire.send(`POST /echo HTTP/1.1\r\n${host}${jsonType}${head}`)
    await pour(wire, 128, piece)
    assert.equal((await wire.next()).status, 413)
    wire.end()
  })
}

for (const [name, send] of [
  ['leaves off', (wire: Wire) => void wire.socket.end()],
  ['goes on with what is no chunk', (wire: Wire) => wire.send('no chunk\r\n')],
] as const) {
  test(`a client that ${name} in the middle of a body that was answered: no second answer, the connection ends`, async () => {
    const wire = await openWire(url)
    wire.send(`POST /echo HTTP/1.1\r\n${host}${jsonType}Transfer-Encoding: chunked\r\n\r\n`)
    await pour(wire, 20, `10000\r\n${'x'.repeat(65_536)}\r\n`)
    assert.equal((await wire.next()).status, 413)
    send(wire)
    let isClosed = false
    void wire.closed.then(() => (isClosed = true))
    await until(() => isClosed, 'it is closed, and not because nothing happens on it')
    assert.equal(wire.unread(), 0)
    wire.end()
  })
}

test('a body of exactly 1 MiB is taken, declared and chunked', async () => {
  const wire = await openWire(url)
  const body = JSON.stringify('x'.repeat(mebibyte - 2))
  wire.send(`POST /echo HTTP/1.1\r\n${host}${jsonType}Content-Length: ${mebibyte}\r\n\r\n${body}`)
  assert.equal((await wire.next()).body.length, mebibyte)
  wire.send(`POST /echo HTTP/1.1\r\n${host}${jsonType}Transfer-Encoding: chunked\r\n\r\n`)
  for (let at = 0; at < mebibyte; at += 131_072) wire.send(`20000\r\n${body.slice(at, at + 131_072)}\r\n`)
  wire.send('0\r\n\r\n')
  assert.equal((await wire.next()).body.length, mebibyte)
  wire.end()
})

const longLine = `{"name":"${'x'.repeat(1.2 * mebibyte)}"}\n`
const manyLines = '{"name":"x"}\n'.repeat(200_000)
for (const [what, path, body, status] of [
  ['a line that is too long', '/lines/9/leaves', longLine + manyLines, 413],
  ['a line that is too long and the last', '/lines/9/leaves', `{}\n${longLine}`, 413],
  ['storage that is away', '/lines/3/unavailable', manyLines, 503],
  ['a fault', '/lines/3/fails', manyLines, 500],
  ['a reader that has enough', '/lines/3/leaves', manyLines, 200],
] as const) {
  for (const transfer of ['declared', 'chunked']) {
    test(`${what} in the middle of lines, ${transfer}: the answer comes, and the connection lives`, async () => {
      const wire = await openWire(url)
      const head = `POST ${path} HTTP/1.1\r\n${host}Content-Type: application/x-ndjson\r\n`
      wire.send(
        transfer === 'declared'
          ? `${head}Content-Length: ${body.length}\r\n\r\n${body}`
          : `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      )
      assert.equal((await wire.next()).status, status)
      wire.send(get('/ok?after'))
      assert.equal((await wire.next()).body, '{"path":"/ok","query":"after"}')
      wire.end()
    })
  }
}

const expecting = (path: string, more = `${jsonType}Content-Length: 7\r\n`) =>
  `POST ${path} HTTP/1.1\r\n${host}${more}Expect: 100-continue\r\n\r\n`

test('a body that waits for 100 is asked for where it is read, and the connection lives', async () => {
  const wire = await openWire(url)
  wire.send(expecting('/echo'))
  assert.equal((await wire.next()).status, 100)
  wire.send(`{"a":1}${get('/ok?after')}`)
  assert.deepEqual([(await wire.next()).body, (await wire.next()).status], ['{"a":1}', 200])
  const lines = 'Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n'
  wire.send(expecting('/lines/9/leaves', lines))
  assert.equal((await wire.next()).status, 100)
  wire.send('3\r\n{}\n\r\n0\r\n\r\n')
  assert.equal((await wire.next()).body, '{"taken":1}')
  wire.end()
})

for (const [what, sent, status] of [
  ['an unknown path', expecting('/nothing'), 404],
  ['another type', expecting('/echo', 'Content-Type: text/plain\r\nContent-Length: 7\r\n'), 415],
  ['a body that declares too much', expecting('/echo', `${jsonType}Content-Length: ${mebibyte + 1}\r\n`), 413],
  ['no Host', expecting('/echo').replace(host, ''), 400],
] as const) {
  test(`${what}: ${status} without a 100 before it, and the connection closes`, async () => {
    const wire = await openWire(url)
    wire.send(sent)
    const answer = await wire.next()
    assert.deepEqual([answer.status, answer.headers.connection], [status, 'close'])
    assert.match(answer.body, /^\{"error":/)
    await wire.closed
  })
}

test('a small body that nobody read does not become the next request', async () => {
  const wire = await openWire(url)
  const smuggled = get('/ok?smuggled')
  wire.send(`POST /nothing HTTP/1.1\r\n${host}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}${get('/ok?after')}`)
  assert.equal((await wire.next()).status, 404)
  assert.equal((await wire.next()).body, '{"path":"/ok","query":"after"}')
  wire.end()
})

test('a client that leaves in the middle of its body harms nobody and is no fault of ours', async () => {
  const before = logged.length
  for (const transfer of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
    const wire = await openWire(url)
    wire.send(`POST /echo HTTP/1.1\r\n${host}${jsonType}${transfer}\r\n\r\n3\r\n`)
    await pause(30)
    wire.end()
  }
  await pause(50)
  assert.deepEqual(
    logged.slice(before).filter((line) => line.startsWith('error')),
    [],
  )
  const wire = await openWire(url)
  wire.send(get('/ok'))
  assert.equal((await wire.next()).status, 200)
  wire.end()
})

test('HEAD of a stream has its headers and no body', async () => {
  const wire = await openWire(url)
  wire.send(`HEAD /stream/3 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
  await wire.closed
  assert.ok(wire.socket.bytesRead > 0 && wire.socket.bytesRead < 500, String(wire.socket.bytesRead))
})

test('a reader that stops in the middle of all shelves, and others that read slowly', async () => {
  const { ask, url: shelves, service, logged: lines } = library
  const declared = service.engine.catalog.get('shelf')
  await service.engine.records.transaction(serviceAuthor, async (tx) => {
    for (let i = 0; i < 8000; i += 1) {
      await tx.insert(await tx.prepare(declared, { label: `${i} ${'t'.repeat(900)}`, room: 'a', since: 2000 }))
    }
  })
  const leaving = await openWire(shelves)
  leaving.send(get('/shelves'))
  await new Promise((resolve) => leaving.socket.once('data', resolve))
  leaving.end()

  const slow = await openWire(shelves)
  slow.send(get('/shelves'))
  for (let i = 0; i < 20; i += 1) {
    slow.socket.pause()
    await pause(20)
    slow.socket.resume()
    await pause(2)
  }
  const answer = JSON.parse((await slow.next()).body) as { data: unknown[]; count: number }
  assert.equal(answer.count, 8000)
  assert.equal(answer.data.length, 8000)
  slow.end()

  assert.equal((await ask('GET', '/shelves?limit=1')).status, 200)
  assert.deepEqual(
    lines.filter((line) => line.startsWith('error')),
    [],
  )
})

test('an internal failure is logged with its cause, and answered without it', async () => {
  const wire = await openWire(url)
  wire.send(get('/fails'))
  const answer = await wire.next()
  assert.equal(answer.status, 500)
  assert.equal(answer.body, '{"error":"Internal server error"}')
  assert.ok(logged.some((line) => line.startsWith('error') && line.includes('the inside of the engine')))
  wire.end()
})
