/**
 * The benchmark's load generator counts a response once it is complete, in however many packets it
 * arrives, and reports each response that failed.
 */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, describe, it } from 'node:test'

const body = 'x'.repeat(1000)
const answers = {
  'a body that says its length': `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  'a body in chunks': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n${body}\r\n0\r\n\r\n`,
  'no body': 'HTTP/1.1 204 No Content\r\n\r\n',
}
const count = 7
const connections = 2

const load = fork(join(import.meta.dirname, '../../../bench/load.ts'), { execArgv: [] })
after(() => load.kill())

type Seen = { answered: number; failed: number; firstFailure?: string }

let server: Server
afterEach(() => server.close())

/**
 * The counts of the load generator for a server that answers each request with `answer`, in packets
 * of `pieceBytes`.
 */
async function see(answer: string, pieceBytes: number) {
  const send = async (socket: Socket) => {
    for (let at = 0; at < answer.length && !socket.destroyed; at += pieceBytes) {
      socket.write(answer.slice(at, at + pieceBytes))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  server = createServer({ noDelay: true }, (socket) => {
    socket.on('data', () => void send(socket)).on('error', () => {})
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  const pool = { requests: Array(count).fill('GET / HTTP/1.1\r\n\r\n'), connections }
  load.send({ port, warmSeconds: 0, seconds: 10, once: true, pool })
  const [{ pool: seen }] = (await once(load, 'message')) as [{ pool: Seen }]
  return seen
}

for (const [name, answer] of Object.entries(answers))
  describe(name, () => {
    for (const pieceBytes of [answer.length, 333, 8])
      it(`in pieces of ${pieceBytes} bytes`, { timeout: 240_000 }, async () => {
        const { answered, failed } = await see(answer, pieceBytes)
        assert.deepEqual({ answered, failed }, { answered: count, failed: 0 })
      })
  })

it('tells of an answer that is an error by how it begins', { timeout: 240_000 }, async () => {
  const answer = 'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\n{}'
  const { answered, failed, firstFailure = '' } = await see(answer, 8)
  assert.deepEqual({ answered, failed }, { answered: 0, failed: count })
  assert.match(firstFailure, /^HTTP\/1.1 500 Internal Server Error\r\n/)
})
