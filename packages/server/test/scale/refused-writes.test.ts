/**
 * A PostgreSQL that refuses writes, runs out of connections or disk, cancels statements, has
 * another collation, or has become a replica. The test checks responses, /readyz, and the end of a
 * start.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { TestPerson, TestService } from '../helpers/application.ts'
import { type Cluster, onPostgres, runSql, startCluster, startService } from '../helpers/application.ts'
import { type Instances, startInstances, until } from './instances.ts'

const skip = onPostgres ? false : 'it is about PostgreSQL'
const v1 = '/api/v1'
let cluster: Cluster
let instances: Instances
let service: TestService
let editor: TestPerson
let edition: string

before(async () => {
  if (skip) return
  cluster = await startCluster(['max_connections=25', 'superuser_reserved_connections=0'])
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
const soon = (check: () => Promise<void>) => until(check)

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

/** Takes all connections that the server has left, while the work runs. */
async function withNoneLeft(work: () => Promise<void>): Promise<void> {
  const taken: pg.Client[] = []
  try {
    for (;;) {
      const one = new pg.Client({ connectionString: cluster.url })
      one.on('error', () => undefined)
      await one.connect()
      taken.push(one)
    }
  } catch (error) {
    assert.equal((error as { code?: string }).code, '53300')
  }
  try {
    await work()
  } finally {
    await Promise.all(taken.map((one) => one.end()))
  }
}

test('no connection left: requests wait for those that the instance has', { skip }, async () => {
  const name = new URL(instances.url).pathname.slice(1)
  const drop = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
  await asAdministrator(drop)
  await checkWritable()
  await withNoneLeft(async () => {
    // On a slow machine the last may wait for longer than any may wait.
    await soon(async () => {
      const asked = Array.from({ length: 30 }, (_, i) =>
        i % 2 ? write() : service.ask('GET', `${v1}/editions?limit=${i + 1}`),
      )
      for (const { status, text } of await Promise.all(asked)) assert.equal(status, 200, text)
    })
    assert.deepEqual(await readiness(), [200, 'ok'])
  })
})

test('a full disk, when connecting and when writing: 503, with a line and no bug in the log', { skip }, async () => {
  const name = new URL(instances.url).pathname.slice(1)
  const full = "BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END"
  const refused = { error: 'The disk is full, nothing was written' }
  await runSql(instances.url, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ ${full} $$`)
  await runSql(instances.url, `CREATE FUNCTION full_at_login() RETURNS event_trigger LANGUAGE plpgsql AS $$ ${full} $$`)
  await runSql(instances.url, 'CREATE TRIGGER full_disk BEFORE UPDATE ON editions EXECUTE FUNCTION full_disk()')
  const before = service.logged.length
  for (let i = 0; i < 3; i += 1) {
    const reply = await write()
    assert.deepEqual([reply.status, reply.body], [503, refused])
    assert.equal((await service.ask('GET', edition)).status, 200)
  }
  // The trigger is what is full: a look whether there is room finds some.
  await soon(async () => assert.deepEqual(await readiness(), [200, 'ok']))
  await runSql(instances.url, 'DROP TRIGGER full_disk ON editions')

  await runSql(instances.url, 'CREATE EVENT TRIGGER full_at_login ON login EXECUTE FUNCTION full_at_login()')
  await asAdministrator(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
  await soon(async () => assert.deepEqual((await write()).body, refused))
  for (const ask of [write(), service.ask('GET', edition), service.ask('GET', '/readyz')]) {
    const reply = await ask
    assert.deepEqual([reply.status, reply.body], [503, refused])
  }
  await asAdministrator('ALTER SYSTEM SET event_triggers = off', 'SELECT pg_reload_conf()')
  await soon(async () => assert.equal((await write()).status, 200))
  await runSql(instances.url, 'DROP EVENT TRIGGER full_at_login')
  await asAdministrator('ALTER SYSTEM RESET event_triggers', 'SELECT pg_reload_conf()')
  const errors = service.logged.slice(before).filter((line) => line.startsWith('error'))
  assert.ok(errors.length <= 2, errors.join('\n'))
  assert.doesNotMatch(errors.join('\n'), /Internal server error/)
})

test('statements that an administrator cancels are tried again', { skip }, async () => {
  await runSql(instances.url, 'ALTER TABLE editions RENAME TO slow_editions_kept')
  await runSql(
    instances.url,
    `CREATE TABLE slept (until text);
    CREATE VIEW editions AS SELECT e.* FROM slow_editions_kept e,
      (SELECT pg_sleep(CASE WHEN EXISTS (SELECT FROM slept) THEN 0 ELSE 30 END)) AS slept`,
  )
  /**
   * Once cancelled it sleeps no more. Where the machine is so slow that its own time is over
   * before, another is asked.
   */
  const cancelled = async () => {
    await runSql(instances.url, 'DELETE FROM slept')
    const asked = service.ask('GET', edition)
    const asleep = "FROM pg_stat_activity WHERE query LIKE '%editions%' AND wait_event = 'PgSleep'"
    await soon(async () => {
      const [found] = await runSql(cluster.url, `SELECT count(*)::int AS n ${asleep}`)
      assert.equal(found?.n, 1)
    })
    await runSql(instances.url, "INSERT INTO slept VALUES ('now')")
    await runSql(cluster.url, `SELECT pg_cancel_backend(pid) ${asleep}`)
    return (await asked).status
  }
  try {
    await soon(async () => assert.equal(await cancelled(), 200))
  } finally {
    await runSql(instances.url, 'DROP VIEW editions; DROP TABLE slept')
    await runSql(instances.url, 'ALTER TABLE slow_editions_kept RENAME TO editions')
  }
})

test('settings of a role that change what texts mean', { skip }, async () => {
  const name = new URL(instances.url).pathname.slice(1)
  const settings = {
    standard_conforming_strings: 'off',
    backslash_quote: 'off',
    datestyle: "'SQL, DMY'",
    timezone: "'Asia/Kolkata'",
    extra_float_digits: '-10',
    bytea_output: 'escape',
    client_encoding: 'LATIN1',
    default_transaction_isolation: 'serializable',
  }
  const each = (how: (name: string, value: string) => string) =>
    Object.entries(settings).map(([key, value]) => how(key, value))
  await asAdministrator(
    ...each((key, value) => `ALTER DATABASE ${name} SET ${key} = ${value}`),
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  )
  const other = await startService({ DATABASE_URL: instances.url })
  try {
    const title = 'Back\\slash_100%é'
    const made = await other.ask('POST', `${v1}/editions`, { body: { title, price: 12.34 }, token: editor.token })
    assert.equal(made.status, 201, made.text)
    for (const part of ['k\\s', 'h_1', '0%', '\\', 'é']) {
      const filter = encodeURIComponent(JSON.stringify({ title: { contains: part } }))
      const found = await other.ask('GET', `${v1}/editions?filter=${filter}`)
      assert.equal(found.status, 200, found.text)
      assert.deepEqual(
        found.body.data.map((one: { title: string }) => one.title),
        [title],
        part,
      )
    }
    const read = await other.ask('GET', `${v1}/editions/${made.body.id}`, { token: editor.token })
    assert.deepEqual(read.body, made.body)
  } finally {
    await other.stop()
    await asAdministrator(...each((key) => `ALTER DATABASE ${name} RESET ${key}`))
  }
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
