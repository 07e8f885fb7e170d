/**
 * Restarts under load: of PostgreSQL under one instance, and of three instances one after another.
 * `npm test` does a few; `npm run test:scale` restarts the database 30 times and the instances 20
 * times.
 */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  adminEmail,
  type Cluster,
  databaseUrl,
  makeAsk,
  makePostgresDatabase,
  password,
  type ServerProcess,
  spawnServer,
  startCluster,
  type TestPerson,
  type TestService,
} from '../helpers/application.ts'
import { shortOr } from '../helpers/long.ts'
import { type Instances, startInstances, until } from './instances.ts'

const v1 = '/api/v1'
const databaseRestarts = Number(process.env.DATABASE_RESTARTS ?? shortOr(1, 3))
const rollingRestarts = Number(process.env.ROLLING_RESTARTS ?? 1)

/** Its own: the others' must not go away. */
let cluster: Cluster
before(async () => {
  cluster = await startCluster()
})
after(() => cluster.remove())

describe(`${databaseRestarts} restarts of PostgreSQL under load`, () => {
  let instances: Instances
  before(async () => {
    instances = await startInstances(1, {}, cluster.url)
  })
  after(() => instances.stop())

  it('cost only 503s with Retry-After, and no acknowledged write', async () => {
    const service = instances.all[0] as TestService
    const editor: TestPerson = await service.person('EDITOR')
    const acknowledged: string[] = []
    const counts = { good: 0, unavailable: 0 }
    let running = true

    async function load(worker: number): Promise<void> {
      for (let i = 0; running; i += 1) {
        const title = `W${worker}.${i}`
        const reply =
          i % 3 === 0
            ? await service.ask('POST', `${v1}/editions`, {
                body: { title, price: 1, subject: 'Kept' },
                token: editor.token,
              })
            : await service.ask('GET', i % 3 === 1 ? `${v1}/editions?subject=Kept&sort=-price` : '/shelves')
        if (reply.status === 503) {
          assert.ok(Number(reply.headers.get('retry-after')) > 0)
          counts.unavailable += 1
          await pause(20)
        } else {
          assert.ok(reply.status === 200 || reply.status === 201, reply.text)
          counts.good += 1
          if (reply.status === 201) acknowledged.push(title)
        }
      }
    }
    const workers = Array.from({ length: shortOr(4, 8) }, (_, worker) => load(worker))
    const recoveries: number[] = []
    for (let i = 0; i < databaseRestarts; i += 1) {
      await pause(300)
      await cluster.stop()
      await pause(100)
      await cluster.start()
      recoveries.push(await until(async () => assert.equal((await service.ask('GET', `${v1}/editions`)).status, 200)))
    }
    running = false
    await Promise.all(workers)
    const stored = new Set<string>()
    let path: string | undefined = `${v1}/editions?subject=Kept&limit=100&cursor=`
    while (path) {
      const page: { body: { data: { title: string }[]; meta: { nextCursor: string | null } } } = await service.ask(
        'GET',
        path,
      )
      for (const { title } of page.body.data) stored.add(title)
      const { nextCursor } = page.body.meta
      path = nextCursor === null ? undefined : `${v1}/editions?subject=Kept&limit=100&cursor=${nextCursor}`
    }
    const lost = acknowledged.filter((title) => !stored.has(title))
    assert.deepEqual(lost, [])
    assert.ok(counts.unavailable > 0 && acknowledged.length > 0, JSON.stringify(counts))
    process.stdout.write(
      `# ${databaseRestarts} restarts: ${counts.good} answered, ${counts.unavailable} times 503, ${acknowledged.length} writes acknowledged, ${lost.length} lost; back after ${Math.round(Math.max(...recoveries))} ms at most\n`,
    )
  })
})

/**
 * Sends each request to the next instance, as a proxy does, and to the one after if it cannot
 * connect. A request that was sent is not retried.
 */
function makeProxy(addresses: () => readonly string[]) {
  let turn = 0
  const once = (base: string, method: string, path: string, token: string, body?: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) }
      const sent = request(base + path, { method, agent: false, headers }, (response) => {
        response
          .resume()
          .on('end', () => resolve(response.statusCode ?? 0))
          .on('error', reject)
      })
      sent.on('error', reject).end(body)
    })
  return async (method: string, path: string, token: string, body?: string): Promise<number> => {
    for (let tries = 0; ; tries += 1) {
      turn += 1
      const all = addresses()
      try {
        return await once(all[turn % all.length] as string, method, path, token, body)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).syscall !== 'connect' || tries > 20) throw error
      }
    }
  }
}

/** `npm test` restarts one of two. */
const instanceCount = shortOr(2, 3)

describe(`${rollingRestarts} rolling restarts of ${instanceCount} instances under load`, () => {
  it('fail no request', async () => {
    const name = 'rolling'
    await makePostgresDatabase(cluster.url, name)
    const env = { DATABASE_URL: databaseUrl(cluster.url, name) }
    const processes: ServerProcess[] = Array.from({ length: instanceCount }, () => spawnServer({ env }))
    const addresses = await Promise.all(processes.map((one) => one.ready()))
    const ask = makeAsk(addresses[0] as string)
    const login = await ask('POST', '/auth/login', { body: { email: adminEmail, password } })
    const token = login.body.accessToken as string
    const proxy = makeProxy(() => addresses)
    const statuses = new Map<number, number>()
    const failures: string[] = []
    let running = true

    async function load(worker: number): Promise<void> {
      for (let i = 0; running; i += 1) {
        const body = JSON.stringify({ title: `R${worker}.${i}`, price: 1 })
        try {
          const status =
            i % 4 === 0
              ? await proxy('POST', `${v1}/editions`, token, body)
              : await proxy('GET', `${v1}/editions`, token)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        } catch (error) {
          failures.push(String(error))
        }
      }
    }
    const workers = Array.from({ length: shortOr(2, 6) }, (_, worker) => load(worker))
    for (let round = 0; round < rollingRestarts; round += 1) {
      for (const i of shortOr([0], [0, 1, 2])) {
        const ended = await (processes[i] as ServerProcess).stop('SIGTERM')
        assert.equal(ended.code, 0, (processes[i] as ServerProcess).stderr())
        const port = new URL(addresses[i] as string).port
        processes[i] = spawnServer({ env: { ...env, PORT: port } })
        await processes[i]?.ready()
      }
    }
    running = false
    await Promise.all(workers)
    await Promise.all(processes.map((one) => one.stop()))
    assert.deepEqual(failures, [])
    assert.deepEqual([...statuses.keys()].sort(), [200, 201])
    process.stdout.write(
      `# ${rollingRestarts} rolling restarts: ${JSON.stringify(Object.fromEntries(statuses))}, ${failures.length} failed\n`,
    )
  })
})
