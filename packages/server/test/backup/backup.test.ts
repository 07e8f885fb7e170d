/** Backups are complete or absent, encrypted on demand, and restored only into an empty place. */
import assert from 'node:assert/strict'
import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { openBackupStore } from '../../src/backup/open-backup-store.ts'
import { openBackup, restoreBackup } from '../../src/backup/restore-backup.ts'
import { inWorkFolder } from '../../src/backup/work-folder.ts'
import { readConfig } from '../../src/config.ts'
import { embedded, makeBindery } from '../cli/bindery.ts'
import { catalog, fill, makePlace, on, stored } from '../cli/places.ts'
import { startService } from '../helpers/application.ts'
import { long } from '../helpers/long.ts'
import { backupsIn, emptyFolder, ran, refused, there } from './places.ts'

describe('backups', { concurrency: 2 }, () => {
  it('goes into a database of the other kind too', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    const service = await startService({ DATA_DIR: bindery.folder, DATABASE_URL: '' })
    await fill(service).finally(() => service.service.stop())
    await ran(bindery, ['backup', bindery.path('a.tar.zst')])
    const place = await makePlace(t, bindery, 'postgres')
    await ran(bindery, ['restore', bindery.path('a.tar.zst'), '--yes'], on(place.url))
    assert.deepEqual(await stored(place.url), await stored(`sqlite:${bindery.path('bindery.db')}`))
    const { stdout } = await bindery.run(['doctor'], on(place.url))
    assert.match(
      stdout,
      /^ok +backup +\S+a\.tar\.zst: restored on 2\S+Z: everything acknowledged before 2\S+Z is in it$/m,
    )
    assert.match(stdout, /^ok +backup +this database: none was made since$/m)
    assert.match(stdout, /\n\d+ bad, \d+ to see to, \d+ fine; --deep reads every index too\n$/)
    assert.match(
      await refused(bindery, ['restore', bindery.path('a.tar.zst'), '--yes'], on(place.url)),
      /holds a database of Bindery already: a restore goes into an empty place/,
    )
  })

  it('says what is wrong, and changes nothing', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    assert.match(await refused(bindery, ['backup', bindery.path('x.tar.zst')]), /There is no database/)
    assert.ok(!existsSync(bindery.path('bindery.db')))
    await ran(bindery, ['migrate'])
    const input = Array.from({ length: 300 }, (_, i) => `{"title":"Part ${i}","price":1}\n`).join('')
    await ran(bindery, ['import', 'editions'], { input })
    const file = bindery.path('a.tar.zst')
    await ran(bindery, ['backup', file])
    const bytes = readFileSync(file)
    assert.match(await refused(bindery, ['backup', file]), /is there already; --force replaces it/)
    assert.deepEqual(readFileSync(file), bytes)
    await ran(bindery, ['backup', file, '--force'])
    assert.match(await refused(bindery, ['backup']), /say where/)
    assert.match(await refused(bindery, ['backup', bindery.path('no/a.tar.zst')]), /There is no folder/)
    assert.match(await refused(bindery, ['restore', file, '--yes']), /There is a file .*bindery\.db already/)

    const target = emptyFolder(bindery, 'target')
    assert.match(await refused(bindery, ['restore', file], there(target)), /pass --yes/)
    assert.match(await refused(bindery, ['restore', file, '--at', 'noon'], there(target)), /--at must be a time/)
    assert.match(await refused(bindery, ['restore', `${target}/`, '--yes'], there(target)), /There is no backup in/)
    const good = readFileSync(file)
    const damaged = bindery.path('damaged.tar.zst')
    const bad: Buffer[] = [
      Buffer.from('{}'),
      Buffer.alloc(0),
      good.subarray(0, good.length - 1),
      good.subarray(0, 4000),
    ]
    for (const place of [3, 40, good.length >> 1, good.length - 3]) {
      const changed = Buffer.from(good)
      changed[place] = (changed[place] as number) ^ 0x10
      bad.push(changed)
    }
    for (const content of bad) {
      writeFileSync(damaged, content)
      const restoring = async () => {
        const opened = await openBackup(createReadStream(damaged) as AsyncIterable<Buffer>, [])
        const { database } = readConfig({ DATA_DIR: target })
        const place = await openBackupStore({ folder: target }, () => fetch)
        const files = { place, identities: [], openFiles: async () => place, allowMissing: false }
        await inWorkFolder(target, (folder) => restoreBackup(opened, { database, catalog, folder, wanted: [], files }))
      }
      await assert.rejects(restoring, { name: 'StartError', message: /damaged|no backup of Bindery|cut off/ })
      assert.deepEqual(readdirSync(target), [])
    }
  })

  it('is encrypted for those who are named', async (t: TestContext) => {
    const bindery = makeBindery(t, embedded)
    await ran(bindery, ['migrate'])
    writeFileSync(bindery.path('jwt-secret'), 'x'.repeat(64))
    const identity = await generateX25519Identity()
    const env = { BACKUP_TO: await identityToRecipient(identity), BACKUP_DIR: bindery.path('kept') }
    const { name, encrypted, manifest } = await ran(bindery, ['backup'], { env })
    assert.deepEqual([encrypted, manifest.secret], [true, true])
    const file = bindery.path(`kept/${name}`)
    assert.equal(readFileSync(file).subarray(0, 21).toString(), 'age-encryption.org/v1')
    assert.ok(!readFileSync(file, 'latin1').includes('x'.repeat(64)))
    writeFileSync(bindery.path('key'), `# made today\n${identity}\n`)
    writeFileSync(bindery.path('other'), await generateX25519Identity())
    const target = emptyFolder(bindery, 'target')
    const restoring = (...more: string[]) => ['restore', file, '--yes', ...more]
    assert.match(await refused(bindery, restoring(), there(target)), /is encrypted: .*--identity/)
    assert.match(
      await refused(bindery, restoring('--identity', bindery.path('other')), there(target)),
      /does not open this backup/,
    )
    assert.deepEqual(readdirSync(target), [])
    await ran(bindery, restoring('--identity', bindery.path('key')), there(target))
    assert.equal(readFileSync(join(target, 'jwt-secret'), 'utf8').trim(), 'x'.repeat(64))
    assert.match(await refused(bindery, ['backup', file, '--to', 'ssh-rsa AAAA']), /--to must be recipients of age/)
  })
})

async function killAtRandom(t: TestContext, times: number): Promise<void> {
  const bindery = makeBindery(t, embedded)
  await ran(bindery, ['migrate'])
  const input = Array.from({ length: 5000 }, (_, i) => `{"title":"Part ${i}","price":1}\n`).join('')
  await ran(bindery, ['import', 'editions'], { input })
  const folder = emptyFolder(bindery, 'backups')
  let good = 0
  for (let i = 0; i < times; i += 1) {
    const child = await bindery.start(['backup', `${folder}/`])
    const ended = new Promise((resolve) => child.once('close', resolve))
    await Promise.race([ended, sleep(250 + Math.random() * 700)])
    child.kill('SIGKILL')
    await ended
    const found = backupsIn(folder)
    for (const name of found.slice(good)) await ran(bindery, ['restore', '--check', join(folder, name)])
    good = found.length
  }
  await ran(bindery, ['backup', `${folder}/`])
  // Nothing is left of those that were killed
  assert.deepEqual(
    readdirSync(folder).filter((name) => !name.endsWith('.tar.zst')),
    [],
  )
}

describe('a backup that is killed', () => {
  it('leaves nothing that looks good and is not', (t: TestContext) => killAtRandom(t, 3))
  it('at twenty moments', long, (t: TestContext) => killAtRandom(t, 20))
})
