/**
 * The port for Prometheus: its metrics in both formats, with labels that a client cannot multiply;
 * and no port when it is off.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { askPlain } from '../../src/testing/index.ts'
import { startService } from '../helpers/application.ts'

type Service = Awaited<ReturnType<typeof startService>>
let service: Service
let address = ''

before(async () => {
  service = await startService({ METRICS_PORT: '0', RATE_LIMIT: 'auth=3/1h', SLOW_MS: '60000' })
  address = service.service.metricsAddress as string
})
after(() => service.stop())

/** Samples by their name and labels: `name{a="b"}` → 3. */
async function numbers(at = address): Promise<Map<string, number>> {
  const text = await (await fetch(`${at}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

/** How much each sample has grown. */
async function grown(work: () => Promise<unknown>): Promise<(sample: string) => number> {
  const first = await numbers()
  await work()
  const last = await numbers()
  return (sample) => {
    assert.ok(last.has(sample), `${sample} is not among\n${[...last.keys()].join('\n')}`)
    return (last.get(sample) as number) - (first.get(sample) ?? 0)
  }
}

test('requests are counted by route, method, status and kind of caller', async () => {
  const { token } = await service.admin()
  const shelf = (await service.ask('POST', '/shelves', { body: { label: 'One', room: 'a' } })).body
  const of = await grown(async () => {
    await service.ask('GET', `/shelves/${shelf.id}`)
    await service.ask('GET', '/shelves/999999')
    await service.ask('GET', '/shelves', { token })
  })
  const name = 'bindery_http_requests_total'
  assert.equal(of(`${name}{route="/shelves/:id",method="GET",status="200",principal="anonymous"}`), 1)
  assert.equal(of(`${name}{route="/shelves/:id",method="GET",status="404",principal="anonymous"}`), 1)
  assert.equal(of(`${name}{route="/shelves",method="GET",status="200",principal="user"}`), 1)
  assert.equal(of('bindery_http_request_duration_seconds_count{route="/shelves/:id",method="GET"}'), 2)
  assert.ok(of('bindery_stage_duration_seconds_count{stage="identify"}') >= 1)
  assert.ok(of('bindery_stage_duration_seconds_count{stage="perform"}') >= 1)
})

test('no client can make a label', async () => {
  const labelsOf = async () => [...(await numbers()).keys()].filter((key) => !key.includes('_bucket')).length
  await service.ask('GET', '/nobody-knows-this')
  await askPlain(service.url, { method: 'PROPFIND', path: '/shelves' })
  const before = await labelsOf()
  for (let i = 0; i < 50; i += 1) {
    await service.ask('GET', `/unknown-${i}/${'x'.repeat(i)}`, { headers: { 'x-request-id': `r-${i}` } })
    await service.ask('GET', `/shelves/${i + 1000}?room=${i}`, { headers: { 'user-agent': `agent ${i}` } })
  }
  for (const method of ['PROPFIND', 'MKCOL', 'LOCK', 'REPORT', 'SEARCH'])
    await askPlain(service.url, { method, path: '/shelves' })
  const after = await numbers()
  assert.ok((await labelsOf()) - before <= 2, [...after.keys()].join('\n'))
  assert.ok([...after.keys()].some((key) => key.includes('route="none",method="GET",status="404"')))
  assert.ok([...after.keys()].some((key) => key.includes('method="other"')))
  assert.ok(![...after.keys()].some((key) => /unknown-|agent|PROPFIND|x-request/.test(key)))
})

test('what is refused is counted by the limit that did it, and wrong passwords are', async () => {
  const of = await grown(async () => {
    for (let i = 0; i < 5; i += 1)
      await service.ask('POST', '/auth/login', { body: { email: 'nobody@example.com', password: 'wrong, all wrong' } })
  })
  const refused = of('bindery_refusals_total{by="rate-limit"}')
  assert.ok(refused >= 2, String(refused))
  assert.equal(of('bindery_login_failures_total'), 5 - refused)
})

test('commits, statements, kept answers, the database and the process are there', async () => {
  const of = await grown(async () => {
    for (let i = 0; i < 4; i += 1) await service.ask('GET', '/shelves?room=a')
    await service.ask('POST', '/shelves', { body: { label: 'Two', room: 'a' } })
  })
  assert.ok(of('bindery_commit_size_count') >= 1)
  assert.ok(of('bindery_commit_duration_seconds_count') >= 1)
  assert.ok(of('bindery_statement_duration_seconds_count') >= 1)
  assert.ok(of('bindery_kept_answers_total{result="found"}') >= 2)
  const all = await numbers()
  const positive = [
    'bindery_database_bytes{part="data"}',
    'bindery_memory_bytes',
    'bindery_heap_used_bytes',
    'bindery_heap_limit_bytes',
    'bindery_workers',
    'bindery_kept_answers_bytes',
    'bindery_budget_limit{budget="connections"}',
    'bindery_budget_used{budget="connections"}',
  ]
  for (const name of positive) assert.ok((all.get(name) ?? 0) > 0, `${name}\n${[...all.keys()].join('\n')}`)
  for (const [sample, value] of all) assert.ok(Number.isFinite(value), `${sample} ${value}`)
})

test('the pools of PostgreSQL are there, and nothing else is called one', async (t) => {
  const other = await startService({ METRICS_PORT: '0' }, { on: 'postgres' })
  t.after(() => other.stop())
  const all = await numbers(other.service.metricsAddress)
  for (const [sample, value] of all) assert.ok(Number.isFinite(value), `${sample} ${value}`)
  const pools = [...all.keys()].filter((sample) => sample.startsWith('bindery_pool_connections'))
  const named = ['work', 'urgent'].flatMap((pool) =>
    ['used', 'idle', 'waiting'].map((state) => `bindery_pool_connections{pool="${pool}",state="${state}"}`),
  )
  assert.deepEqual(pools, named)
})

test('OpenMetrics where it is asked for; nothing but numbers, and only by the name of this machine', async () => {
  const open = await fetch(`${address}/metrics`, { headers: { accept: 'application/openmetrics-text;version=1.0.0' } })
  assert.match(open.headers.get('content-type') ?? '', /^application\/openmetrics-text; version=1\.0\.0/)
  const text = await open.text()
  assert.match(text, /# TYPE bindery_http_requests counter\n[^#]*bindery_http_requests_total\{/)
  assert.ok(text.endsWith('# EOF\n'))
  const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
  const plain = await fetch(`${address}/metrics`)
  // There a counter is called by what stands before `_total`, and nothing else may be called so.
  const known = [...(await plain.text()).matchAll(/^# TYPE (\S+?)(?:_total)? (?:counter|gauge|histogram)$/gm)]
  assert.deepEqual(
    families,
    known.map(([, name]) => name),
  )
  assert.equal(new Set(families).size, families.length)
  assert.match(plain.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.equal((await fetch(`${address}/api/v1/members`)).status, 404)
  assert.equal((await fetch(`${address}/metrics`, { method: 'POST' })).status, 405)
  const misled = await askPlain(address, { method: 'GET', path: '/metrics', headers: { host: 'evil.example' } })
  assert.equal(misled.status, 421)
  assert.equal((await service.ask('GET', '/metrics')).status, 404)
})

test('a port that is taken ends the start with one line', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  await assert.rejects(
    startService({ METRICS_PORT: String(port) }),
    new RegExp(`^StartError: Cannot listen on 127.0.0.1:${port} \\(METRICS_PORT\\)`),
  )
  taken.close()
})
