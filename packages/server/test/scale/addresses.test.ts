/**
 * Connection strings of PostgreSQL with libpq's meaning, on real servers: several hosts, a socket,
 * a schema, TLS, passwords that change.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chmodSync, chownSync, cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  type Cluster,
  makePostgresDatabase,
  onPostgres,
  removeFolder,
  runSql,
  startCluster,
  startService,
  temporaryFolder,
} from '../helpers/application.ts'
import { certificate, key, otherCertificate } from '../helpers/certificates.ts'
import { until } from './instances.ts'

const skip = onPostgres ? false : 'it is about PostgreSQL'
const folder = temporaryFolder()
let cluster: Cluster
let port = ''

before(async () => {
  if (skip) return
  chmodSync(folder, 0o777)
  cluster = await startCluster([`unix_socket_directories=${folder}`])
  port = new URL(cluster.url).port
})
after(async () => {
  if (!skip) await cluster.remove()
  removeFolder(folder)
})

/** Starts a service by this address, and writes and reads by it. */
async function works(url: string, env: Record<string, string> = {}): Promise<void> {
  const service = await startService({ DATABASE_URL: url, ...env })
  try {
    const body = { email: `${randomUUID()}@example.com`, password: 'a long password of nobody' }
    const made = await service.ask('POST', '/api/v1/members', { body })
    assert.equal(made.status, 201, made.text)
    assert.equal((await service.ask('GET', '/api/v1/editions')).status, 200)
    assert.equal((await service.ask('GET', '/readyz')).status, 200)
  } finally {
    await service.stop()
  }
}
const refused = (url: string, message: RegExp) =>
  assert.rejects(startService({ DATABASE_URL: url }), { name: 'StartError', message })

async function reload(...statements: string[]): Promise<void> {
  for (const one of [...statements, 'SELECT pg_reload_conf()']) await runSql(cluster.url, one)
}

test('a socket, in the host or as a parameter', { skip }, async () => {
  await makePostgresDatabase(cluster.url, 'sockets')
  await works(`postgres://bindery:bindery@/sockets?host=${folder}&port=${port}`)
  await works(`postgres://bindery:bindery@${encodeURIComponent(folder)}:${port}/sockets`)
})

test('a schema is made, and has all tables; two in one database know nothing of each other', { skip }, async () => {
  const url = await makePostgresDatabase(cluster.url, 'schemas')
  await works(`${url}?schema=books`)
  await works(`${url}?schema=My%20books`)
  const rows = await runSql(
    url,
    `SELECT schemaname AS schema, count(*)::int AS tables FROM pg_tables WHERE schemaname NOT LIKE 'pg\\_%'
     AND schemaname <> 'information_schema' GROUP BY 1 ORDER BY 1`,
  )
  assert.deepEqual(
    rows.map(({ schema }) => schema),
    ['My books', 'books'],
  )
  assert.equal(rows[0]?.tables, rows[1]?.tables)
  const indexes = await runSql(
    url,
    "SELECT schemaname AS schema FROM pg_indexes WHERE indexdef LIKE '%gin_trgm_ops%' GROUP BY 1",
  )
  assert.equal(indexes.length, 2, 'the extension is in one schema, and of use in both')
})

test('a password that changes is read anew from its file', { skip }, async () => {
  await runSql(cluster.url, "CREATE ROLE changing LOGIN PASSWORD 'pw-one'")
  await runSql(cluster.url, 'CREATE DATABASE changing OWNER changing')
  const file = join(folder, 'database-url')
  const urlOf = (password: string) => `postgres://changing:${password}@127.0.0.1:${port}/changing\n`
  writeFileSync(file, urlOf('pw-one'))
  const service = await startService({ DATABASE_URL: '', DATABASE_URL_FILE: file, JWT_SECRET: 'x'.repeat(32) })
  try {
    await runSql(cluster.url, "ALTER ROLE changing PASSWORD 'pw-two'")
    const drop = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'changing'"
    await runSql(cluster.url, drop)
    await until(async () => {
      const reply = await service.ask('GET', '/readyz')
      assert.deepEqual([reply.status, reply.body], [503, { error: 'The database cannot be reached, try again' }])
    })
    writeFileSync(file, urlOf('pw-two'))
    await until(async () => assert.equal((await service.ask('GET', '/readyz')).status, 200))
    assert.equal((await service.ask('GET', '/api/v1/editions')).status, 200)
    assert.doesNotMatch(service.logged.join('\n'), /pw-|postgres:\/\/changing/)
  } finally {
    await service.stop()
  }
})

