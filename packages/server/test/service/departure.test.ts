/**
 * A client that disconnects is no server fault: its request is logged as 499, and no line has the
 * level error.
 */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { json } from '../../src/http/messages/exchange.ts'
import { readJson, readLines } from '../../src/http/messages/read-body.ts'
import { type HttpRoute, makeServer } from '../../src/http/server.ts'
import { recordingLog, startService, type TestService } from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'
import { keys, notes, people } from './people.ts'

async function* forever() {
  for (;;) {
    await sleep(5)
    yield 'x'.repeat(1000)
  }
}
let held = 0
async function* holds() {
  held += 1
  try {
    yield* forever()
  } finally {
    held -= 1
  }
}
async function* breaks() {
  yield 'the first piece'
  await sleep(20)
  throw new Error('the source broke')
}
/** Emits the path of each request that a slow route has begun to answer. */
const begun = new EventEmitter()
/** Longer than this process may stand still between a client's request and its going. */
const slowMs = 2_000
async function answerLate<T>(path: string, answer: T): Promise<T> {
  begun.emit(path)
  return sleep(slowMs, answer)
}
const stream = (body: AsyncIterable<string>) => ({ status: 200, headers: { 'content-type': 'text/plain' }, body })
const routes: readonly HttpRoute[] = [
  { methods: ['POST'], path: '/json', answer: async (request) => json(200, (await readJson(request)) ?? null) },
  {
    methods: ['POST'],
    path: '/lines',
    async answer(request) {
      for await (const line of readLines(request)) line.parse()
      return json(200, {})
    },
  },
  { methods: ['GET'], path: '/slow', answer: () => answerLate('/slow', json(200, { slow: true })) },
  {
    methods: ['GET'],
    path: '/slow-and-empty',
    answer: () => answerLate('/slow-and-empty', { status: 204, headers: {}, body: null }),
  },
  { methods: ['GET'], path: '/slow-stream', answer: () => answerLate('/slow-stream', stream(forever())) },
  { methods: ['GET'], path: '/stream', answer: async () => stream(forever()) },
  { methods: ['GET'], path: '/holds', answer: async () => stream(holds()) },
  { methods: ['GET'], path: '/breaks', answer: async () => stream(breaks()) },
  {
    methods: ['GET'],
    path: '/fails-late',
    async answer() {
      await answerLate('/fails-late', undefined)
      throw new Error('the inside of the engine')
    },
  },
]

const logged: string[] = []
const server = await makeServer(readConfig({ PORT: '0' }), recordingLog(logged), { routes })
const url = await server.listen()
after(() => server.drain())

const expects = 'Expect: 100-continue\r\n'

/**
 * Sends the text, waits for a first response or the start of a slow route, waits `afterMs` more,
 * and resets the connection. A server that reads a request and its reset together sees an orderly
 * end.
 */
async function leave(to: string, text: string, afterMs = 50): Promise<void> {
  const socket = connect(Number(new URL(to).port), '127.0.0.1')
  socket.on('error', () => undefined).on('data', () => undefined)
  const path = text.split(' ')[1] as string
  const heard = Promise.race([once(socket, 'data'), once(begun, path)])
  socket.write(text)
  await heard
  await sleep(afterMs)
  socket.resetAndDestroy()
}

type Line = { status: number; path: string }
/** The line of a request, to this path where one is said. */
async function lineAfter(lines: readonly string[], from: number, path?: string): Promise<Line> {
  let line: Line | undefined
  await until(
    () => {
      const requests = lines.slice(from).filter((one) => one.startsWith('{'))
      line = requests.map((one) => JSON.parse(one) as Line).find((one) => path === undefined || one.path === path)
      return line !== undefined
    },
    () => `no request was logged: ${lines.join('\n')}`,
  )
  return line as Line
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const half = (path: string, type: string, text: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${expects}Content-Type: ${type}\r\nContent-Length: 1000\r\n\r\n${text}`

/** Each asks for a path of its own. */
const departures: readonly (readonly [string, string])[] = [
  ['in the middle of a JSON body', half('/json', 'application/json', '{"a":')],
  ['in the middle of lines', half('/lines', 'application/x-ndjson', '{"a":1}\n{"b"')],
  ['while we work', get('/slow')],
  ['while we work on an answer without a body', get('/slow-and-empty')],
  ['before the first piece', get('/slow-stream')],
  ['in the middle of an answer', get('/stream')],
]

describe('a client that leaves is logged as 499, and nothing as an error', { concurrency: true }, () => {
  for (const [when, text] of departures)
    test(when, async () => {
      await leave(url, text)
      assert.equal((await lineAfter(logged, 0, text.split(' ')[1])).status, 499)
      assert.deepEqual(
        logged.filter((line) => !line.startsWith('{')),
        [],
      )
    })
})

test('a client that stays is logged with the status that it got', async () => {
  const from = logged.length
  const stays = [
    ['/slow', 200],
    ['/slow-and-empty', 204],
    ['/nowhere', 404],
  ] as const
  await Promise.all(
    stays.map(async ([path, status]) => {
      assert.equal((await fetch(url + path)).status, status)
      assert.equal((await lineAfter(logged, from, path)).status, status)
    }),
  )
})

test('a source that breaks in the middle is an error, though the connection is cut', async () => {
  const from = logged.length
  await assert.rejects((await fetch(`${url}/breaks`)).text())
  assert.notEqual((await lineAfter(logged, from)).status, 499)
  assert.match(logged.slice(from).join('\n'), /error .*the source broke/)
})

test('a fault stays an error when nobody waits for its answer', async () => {
  const from = logged.length
  await leave(url, get('/fails-late'))
  await lineAfter(logged, from)
  assert.match(logged.slice(from).join('\n'), /error .*the inside of the engine/)
})

test('the same through REST, GraphQL and log-in', async (t) => {
  const service: TestService = await startService([notes, ...people, keys])
  t.after(() => service.stop())
  for (const path of ['/api/v1/notes', '/graphql', '/auth/login']) {
    const from = service.logged.length
    await leave(service.url, half(path, 'application/json', '{"title":'))
    assert.deepEqual({ ...(await lineAfter(service.logged, from)), path }.status, 499, path)
    assert.doesNotMatch(service.logged.slice(from).join('\n'), /^error/m, path)
  }
})

test('what a stream holds is given back when its client leaves in the middle', async () => {
  await leave(url, 'GET /holds HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until(() => held === 0, 'it is given back')
})
