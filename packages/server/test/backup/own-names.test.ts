/**
 * Backups and log copies read only files with their own names, follow no links, and load no more
 * memory than their own files need. The folder may contain other files, and a file may unpack to
 * any size.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isOwnFolder } from '../../src/backup/log/log-names.ts'
import { manifestName } from '../../src/backup/manifest.ts'
import { pack } from '../../src/backup/pack.ts'
import { openBackup } from '../../src/backup/restore-backup.ts'
import { writeTar } from '../../src/backup/tar.ts'
import { inWorkFolder } from '../../src/backup/work-folder.ts'
import { applyFrames } from '../../src/storage/sqlite/log/apply-frames.ts'
import { openFolderStore } from '../../src/stores/folder-store.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/index.ts'
import { embedded, makeBindery } from '../cli/bindery.ts'
import { backupsIn, emptyFolder, ran } from './places.ts'

const stream = '20261126T105700123Z-a1b2'
const stretch = `log/${stream}/0000000001-1764154620000.zst`
const backup = 'bindery-20261126T105700123Z.tar.zst'

/** A folder of backups on a volume that has more than that, with links that lead back. */
function strange(t: TestContext): string {
  const folder = temporaryFolder()
  t.after(() => {
    chmodSync(join(folder, 'lost+found'), 0o700)
    removeFolder(folder)
  })
  for (const one of ['deep/er', `log/${stream}/below`, 'log/else', '.bindery-work-else-1-x', 'bindery-folder'])
    mkdirSync(join(folder, one), { recursive: true })
  for (const one of [backup, stretch, `deep/${backup}`, `log/else/${backup}`, `log/${stream}/below/x`, 'other'])
    writeFileSync(join(folder, one), 'x')
  mkdirSync(join(folder, 'lost+found'), { mode: 0 })
  for (const one of ['one', 'two', 'log/three', `log/${stream}/four`, 'deep/er/five', '.bindery-work-else-1-x/six'])
    symlinkSync(folder, join(folder, one))
  symlinkSync(join(folder, backup), join(folder, 'bindery-20261126T105700124Z.tar.zst'))
  symlinkSync(join(folder, stretch), join(folder, `log/${stream}/0000000002-1764154620000.zst`))
  return folder
}

test('a place lists its own files: nothing in folders of others, and no links', async (t) => {
  const folder = strange(t)
  const store = openFolderStore(folder, { owns: isOwnFolder })
  const list = async (prefix: string) => (await store.list(prefix)).map(({ name }) => name)
  assert.deepEqual(await list('bindery-'), [backup])
  assert.deepEqual(await list('log/'), [stretch])
  assert.deepEqual(await list(''), [backup, stretch, 'other'])
  assert.deepEqual(await list(`log/${stream}/`), [stretch])
  assert.deepEqual(await openFolderStore(join(folder, 'none'), { owns: isOwnFolder }).list(''), [])
  await inWorkFolder(folder, async (own) => writeFileSync(join(own, 'x'), ''))
})

test('nothing is put where a link leads', async (t) => {
  const folder = strange(t)
  const store = openFolderStore(folder, { owns: isOwnFolder })
  const elsewhere = temporaryFolder()
  t.after(() => removeFolder(elsewhere))
  renameSync(join(folder, 'log'), join(folder, 'log-before'))
  symlinkSync(elsewhere, join(folder, 'log'))
  await assert.rejects(store.putBytes(stretch, Buffer.from('x')), /log is a link/)
  assert.deepEqual(readdirSync(elsewhere), [])
  assert.deepEqual(await store.list('log/'), [])
})

test('backups go to a volume that has more, are removed there and found again', async (t) => {
  const bindery = makeBindery(t, { ...embedded, BACKUP_KEEP: '1h' })
  await ran(bindery, ['migrate'])
  const folder = emptyFolder(bindery, 'volume')
  symlinkSync(folder, join(folder, 'back'))
  symlinkSync(folder, join(folder, 'again'))
  writeFileSync(join(folder, backup), 'old')
  await ran(bindery, ['backup', `${folder}/`, '--prune'])
  assert.equal(backupsIn(folder).length, 1)
  assert.equal((await ran(bindery, ['restore', '--check', `${folder}/`])).good, true)
})

/** So many blanks, and how many of them were taken. */
function blanks(bytes: number) {
  const taken = { bytes: 0 }
  async function* body(): AsyncGenerator<Buffer> {
    for (const chunk = Buffer.alloc(1_000_000, ' '); taken.bytes < bytes; taken.bytes += chunk.length) yield chunk
  }
  return { taken, body: body() }
}

test('a manifest that is larger than any is no backup, and is not read', async () => {
  const bytes = 64_000_000
  const { body } = blanks(bytes)
  const packed = await Array.fromAsync(await pack(writeTar([{ name: manifestName, bytes, body }], 0), []))
  const chunks = (async function* () {
    yield* packed
  })()
  await assert.rejects(openBackup(chunks, []), {
    name: 'StartError',
    message: /This is no backup of Bindery: its manifest\.json has 64/,
  })
})

test('a copy of the log that unpacks to blanks ends where they begin', async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  writeFileSync(join(folder, 'a.db'), 'x')
  const place = { salts: '0011223344556677', pageBytes: 4096, bigEndian: false, offset: 32, sums: [1, 1] }
  for (const line of [`${JSON.stringify(place)}\n`, '', '{}\n']) {
    const { taken, body } = blanks(1_000_000_000)
    const bytes = (async function* () {
      yield Buffer.from(line)
      yield* body
    })()
    const stretches = (async function* () {
      yield bytes
    })()
    await assert.rejects(applyFrames(join(folder, 'a.db'), stretches), /A copy of the log is damaged/)
    assert.ok(taken.bytes <= 20_000_000, `${line}: ${taken.bytes}`)
  }
})
