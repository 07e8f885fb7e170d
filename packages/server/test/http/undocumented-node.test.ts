/**
 * The undocumented parts of Node that the server relies on (`src/http/node/undocumented-node.ts`):
 * one test for each, which names it. `npm run test:versions -- insides` runs them on every
 * supported line of Node. A line that is not in the list is untested.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, it, test } from 'node:test'
import { nodeRange } from '../../src/create/node-version.ts'
import {
  failBody,
  freeParsed,
  holdHead,
  parserOf,
  pauseOnConnect,
  stopListening,
  takeHead,
  takeSocket,
} from '../../src/http/node/undocumented-node.ts'
import { until } from '../helpers/until.ts'

const lookedAt = ['24', '26']
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n'

let server: Server
let client: Socket
let received = ''

async function start(
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  before?: (own: Server) => void,
) {
  received = ''
  server = createServer(serve)
  before?.(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client
    .on('error', () => undefined)
    .on('data', (chunk) => {
      received += chunk
    })
  return (await accepted)[0]
}
const receives = (text: string) =>
  until(
    () => received.includes(text),
    () => `Node sent ${JSON.stringify(received)} instead of ${JSON.stringify(text)}`,
  )

/** Keeps the requests that a connection makes. */
function collecting() {
  const requests: IncomingMessage[] = []
  return {
    requests,
    serve: (request: IncomingMessage, response: ServerResponse) => {
      requests.push(request.resume())
      response.end(String(requests.length))
    },
  }
}

test('the line of this Node is among those that were looked at, and those are what the engine supports', () => {
  const line = process.versions.node.split('.')[0] as string
  assert.ok(lookedAt.includes(line), `Node ${line}: look at each inside, then add it to this list`)
  assert.deepEqual(nodeRange.match(/\d+(?=\.\d+\.\d)/g), lookedAt)
})

