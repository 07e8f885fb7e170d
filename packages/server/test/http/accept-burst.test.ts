/**
 * A burst of connections: the server accepts all of them first, so a later client does not wait for
 * the responses of earlier ones.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { acceptBeforeReading } from '../../src/http/connections/accept-burst.ts'
import { json } from '../../src/http/messages/exchange.ts'
import type { HttpRoute } from '../../src/http/server.ts'
import { limits } from '../../src/limits.ts'
import { startServer } from '../helpers/server.ts'
import { stuckMs } from '../helpers/until.ts'

function makeArrivals(acceptBurstMs: number) {
  const server = new EventEmitter()
  const read: number[] = []
  let count = 0
  acceptBeforeReading(server as Server, { acceptBurstMs, arrivalsPerTurn: 3 })
  return {
    server,
    read,
    accept: (remoteAddress = '192.0.2.1') => {
      const number = count++
      server.emit('connection', { remoteAddress, resume: () => read.push(number) })
    },
  }
}

test('a connection that comes alone is read in the next turn', async () => {
  const { read, accept, server } = makeArrivals(60_000)
  assert.equal((server as EventEmitter & { pauseOnConnect?: boolean }).pauseOnConnect, true)
  for (let i = 0; i < 3; i += 1) {
    accept()
    assert.equal(read.length, i)
    for (let turns = 0; turns < 3; turns += 1) await turn()
    assert.equal(read.length, i + 1)
  }
})

test('while one comes in each turn none is read; then the earliest are first, so many in a turn', async () => {
  const { read, accept } = makeArrivals(60_000)
  for (let i = 0; i < 8; i += 1) {
    accept()
    await turn()
  }
  assert.deepEqual(read, [])
  for (let turns = 0; turns < 6; turns += 1) await turn()
  assert.deepEqual(read, [0, 1, 2, 3, 4, 5, 6, 7])
})

test('addresses take turns, and a network of 64 bits is one', async () => {
  const { read, accept } = makeArrivals(60_000)
  const [flood, mine] = ['2001:db8::1', '198.51.100.7']
  const from = [flood, '2001:db8::2', '2001:db8::3', '2001:db8::4', flood, mine, mine, '::ffff:203.0.113.9']
  for (const address of from) {
    accept(address)
    await turn()
  }
  for (let turns = 0; turns < 6; turns += 1) await turn()
  assert.deepEqual(read, [0, 5, 7, 1, 6, 2, 3, 4])
})

test('however long a flood is, one from elsewhere is read with the next that are', async () => {
  const { read, accept } = makeArrivals(0)
  for (let i = 0; i < 3_000; i += 1) accept()
  await turn()
  const before = read.length
  accept('198.51.100.7')
  for (let turns = 0; turns < 3 && !read.includes(3_000); turns += 1) {
    for (let i = 0; i < 100; i += 1) accept()
    await turn()
  }
  assert.ok(read.indexOf(3_000) >= 0 && read.indexOf(3_000) < before + 6, `${read.indexOf(3_000)}`)
})

test('connections of a trusted proxy are read at once, and its requests take the turns by the address that it reports', async () => {
  const server = new EventEmitter()
  const order: string[] = []
  const { turn: turnOf } = acceptBeforeReading(
    server as Server,
    { acceptBurstMs: 60_000, arrivalsPerTurn: 3 },
    (address) => (address === '10.0.0.1' ? undefined : address),
  )
  assert.equal(turnOf('198.51.100.7'), undefined, 'nothing waits')
  server.emit('connection', { remoteAddress: '10.0.0.1', resume: () => order.push('read') })
  assert.deepEqual(order, ['read'])
  const from = ['flood', 'flood', 'flood', 'flood', 'mine']
  for (const address of from) void turnOf(address)?.then(() => order.push(address))
  for (let turns = 0; turns < 6; turns += 1) await turn()
  assert.deepEqual(order, ['read', 'flood', 'mine', 'flood', 'flood', 'flood'])
  assert.equal(turnOf('198.51.100.7'), undefined)
})

test('those that have come are read in between, however many more come', async () => {
  const { read, accept } = makeArrivals(0)
  for (let i = 0; i < 8; i += 1) {
    accept()
    await turn()
  }
  assert.ok(read.length > 3, `${read.length} were read`)
})

const routes: readonly HttpRoute[] = [
  {
    methods: ['GET'],
    path: '/work',
    async answer() {
      const began = performance.now()
      while (performance.now() - began < 4);
      return json(200, {})
    },
  },
  { methods: ['GET'], path: '/health', isHealth: true, answer: async () => json(200, {}) },
]
/**
 * Opens a burst of connections that request work, and then one from another address that requests
 * health. It creates a file when the system has accepted all. It prints how many of the burst got a
 * response before the health check.
 */
const flood = `
const [port, count, file] = process.argv.slice(1)
let [taken, worked] = [0, 0]
const ask = (path, isTaken, isAnswered) =>
  require('node:net').connect({ port: Number(port), host: '127.0.0.1', localAddress: path === '/health' ? '127.0.0.2' : undefined }, isTaken)
    .once('data', isAnswered)
    .end('GET ' + path + ' HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n')
const askLast = () =>
  ask('/health', () => require('node:fs').writeFileSync(file, ''), () => { console.log(worked); process.exit() })
for (let i = 0; i < Number(count); i += 1)
  ask('/work', () => { if (++taken === Number(count)) askLast() }, () => { worked += 1 })`

/** Nothing is accepted meanwhile. */
function holdUntilThere(file: string): void {
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  for (let waits = 0; !existsSync(file) && waits < 20_000; waits += 1) Atomics.wait(nothing, 0, 0, 10)
}

// Elsewhere the loopback has one address
const skip = process.platform !== 'linux' && 'every address of 127.0.0.0/8 is there on Linux alone'

test('health from another address is answered before most of those that came before it', { skip }, async (t) => {
  // However busy the machine is, all are accepted in one go.
  const server = await startServer(routes, { limits: { acceptBurstMs: stuckMs } })
  t.after(() => server.stop())
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const [count, file] = [100, join(folder, 'taken')]
  const flooding = promisify(execFile)(process.execPath, ['-e', flood, new URL(server.url).port, `${count}`, file])
  holdUntilThere(file)
  const { stdout } = await flooding
  assert.ok(Number(stdout) < 2 * limits.arrivalsPerTurn, `${stdout.trim()} of ${count} were answered before it`)
})
