/** Backups to a bucket, on an S3 server that verifies signatures. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { it, type TestContext } from 'node:test'
import { openBackupStore } from '../../src/backup/open-backup-store.ts'
import { makeOutgoing } from '../../src/outgoing/outgoing.ts'
import { parseStore } from '../../src/settings/store-settings.ts'
import { bucketFetchOf } from '../../src/stores/bucket-fetch.ts'
import { partBytesOf } from '../../src/stores/bucket-store.ts'
import { embedded, makeBindery } from '../cli/bindery.ts'
import { removeFolder, temporaryFolder } from '../helpers/application.ts'
import { startBucket } from './bucket-server.ts'
import { emptyFolder, ran, refused, there } from './places.ts'

it('goes to a bucket and comes back', async (t: TestContext) => {
  const env = await startBucket(t, 'house')
  const bindery = makeBindery(t, { ...embedded, ...env })
  await ran(bindery, ['migrate'])
  await ran(bindery, ['import', 'editions'], { input: '{"title":"One","price":1}\n' })
  const { place, name } = await ran(bindery, ['backup', 's3://house/shop/', '--prune'])
  assert.equal(place, 's3://house/shop')
  await ran(bindery, ['backup', 's3://house/shop/mine.tar.zst'])
  assert.match(await refused(bindery, ['backup', 's3://house/shop/mine.tar.zst']), /is there already; --force/)
  const target = emptyFolder(bindery, 'target')
  const restored = await ran(bindery, ['restore', 's3://house/shop', '--yes'], there(target))
  assert.equal(restored.name, `s3://house/shop/${name}`)
  assert.equal(
    (await ran(bindery, ['restore', '--check'], { env: { BACKUP_DIR: 's3://house/shop' } })).name,
    restored.name,
  )
  assert.match(await refused(bindery, ['restore', 's3://other/shop'], there(target)), /There is no bucket other/)
  const wrong = { env: { AWS_SECRET_ACCESS_KEY: 'no' } }
  assert.match(
    await refused(bindery, ['backup', 's3://house/shop'], wrong),
    /Cannot .*: (SignatureDoesNotMatch|S3 returned 403)/,
  )
})

it('sends a backup of any size in as many parts as S3 takes', () => {
  for (const bytes of [1, 16 << 20, 10_000 * (16 << 20), 10_000 * (16 << 20) + 1, 5e12]) {
    const part = partBytesOf(bytes)
    assert.ok(Math.ceil(bytes / part) <= 10_000, `${bytes} bytes in parts of ${part}`)
    assert.ok(part >= 5 << 20 && part <= 5 * 2 ** 30, `${part}`)
  }
  assert.equal(partBytesOf(1e9), 16 << 20)
})

it('takes large files in parts, and lists them by name', async (t: TestContext) => {
  const setting = parseStore('BACKUP_DIR', 's3://house/large', await startBucket(t, 'house'))
  assert.ok(setting)
  const outgoing = makeOutgoing({ allow: [], proxy: {} })
  t.after(() => outgoing.close())
  const store = await openBackupStore(setting, bucketFetchOf(outgoing))
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const bytes = randomBytes(40_000_000)
  writeFileSync(`${folder}/a`, bytes)
  await store.put('a b.tar', `${folder}/a`)
  assert.ok(Buffer.concat(await Array.fromAsync(await store.read('a b.tar'))).equals(bytes))
  assert.throws(() => readFileSync(`${folder}/a`), { code: 'ENOENT' })
  for (let i = 0; i < 20; i += 1) await store.putBytes(`many/${String(i).padStart(4, '0')}`, Buffer.from(String(i)))
  const found = await store.list('many/')
  assert.equal(found.length, 20)
  assert.deepEqual(found.at(-1), { name: 'many/0019', bytes: 2 })
  assert.equal(await text(await store.read('many/0007')), '7')
  await store.remove('many/0007')
  const [requests] = outgoing.families()
  assert.ok(requests?.kind === 'counter' && requests.samples.every(({ labels }) => labels.purpose === 'backups'))
  assert.ok(requests.samples.reduce((all, { value }) => all + value, 0) >= 26, 'each request left by this door')
  await assert.rejects(store.read('many/0007'), {
    name: 'StartError',
    message: /There is no s3:\/\/house\/large\/many\/0007/,
  })
})
