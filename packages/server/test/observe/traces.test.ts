/**
 * Traces: one for each request, with its steps and statements, as a child of the client's trace.
 * When tracing is off, none of its code is loaded.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeAsk, spawnServer } from '../helpers/application.ts'
import { type CollectedSpan, startCollector } from './collector.ts'

const secret = 'nobody-else-may-see-this'
const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const command = [process.execPath, '--import', join(import.meta.dirname, 'say-loads.ts'), 'main.ts'] as const

const collector = await startCollector()
const traced = spawnServer({
  command,
  env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
    OTEL_SERVICE_NAME: 'shelves',
  },
})
const plain = spawnServer({ command })
after(() => {
  collector.stop()
  for (const { child } of [traced, plain]) child.kill('SIGKILL')
})
let ask: ReturnType<typeof makeAsk>
before(async () => {
  ask = makeAsk(await traced.ready())
})

const belongsTo = (above: CollectedSpan) => (span: CollectedSpan) => span.parentSpanId === above.spanId
const below = (above: CollectedSpan) => collector.spans.filter(belongsTo(above))
/** All statements under a span, at any depth. */
function statementsOf(above: CollectedSpan): string[] {
  return below(above)
    .flatMap((span) => [String(span.attributes['db.query.text'] ?? ''), ...statementsOf(span)])
    .filter(Boolean)
}

test('a trace has the request, the steps of its journey and its statements, without their values', async () => {
  const made = await ask('POST', '/shelves', {
    body: { label: secret, room: 'a' },
    headers: { 'x-request-id': 'write-1' },
  })
  const read = await ask('GET', `/shelves/${made.body.id}`, {
    headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01`, 'x-request-id': 'read-1' },
  })
  const left = await ask('GET', '/shelves', {
    headers: { traceparent: `00-${trace}-00f067aa0ba902b8-00`, 'x-request-id': 'unsampled' },
  })
  await ask('POST', '/graphql', {
    body: { query: `query Some { shelves(filter: { label: { eq: "${secret}" } }) { data { id } } }` },
  })
  await ask('GET', '/livez')
  assert.equal((await traced.stop()).code, 0)

  const roots = collector.spans.filter(({ kind }) => kind === 2)
  const rootOf = (id: string) => {
    const found = roots.filter(({ attributes }) => attributes['http.request.header.x-request-id'] === id)
    assert.equal(found.length, 1, `${id}: ${JSON.stringify(roots)}`)
    return found[0] as CollectedSpan
  }
  const reading = rootOf('read-1')
  assert.equal(reading.name, 'GET /shelves/:id')
  assert.equal(reading.service, 'shelves')
  assert.deepEqual([reading.traceId, reading.parentSpanId], [trace, '00f067aa0ba902b7'])
  assert.equal(read.headers.get('traceresponse'), `00-${trace}-${reading.spanId}-01`)
  assert.equal(Number(reading.attributes['http.response.status_code']), 200)
  assert.deepEqual(
    below(reading).map(({ name }) => name),
    ['identify', 'admit', 'parse', 'perform', 'represent', 'send'],
  )
  assert.ok(
    statementsOf(reading).some((sql) => /^select .*"shelves"/i.test(sql)),
    JSON.stringify(collector.spans),
  )
  for (const span of below(reading)) assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano))

  const writing = rootOf('write-1')
  assert.ok(
    statementsOf(writing).some((sql) => /^insert (or fail )?into "shelves"/i.test(sql)),
    JSON.stringify(collector.spans),
  )
  assert.equal(writing.parentSpanId ?? '', '')
  assert.match(left.headers.get('traceresponse') ?? '', new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`))
  assert.ok(
    roots.some(({ name, attributes }) => name === 'POST /graphql' && attributes['graphql.operation.name'] === 'Some'),
  )
  assert.ok(
    !roots.some(
      ({ name, attributes }) =>
        name.includes('livez') || attributes['http.request.header.x-request-id'] === 'unsampled',
    ),
  )
  assert.ok(!JSON.stringify(collector.spans).includes(secret))
  const line = traced.lines().find(({ requestId }) => requestId === 'write-1')
  assert.equal(line?.traceId, writing.traceId)
  const [first] = collector.headers
  assert.deepEqual([first?.url, first?.['x-tenant']], ['/v1/traces', 'a b'])
})

test('nothing is loaded where no collector is configured', async () => {
  const url = await plain.ready()
  const answer = await fetch(`${url}/shelves`)
  assert.equal(answer.headers.get('traceresponse'), null)
  await plain.stop()
  const wanted = /^loads (@opentelemetry\/[\w-]+|prom-client)$/gm
  assert.deepEqual(plain.stderr().match(wanted), null)
  assert.match(plain.stderr(), /^loads find-my-way$/m)
  assert.match(traced.stderr(), /^loads @opentelemetry\/sdk-trace$/m)
})

test('a setting that cannot be is one line', async () => {
  for (const [env, line] of [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be an address such as/],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '2' },
      /^OTEL_TRACES_SAMPLER_ARG must be a number/,
    ],
    [{ METRICS_PORT: 'x' }, /^METRICS_PORT must be a number/],
    [{ SLOW_MS: '0' }, /^SLOW_MS must be a number/],
  ] as const) {
    const { readConfig } = await import('../../src/config.ts')
    assert.throws(
      () => readConfig(env),
      ({ message }: Error) => line.test(message),
    )
  }
})
