/**
 * /status and `bindery top`: an ADMIN, and no other caller, sees the state of the running server,
 * summed over all workers.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { runInProcess } from '../cli/in-process.ts'
import {
  adminEmail,
  applicationFolder,
  makeAsk,
  password,
  program,
  spawnServer,
  startService,
} from '../helpers/application.ts'
import { until } from '../helpers/until.ts'

const onLinux = process.platform === 'linux'

function workersOf(leader: number): number[] {
  return readFileSync(`/proc/${leader}/task/${leader}/children`, 'utf8').trim().split(' ').map(Number)
}

/** Bytes of a process and its children. */
function heldByAll(leader: number): number {
  const of = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  return [leader, ...workersOf(leader)].map(of).reduce((sum, bytes) => sum + bytes, 0)
}

let service: Awaited<ReturnType<typeof startService>>
before(async () => {
  service = await startService()
})
after(() => service.stop())

test('/status is for ADMIN alone; a browser goes to the page of the console', async () => {
  const { token } = await service.admin()
  assert.equal((await service.ask('GET', '/status')).status, 401)
  for (const role of ['USER', 'EDITOR'] as const) {
    const person = await service.person(role)
    assert.equal((await service.ask('GET', '/status', { token: person.token })).status, 403)
  }
  const limited = await service.ask('POST', '/api/v1/access-keys', {
    token,
    body: { name: 'k', scopes: ['shelves:read'] },
  })
  assert.equal((await service.ask('GET', '/status', { key: limited.body.key })).status, 403)
  const key = (await service.ask('POST', '/api/v1/access-keys', { token, body: { name: 'all' } })).body.key
  assert.equal((await service.ask('GET', '/status', { key })).status, 200)
  assert.equal((await service.ask('GET', '/status', { token: 'nonsense' })).status, 401)
  const sent = await service.ask('GET', '/status', { headers: { accept: 'text/html' } })
  assert.deepEqual([sent.status, sent.text], [303, ''])
  const page = new URL(sent.headers.get('location') ?? '', `${service.url}/prefix/status`)
  assert.equal(page.pathname, '/prefix/console/_operate/status', 'a proxy may serve it below a prefix')
  assert.equal((await service.ask('GET', '/status/assets/status.css')).status, 404)
  const off = await startService({ CONSOLE: 'off' })
  assert.equal((await off.ask('GET', '/status', { headers: { accept: 'text/html' } })).status, 401)
  await off.stop()
})

test('rates come with the second look, by route; nobody counts where nobody looks', async () => {
  const { token } = await service.admin()
  const look = async () => (await service.ask('GET', '/status', { token })).body
  await look()
  for (let i = 0; i < 20; i += 1) await service.ask('GET', '/shelves')
  let status = await look()
  await until(
    async () => {
      status = await look()
      return status.routes.some((one: { route: string }) => one.route === '/shelves')
    },
    'the second look',
    200,
  )
  const shelves = status.routes.find((one: { route: string }) => one.route === '/shelves')
  assert.equal(shelves.method, 'GET')
  assert.ok(shelves.requests > 0 && shelves.mean > 0)
  assert.ok(status.now.requests > 0 && status.series.length > 0)
  assert.ok(status.database.bytes.data > 0 || service.service.metricsAddress === undefined)
  const other = await startService()
  assert.equal(other.service.observing.meter.requests(), undefined)
  await other.stop()
})

test('workers are counted together, at the port for metrics and in /status; bindery top shows it', async (t) => {
  const server = spawnServer({ env: { WORKERS: '2', METRICS_PORT: '0', LOG_LEVEL: 'info' } })
  t.after(() => server.child.kill('SIGKILL'))
  const url = await server.ready()
  await server.wrote('Metrics on http://')
  const address = /Metrics on (http:\/\/[\d.:]+)/.exec(server.stdout())?.[1] as string
  const ask = makeAsk(url)
  const { accessToken: token } = (await ask('POST', '/auth/login', { body: { email: adminEmail, password } })).body
  // Each connection is one of the two workers'.
  for (let i = 0; i < 12; i += 1) await ask('GET', '/shelves', { headers: { connection: 'close' } })
  const text = await (await fetch(`${address}/metrics`)).text()
  assert.match(text, /\nbindery_workers 2\n/)
  assert.match(
    text,
    /\nbindery_http_requests_total\{route="\/shelves",method="GET",status="200",principal="anonymous"\} 12\n/,
  )
  if (onLinux) {
    const counted = Number(/\nbindery_memory_bytes (\d+)\n/.exec(text)?.[1])
    const held = heldByAll(server.child.pid as number)
    assert.ok(Math.abs(counted - held) < 0.1 * held, `${counted} of ${held} bytes: the leader has some, too`)
  }
  const status = (await ask('GET', '/status', { token })).body
  assert.equal(status.workers, 2)
  const env = { PATH: process.env.PATH, METRICS_PORT: new URL(address).port }
  const run = (...args: string[]) =>
    runInProcess({ main: program, args: ['top', ...args], env, cwd: applicationFolder })
  const top = (...args: string[]) => run('--count', '1', ...args)
  const line = (await top('--every', '0.5')).stdout
  assert.match(line, /^\d{4}-\S+Z requests=[\d.]+ errors=0 refused=0 p50=\S+ .* database=\d+ free=\d+ backup=/)
  const shown = JSON.parse((await top('--json')).stdout)
  assert.equal(shown.workers, 2)
  assert.equal(shown.series, undefined)
  const failed = await run('--url', url)
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /BINDERY_KEY is missing or no good/)
  await server.stop()
})

test('a worker that hangs keeps nobody from the numbers of the others', {
  skip: onLinux ? false : 'workers are found in /proc',
}, async (t) => {
  const server = spawnServer({ env: { WORKERS: '2' } })
  const leader = server.child.pid as number
  t.after(() => server.child.kill('SIGKILL'))
  const ask = makeAsk(await server.ready())
  const { accessToken: token } = (await ask('POST', '/auth/login', { body: { email: adminEmail, password } })).body
  const [hanging = 0] = workersOf(leader)
  process.kill(hanging, 'SIGSTOP')
  t.after(() => process.kill(hanging, 'SIGKILL'))
  // Connections are given to one worker after the other
  const asked = Array.from({ length: 4 }, () =>
    ask('GET', '/status', { token, headers: { connection: 'close' } }).catch(() => new Promise<never>(() => undefined)),
  )
  const { status, text } = await Promise.race(asked)
  assert.equal(status, 200, text)
})
