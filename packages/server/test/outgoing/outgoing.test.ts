/** Outgoing requests: bodies, redirects, bounds, codings and counts, with a server of the test. */

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { makeOutgoing, type Outgoing } from '../../src/outgoing/outgoing.ts'
import { OutgoingRefused } from '../../src/outgoing/outgoing-refused.ts'

let server: Server
let other: Server
let url: string
let outgoing: Outgoing
const open = new Set<NodeJS.Timeout>()

function listen(): Promise<Server> {
  const made = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece) => pieces.push(piece))
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here')
      const plain = Buffer.from('a'.repeat(1_000))
      if (pathname === '/echo') {
        const { method, headers } = request
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ method, headers, body: Buffer.concat(pieces).toString() }))
      } else if (pathname === '/to') {
        response.writeHead(Number(searchParams.get('status')), { location: searchParams.get('at') ?? '' }).end()
      } else if (pathname === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(plain))
      else if (pathname === '/br') response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(plain))
      else if (pathname === '/bomb')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20_000_000)))
      else if (pathname === '/endless') {
        const timer = setInterval(() => response.write('x'.repeat(10_000)), 1)
        open.add(timer)
        response.on('close', () => clearInterval(timer))
      } else if (pathname === '/cut') {
        response.writeHead(200, { 'content-length': '100' })
        response.write('half')
        response.socket?.end()
      } else if (pathname === '/silent') return
      else response.writeHead(204).end()
    })
  })
  return new Promise((done) => made.listen(0, '127.0.0.1', () => done(made)))
}
const addressOf = (one: Server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`

before(async () => {
  server = await listen()
  other = await listen()
  url = addressOf(server)
  outgoing = makeOutgoing({ allow: ['127.0.0.0/8'], proxy: {} })
})
after(async () => {
  outgoing.close()
  for (const timer of open) clearInterval(timer)
  for (const one of [server, other]) {
    one.closeAllConnections()
    await new Promise((done) => one.close(done))
  }
})

type Echo = { method: string; headers: Record<string, string>; body: string }
const echo = async (answer: Response) => (await answer.json()) as Echo

it('sends each form of body that fetch takes', async () => {
  const send = outgoing.guarded('test')
  const form = new FormData()
  form.set('name', 'Ada')
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('piece'))
      controller.close()
    },
  })
  const bodies = ['text', Buffer.from('bytes'), new URLSearchParams({ a: '1' }), form, stream]
  const echoes: Echo[] = []
  for (const body of bodies) echoes.push(await echo(await send(`${url}/echo`, { method: 'POST', body })))
  assert.deepEqual(
    echoes.map(({ body, headers }) => [
      body.includes('name="name"') ? 'form' : body,
      headers['content-type']?.replace(/;.*/, ''),
      headers['content-length'] ?? headers['transfer-encoding'],
    ]),
    [
      ['text', 'text/plain', '4'],
      ['bytes', undefined, '5'],
      ['a=1', 'application/x-www-form-urlencoded', '3'],
      ['form', 'multipart/form-data', echoes[3]?.headers['content-length']],
      ['piece', undefined, 'chunked'],
    ],
  )
  const request = new Request(`${url}/echo`, { method: 'PUT', body: 'of a request', headers: { 'x-own': '1' } })
  const { method, headers, body } = await echo(await send(request))
  assert.deepEqual([method, headers['x-own'], body], ['PUT', '1', 'of a request'])
})

it('follows redirects as fetch does, and takes credentials to no other origin', async () => {
  const send = outgoing.guarded('test')
  const at = `${addressOf(other)}/echo`
  const sent = { method: 'POST', body: 'x', headers: { authorization: 'Bearer secret', cookie: 'a=b', 'x-own': '1' } }
  const seen: unknown[] = []
  for (const status of [301, 302, 303, 307, 308]) {
    const { method, headers, body } = await echo(await send(`${url}/to?status=${status}&at=${at}`, sent))
    seen.push([method, body, headers.authorization, headers.cookie, headers['x-own'], headers['content-type']])
  }
  const got = ['GET', '', undefined, undefined, '1', undefined]
  const posted = ['POST', 'x', undefined, undefined, '1', 'text/plain;charset=UTF-8']
  assert.deepEqual(seen, [got, got, got, posted, posted])
  const near = await echo(await send(`${url}/to?status=307&at=/echo`, sent))
  assert.equal(near.headers.authorization, 'Bearer secret')
  const kept = await send(`${url}/to?status=302&at=/echo`, { redirect: 'manual' })
  assert.deepEqual([kept.status, kept.headers.get('location')], [302, '/echo'])
  const unread = await send(`${url}/to?status=302&at=http://[`, { redirect: 'manual' })
  assert.equal(unread.status, 302, 'an address that is not followed need be none')
  await assert.rejects(send(`${url}/to?status=302&at=/echo`, { redirect: 'error' }), TypeError)
})

it('returns decoded bodies and answers without one, and takes no credentials in an address', async () => {
  const send = outgoing.guarded('test')
  for (const path of ['/gzip', '/br']) {
    const answer = await send(url + path)
    assert.equal(await answer.text(), 'a'.repeat(1_000))
    assert.equal(answer.headers.get('content-encoding'), null)
  }
  const none = await send(`${url}/none`)
  assert.deepEqual([none.status, none.body, await none.text()], [204, null, ''])
  assert.equal(await (await send(`${url}/echo`, { method: 'HEAD' })).text(), '')
  await assert.rejects(send(url.replace('http://', 'http://ada:secret@')), TypeError)
})

it('bounds the size after decompression', async () => {
  for (const path of ['/bomb', '/endless']) {
    const answer = await outgoing.guarded('test', { bytesMax: 100_000 })(url + path)
    await assert.rejects(answer.arrayBuffer(), { name: 'OutgoingRefused', reason: 'size' }, path)
  }
})

it('bounds the time, of the body too, and heeds the signal of its caller', async () => {
  const send = outgoing.guarded('test', { msMax: 150 })
  await assert.rejects(send(`${url}/silent`), { name: 'OutgoingRefused', reason: 'time' })
  // Long enough for the head of the answer on a loaded machine.
  const answer = await outgoing.guarded('test', { msMax: 1_000, bytesMax: Number.POSITIVE_INFINITY })(`${url}/endless`)
  await assert.rejects(answer.arrayBuffer(), (error) => error instanceof OutgoingRefused && error.reason === 'time')
  const stop = new AbortController()
  const sent = outgoing.guarded('test')(`${url}/silent`, { signal: stop.signal })
  stop.abort(new Error('enough'))
  await assert.rejects(sent, /enough|abort/i)
})

it('says that an answer was cut, and counts by purpose and outcome', async () => {
  const counting = makeOutgoing({ allow: ['127.0.0.1'], proxy: {} })
  const answer = await counting.guarded('effects')(`${url}/cut`)
  await assert.rejects(answer.text())
  await (await counting.configured('issuers')(`${url}/none`)).text()
  await assert.rejects(counting.guarded('effects')('http://10.0.0.1/'))
  await assert.rejects(counting.guarded('effects')('http://127.0.0.1:1/'))
  const [family] = counting.families()
  const samples = family?.kind === 'counter' ? family.samples : []
  assert.deepEqual(
    samples.map(({ labels, value }) => `${labels.purpose} ${labels.outcome} ${value}`),
    ['effects 2xx 1', 'issuers 2xx 1', 'effects refused-address 1', 'effects failed 1'],
  )
  counting.close()
})
