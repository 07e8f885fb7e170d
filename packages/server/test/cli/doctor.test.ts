/**
 * Each kind of damage on a small real database: `bindery doctor` names it and the remedy, and no
 * server starts on it.
 */
import assert from 'node:assert/strict'
import { chmodSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { writeMetadata } from '../../src/storage/sqlite/write/file-metadata.ts'
import { removeFolder, startService, temporaryFolder } from '../../src/testing/index.ts'
import { type Damage, damages, edit } from './damages.ts'
import { findingsOf, laterWard, textOf, ward } from './ward.ts'

const folder = temporaryFolder()
const good = join(folder, 'good')
const later = join(folder, 'later')

before(async () => {
  mkdirSync(good)
  const service = await startService(ward, { on: 'sqlite', env: { DATA_DIR: good, SLOW_MS: 'off' } })
  const { ask } = service
  for (const [name, count] of [
    ['first', 200],
    ['second', 200],
  ] as const) {
    const shelf = await ask('POST', '/api/v1/racks', { body: { name } })
    assert.equal(shelf.status, 201, shelf.text)
    const { records, catalog } = service.service.engine
    const resource = catalog.get('volume')
    await records.transaction({ userId: null, role: null, credential: 'service' }, async (tx) => {
      const values = Array.from({ length: count }, (_, i) => ({
        rackId: shelf.body.id,
        title: `${name} ${i} ${'x'.repeat(200)}`,
      }))
      await tx.insertAll(await Promise.all(values.map((one) => tx.prepare(resource, one))))
    })
  }
  const moved = await ask('POST', '/api/v1/racks', { body: { name: 'moving' } })
  await ask('PATCH', `/api/v1/racks/${moved.body.id}`, { body: { name: 'moved' } })
  await service.stop()
  const backup = { at: new Date().toISOString(), place: '/backups', name: 'one', bytes: 9 }
  writeMetadata({ path: join(good, 'bindery.db') }, 'last backup', JSON.stringify(backup))
  cpSync(good, later, { recursive: true })
  const next = await startService(laterWard, { on: 'sqlite', env: { DATA_DIR: later } })
  const rack = (await next.ask('GET', '/api/v1/racks')).body.data[0]
  const colour = { title: 'in colour', colour: 'red', rackId: rack.id }
  const red = await next.ask('POST', '/api/v1/volumes', { body: colour })
  assert.equal(red.status, 201, red.text)
  await next.stop()
})
after(() => removeFolder(folder))

test('nothing is wrong', async () => {
  const found = await findingsOf({ env: { DATA_DIR: good }, deep: true })
  assert.deepEqual(found.filter(({ level }) => level !== 'ok').map(textOf), [])
  assert.ok(found.length >= 12)
})

test('a database that was never backed up, of an earlier version, or of an earlier version of the application', async () => {
  const dir = join(folder, 'never')
  cpSync(good, dir, { recursive: true })
  chmodSync(dir, 0o700)
  const wrong = async (env = {}, declarations = ward) =>
    (await findingsOf({ env: { DATA_DIR: dir, ...env }, declarations }))
      .filter(({ level }) => level !== 'ok')
      .map(textOf)
  const file = join(dir, 'bindery.db')
  edit(file, "DELETE FROM bindery_meta WHERE name = 'last backup'")
  const never = 'warn backup | this database | none was ever made | Take one: bindery backup FOLDER'
  assert.deepEqual(
    (await wrong()).map((line) => line.slice(0, never.length)),
    [never],
  )
  edit(file, 'DROP TABLE bindery_changes; DROP TABLE bindery_requests')
  const [schema, ...others] = await wrong()
  assert.match(
    schema ?? '',
    /^warn schema \| bindery_changes, bindery_requests \| an earlier version .* \| Upgrade it: .*bindery migrate/,
  )
  assert.equal(others.length, 1, others.join())
  const steps = (await wrong({}, laterWard)).join('\n')
  assert.match(steps, /warn schema \| volumes \| the next start takes .* \| Upgrade it: .*bindery migrate/)
  assert.doesNotMatch(steps, /restore/)
})

test('a database of a version whose log noted no deleted rows', async () => {
  const dir = join(folder, 'earlier')
  cpSync(good, dir, { recursive: true })
  chmodSync(dir, 0o700)
  const file = join(dir, 'bindery.db')
  edit(file, 'DROP TRIGGER bindery_log_cut')
  const wrong = async () =>
    (await findingsOf({ env: { DATA_DIR: dir } })).filter(({ level }) => level !== 'ok').map(textOf)
  assert.deepEqual(await wrong(), [])
  const service = await startService(ward, { on: 'sqlite', env: { DATA_DIR: dir } })
  const { body } = await service.ask('GET', '/api/v1/volumes')
  await service.stop()
  assert.equal(body.meta.total, 400)
  assert.deepEqual(await wrong(), [])
  edit(file, 'DELETE FROM bindery_changes WHERE sequence = (SELECT max(sequence) FROM bindery_changes)')
  assert.match((await wrong()).join('\n'), /bad change log .*something else deleted its newest rows/)
})

async function seeStart(dir: string, { start, env }: Damage): Promise<void> {
  if (env) return
  const service = await startService(ward, { on: 'sqlite', env: { DATA_DIR: dir } }).catch((error: Error) => error)
  if (service instanceof Error) {
    assert.ok(start instanceof RegExp || start === 'not ready', service.message)
    if (start instanceof RegExp) assert.match(service.message, start)
    return
  }
  try {
    await service.ask('GET', '/api/v1/volumes?page=3&limit=100')
    await service.ask('GET', '/api/v1/volumes?sort=title&page=3&limit=100')
    await service.ask('POST', '/api/v1/racks', { body: { name: 'new' } })
    const { status } = await service.ask('GET', '/readyz')
    assert.equal(status === 200 ? 'serves' : 'not ready', start instanceof RegExp ? 'refused' : start)
  } finally {
    await service.service.stop()
  }
}

for (const damage of damages)
  test(damage.name, async (t) => {
    const dir = join(folder, damage.name.replaceAll(' ', '-'))
    cpSync(damage.later ? later : good, dir, { recursive: true })
    chmodSync(dir, 0o700)
    const place = { dir, file: join(dir, 'bindery.db') }
    const undo = await damage.make(place)
    if (typeof undo === 'function') t.after(undo as () => void)
    else if (/disk|file system/.test(damage.name)) return t.skip('this user may not mount a file system')
    const before = readFileSync(join(good, 'bindery.db')).length
    assert.ok(before > 0)
    const found = await findingsOf({
      env: { DATA_DIR: dir, ...damage.env?.(place) },
      deep: damage.deep ?? false,
      nowMs: damage.nowMs?.() ?? Date.now(),
    })
    const wrong = found.filter(({ level }) => level !== 'ok').map(textOf)
    assert.ok(
      wrong.some((line) => damage.says.test(line)),
      wrong.join('\n'),
    )
    const { never } = damage
    if (never) assert.doesNotMatch(found.map(textOf).join('\n'), never)
    for (const { level, todo, what } of found) assert.ok(level === 'ok' || todo, what)
    assert.ok(!wrong.some((line) => line.includes('***')), wrong.join('\n'))
    await seeStart(dir, damage)
  })
