/**
 * The first start: the process that creates the ADMIN prints the password, whatever else happens,
 * and no request is served before that.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { json } from '../../src/http/messages/exchange.ts'
import { makeServer } from '../../src/http/server.ts'
import {
  databaseOf,
  freePort,
  makeAsk,
  onPostgres,
  recordingLog,
  removeDatabase,
  removeFolder,
  type ServerProcess,
  spawnServer,
  startService,
  temporaryFolder,
} from '../../src/testing/index.ts'
import { long } from '../helpers/long.ts'
import { until } from '../helpers/until.ts'
import { keys, notes, people } from './people.ts'

const folder = temporaryFolder()
const builtConsole = join(import.meta.dirname, '../../../console/dist')
const used: string[] = []
after(async () => {
  for (const one of used) await removeDatabase(one)
  removeFolder(folder)
})

/** The environment of a service that has never run, with no ADMIN chosen by the operator. */
async function fresh(name: string): Promise<Record<string, string>> {
  const own = join(folder, name)
  used.push(own)
  return { DATA_DIR: own, ADMIN_EMAIL: '', ADMIN_PASSWORD: '', ...(await databaseOf(own)) }
}

function spawn(env: Record<string, string>, main = 'notes-main.ts'): ServerProcess {
  return spawnServer({ command: [main], cwd: import.meta.dirname, env })
}

const shown = /First ADMIN: (\S+) with password (\S+) \(shown once\)/

async function logsIn(url: string, stderr: string): Promise<void> {
  const [, email, password] = shown.exec(stderr) ?? []
  assert.ok(email && password, `no password was shown: ${stderr}`)
  const reply = await makeAsk(url)('POST', '/auth/login', { body: { email, password } })
  assert.equal(reply.status, 200, reply.text)
}

async function takePort(): Promise<{ port: string; free(): Promise<void> }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { port: String(port), free: () => new Promise((resolve) => server.close(() => resolve())) }
}

for (const WORKERS of ['1', '2']) {
  const whole = WORKERS === '1' ? long : {}
  test(`a first start on a port in use makes no ADMIN that nobody knows, WORKERS=${WORKERS}`, whole, async (t) => {
    const env = await fresh(`taken${WORKERS}`)
    const { port, free } = await takePort()
    const failed = spawn({ ...env, PORT: port, WORKERS })
    assert.equal((await failed.ended).code, 1)
    assert.match(failed.stderr(), /^Cannot listen on .* the port is in use\n$/)
    await free()
    const started = spawn({ ...env, PORT: port, WORKERS })
    t.after(() => started.stop())
    await logsIn(await started.ready(), started.stderr())
    // One password and one address of the console are shown, and each warning is said once. All
    // come before the line that says it is ready, however many workers there are.
    const shownLines = started.stderr().trimEnd().split('\n')
    const addresses = shownLines.filter((line) => line.includes('/console#take-over='))
    assert.ok(addresses.length <= 1)
    assert.equal(shownLines.length - addresses.length, 1)
    // The line of the log-in may be there already
    const said = started.lines().flatMap(({ msg }) => (typeof msg === 'string' ? [msg] : []))
    assert.equal(said.filter((msg) => msg === 'Open to anyone: create notes').length, 1)
    assert.equal(said.filter((msg) => msg.startsWith('Made the first ADMIN')).length, 1)
    assert.match(String(said.at(-1)), /^Bindery is ready/)
    assert.equal((await started.stop()).code, 0)
  })
}

test('each start prints an address that takes the ADMIN over, until its first log-in', async () => {
  const env = await fresh('again')
  const codes: string[] = []
  const hasConsole = existsSync(builtConsole)
  const codeIn = (said: string) => /#take-over=(\S+)/.exec(said)?.[1]
  for (const start of ['first', 'second']) {
    const server = spawn(env)
    const ask = makeAsk(await server.ready())
    // A checkout without the built console prints none.
    if (hasConsole) await until(() => codeIn(server.stderr()) !== undefined, 'the address')
    const said = server.stderr()
    assert.equal(shown.test(said), start === 'first')
    const code = codeIn(said)
    if (code) codes.push(code)
    if (code && start === 'second') {
      const body = { code, email: 'root@library.example', password: 'a long new password 77' }
      assert.equal((await ask('POST', '/auth/console-code', { body })).status, 200)
    }
    await server.stop()
  }
  assert.equal(codes.length, hasConsole ? 2 : 0)
  const third = spawn(env)
  await third.ready()
  assert.ok(codes.length === 0 || !third.stderr().includes('take-over'))
  await third.stop()
})

