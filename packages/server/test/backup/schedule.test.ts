/**
 * Scheduled backups: when one is due, which process takes it, which ones are kept, and how failures
 * are reported.
 */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBackups } from '../../src/backup/last-backup.ts'
import { prune, retainedOf } from '../../src/backup/prune.ts'
import { readConfig } from '../../src/config.ts'
import { backupAge, makeReadBackupState } from '../../src/service/metrics/backup-metrics.ts'
import { backUpWhenDue, lastDue } from '../../src/service/scheduled-backups.ts'
import { parseBackups, parseRetention, parseSchedule } from '../../src/settings/backup-settings.ts'
import { openFolderStore } from '../../src/stores/folder-store.ts'
import { databaseOf, removeDatabase, removeFolder, startService, temporaryFolder } from '../helpers/application.ts'
import { backupsIn } from './places.ts'

const at = (text: string) => Date.parse(`2026-11-${text}Z`)

it('is due at round times', () => {
  const cases: [string, string, string][] = [
    ['hourly', '22T16:59:59', '22T16:00:00'],
    ['daily', '22T16:59:59', '22T00:00:00'],
    ['daily 17:30', '22T16:59:59', '21T17:30:00'],
    ['daily 03:30', '22T03:30:00', '22T03:30:00'],
    ['weekly', '22T16:59:59', '16T00:00:00'], // a Sunday, and the Monday before
    ['weekly', '23T00:00:00', '23T00:00:00'],
    ['6h', '22T16:59:59', '22T12:00:00'],
    ['15m', '22T16:59:59', '22T16:45:00'],
  ]
  for (const [text, now, due] of cases) {
    const schedule = parseSchedule(text)
    assert.ok(schedule)
    assert.equal(lastDue(schedule, at(now)), at(due), `${text} at ${now}`)
  }
  for (const text of ['1m', 'daily 24:00', 'daily 3:30', '* * * * *', 'often', '0h', 'toString'])
    assert.throws(() => parseSchedule(text), /^StartError: BACKUP_SCHEDULE must be hourly/)
})

it('says which variable is wrong', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ BACKUP_SCHEDULE: 'daily' }, /^BACKUP_DIR is missing/],
    [{ BACKUP_DIR: 's3://house/a' }, /^AWS_ACCESS_KEY_ID is missing: BACKUP_DIR is on S3/],
    [{ BACKUP_DIR: 's3:///a' }, /^BACKUP_DIR must look like s3:\/\/BUCKET/],
    [{ BACKUP_DIR: 'ftp://a/b' }, /^BACKUP_DIR must be a folder, or s3/],
    [{ BACKUP_KEEP: '7' }, /^BACKUP_KEEP must look like 24h,7d,4w/],
    [{ BACKUP_TO: 'age1abc,ssh-rsa' }, /^BACKUP_TO must be recipients of age/],
    [{ WAL_COPY: 'a', WAL_COPY_KEEP: 'long' }, /^WAL_COPY_KEEP must look like/],
  ]
  for (const [env, message] of wrong) assert.throws(() => parseBackups(env), { name: 'StartError', message })
})

it('keeps the newest of so many hours, days and weeks', async (t: TestContext) => {
  const quarters = Array.from({ length: 4 * 24 * 40 }, (_, i) => at('22T16:00:00') - i * 15 * 60_000)
  const kept = [...retainedOf(quarters, parseRetention('3h,2d,2w'))].map((time) =>
    new Date(time).toISOString().slice(5, 16),
  )
  assert.deepEqual(kept, ['11-22T16:00', '11-22T15:45', '11-22T14:45', '11-21T23:45', '11-15T23:45'])
  assert.deepEqual([...retainedOf([5, 7], parseRetention('0h'))], [7])

  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const others = ['bindery-mine.tar.zst', 'bindery-20261122T160000000Z.tar.zst.bak', 'notes']
  const old = 'bindery-20250101T000000000Z.tar.zst'
  const newest = 'bindery-20261122T160000000Z.tar.zst.age'
  for (const name of [...others, old, newest]) writeFileSync(join(folder, name), '')
  assert.deepEqual(await prune(openFolderStore(folder), parseRetention('1h')), [old])
  assert.deepEqual(
    (await openFolderStore(folder).list('')).map(({ name }) => name),
    [...others, newest].sort(),
  )
})

it('takes one when it is due, once for all processes, and says when it fails', async (t: TestContext) => {
  const folder = temporaryFolder()
  t.after(async () => {
    await removeDatabase(folder)
    removeFolder(folder)
  })
  const place = join(folder, 'backups')
  const env = {
    DATA_DIR: folder,
    BACKUP_DIR: place,
    BACKUP_SCHEDULE: 'hourly',
    BACKUP_KEEP: '1h',
    ...(await databaseOf(folder)),
  }
  const service = await startService(env)
  t.after(() => service.service.stop())
  const config = readConfig(env)
  const logged = (what: RegExp) => service.logged.filter((line) => what.test(line))
  const parts = {
    engine: service.service.engine,
    config,
    log: {
      info: (line: string) => void service.logged.push(line),
      warn: (line: string) => void service.logged.push(line),
    },
    stop: new AbortController().signal,
  }
  while (logged(/Backup .* is good/).length === 0) await sleep(20)
  const [first] = backupsIn(place)
  const { good } = await findBackups(config.database)
  const later = () => Date.parse(good?.at ?? '') + 5_000
  const [age] = await backupAge(makeReadBackupState(config.database, later), later)()
  assert.deepEqual(age?.samples, [{ labels: {}, value: 5 }])
  assert.equal(good?.name, first)
  assert.equal(await backUpWhenDue(parts), false)

  // /readyz tells any caller one word, and an ADMIN who asks more
  const { ask } = service
  const { token } = await service.admin()
  const detailed = await ask('GET', '/readyz?details=true', { token })
  const { backup, failedBackup } = detailed.body.details
  assert.deepEqual([detailed.body.status, backup.at, failedBackup], ['ok', good?.at, null])
  assert.ok(backup.ageSeconds >= 0 && backup.ageSeconds < 120, `${backup.ageSeconds} s`)
  for (const options of [{}, { token }]) assert.equal((await ask('GET', '/readyz', options)).text, '{"status":"ok"}')
  const statuses = [
    await ask('GET', '/readyz?details=true'),
    await ask('GET', '/readyz?details=true', { token: (await service.person()).token }),
    await ask('GET', '/readyz?details=1', { token }),
  ]
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [401, 403, 400],
  )

  service.turn(3_600_000)
  // Two processes look at the same time; whoever comes second finds that another is at it, or has
  // been
  await Promise.all([backUpWhenDue(parts), backUpWhenDue(parts)])
  assert.equal(logged(/Backup .* is good; 1 older ones? were removed/).length, 1, service.logged.join('\n'))
  assert.equal(backupsIn(place).length, 1)
  assert.notEqual(backupsIn(place)[0], first)

  service.turn(3_600_000)
  rmSync(place, { recursive: true })
  writeFileSync(place, 'a file where the folder was')
  assert.equal(await backUpWhenDue(parts), true)
  assert.equal(
    logged(/The backup that was due failed: Cannot make the folder .*backups.*tried again in 5 minutes/).length,
    1,
  )
  assert.match((await findBackups(config.database)).failed?.why ?? '', /Cannot make the folder/)
  assert.equal(await backUpWhenDue(parts), false)
  rmSync(place)
  service.turn(300_001)
  assert.equal(await backUpWhenDue(parts), true)
  assert.equal(backupsIn(place).length, 1)
})
