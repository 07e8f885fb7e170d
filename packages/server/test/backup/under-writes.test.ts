/**
 * A backup during writes, on either database: it holds every write acknowledged before it began,
 * and exports the same bytes.
 */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeBindery } from '../cli/bindery.ts'
import { fill, stored } from '../cli/places.ts'
import { databaseOf, startService } from '../helpers/application.ts'
import { emptyFolder, ran, startWriting, there } from './places.ts'

/** The lines after the first, which has the time. */
const rowsIn = (file: string) => readFileSync(file, 'utf8').split('\n').slice(1)

it('has everything that was acknowledged before, and the same bytes in an export', async (t: TestContext) => {
  const bindery = makeBindery(t)
  // A key pair of its own signs: it goes where the secret goes
  const signing = { JWT_ALG: 'EdDSA' }
  const service = await startService({ DATA_DIR: bindery.folder, ...(await databaseOf(bindery.folder)), ...signing })
  await fill(service).catch(async (error) => {
    await service.service.stop()
    throw error
  })
  const { token } = await service.admin()
  const writer = startWriting(service, token)
  await sleep(300)
  const folder = bindery.path('backups')
  const under = await ran(bindery, ['backup', `${folder}/`], { alone: true })
  await writer.stop()
  assert.equal(under.place, folder)
  assert.equal(statSync(join(folder, under.name)).mode & 0o777, 0o600)
  const other = emptyFolder(bindery, 'under')
  const told = await ran(bindery, ['restore', `${folder}/`, '--yes'], there(other))
  assert.equal(told.at, under.manifest.at)
  const known = new Set(((await stored(`sqlite:${other}/bindery.db`)).edition as { id: string }[]).map(({ id }) => id))
  const before = writer.acknowledged.filter(({ atMs }) => atMs < Date.parse(under.manifest.at))
  assert.ok(before.length > 5, `${before.length} writes`)
  for (const { id } of before) assert.ok(known.has(id), `${id} is missing`)

  await service.service.stop()
  const rest = await ran(bindery, ['backup', bindery.path('rest.tar.zst'), '--with-secret'])
  assert.deepEqual([rest.manifest.secret, rest.manifest.key], [true, true])
  const third = emptyFolder(bindery, 'third')
  const { secret, key } = await ran(bindery, ['restore', bindery.path('rest.tar.zst'), '--yes'], there(third))
  assert.deepEqual([secret, key], [true, true])
  assert.equal(statSync(join(third, 'bindery.db')).mode & 0o777, 0o600)
  for (const name of ['jwt-secret', 'jwt-key']) assert.equal(statSync(join(third, name)).mode & 0o777, 0o600)
  await ran(bindery, ['export', '--all', bindery.path('a.ndjson'), '--with-secrets'])
  await ran(bindery, ['export', '--all', bindery.path('b.ndjson'), '--with-secrets'], there(third))
  assert.deepEqual(rowsIn(bindery.path('b.ndjson')), rowsIn(bindery.path('a.ndjson')))
  // A token of before is good in the restored service, which signs with the same key
  const again = await startService({ DATA_DIR: third, DATABASE_URL: `sqlite:${third}/bindery.db`, ...signing })
  t.after(() => again.service.stop())
  const headOf = (one: string) => one.split('.')[0]
  assert.equal(headOf((await again.admin()).token), headOf(token))
  assert.equal((await again.ask('GET', '/api/v1/members', { token })).status, 200)
})
