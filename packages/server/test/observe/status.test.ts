/** What an ADMIN is told of the running server: by /status for nobody else, from all workers together, and by `bindery top`. */
import assert from 'node:assert/strict'
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

let service: Awaited<ReturnType<typeof startService>>
before(async () => {
  service = await startService()
})
after(() => service.stop())

test('/status is for ADMIN alone; its page is for browsers and holds nothing', async () => {
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
  assert.equal((await service.ask('GET', '/status', { key: limited.body.secret })).status, 403)
  const key = (await service.ask('POST', '/api/v1/access-keys', { token, body: { name: 'all' } })).body.secret
  assert.equal((await service.ask('GET', '/status', { key })).status, 200)
  assert.equal((await service.ask('GET', '/status', { token: 'nonsense' })).status, 401)
  const page = await service.ask('GET', '/status', { headers: { accept: 'text/html' } })
  assert.equal(page.status, 200)
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /default-src 'none'; script-src 'self'; style-src 'self'/,
  )
  assert.doesNotMatch(page.text, /uptime[^>]*>\d|0\.1\.0/)
})

test('rates come with the second look, by route; nobody counts where nobody looks', async () => {
  const { token } = await service.admin()
  const look = async () => (await service.ask('GET', '/status', { token })).body
  await look()
  for (let i = 0; i < 20; i += 1) await service.ask('GET', '/shelves')
  let status = await look()
  for (let i = 0; i < 50 && !status.routes.some((one: { route: string }) => one.route === '/shelves'); i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    status = await look()
  }
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