describe(`Node ${process.versions.node} has the insides that src/http/node/undocumented-node.ts uses`, () => {
  afterEach(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })

  it('ServerResponse._header: a text that is put there is the head that goes out, with the body or the end', async () => {
    await start((request, response) => {
      holdHead(response, head)
      if (request.url === '/body') response.end('ok')
      else response.end()
    })
    client.write(get('/body'))
    await receives(`${head}ok`)
    received = ''
    client.write(get('/none'))
    await receives(head)
  })

  it('ServerResponse._headerSent: once it is set, the end adds nothing, and the connection goes on', async () => {
    const finished: boolean[] = []
    await start((_request, response) => {
      holdHead(response, head)
      response.socket?.write(`${takeHead(response)}ok`, 'latin1')
      response.end()
      response.on('close', () => finished.push(response.writableFinished))
    })
    client.write(get('/'))
    await receives(`${head}ok`)
    client.write(get('/'))
    await receives(`${head}ok${head}ok`)
    assert.equal(received, `${head}ok${head}ok`)
    assert.deepEqual(finished, [true, true])
  })

  it("the one 'data' listener of a socket is its parser, and what it is called with is all that is parsed", async () => {
    const { requests, serve } = collecting()
    const socket = await start(serve)
    assert.equal(socket.listenerCount('data'), 1, 'listeners of a socket that http.Server has just taken')
    const parse = parserOf(socket)
    socket.off('data', parse)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    client.write(get('/sent'))
    await until(
      () => chunks.length > 0,
      () => 'nothing was read',
    )
    assert.equal(requests.length, 0, 'without its parser a socket makes no request')
    const post = 'POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n'
    for (const [text, count, complete] of [
      [get('/given'), 1, true],
      [post, 2, false],
      ['bo', 2, false],
      ['dy', 2, true],
    ] as const) {
      parse(Buffer.from(text))
      assert.deepEqual([requests.length, requests.at(-1)?.complete], [count, complete], text)
    }
    assert.deepEqual(
      requests.map(({ url }) => url),
      ['/given', '/post'],
    )
  })

  it('the parser copies the bytes of a body, so their memory may go once they are parsed', async () => {
    const requests: IncomingMessage[] = []
    const socket = await start((request) => requests.push(request))
    const parse = parserOf(socket)
    socket.off('data', parse)
    const length = 40_000
    parse(Buffer.from(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${2 * length}\r\n\r\n`))
    const [first, second] = [Buffer.alloc(length, 'a'), Buffer.alloc(length, 'b')]
    parse(first)
    first.fill('x')
    parse(second)
    freeParsed(second)
    assert.equal(second.length, 0, 'the memory is given back')
    const read: Buffer[] = []
    for (let chunk = requests[0]?.read(); chunk; chunk = requests[0]?.read()) read.push(chunk)
    assert.ok(Buffer.concat(read).equals(Buffer.concat([Buffer.alloc(length, 'a'), Buffer.alloc(length, 'b')])))
  })

  it('a parser that is given several requests begins all of them before it returns', async () => {
    const { requests, serve } = collecting()
    const socket = await start(serve)
    parserOf(socket)(Buffer.from(get('/1') + get('/2') + get('/3')))
    assert.equal(requests.length, 3)
  })

  it('a paused socket is resumed by Node when its reader wants more, which is told by an event', async () => {
    const { serve } = collecting()
    const socket = await start(serve)
    socket.pause()
    let resumed = 0
    socket.on('resume', () => {
      resumed += 1
    })
    const post = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody'
    parserOf(socket)(Buffer.from(post))
    await until(
      () => resumed > 0,
      () => 'Node has not resumed the socket',
    )
  })

  it('net.Server.pauseOnConnect: an http.Server that has it reads nothing of a new connection', async () => {
    const { requests, serve } = collecting()
    const socket = await start(serve, pauseOnConnect)
    assert.ok(socket.isPaused())
    client.write(get('/'))
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    assert.equal(requests.length, 0)
    socket.resume()
    await receives('HTTP/1.1 200')
  })

  it('IncomingMessage._destroy: a body that fails through it leaves its connection open for the answer', async () => {
    const failed: unknown[] = []
    await start((request, response) => {
      request.on('error', (error) => {
        failed.push(error.message)
        response.end('told')
      })
      failBody(request, new Error('too much'))
    })
    client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbo')
    await receives('told')
    assert.deepEqual(failed, ['too much'])
  })

  it('net.Server.close: called on an http.Server it leaves idle connections open', async () => {
    const { serve } = collecting()
    await start(serve)
    client.write(get('/'))
    await receives('HTTP/1.1 200')
    let closed = false
    const all = stopListening(server).then(() => {
      closed = true
    })
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    assert.equal(closed, false)
    received = ''
    client.write(get('/again'))
    await receives('HTTP/1.1 200')
    client.end()
    await all
  })

  it('parser.unconsume, remove, free, close: a taken socket is read and written by its taker alone', async () => {
    const { requests, serve } = collecting()
    const taken = Promise.withResolvers<Socket>()
    await start((request, response) => {
      if (request.url !== '/taken') return serve(request, response)
      setImmediate(() => taken.resolve(takeSocket(response) as Socket))
      response.on('close', () => assert.fail('Node still knows the response'))
    })
    client.write(get('/first'))
    await receives('HTTP/1.1 200')
    client.write(get('/taken'))
    const socket = await taken.promise
    const names = ['data', 'end', 'drain', 'error', 'timeout', 'close'].flatMap((event) =>
      socket.listeners(event).map(({ name }) => name),
    )
    assert.deepEqual(
      names.filter((name) => name !== 'onReadableStreamEnd'),
      [],
      'listeners of Node that are left',
    )
    let read = ''
    socket.on('data', (chunk) => {
      read += chunk
    })
    received = ''
    client.write(get('/more'))
    await until(
      () => read === get('/more'),
      () => `read ${JSON.stringify(read)}`,
    )
    socket.write('mine')
    await receives('mine')
    assert.deepEqual([received, requests.length], ['mine', 1])
    const closed = once(socket, 'close')
    socket.on('error', () => undefined)
    client.destroy()
    socket.end()
    await closed
  })

  it("at 'connect' the parser has been taken from its socket", async () => {
    await start(() => undefined)
    const told = once(server, 'connect') as Promise<[IncomingMessage, Socket]>
    const listeners = told.then(([, socket]) => socket.listenerCount('data'))
    client.write('CONNECT localhost:1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n')
    assert.equal(await listeners, 0)
  })
})
