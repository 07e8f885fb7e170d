/**
 * Reaches every budget of connections, requests and bytes: the largest holder is refused first, and
 * health checks are still answered.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { METHODS } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { json } from '../../src/http/messages/exchange.ts'
import { readLines } from '../../src/http/messages/read-body.ts'
import type { HttpRoute } from '../../src/http/server.ts'
import { probeRoutes, startServer } from '../helpers/server.ts'
import { stuckMs, until } from '../helpers/until.ts'
import { watchCalls } from '../helpers/watch-calls.ts'
import { exchange, openWire, type Wire } from '../helpers/wire.ts'

const megabyte = 1_000_000
let made = 0
/** Requests for `/held` are answered when a test lets them be; so many of them have begun. */
let begun = 0
let letGo: () => void = () => undefined
let held = Promise.resolve()
function hold(): void {
  begun = 0
  held = new Promise((resolve) => {
    letGo = resolve
  })
}
const routes: readonly HttpRoute[] = [
  ...probeRoutes,
  { methods: ['GET'], path: '/health', isHealth: true, answer: async () => json(200, { status: 'ok' }) },
  {
    methods: ['GET'],
    path: '/held',
    async answer() {
      begun += 1
      await held
      return json(200, {})
    },
  },
  {
    methods: ['GET'],
    path: '/large',
    async answer() {
      made += 1
      return json(200, 'x'.repeat(10 * megabyte))
    },
  },
  {
    methods: ['POST'],
    path: '/lines',
    async answer(request) {
      const lines: number[] = []
      for await (const { text } of readLines(request)) lines.push(text.length)
      return json(200, lines)
    },
  },
]
const host = 'Host: localhost\r\n'
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n`
const postHead = (bytes: number) =>
  `POST /echo HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`

type Parts = Parameters<typeof startServer>[1]
async function begin(t: TestContext, parts: Parts = {}) {
  const server = await startServer(routes, parts)
  t.after(() => server.stop())
  const open = (count: number) => Promise.all(Array.from({ length: count }, () => openWire(server.url)))
  const sockets = new Set<Socket>()
  server.server.http.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  /** How many bytes of the connections that are open the server has read. */
  const taken = () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  return { ...server, open, taken, openCount: () => sockets.size }
}
async function statusOf(wire: Wire, path: string): Promise<number> {
  wire.send(get(path))
  return (await wire.next()).status
}
const isOpen = (wire: Wire) => Promise.race([wire.closed.then(() => false), pause(stuckMs, true, { ref: false })])
function endAll(wires: readonly Wire[]): void {
  for (const wire of wires) wire.end()
}

test('pipelined requests wait unread: one answer is made, and the others when it was read', async (t) => {
  const { open } = await begin(t)
  const [wire] = (await open(1)) as [Wire]
  wire.socket.pause()
  made = 0
  wire.send(get('/large').repeat(3))
  await until(() => made > 0, 'the first is made')
  await pause(200)
  assert.equal(made, 1)
  wire.socket.resume()
  for (let i = 0; i < 3; i += 1) assert.equal((await wire.next()).body.length, 10 * megabyte + 2)
  assert.equal(made, 3)
  wire.end()
})

test('requests of all kinds in one packet, cut anywhere, are answered in order', async (t) => {
  const { open } = await begin(t)
  const chunked = `POST /echo HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  const text = `${get('/ok?1')}${postHead(8)}"\\r\\n"  ${chunked}2\r\n\r\n\r\n4\r\ntrue\r\n0\r\n\r\n${get('/ok?2')}`
  for (let cut = 1; cut < text.length; cut += 7) {
    const [wire] = (await open(1)) as [Wire]
    wire.send(text.slice(0, cut))
    await new Promise((resolve) => setImmediate(resolve))
    wire.send(text.slice(cut))
    const bodies = [await wire.next(), await wire.next(), await wire.next(), await wire.next()].map(({ body }) => body)
    assert.deepEqual(bodies, ['{"path":"/ok","query":"1"}', '"\\r\\n"', 'true', '{"path":"/ok","query":"2"}'], `${cut}`)
    wire.end()
  }
})

