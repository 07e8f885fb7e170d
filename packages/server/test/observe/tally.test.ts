/**
 * Metrics of several workers, also when workers end: counters keep their counts, and rates do not
 * jump.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAsk, spawnServer } from '../helpers/application.ts'
import { inLessThan } from '../helpers/least-time.ts'
import { until } from '../helpers/until.ts'

const server = spawnServer({ env: { WORKERS: '2', METRICS_PORT: '0', LOG_LEVEL: 'info' } })
after(() => {
  // one may be stopped, and would stay
  for (const pid of workersOf(server.child.pid)) process.kill(pid, 'SIGKILL')
  server.child.kill('SIGKILL')
})
let metrics = ''
let ask: ReturnType<typeof makeAsk>

before(async () => {
  ask = makeAsk(await server.ready())
  await server.wrote('Metrics on http://')
  metrics = /Metrics on (http:\/\/[\d.:]+)/.exec(server.stdout())?.[1] as string
})

function workersOf(leader: number | undefined): number[] {
  const pids = execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' }).trim().split('\n')
  return pids
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([above, pid]) => (above === leader && pid ? [pid] : []))
}

/** One number: the sum of all samples with this beginning. */
async function numberOf(sample: string): Promise<number> {
  const lines = (await (await fetch(`${metrics}/metrics`)).text()).split('\n')
  return lines
    .filter((line) => line.startsWith(sample))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}
const answered = () => numberOf('bindery_http_requests_total{route="/shelves",')
const served = () => numberOf('bindery_http_request_duration_seconds_count{route="/shelves",')

/** Each connection is one of the two workers', in turn. */
async function askTimes(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await ask('GET', '/shelves', { headers: { connection: 'close' } })
}

type Point = { readonly requests: number; readonly cpu: number; readonly writes: number }
const statusOf = async () => (await (await fetch(`${metrics}/status`)).json()) as { series: Point[]; workers: number }

/** Until two more looks were taken: the first may have begun before. */
async function looked(): Promise<void> {
  const { length } = (await statusOf()).series
  await until(async () => (await statusOf()).series.length >= length + 2, 'somebody looks', 50)
}

test('a worker that is late counts as it was, one that died has counted what it did, and its successor adds to it', async () => {
  const workers = workersOf(server.child.pid)
  assert.equal(workers.length, 2)
  await askTimes(60)
  assert.deepEqual([await answered(), await served()], [60, 60])
  await statusOf() // looks every two seconds from now on

  process.kill(workers[0] as number, 'SIGSTOP')
  assert.deepEqual([await answered(), await numberOf('bindery_workers')], [60, 2])
  process.kill(workers[0] as number, 'SIGCONT')

  process.kill(workers[0] as number, 'SIGKILL')
  while (workersOf(server.child.pid).includes(workers[0] as number)) await sleep(20)
  assert.deepEqual([await answered(), await served()], [60, 60])
  while ((await numberOf('bindery_workers')) < 2) await sleep(50)
  await looked() // what is asked next falls between two looks that are two seconds apart
  await askTimes(10)
  assert.deepEqual([await answered(), await served()], [70, 70])

  const { series } = await statusOf()
  assert.ok(series.length > 0)
  for (const { requests } of series) assert.ok(requests <= 10, `${requests} a second were never asked`)
})

test('a worker that dies while it is asked is counted all the same', async () => {
  const hang = async () => {
    await until(() => workersOf(server.child.pid).length === 2, 'both are there')
    const [hanging = 0] = workersOf(server.child.pid)
    process.kill(hanging, 'SIGSTOP')
    const asked = answered()
    await sleep(300)
    process.kill(hanging, 'SIGKILL')
    assert.equal(await asked, 70)
  }
  // A worker that hangs delays the metrics by two seconds.
  await (process.env.BINDERY_TEST_TIMED ? inLessThan(1_900, hang) : hang())
})
