/**
 * Shutdown: a signal drains the real process, no client loses a response, and it exits with 0
 * within ten seconds.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { adminEmail, makeAsk, password, type ServerProcess, spawnServer } from '../helpers/application.ts'
import { long } from '../helpers/long.ts'
import { probeRoutes, startServer } from '../helpers/server.ts'
import { stuckMs, until } from '../helpers/until.ts'
import { openWire, type Wire } from '../helpers/wire.ts'

const host = 'Host: 127.0.0.1\r\n'
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n`

async function begin(
  options: Partial<Parameters<typeof spawnServer>[0]>,
  t: { after(run: () => unknown): void },
): Promise<ServerProcess & { url: string }> {
  const server = spawnServer(options)
  t.after(() => server.child.kill('SIGKILL'))
  return { ...server, url: await server.ready() }
}

/**
 * Sends the first half of a request that creates a shelf, and returns the rest, to be sent later.
 */
function halfUpload(wire: Wire, label: string): string {
  const body = JSON.stringify({ label, room: 'A' })
  wire.send(
    `POST /shelves HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  )
  return body.slice(10)
}

/** 100 shelves of 8 KB. */
async function fillShelves(url: string): Promise<void> {
  const ask = makeAsk(url)
  const body = { label: '😀'.repeat(1000), room: '😀'.repeat(1000) }
  await Promise.all(Array.from({ length: 100 }, () => ask('POST', '/shelves', { body })))
}

describe('a drain', () => {
  const never = { idleTimeoutMs: 2 * stuckMs, keepAliveTimeoutMs: 2 * stuckMs, bodyTimeoutMs: 2 * stuckMs }

  test('does not wait for idle connections', { timeout: stuckMs }, async () => {
    const { url, stop } = await startServer(probeRoutes, { limits: { ...never, drainMsMax: 2 * stuckMs } })
    const wires = await Promise.all([1, 2, 3, 4].map(() => openWire(url)))
    for (const wire of wires.slice(1)) {
      wire.send(get('/ok'))
      await wire.next()
    }
    wires[3]?.send('GET /li') // half a request line is owed no response
    await stop()
  })

  test('does not wait for a client that has its response and leaves the connection open', {
    timeout: stuckMs,
  }, async () => {
    const { url, stop } = await startServer(probeRoutes, { limits: { ...never, drainMsMax: 2 * stuckMs } })
    const { hostname, port } = new URL(url)
    const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const closed = new Promise((resolve) => client.on('close', resolve).on('error', () => undefined))
    client.write(get('/ok'))
    let text = ''
    client.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    await until(() => text.includes('200 OK'), 'the response')
    await stop()
    client.destroy()
    await closed
  })

  test('cuts a client that never finishes its body', { timeout: stuckMs }, async () => {
    const { url, stop } = await startServer(probeRoutes, { limits: { ...never, drainMsMax: 500 } })
    const wire = await openWire(url)
    halfUpload(wire, 'never')
    await Promise.all([stop(), wire.closed])
  })
})

describe('drain', { concurrency: 4 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(
      `${signal}: not ready at once, the upload in flight is stored, exit code 0`,
      signal === 'SIGINT' ? long : {},
      async (t) => {
        const server = await begin({}, t)
        const idle = await openWire(server.url)
        idle.send(get('/livez'))
        assert.equal((await idle.next()).status, 200)
        const [upload, asking] = await Promise.all([openWire(server.url), openWire(server.url)])
        const rest = halfUpload(upload, 'drained')
        await pause(50)
        const ended = server.stop(signal)
        await server.wrote('draining')
        asking.send(get('/readyz'))
        const notReady = await asking.next()
        assert.equal(notReady.status, 503)
        assert.equal(notReady.headers.connection, 'close')
        assert.ok(notReady.headers['retry-after'])
        await pause(500)
        upload.send(rest)
        const stored = await upload.next()
        assert.equal(stored.status, 201, stored.body)
        const { code } = await ended
        assert.equal(code, 0, server.stderr())
        assert.match(server.lines().at(-1)?.msg as string, /^Stopped/)
      },
    )
  }

  test('answers that are ended but not flushed, and streams, reach slow readers whole', async (t) => {
    const server = await begin({}, t)
    await fillShelves(server.url)
    const wires = await Promise.all(
      ['/shelves?limit=100', '/shelves'].map(async (path) => {
        const wire = await openWire(server.url)
        wire.socket.pause()
        // More than the socket buffers of both ends hold, so that the server still owes most of it.
        wire.send(get(path).repeat(20))
        return wire
      }),
    )
    await pause(300)
    const ended = server.stop()
    await pause(1500)
    for (const wire of wires) {
      wire.socket.resume()
      for (let i = 0; i < 20; i += 1) {
        const { count, data } = JSON.parse((await wire.next()).body) as { count: number; data: unknown[] }
        assert.equal(count, 100)
        assert.equal(data.length, 100)
      }
    }
    const { code } = await ended
    assert.equal(code, 0)
  })

  test('npm start: the signal reaches the server through npm', async (t) => {
    const server = await begin({ command: ['npm', 'start'] }, t)
    const upload = await openWire(server.url)
    const rest = halfUpload(upload, 'through npm')
    await pause(50)
    const ended = server.stop()
    await server.wrote('draining')
    upload.send(rest)
    assert.equal((await upload.next()).status, 201)
    await ended
    assert.match(server.stdout(), /"Stopped"/)
    await assert.rejects(makeAsk(server.url)('GET', '/livez'), 'nothing is left behind')
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(
      `WORKERS=2, ${signal}: the upload in flight is stored, and all processes end`,
      signal === 'SIGINT' ? long : {},
      async (t) => {
        const server = await begin({ env: { WORKERS: '2' } }, t)
        const upload = await openWire(server.url)
        const rest = halfUpload(upload, 'by a worker')
        await pause(50)
        const ended = server.stop(signal)
        await pause(500)
        upload.send(rest)
        assert.equal((await upload.next()).status, 201)
        const { code } = await ended
        assert.equal(code, 0, server.stderr())
        await assert.rejects(makeAsk(server.url)('GET', '/livez'))
      },
    )
  }

  test('WORKERS=2: a log-out at one worker holds at the other', long, async (t) => {
    const server = await begin({ env: { WORKERS: '2' } }, t)
    const ask = makeAsk(server.url)
    const { body } = await ask('POST', '/auth/login', { body: { email: adminEmail, password } })
    // Workers get connections in turn, so several connections reach both.
    const wires = await Promise.all([1, 2, 3, 4].map(() => openWire(server.url)))
    const askAll = async () => {
      for (const wire of wires)
        wire.send(`GET /api/v1/members HTTP/1.1\r\n${host}Authorization: Bearer ${body.accessToken}\r\n\r\n`)
      return Promise.all(wires.map(async (wire) => (await wire.next()).status))
    }
    assert.deepEqual(await askAll(), [200, 200, 200, 200])
    assert.equal((await ask('POST', '/auth/logout', { cookie: `refreshToken=${body.refreshToken}` })).status, 204)
    await until(async () => (await askAll()).every((status) => status === 401), 'the other one knows')
    for (const wire of wires) wire.end()
    assert.equal((await server.stop()).code, 0)
  })
})