test('bytes of a connection that has ended reach no other, and those after a CONNECT nobody', async (t) => {
  const { open } = await begin(t)
  const head = `POST /echo HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  const connect = 'CONNECT test:1 HTTP/1.1\r\nHost: localhost\r\n\r\n'
  for (let round = 0; round < 60; round += 1) {
    const leaving = await open(4)
    for (const wire of leaving) wire.send(`${head}1\r\n \r\n`)
    await pause(5)
    for (const wire of leaving)
      wire.send(round % 2 === 0 ? '1\r\n \r\n'.repeat(20_000) : get('/ok') + connect.repeat(9))
    await pause(round % 7)
    for (const wire of leaving) wire.socket.resetAndDestroy()
    const others = await open(4)
    assert.deepEqual(await Promise.all(others.map((wire) => statusOf(wire, '/ok'))), [200, 200, 200, 200], `${round}`)
    endAll(others)
  }
})

test('requests that came in one packet hold too much together: the connection with most is cut', async (t) => {
  const { open } = await begin(t, { limits: { requestsHeldMax: 50 } })
  const [few, many] = (await open(2)) as [Wire, Wire]
  hold()
  few.send(get('/held').repeat(3))
  await until(() => begun === 1, 'the first is in work')
  many.send(get('/held').repeat(60))
  await many.closed
  letGo()
  for (let i = 0; i < 3; i += 1) assert.equal((await few.next()).status, 200)
  endAll([few, many])
})

test('an address with more connections than it may have: those that waited longest are closed', async (t) => {
  const { open } = await begin(t, { env: { CONNECTIONS_PER_ADDRESS: '5' } })
  const old = await open(3)
  const first = old[0] as Wire
  hold()
  for (const wire of old) assert.equal(await statusOf(wire, '/ok'), 200)
  first.send(get('/held'))
  await until(() => begun === 1, 'it is in work')
  const more = await open(3)
  assert.equal(await isOpen(old[1] as Wire), false)
  assert.deepEqual(await Promise.all(more.map((wire) => statusOf(wire, '/ok'))), [200, 200, 200])
  letGo()
  assert.equal((await first.next()).status, 200, 'what is in work is finished')
  endAll([...old, ...more])
})

/** Linux cuts every queue of connections at this length. */
const waitingMax = process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0
/**
 * Opens the given number of connections and prints how many the system has accepted: all, or those
 * within half a minute.
 */
const openMany = `
const [port, count] = process.argv.slice(1).map(Number)
let taken = 0
const end = () => { console.log(taken); process.exit() }
for (let i = 0; i < count; i += 1)
  require('node:net').connect(port, '127.0.0.1', () => { if (++taken === count) end() })
setTimeout(end, 30_000)`

test('connections that come while nothing can be accepted wait for it', {
  skip: waitingMax < 1_000 && 'the system lets fewer wait',
}, async (t) => {
  const { url, open } = await begin(t)
  // Node's own limit is 511; the others would try again and again.
  const taken = execFileSync(process.execPath, ['-e', openMany, new URL(url).port, '700'], { encoding: 'utf8' })
  assert.equal(Number(taken), 700)
  const [wire] = (await open(1)) as [Wire]
  assert.equal(await statusOf(wire, '/health'), 200)
  endAll([wire])
})

test('a trusted proxy may have more', async (t) => {
  const { open } = await begin(t, { env: { CONNECTIONS_PER_ADDRESS: '2', TRUST_PROXY: 'loopback' } })
  const wires = await open(6)
  assert.deepEqual(await Promise.all(wires.map((wire) => statusOf(wire, '/ok'))), [200, 200, 200, 200, 200, 200])
  endAll(wires)
})

test('all connections in work: a few more for health, then 503', async (t) => {
  const { open } = await begin(t, { limits: { connectionsMax: 3, connectionsExtraMax: 2 } })
  const working = await open(3)
  hold()
  for (const wire of working) wire.send(get('/held'))
  await until(() => begun === 3, 'all are in work')
  const [asking, looking] = (await open(2)) as [Wire, Wire]
  assert.equal(await statusOf(looking, '/health'), 200)
  asking.send(get('/ok'))
  const refused = await asking.next()
  assert.deepEqual([refused.status, refused.headers['retry-after'], refused.headers.connection], [503, '1', 'close'])
  await asking.closed
  const more = await open(3)
  assert.equal(await isOpen(looking), false, 'health takes the place of health')
  assert.equal(await statusOf(more[2] as Wire, '/health'), 200)
  letGo()
  for (const wire of working) assert.equal((await wire.next()).status, 200)
  endAll([...working, ...more])
})

test('requests in work: those whose body is on its way are none of them, and health is answered', async (t) => {
  const { open } = await begin(t, { limits: { requestsInFlightMax: 2 } })
  const waiting = await open(4)
  for (const wire of waiting) wire.send(postHead(4))
  const working = await open(2)
  assert.equal(await statusOf(working[0] as Wire, '/ok'), 200)
  hold()
  for (const wire of working) wire.send(get('/held'))
  await until(() => begun === 2, 'both are in work')
  const [other] = (await open(1)) as [Wire]
  assert.equal(await statusOf(other, '/ok'), 503)
  assert.equal(await statusOf(other, '/health'), 200)
  letGo()
  for (const wire of working) assert.equal((await wire.next()).status, 200)
  assert.equal(await statusOf(other, '/ok'), 200)
  for (const wire of waiting) wire.send('true')
  for (const wire of waiting) assert.equal((await wire.next()).status, 200)
  endAll([...waiting, ...working, other])
})

test('bodies on their way hold too much together: the one that has held most for longest is given up', async (t) => {
  const { open, taken } = await begin(t, { limits: { bodiesBytesMax: 250_000 } })
  const [slow, small, other] = (await open(3)) as [Wire, Wire, Wire]
  slow.send(postHead(150_000) + ' '.repeat(120_000))
  small.send(`${postHead(20_000)}${' '.repeat(5000)}`)
  await until(() => taken() > 125_000, 'both are read')
  other.send(postHead(100_000) + ' '.repeat(70_000))
  const refused = await slow.next()
  assert.deepEqual([refused.status, refused.headers['retry-after'], refused.headers.connection], [503, '1', 'close'])
  other.send(`${' '.repeat(29_996)}true`)
  small.send(`${' '.repeat(14_996)}true`)
  assert.deepEqual([(await other.next()).status, (await small.next()).status], [200, 200])
  endAll([slow, small, other])
})

test('answers that nobody reads hold too much together: the one that stands longest is cut', async (t) => {
  const { open, openCount } = await begin(t, { limits: { unreadBytesMax: 12 * megabyte } })
  made = 0
  const [first, second] = (await open(2)) as [Wire, Wire]
  for (const wire of [first, second]) {
    wire.socket.pause()
    const before = made
    wire.send(get('/large'))
    await until(() => made > before, 'its answer is made')
  }
  await until(() => openCount() === 1, 'one is cut')
  first.socket.resume()
  second.socket.resume()
  await assert.rejects(first.next(), /closed without an answer/)
  assert.equal((await second.next()).status, 200)
  endAll([first, second])
})

test('a busy process: new requests are 503, begun ones are finished, and health is answered', async (t) => {
  let isBusy = false
  const { open } = await begin(t, { load: { isBusy: () => isBusy, stop: () => undefined } })
  const [early, later] = (await open(2)) as [Wire, Wire]
  hold()
  early.send(get('/held'))
  await until(() => begun === 1, 'it is in work')
  isBusy = true
  later.send(get('/ok'))
  const refused = await later.next()
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1'])
  assert.equal(refused.body, '{"error":"The server is busy, try again"}')
  assert.equal(await statusOf(later, '/health'), 200)
  letGo()
  assert.equal((await early.next()).status, 200)
  isBusy = false
  assert.equal(await statusOf(later, '/ok'), 200)
  endAll([early, later])
})

test('every method that the parser knows is 405 with Allow on a path, and 404 where there is none', async (t) => {
  const { url } = await begin(t)
  for (const method of METHODS.filter((one) => !['GET', 'HEAD', 'OPTIONS'].includes(one))) {
    const answer = await exchange(url, `${method} ${method === 'CONNECT' ? 'test:1' : '/ok'} HTTP/1.1\r\n${host}\r\n`)
    assert.equal(answer.status, 405, method)
    if (method !== 'CONNECT') assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS', method)
    const unknown = method === 'CONNECT' ? undefined : await exchange(url, `${method} /no HTTP/1.1\r\n${host}\r\n`)
    if (unknown) assert.equal(unknown.status, 404, method)
  }
})

test('a line in chunks of one byte costs as much as it is long, not its square', async (t) => {
  const { open } = await begin(t)
  const bytes = 100_000
  const [wire] = (await open(1)) as [Wire]
  const text = `${'1\r\nx\r\n'.repeat(bytes)}0\r\n\r\n`
  let copied = 0
  const ends = [
    watchCalls(Buffer, ['concat'], (_, __, whole) => (copied += (whole as Buffer).length)),
    watchCalls(Buffer.prototype, ['copy'], (_, __, count) => (copied += count as number)),
  ]
  wire.send(
    `POST /lines HTTP/1.1\r\n${host}Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n${text}`,
  )
  assert.equal((await wire.next()).body, `[${bytes}]`)
  for (const end of ends) end()
  wire.end()
  assert.ok(copied > bytes && copied < 8 * text.length, `${copied} bytes are copied of ${text.length}`)
})
