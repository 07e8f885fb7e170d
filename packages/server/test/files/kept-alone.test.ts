/** Files in backups that are killed or scheduled, and those of a resource with one record. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { findBackups } from '../../src/backup/last-backup.ts'
import { readConfig } from '../../src/config.ts'
import { accounts, anyone, type DeclaredResource, defineResource, file, id, image, role } from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'
import { backupsIn, emptyFolder, ran, there } from '../backup/places.ts'
import { shortOr } from '../helpers/long.ts'
import { until } from '../helpers/until.ts'
import { filesFound, fill, serve, world } from './file-world.ts'
import { pdf, png, rowsOf, uploadFor } from './sample-files.ts'

const copiesIn = (folder: string) => globSync('file-copies/??/*', { cwd: folder })

test('a backup that is killed among its files leaves no backup, and the next one goes on', async (t) => {
  const { bindery, service } = await world(t)
  const { ann } = await fill(service)
  for (let i = 0; i < 30; i += 1)
    await uploadFor(service, ann, { resource: 'thing', field: 'manual', bytes: Buffer.concat([pdf, Buffer.alloc(i)]) })
  const place = emptyFolder(bindery, 'backups')
  for (const copies of shortOr([8], [2, 8, 16, 24])) {
    const child = await bindery.start(['backup', `${place}/`])
    const ended = once(child, 'exit')
    await until(() => child.exitCode !== null || copiesIn(place).length >= copies, 'some files are copied')
    child.kill('SIGKILL')
    await ended
  }
  const before = copiesIn(place).length
  assert.ok(before > 0)
  const told = await ran(bindery, ['backup', `${place}/`])
  assert.equal(told.files.count, 33)
  assert.ok(told.files.copied <= 33 - before + 1, `${told.files.copied} copied, and ${before} were there`)
  const target = emptyFolder(bindery, 'target')
  assert.equal((await ran(bindery, ['restore', `${place}/`, '--yes'], there(target))).files.copied, 33)
  assert.deepEqual(
    (await filesFound(bindery, there(target))).map(({ level }) => level),
    ['ok'],
  )
})

test('a scheduled backup has the files, and copies what is new', async (t) => {
  const { bindery, env, service } = await world(t)
  await fill(service)
  await service.stop()
  const place = emptyFolder(bindery, 'backups')
  const scheduled = { ...env, BACKUP_DIR: place, BACKUP_SCHEDULE: 'hourly' }
  const { database } = readConfig(scheduled)
  const kept = await serve(scheduled)
  t.after(() => kept.stop())
  await until(async () => (await findBackups(database)).good !== undefined, 'the backup that is due')
  assert.deepEqual([backupsIn(place).length, copiesIn(place).length], [1, 3])
  const target = emptyFolder(bindery, 'target')
  assert.equal((await ran(bindery, ['restore', `${place}/`, '--yes'], there(target))).files.copied, 3)
})

const site = defineResource({
  name: 'site',
  path: '/site',
  single: true,
  fields: { id: id(), logo: image(), terms: file({ types: ['application/pdf'], read: role('ADMIN') }) },
  access: { read: anyone, write: role('ADMIN') },
})

test('a resource with one record has files, which have the path of the field alone', async (t) => {
  const service = await startService([...accounts({ roles: ['USER', 'ADMIN'] }), site] as readonly DeclaredResource[], {
    env: { RATE_LIMIT: '' },
  })
  t.after(() => service.stop())
  const { token } = await service.admin()
  const put = (path: string, raw: Uint8Array, who?: string) =>
    service.ask('PUT', path, { raw, type: 'application/octet-stream', token: who ?? token })
  const person = await service.person()
  assert.equal((await put('/api/v1/site/logo', png, person.token)).status, 403)
  const shown = await put('/api/v1/site/logo', png)
  assert.equal(shown.status, 200, shown.text)
  assert.deepEqual([shown.status, shown.body.logo.url], [200, '/api/v1/site/logo'])
  const read = await fetch(`${service.url}/api/v1/site/logo`)
  assert.ok(Buffer.from(await read.arrayBuffer()).equals(png))
  assert.equal((await put('/api/v1/site/terms', pdf)).status, 200)
  assert.equal((await service.ask('GET', '/api/v1/site/terms', { token: person.token })).status, 404)
  const link = await service.ask('POST', '/api/v1/site/terms/_link', { body: {}, token })
  assert.equal(await (await fetch(`${service.url}${link.body.url}`)).text(), pdf.toString())
  await put('/api/v1/site/logo', png)
  assert.equal((await service.ask('DELETE', '/api/v1/site/terms', { token })).status, 204)
  await service.sweep()
  assert.deepEqual(
    (await rowsOf(service)).map(({ field, state }) => [field, state]),
    [['logo', 'attached']],
  )
})
