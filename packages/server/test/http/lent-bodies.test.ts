/** Answers from memory that is lent to one after another: who reads slowly gets what was meant for him. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { jsonType } from '../../src/http/messages/exchange.ts'
import { lend } from '../../src/value/lent.ts'
import { startServer } from '../helpers/server.ts'
import { openWire, type Wire } from '../helpers/wire.ts'

const bytes = 12_000
const textOf = (n: number) =>
  String(n)
    .padStart(10, ' ')
    .repeat(bytes / 10)

/** The numbers of the texts whose memory was given back, in their order. */
const given: number[] = []
const routes = [
  {
    methods: ['GET' as const],
    path: '/texts/:n',
    answer({ parameters }: { readonly parameters: Readonly<Record<string, string>> }) {
      const { lent, giveBack } = lend(bytes)
      const n = Number(parameters.n)
      lent.write(textOf(n), 'latin1')
      const back = () => {
        given.push(n)
        giveBack()
      }
      return { status: 200, headers: { 'content-type': jsonType }, body: { lent, giveBack: back } }
    },
  },
]

const get = (n: number, more = '') => `GET /texts/${n} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`

async function readAll(wire: Wire, numbers: readonly number[]): Promise<void> {
  for (const n of numbers) assert.equal((await wire.next()).body, textOf(n))
}

test('what a socket has not taken yet is lent to nobody else', async () => {
  const server = await startServer(routes)
  const slow = await Promise.all(Array.from({ length: 6 }, () => openWire(server.url)))
  const numbersOf = (index: number) => Array.from({ length: 1_000 }, (_, n) => index * 1_000 + n)
  for (const [index, wire] of slow.entries()) {
    wire.socket.pause()
    wire.send(
      numbersOf(index)
        .map((n) => get(n))
        .join(''),
    )
  }
  await pause(300)
  const quick = await openWire(server.url)
  const first = 90_000
  const others = Array.from({ length: 500 }, (_, n) => first + n)
  for (const n of others) {
    quick.send(get(n))
    await readAll(quick, [n])
  }
  // The slow ones’ system buffers may still be filling, so only what the quick one asked for is looked at.
  assert.deepEqual(
    given.filter((n) => n >= first),
    others,
  )
  for (const [index, wire] of slow.entries()) {
    wire.socket.resume()
    await readAll(wire, numbersOf(index))
  }
  for (const wire of [...slow, quick]) wire.end()
  await server.stop()
})

test('what is not sent after all is given back', async () => {
  const server = await startServer(routes)
  const wire = await openWire(server.url)
  const before = given.length
  for (let n = 0; n < 20; n += 1) {
    wire.send(get(n, 'Accept-Encoding: gzip\r\n'))
    assert.equal((await wire.next()).headers['content-encoding'], 'gzip')
  }
  assert.equal(given.length - before, 20)
  wire.end()
  await server.stop()
})

test('memory that was given back twice is lent once', () => {
  const first = lend(100)
  first.giveBack()
  first.giveBack()
  const [one, other] = [lend(100), lend(100)]
  assert.notEqual(one.lent.buffer, other.lent.buffer)
})
