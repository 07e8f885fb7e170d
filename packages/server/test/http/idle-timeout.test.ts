/**
 * Idle connections are closed: between two requests, in the middle of one, and while a client does
 * not read its response.
 */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { probeRoutes, startServer } from '../helpers/server.ts'
import { until } from '../helpers/until.ts'

const limits = { idleTimeoutMs: 300, keepAliveTimeoutMs: 2_000, connectionsCheckMs: 20, bodyTimeoutMs: 600_000 }
const { url, server, stop } = await startServer(probeRoutes, { limits })
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

/**
 * Client and server are one process: one that stands still for longer than a connection may be idle
 * closes a good one. Such a try says nothing, and another is made; where all are such, nothing is
 * said.
 */
async function unlessHeldUp(ms: number, isGood: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 5; tries += 1) {
    const heldUp = monitorEventLoopDelay({ resolution: 10 })
    heldUp.enable()
    const good = await isGood()
    heldUp.disable()
    if (good) return
    assert.ok(heldUp.max / 1e6 > ms / 3, `no turn took more than ${heldUp.max / 1e6} ms`)
  }
}

describe('a connection on which nothing happens is closed', { concurrency: true }, () => {
  it('after its answer, when the time is up that the answer has promised', async () => {
    const { closedMs, read } = await open(get('/ok'))
    const took = await closedMs
    assert.match(read(), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nKeep-Alive: timeout=2\r\n/)
    assert.ok(took >= 2_000, `${took} ms`)
  })

  it('not while requests come in time', () =>
    unlessHeldUp(limits.keepAliveTimeoutMs, async () => {
      const { socket, closedMs, read } = await open(get('/ok'))
      for (let i = 0; i < 9 && !socket.closed; i += 1) {
        await pause(300)
        socket.write(get('/ok'))
      }
      const answers = () => read().match(/HTTP\/1\.1 200 OK/g)?.length ?? 0
      await until(() => answers() === 10 || socket.closed, 'all are answered')
      const told = answers()
      socket.destroy()
      await closedMs
      return told === 10
    }))

  it('in the middle of a body that does not go on', async () => {
    const head =
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
    const took = await (await open(head)).closedMs
    assert.ok(took >= 300, `${took} ms`)
  })

  it('while its client does not read', async () => {
    const taken: Socket[] = []
    server.http.on('connection', (one: Socket) => void taken.push(one))
    const { socket, closedMs } = await open(get('/stream/2000'), false)
    let atServer: Socket | undefined
    await until(() => {
      atServer ??= taken.find(({ remotePort }) => remotePort === socket.localPort)
      return atServer?.destroyed === true
    }, 'the server has closed it')
    socket.on('data', () => undefined).resume() // what is left comes, and then the end
    await closedMs
    assert.ok(socket.bytesRead < 2000 * 65_536, `${socket.bytesRead} bytes came`)
  })

  it('not while a slow client goes on reading', () =>
    unlessHeldUp(limits.idleTimeoutMs - 110, async () => {
      const pieces = 60
      const { socket, closedMs } = await open(get(`/stream/${pieces}`), false)
      let got = 0
      socket.on('data', (data) => (got += data.length))
      for (let i = 0; i < 16; i += 1) {
        socket.resume()
        await pause(10)
        socket.pause()
        await pause(100)
      }
      socket.resume()
      await until(() => socket.closed || got > pieces * 65_536, 'all has come, or it is closed')
      socket.destroy()
      await closedMs
      return got > pieces * 65_536
    }))
})
