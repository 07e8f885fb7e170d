/**
 * Emergency commands. To end every session delays no request. A new secret is audited and keeps its
 * file's owner. Every process takes the new log level, and `remove` has a dry run.
 */
import assert from 'node:assert/strict'
import { chownSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { always } from '../../src/resource/condition.ts'
import { type Change, serviceAuthor } from '../../src/storage/changes.ts'
import { databaseOf, onPostgres, startService, type TestService } from '../../src/testing/index.ts'
import { spawnServer } from '../helpers/application.ts'
import { keys, people, traces } from '../service/people.ts'
import { readUntil } from '../storage/settled.ts'
import { type Bindery, makeBindery } from './bindery.ts'

const main = new URL('audited-command.ts', import.meta.url).pathname
const sessions = 250

test('sessions end a few at a time, and a new secret is told', async (t: TestContext) => {
  const bindery = makeBindery(t, {}, main)
  const env = { DATA_DIR: bindery.folder, ...(await databaseOf(bindery.folder)) }
  const service = await startService([...people, keys, traces], { env })
  // Before its database goes
  await endSessions(bindery, service).finally(() => service.stop())
})

const endedIn = (changes: readonly Change[]) =>
  changes.filter(({ resource, kind }) => resource === 'visit' && kind === 'delete')

async function endSessions(bindery: Bindery, { service: { engine } }: TestService): Promise<void> {
  const [member, visit, trace] = ['member', 'visit', 'trace'].map((name) => engine.catalog.get(name))
  assert.ok(member && visit && trace)
  const sort = [{ field: 'id', descending: false }]
  const [ann] = await engine.storage.list(member, { where: always, sort, limit: 1 })
  const at = '2100-01-01T00:00:00.000Z'
  const values = { userId: ann?.id, userAgent: null, address: null, lastUsedAt: at, expiresAt: at }
  await engine.records.transaction(serviceAuthor, async (tx) =>
    tx.insertAll(await Promise.all(Array.from({ length: sessions }, () => tx.prepare(visit, values)))),
  )
  const told = await bindery.run(['sessions', 'end', '--all'])
  assert.match(told.stdout, /^250 sessions ended\.$/m, told.stderr)
  const { changes } = await readUntil(
    engine.storage.changes,
    null,
    (all) => endedIn(all).flatMap(({ records }) => records).length >= sessions,
  )
  const ended = endedIn(changes)
  assert.equal(ended.flatMap(({ records }) => records).length, sessions)
  assert.ok(new Set(ended.map(({ atMs }) => atMs)).size >= 3, 'each transaction has its own time')

  const rotated = await bindery.run(['secrets', 'rotate', '--now'])
  assert.equal(rotated.code, 0, rotated.stderr)
  const rows = await engine.storage.list(trace, { where: always, sort, limit: 1_000 })
  const last = rows.at(-1)
  assert.deepEqual([last?.event, last?.credential, last?.details], ['secrets-rotated', 'console', ['now=true']])
}

const asRoot = onPostgres || process.getuid?.() !== 0 ? 'files have other owners for root alone' : false

test('a secret belongs to whom it did, whoever replaces it', { skip: asRoot }, async (t: TestContext) => {
  const bindery = makeBindery(t, {}, main)
  assert.equal((await bindery.run(['migrate'])).code, 0)
  assert.equal((await bindery.run(['sessions', 'end', '--all'])).code, 0)
  const file = join(bindery.folder, 'jwt-secret')
  assert.ok(existsSync(file))
  chownSync(file, 12_345, 12_345)
  assert.equal((await bindery.run(['secrets', 'rotate'])).code, 0)
  const { uid, gid, mode } = statSync(file)
  assert.deepEqual([uid, gid, mode & 0o777], [12_345, 12_345, 0o600])
})

const onLinux = process.platform === 'linux' ? false : 'workers are found in /proc'

test('the process that leads the workers logs as asked as well', { skip: onLinux }, async (t: TestContext) => {
  const bindery = makeBindery(t)
  const env = { WORKERS: '2', LOG_LEVEL: 'info', DATA_DIR: bindery.folder, ...(await databaseOf(bindery.folder)) }
  const server = spawnServer({ env })
  t.after(() => server.child.exitCode ?? server.stop('SIGKILL'))
  await server.wrote('Bindery is ready on')
  assert.equal((await bindery.run(['log-level', 'error', '--for', '5m'])).code, 0)
  // The server's user can read it, whichever user runs the command
  assert.equal(statSync(join(bindery.folder, 'log-level')).mode & 0o777, 0o644)
  await sleep(4_000)
  const { pid } = server.child
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  process.kill(Number(workers[0]), 'SIGKILL')
  await sleep(1_000)
  assert.doesNotMatch(server.stdout(), /Worker \d+ ended/)
})

test('remove takes a record with all that goes with it, and tries it first', async (t: TestContext) => {
  const bindery = makeBindery(t, {}, main)
  assert.equal((await bindery.run(['migrate'])).code, 0)
  const made = await bindery.run(['--json', 'user', 'create', '--email', 'gone@example.com'])
  assert.equal(made.code, 0, made.stderr)
  const { id } = JSON.parse(made.stdout) as { id: string }
  const tried = await bindery.run(['remove', 'members', id, '--dry-run'])
  assert.match(tried.stdout, /^\w+ \S+ can be removed\.$/m, tried.stderr)
  const removed = await bindery.run(['remove', 'members', id, '--json'])
  assert.deepEqual(JSON.parse(removed.stdout), { removed: id, dryRun: false }, removed.stderr)
  const again = await bindery.run(['remove', 'members', id])
  assert.equal(again.code, 1)
  assert.match(again.stderr, /not found|No such/)
  assert.equal((await bindery.run(['remove', 'nothing', id])).code, 2)
})