test('TLS: each mode as libpq means it', { skip }, async () => {
  const url = await makePostgresDatabase(cluster.url, 'encrypted')
  const byName = url.replace('127.0.0.1', 'localhost')
  await works(`${url}?sslmode=prefer`)
  await refused(`${url}?sslmode=require`, /The server does not support SSL connections$/)
  const { uid, gid } = statSync(cluster.folder)
  for (const [name, text] of Object.entries({ 'server.crt': certificate, 'server.key': key })) {
    const path = join(cluster.folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    chownSync(path, uid, gid)
  }
  const [root, other] = ['root.crt', 'other.crt'].map((name) => join(folder, name)) as [string, string]
  writeFileSync(root, certificate)
  writeFileSync(other, otherCertificate)
  await reload('ALTER SYSTEM SET ssl = on')
  const rules = ['local all all trust', 'hostnossl encrypted all all reject', 'host all all all password', '']
  writeFileSync(join(cluster.folder, 'pg_hba.conf'), rules.join('\n'))
  await reload()
  await refused(`${url}?sslmode=disable`, /rejects connection.*no encryption|no pg_hba\.conf entry/)
  await works(url) // where the server asks for it
  await works(`${url}?sslmode=require`)
  await works(`${url}?sslmode=verify-ca&sslrootcert=${root}`)
  await works(`${byName}?sslmode=verify-full&sslrootcert=${root}`)
  await refused(`${url}?sslmode=verify-full&sslrootcert=${root}`, /does not match certificate|altnames/)
  await refused(`${url}?sslmode=require&sslrootcert=${other}`, /self-signed|unable to|certificate/)
  await refused(`${byName}?sslmode=verify-full`, /self-signed|certificate/)
})

test('several hosts: the one that may be written serves, and after a failover the other', { skip }, async () => {
  const url = await makePostgresDatabase(cluster.url, 'failover')
  await works(url)
  const follower = await startCluster()
  await follower.stop()
  await cluster.stop()
  rmSync(follower.folder, { recursive: true })
  cpSync(cluster.folder, follower.folder, { recursive: true })
  const { uid, gid } = statSync(cluster.folder)
  writeFileSync(join(follower.folder, 'standby.signal'), '')
  chmodSync(follower.folder, 0o700)
  for (const name of ['', ...readdirSync(follower.folder, { recursive: true })])
    chownSync(join(follower.folder, String(name)), uid, gid)
  const promoted = follower.start()
  await cluster.start()
  await until(async () => {
    await runSql(follower.url, 'SELECT 1')
  })
  const hosts = [follower.url, 'postgres://a@127.0.0.1:9', cluster.url].map((one) => new URL(one).host).join()
  const service = await startService({
    DATABASE_URL: `postgres://bindery:bindery@${hosts}/failover?target_session_attrs=read-write`,
  })
  try {
    const write = () => service.ask('POST', '/shelves', { body: { label: 'A', room: 'B' }, token: editor.token })
    const editor = await service.person('EDITOR')
    assert.equal((await write()).status, 201)
    await cluster.stop()
    await runSql(follower.url, 'SELECT pg_promote()')
    await promoted
    await until(async () => assert.equal((await service.ask('GET', '/readyz')).status, 200))
    assert.equal((await service.ask('GET', '/api/v1/editions')).status, 200)
  } finally {
    await service.stop()
    await follower.remove()
    await cluster.start()
  }
})