test('of instances that start together on one database, one makes the ADMIN and shows it', async () => {
  const env = await fresh('together')
  const servers = [spawn(env), spawn(env)]
  const urls = await Promise.all(servers.map((server) => server.ready()))
  const makers = servers.filter((server) => shown.test(server.stderr()))
  assert.equal(makers.length, 1)
  for (const url of urls) await logsIn(url, makers[0]?.stderr() ?? '')
  for (const { code } of await Promise.all(servers.map((server) => server.stop()))) assert.equal(code, 0)
})

test('a request that comes before the service is prepared waits, and one that cannot be prepared lets the port go', async () => {
  const port = await freePort()
  const route = { methods: ['GET' as const], path: '/ok', answer: async () => json(200, { prepared }) }
  let prepared = false
  const serve = () => makeServer(readConfig({ PORT: String(port) }), recordingLog([]), { routes: [route] })
  const failing = await serve()
  let waiting: Promise<unknown> = Promise.resolve()
  await assert.rejects(
    failing.listen(async () => {
      waiting = assert.rejects(fetch(`http://127.0.0.1:${port}/ok`))
      await sleep(100)
      throw new Error('not today')
    }),
    /not today/,
  )
  await waiting
  const server = await serve()
  let early: Promise<Response> | undefined
  await server.listen(async () => {
    early = fetch(`http://127.0.0.1:${port}/ok`)
    await sleep(200)
    prepared = true
  })
  assert.deepEqual(await (await early)?.json(), { prepared: true })
  await server.drain()
})

const postgresToo = onPostgres ? 'PostgreSQL makes no files' : false
test('only the folder of the default is made: a mistyped DATABASE_URL is no new, empty service', {
  skip: postgresToo,
}, async () => {
  const missing = join(folder, 'mistyped')
  const env = { DATA_DIR: join(folder, 'own'), DATABASE_URL: `sqlite:${missing}/bindery.db` }
  await assert.rejects(startService([notes, ...people, keys], { env }), {
    name: 'StartError',
    message: `There is no folder ${missing} for the database bindery.db: make it, or correct the address`,
  })
  assert.ok(!existsSync(missing))
  mkdirSync(missing)
  const serves = async (environment: Readonly<Record<string, string>>) => {
    const { ask, service } = await startService([notes, ...people, keys], { env: environment })
    assert.equal((await ask('GET', '/readyz')).status, 200)
    await service.stop()
  }
  await serves(env)
  assert.ok(existsSync(join(missing, 'bindery.db')))
  // The address that was forgotten leads to a place whose secret says that there was a database
  await assert.rejects(
    startService([notes, ...people, keys], { env: { ...env, DATABASE_URL: '' } }),
    /There is no database .*own.bindery\.db, and there was one: .*jwt-secret/,
  )
  assert.ok(!existsSync(join(folder, 'own', 'bindery.db')))
  await serves({ DATA_DIR: join(folder, 'other'), DATABASE_URL: '' })
  assert.ok(existsSync(join(folder, 'other', 'bindery.db')))
})

test('a database that is gone is not made anew, unless that is said; its log stays', {
  skip: postgresToo,
}, async () => {
  const env = { DATA_DIR: join(folder, 'gone'), DATABASE_URL: '' }
  const file = join(env.DATA_DIR, 'bindery.db')
  const first = spawn(env)
  await first.ready()
  await first.stop('SIGKILL')
  const log = readFileSync(`${file}-wal`)
  assert.ok(log.length > 0)
  rmSync(file)
  const refused = spawn(env)
  assert.equal((await refused.ended).code, 1)
  assert.match(refused.stderr(), /There is no database .*, and there was one: .*-wal.*bindery start --new-database/)
  assert.doesNotMatch(refused.stderr(), shown)
  assert.ok(!existsSync(file))
  assert.deepEqual(readFileSync(`${file}-wal`), log)
  const anew = spawnServer({ command: ['notes-main.ts', '--new-database'], cwd: import.meta.dirname, env })
  await anew.ready()
  assert.equal((await anew.stop()).code, 0)
  const [aside = ''] = readdirSync(env.DATA_DIR).filter((name) => /^bindery\.db-wal\.\d/.test(name))
  assert.deepEqual(readFileSync(join(env.DATA_DIR, aside)), log)
})

test('while an application prepares what it serves, it answers and is not ready', async () => {
  const server = spawn(await fresh('filling'), 'filling-main.ts')
  const address = await server.ready()
  assert.match(server.stdout(), /^Filling: 503 200 (?:200|401) \{"error":"Still preparing"\}$/m)
  assert.equal((await fetch(`${address}/readyz`)).status, 200)
  assert.equal((await server.stop()).code, 0)
})
