/** Connections on which nothing happens are closed: between two requests, in the middle of one, and while an answer is not read. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { probeRoutes, startServer } from '../helpers/server.ts'

const limits = { idleTimeoutMs: 300, keepAliveTimeoutMs: 2_000, connectionsCheckMs: 20 }
const { url, stop } = await startServer(probeRoutes, { limits })
after(stop)

type Wire = { readonly socket: Socket; readonly closedMs: Promise<number>; read(): string }

async function open(text: string, reading = true): Promise<Wire> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const began = performance.now()
  let got = ''
  socket.on('error', () => undefined)
  if (reading) socket.on('data', (data) => (got += data))
  else socket.pause()
  const closedMs = new Promise<number>((resolve) => socket.once('close', () => resolve(performance.now() - began)))
  socket.write(text)
  return { socket, closedMs, read: () => got }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

describe('a connection on which nothing happens is closed', { concurrency: true }, () => {
  it('after its answer, when the time is up that the answer has promised', async () => {
    const { closedMs, read } = await open(get('/ok'))
    const took = await closedMs
    assert.match(read(), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nKeep-Alive: timeout=2\r\n/)
    assert.ok(took >= 2_000 && took < 10_000, `${took} ms`)
  })

  it('not while requests come in time', async () => {
    const { socket, closedMs, read } = await open(get('/ok'))
    for (let i = 0; i < 9; i += 1) {
      await pause(300)
      socket.write(get('/ok'))
    }
    const answers = () => read().match(/HTTP\/1\.1 200 OK/g)?.length ?? 0
    for (let tries = 0; tries < 200 && answers() < 10; tries += 1) await pause(20)
    assert.equal(answers(), 10)
    socket.destroy()
    await closedMs
  })

  it('in the middle of a body that does not go on', async () => {
    const head =
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
    const took = await (await open(head)).closedMs
    assert.ok(took >= 300 && took < 2500, `${took} ms`)
  })

  it('while its client does not read', async () => {
    const { socket, closedMs, read } = await open(get('/stream/2000'), false)
    await pause(1500)
    socket.on('data', () => undefined).resume() // what is left comes, and then the end
    await closedMs
    assert.ok(socket.bytesRead < 2000 * 65_536, `${socket.bytesRead} bytes`)
    assert.equal(read(), '')
  })

  it('not while a slow client goes on reading', async () => {
    const pieces = 60
    const { socket, closedMs, read } = await open(get(`/stream/${pieces}`), false)
    let got = 0
    socket.on('data', (data) => (got += data.length))
    for (let i = 0; i < 16; i += 1) {
      socket.resume()
      await pause(10)
      socket.pause()
      await pause(100)
    }
    socket.resume()
    await pause(500)
    assert.ok(got > pieces * 65_536, `${got} bytes`)
    assert.equal(read(), '')
    socket.destroy()
    await closedMs
  })
})
