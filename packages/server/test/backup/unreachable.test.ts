/**
 * Copies of the log to an unreachable bucket: the backlog has a bound, and a new full copy is made
 * when the bucket is back.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openCopier } from '../../src/backup/log/log-copier.ts'
import { parseStore } from '../../src/settings/store-settings.ts'
import { embedded, makeBindery } from '../cli/bindery.ts'
import { startCable } from '../helpers/cable.ts'
import { startBucket } from './bucket-server.ts'
import { emptyFolder, ran, there } from './places.ts'

const reachBack = 'Copies of the log reach back'

function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

it('keeps what waits within a bound', async (t: TestContext) => {
  const bindery = makeBindery(t, embedded)
  await ran(bindery, ['migrate'])
  const bucket = await startBucket(t, 'house')
  const cable = await startCable(t, bucket.AWS_ENDPOINT_URL as string)
  const place = parseStore('WAL_COPY', 's3://house/copies', { ...bucket, AWS_ENDPOINT_URL: cable.url })
  assert.ok(place)
  const path = bindery.path('bindery.db')
  const writer = new DatabaseSync(path)
  writer.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE pieces (bytes BLOB)')
  const write = (bytes: number) => writer.prepare('INSERT INTO pieces VALUES (?)').run(randomBytes(bytes))
  const told: string[] = []
  const waitingBytesMax = 2_000_000
  const hour = 3_600_000
  const copier = await openCopier(
    {
      ...{ kind: 'sqlite', setup: { path, dataDir: bindery.folder }, store: place, to: [], dataDir: bindery.folder },
      ...{
        bindery: '1',
        keptMs: hour,
        baseEveryMs: hour,
        idleShare: 0,
        waitingBytesMax,
        outgoing: { allow: [], proxy: {} },
      },
    },
    (_level, text) => {
      told.push(text)
      // at once: what comes after a whole copy fails
      if (text.startsWith(reachBack) && reaching() === 1) cable.pull(true)
    },
  )
  const reaching = () => told.filter((text) => text.startsWith(reachBack)).length
  const reach = async (count: number) => {
    while (reaching() < count) {
      await copier.round().catch((error) => assert.equal(reaching(), count, error))
      await sleep(20)
    }
  }
  await reach(1)
  const waiting = join(bindery.folder, 'log-copies')

  for (let i = 0; i < 12; i += 1) {
    write(500_000)
    await assert.rejects(copier.round(), { name: 'StartError' })
    assert.ok(bytesIn(waiting) < waitingBytesMax + 600_000, `${bytesIn(waiting)} bytes wait`)
  }
  assert.equal(bytesIn(waiting), 0, 'it was given up, and nothing is added')
  assert.equal(told.filter((text) => /were larger than 2 MB and are given up: when the place/.test(text)).length, 1)

  assert.doesNotMatch(told.join('\n'), /No whole copy/, 'there is one')

  cable.pull(false)
  await reach(2)
  assert.match(told.join('\n'), /do not continue: their place could not be reached for too long/)
  write(1_000)
  await copier.close()
  writer.close()
  const target = emptyFolder(bindery, 'target')
  await ran(bindery, ['restore', 's3://house/copies', '--yes'], { env: { ...bucket, ...there(target).env } })
  const copy = new DatabaseSync(join(target, 'bindery.db'))
  assert.deepEqual({ ...copy.prepare('SELECT count(*) AS count FROM pieces').get() }, { count: 13 })
  copy.close()
})
