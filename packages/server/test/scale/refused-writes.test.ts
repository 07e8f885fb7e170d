/** A PostgreSQL that refuses writes, or has become a replica: what is served then, what /readyz says, and how a start ends. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Person, TestService } from '../helpers/application.ts'
import { type Cluster, onPostgres, runSql, startCluster, startService } from '../helpers/application.ts'
import { type Instances, startInstances, until } from './instances.ts'

const skip = onPostgres ? false : 'it is about PostgreSQL'
const v1 = '/api/v1'
const patienceMs = 20_000
let cluster: Cluster
let instances: Instances
let service: TestService
let editor: Person
let edition: string

before(async () => {
  if (skip) return
  cluster = await startCluster()
  instances = await startInstances(1, {}, cluster.url)
  service = instances.all[0] as TestService
  editor = await service.person('EDITOR')
  const made = await service.ask('POST', `${v1}/editions`, { body: { title: 'One', price: 1 }, token: editor.token })
  edition = `${v1}/editions/${made.body.id}`
})
after(async () => {
  if (skip) return
  await instances.stop()
  await cluster.remove()
})

const readiness = async () => {
  const { status, body } = await service.ask('GET', '/readyz')
  return [status, body.status]
}
const write = () => service.ask('PATCH', edition, { body: { title: 'changed' }, token: editor.token })
const soon = (check: () => Promise<void>) => until(patienceMs, check)

/** On one session that may write, whatever the server has set. */
async function asAdministrator(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  try {
    await client.query('SET default_transaction_read_only = off')
    for (const one of statements) await client.query(one)
  } finally {
    await client.end()
  }
}

async function checkReadOnly(): Promise<void> {
  await soon(async () => assert.deepEqual(await readiness(), [503, 'read-only']))
  const refused = await write()
  assert.equal(refused.status, 503, refused.text)
  assert.deepEqual(refused.body, { error: 'The database cannot be written, nothing was changed' })
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal((await service.ask('GET', edition)).status, 200)
}
async function checkWritable(): Promise<void> {
  await soon(async () => assert.deepEqual(await readiness(), [200, 'ok']))
  await soon(async () => assert.equal((await write()).status, 200))
}

test('a server that refuses writes: reads go on, /readyz is 503 before anybody has written', { skip }, async () => {
  await asAdministrator('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()')
  await checkReadOnly()
  await asAdministrator('ALTER SYSTEM RESET default_transaction_read_only', 'SELECT pg_reload_conf()')
  await checkWritable()
  const said = service.logged.filter((line) => /refuses every write|can be written again/.test(line))
  assert.equal(said.length, 2, said.join('\n'))
})

test('a database whose new sessions may not write, and that may again: each session finds out', { skip }, async () => {
  const name = new URL(instances.url).pathname.slice(1)
  await asAdministrator(
    `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  )
  await checkReadOnly()
  await asAdministrator(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
  await checkWritable()
  // Those that began meanwhile are not kept, so that no write meets one of them later.
  for (const { status } of await Promise.all(Array.from({ length: 30 }, write))) assert.equal(status, 200)
})

test('a start on a database that refuses writes says so', { skip }, async () => {
  const name = new URL(instances.url).pathname.slice(1)
  await asAdministrator(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  const message = /^The database refuses every write: default_transaction_read_only is on .*bindery doctor$/
  await assert.rejects(startService({ DATABASE_URL: instances.url }), { name: 'StartError', message })
  await asAdministrator(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
  await checkWritable()
})

test('a primary that has become a replica serves nothing, until it is promoted', { skip }, async () => {
  await cluster.stop()
  writeFileSync(join(cluster.folder, 'standby.signal'), '')
  const promoted = cluster.start() // it waits for a server that may be written
  await soon(async () => {
    await runSql(cluster.url, 'SELECT 1')
  })
  await soon(async () => assert.ok(service.logged.some((line) => line.includes('is a replica'))))
  assert.deepEqual(await readiness(), [503, undefined])
  for (const reply of [await service.ask('GET', edition), await service.ask('GET', `${v1}/editions`), await write()]) {
    assert.equal(reply.status, 503, reply.text)
    assert.deepEqual(reply.body, { error: 'The database cannot be reached, try again' })
  }
  const message =
    /^The server postgres:\/\/127\.0\.0\.1:\d+\/scale_\w+ is a replica: it refuses every write; let DATABASE_URL name the primary/
  await assert.rejects(startService({ DATABASE_URL: instances.url }), { name: 'StartError', message })
  await runSql(cluster.url, 'SELECT pg_promote()')
  await promoted
  await checkWritable()
})
