/** Streams of endpoints while the server drains, and writes of one whose database refuses them. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { anyone, bytes, defineEndpoint, defineResource, id, integer, lines, text } from '../../../src/index.ts'
import {
  dropPostgresDatabase,
  makePostgresDatabase,
  onPostgres,
  runSql,
  sharedCluster,
  startService,
} from '../../../src/testing/index.ts'
import { until } from '../../helpers/until.ts'

const notes = defineResource({
  name: 'note',
  path: '/notes',
  fields: { id: id(), title: text({ required: true }) },
  list: { style: 'page' },
  access: { get: anyone, list: anyone, create: anyone },
})

/** The stream goes on when the test says so. */
function gated() {
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const count = defineEndpoint({
    name: 'count',
    method: 'GET',
    rule: anyone,
    output: lines({ number: integer({ required: true }) }),
    async *run() {
      yield { number: 0 }
      await gate.promise
      for (let number = 1; number < 100; number += 1) yield { number }
      seen.push('count')
    },
  })
  const wait = defineEndpoint({
    name: 'wait',
    method: 'GET',
    rule: anyone,
    output: bytes('text/plain'),
    async *run({ signal }) {
      yield 'first\n'
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      seen.push('wait')
    },
  })
  return { gate, seen, endpoints: [count, wait] as const }
}

async function firstOf(url: string) {
  const { body } = await fetch(url)
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  return { reader, first: Buffer.from(value as Uint8Array).toString() }
}

it('a stream that ends in time reaches its reader whole; one that waits ends with the drain', async (t) => {
  const { gate, seen, endpoints } = gated()
  const service = await startService([notes, ...endpoints], { limits: { drainMsMax: 3_000 } })
  let stopped: Promise<void> | undefined
  t.after(() => stopped ?? service.stop())
  const counting = await firstOf(`${service.url}/api/v1/count`)
  const waiting = await firstOf(`${service.url}/api/v1/wait`)
  assert.deepEqual([counting.first, waiting.first], ['{"number":0}\n', 'first\n'])
  stopped = service.stop()
  gate.resolve()
  let rest = ''
  for (let piece = await counting.reader.read(); !piece.done; piece = await counting.reader.read())
    rest += Buffer.from(piece.value).toString()
  assert.equal(rest.trim().split('\n').length, 99, 'no line is lost')
  await assert.rejects(waiting.reader.read(), 'it is cut, so that its reader knows')
  await stopped
  await until(() => seen.length === 2, 'the signal')
  assert.deepEqual(seen, ['count', 'wait'])
})

const keep = defineEndpoint({
  name: 'keep',
  method: 'POST',
  rule: anyone,
  input: { title: text({ required: true }) },
  output: { id: text({ required: true }) },
  run: ({ input, transaction }) =>
    transaction(async ({ records }) => ({ id: (await records(notes).create({ title: input.title })).id })),
})
const copy = defineEndpoint({
  name: 'copy',
  method: 'POST',
  rule: anyone,
  input: { title: text({ required: true }) },
  output: { count: integer({ required: true }) },
  async run({ input, records }) {
    await records.system(notes).create({ title: input.title })
    return { count: await records.system(notes).count() }
  },
})
const total = defineEndpoint({
  name: 'total',
  method: 'GET',
  rule: anyone,
  output: { count: integer({ required: true }) },
  run: async ({ records }) => ({ count: await records(notes).count() }),
})

const skip = onPostgres ? false : 'SQLite: service/read-only.test.ts'
it('an endpoint that writes to a database that refuses it is 503, and one that reads goes on', { skip }, async (t) => {
  const name = `endpoint_${process.pid}`
  const url = await makePostgresDatabase(sharedCluster(), name)
  const service = await startService([notes, keep, copy, total], { env: { DATABASE_URL: url } })
  t.after(async () => {
    await service.stop()
    await dropPostgresDatabase(sharedCluster(), name)
  })
  const post = (path: string, key?: string) =>
    service.ask('POST', `/api/v1/${path}`, {
      body: { title: 'a' },
      ...(key && { headers: { 'idempotency-key': key } }),
    })
  assert.equal((await post('keep', 'first-key')).status, 200)
  const sql = (text: string) => runSql(sharedCluster(), text)
  await sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
  await until(async () => (await service.ask('GET', '/readyz')).body.status === 'read-only', 'read-only')
  for (const [path, key] of [['keep'], ['copy'], ['keep', 'second-key'], ['copy', 'third-key']] as const) {
    const { status, body, headers } = await post(path, key)
    assert.deepEqual([status, body], [503, { error: 'The database cannot be written, nothing was changed' }], path)
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
  assert.deepEqual((await service.ask('GET', '/api/v1/total')).body, { count: 1 })
  await sql(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
  await until(async () => (await service.ask('GET', '/readyz')).body.status === 'ok', 'writable')
  // Each session finds out by itself. The key was not spent.
  await until(async () => (await post('keep', 'second-key')).status === 200, 'a write')
  assert.deepEqual((await service.ask('GET', '/api/v1/total')).body, { count: 2 })
})
