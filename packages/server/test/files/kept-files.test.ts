/** Files are in backups and come back: on either database, to a folder and to a bucket. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { readConfig } from '../../src/config.ts'
import { whileFilesHeld } from '../../src/storage/held-files.ts'
import { startBucket } from '../backup/bucket-server.ts'
import { emptyFolder, ran, refused, there } from '../backup/places.ts'
import { bytesAt, filesFound, fill, serve, world } from './file-world.ts'
import { objectsOf, png, rowsOf, uploadFor } from './sample-files.ts'

/** The removed files below a folder whose room this process still takes. Only Linux lists them. */
function heldOpen(folder: string): string[] {
  const all = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : []
  const names = all.flatMap((one) => {
    try {
      return readlinkSync(`/proc/self/fd/${one}`)
    } catch {
      return [] // it was open while they were listed
    }
  })
  return names.filter((name) => name.startsWith(folder) && name.endsWith(' (deleted)'))
}

const copiesIn = (folder: string) => globSync('file-copies/??/*', { cwd: folder }).sort()

describe('backups of files', { concurrency: 2 }, () => {
  it('have each file once, and bring it back with its records', async (t: TestContext) => {
    const { bindery, service } = await world(t)
    const { box, thing, api, label, ann } = await fill(service)
    await uploadFor(service, ann, { resource: 'thing', field: 'photo', bytes: png })
    const place = bindery.path('backups')
    const first = await ran(bindery, ['backup', `${place}/`])
    assert.deepEqual(first.manifest.files, { count: 4, bytes: 11 + 2 * png.length, lacking: 0 })
    assert.equal(first.files.copied, 4)
    const second = await ran(bindery, ['backup', `${place}/`])
    assert.deepEqual([second.files.count, second.files.copied], [4, 0])
    assert.equal(copiesIn(place).length, 4)
    assert.deepEqual(heldOpen(place), [])

    const target = emptyFolder(bindery, 'target')
    const told = await ran(bindery, ['restore', `${place}/`, '--yes'], there(target))
    assert.deepEqual([told.files.count, told.files.copied, told.files.missing], [4, 4, 0])
    assert.deepEqual(
      (await filesFound(bindery, there(target))).map(({ what }) => what),
      ['4 files: each has its row, its bytes and their SHA-256'],
    )
    const restored = await serve({ DATA_DIR: target, DATABASE_URL: `sqlite:${target}/bindery.db` })
    t.after(() => restored.stop())
    assert.equal((await bytesAt(restored, `${box}/label`)).toString(), 'second')
    assert.ok((await bytesAt(restored, `${thing}/photo`)).equals(png))
    await restored.sweep()
    assert.equal((await rowsOf(restored)).length, 4)
    // a later backup keeps what it names alone
    await api('PATCH', thing, { photo: null })
    await label('third')
    await service.sweep()
    const third = await ran(bindery, ['backup', `${place}/`, '--prune'])
    assert.deepEqual([third.files.copied, third.removed.length], [1, 2])
    assert.deepEqual(
      copiesIn(place).map((name) => name.slice(15)),
      (await rowsOf(service)).map(({ id }) => id),
    )
    assert.equal(readdirSync(join(place, 'file-copies/lists')).length, 1)
    assert.deepEqual(readdirSync(join(place, 'file-copies/marks')), [])
  })

  it('say which file is damaged or missing, and change nothing then', async (t: TestContext) => {
    const { bindery, service } = await world(t)
    await fill(service)
    const file = bindery.path('a.tar.zst')
    await ran(bindery, ['backup', file])
    const target = emptyFolder(bindery, 'target')
    assert.equal((await ran(bindery, ['restore', '--check', file])).files.count, 3)
    const [copy = ''] = copiesIn(bindery.folder)
    const whole = readFileSync(bindery.path(copy))
    const damaged = Buffer.from(whole)
    damaged[1] = (damaged[1] as number) ^ 1
    writeFileSync(bindery.path(copy), damaged)
    for (const args of [['--check'], ['--yes']])
      assert.match(await refused(bindery, ['restore', file, ...args], there(target)), /1 files .* SHA-256/)
    assert.ok(!existsSync(join(target, 'bindery.db')))
    rmSync(bindery.path(copy))
    assert.match(await refused(bindery, ['restore', file, '--yes'], there(target)), /has no copy in/)
    const told = await ran(bindery, ['restore', file, '--yes', '--allow-missing-files'], there(target))
    assert.deepEqual([told.files.count, told.files.missing], [2, 1])
    // a store that cannot be reached lacks no files
    const unreached = { env: { ...there(emptyFolder(bindery, 'other')).env, FILES_STORE: bindery.path('key') } }
    writeFileSync(bindery.path('key'), 'no folder')
    const unread = await refused(bindery, ['restore', file, '--yes', '--allow-missing-files'], unreached)
    assert.match(unread, /Cannot read .*key/)
    assert.doesNotMatch(unread, /cannot be brought back/)
    const found = await filesFound(bindery, there(target))
    assert.deepEqual(
      found.map(({ level, what }) => [level, /^1 files have a row and no bytes: \S+$/.test(what)]),
      [['bad', true]],
    )
    // a backup tells of a lost object, and saves the rest
    const id = copy.slice(15)
    rmSync(bindery.path(`files/files/${id.slice(0, 2)}/${id}/original`))
    const lacking = await ran(bindery, ['backup', bindery.path('b.tar.zst')])
    assert.deepEqual(lacking.manifest.files.lacking, 1)
    assert.match(lacking.files.lackingFirst[0].why, new RegExp(`no .*${id}`))
  })

  it('are encrypted with their backup', async (t: TestContext) => {
    const { bindery, service } = await world(t)
    await fill(service)
    const identity = await generateX25519Identity()
    const env = { BACKUP_TO: await identityToRecipient(identity) }
    writeFileSync(bindery.path('key'), identity)
    const file = bindery.path('a.tar.zst.age')
    await ran(bindery, ['backup', file], { env })
    for (const name of copiesIn(bindery.folder)) {
      assert.match(name, /\.[0-9a-f]{12}\.age$/)
      assert.equal(readFileSync(bindery.path(name)).subarray(0, 21).toString(), 'age-encryption.org/v1')
    }
    const target = emptyFolder(bindery, 'target')
    const key = ['--identity', bindery.path('key')]
    assert.equal((await ran(bindery, ['restore', '--check', file, ...key])).files.count, 3)
    const told = await ran(bindery, ['restore', file, '--yes', ...key], there(target))
    assert.equal(told.files.copied, 3)
  })

  it('go from a bucket to a bucket', async (t: TestContext) => {
    const bucket = await startBucket(t, 'house')
    const { bindery, service } = await world(t, { ...bucket, FILES_STORE: 's3://house/files-of-shop' })
    const { ann, box } = await fill(service)
    const refusedBytes = await fetch(`${service.url}/api/v1${box}/label`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ann.token}` },
      body: new Uint8Array(png),
    })
    assert.equal(refusedBytes.status, 415)
    assert.match(await refusedBytes.text(), /label takes text\/plain, and these bytes are image\/png/)
    const { files } = await ran(bindery, ['backup', 's3://house/backups'])
    assert.equal(files.copied, 3)
    assert.match((await filesFound(bindery))[0]?.what ?? '', /^3 files: each/)
    const target = emptyFolder(bindery, 'target')
    const env = { ...there(target).env, FILES_STORE: 's3://house/other' }
    assert.equal((await ran(bindery, ['restore', 's3://house/backups', '--yes'], { env })).files.copied, 3)
    const restored = await serve({ ...bucket, ...env })
    t.after(() => restored.stop())
    assert.equal((await bytesAt(restored, `${box}/label`)).toString(), 'second')
  })

  it('hold the sweep while they run, and agree with themselves under writes', async (t: TestContext) => {
    const { bindery, service, env } = await world(t)
    const { ann, label } = await fill(service)
    const gone = await uploadFor(service, ann, { resource: 'thing', field: 'photo', bytes: png })
    service.turn(25 * 3_600_000)
    const { database } = readConfig(env)
    await whileFilesHeld(database, async () => {
      await whileFilesHeld(database, async () => undefined) // another one ends meanwhile
      await service.sweep()
      assert.equal((await rowsOf(service, [gone]))[0]?.state, 'going')
    })
    await service.sweep()
    assert.deepEqual(await rowsOf(service, [gone]), [])
    assert.ok(!objectsOf(service).some((name) => name.includes(gone)))

    service.turn(-25 * 3_600_000)
    let isOver = false
    const writing = (async () => {
      for (let i = 0; !isOver; i += 1) {
        await label(`label ${i}`)
        await service.sweep()
      }
    })()
    const place = bindery.path('backups')
    const taken = []
    for (let i = 0; i < 4; i += 1)
      taken.push(await ran(bindery, ['backup', `${place}/`, '--prune'], { alone: i === 1 }))
    isOver = true
    await writing
    for (const { manifest } of taken) assert.equal(manifest.files.lacking, 0)
    const target = emptyFolder(bindery, 'target')
    await ran(bindery, ['restore', `${place}/`, '--yes'], there(target))
    assert.deepEqual(
      (await filesFound(bindery, there(target))).map(({ level }) => level),
      ['ok'],
    )
    assert.deepEqual(
      (await filesFound(bindery)).map(({ level }) => level),
      ['ok'],
    )
  })
})

describe('files beside other copies', { concurrency: 2 }, () => {
  it('are beside a whole export, and an import takes them', async (t: TestContext) => {
    const { bindery, service } = await world(t)
    const { box, thing } = await fill(service)
    const told = await ran(bindery, ['export', '--all', bindery.path('all.ndjson.gz'), '--with-secrets'])
    assert.deepEqual([told.files.count, told.files.missing], [3, []])
    const target = emptyFolder(bindery, 'target')
    const [original = ''] = globSync('all.ndjson.gz.files/files/??/*/original', { cwd: bindery.folder })
    const whole = readFileSync(bindery.path(original))
    writeFileSync(bindery.path(original), 'other')
    const importing = ['import', '--all', bindery.path('all.ndjson.gz')]
    assert.match(
      await refused(bindery, importing, there(target)),
      /and its row says \d+. Nothing was imported|SHA-256 of its row. Nothing was imported/,
    )
    writeFileSync(bindery.path(original), whole)
    const imported = await ran(bindery, importing, there(target))
    assert.equal(imported.files.count, 3)
    assert.deepEqual(
      (await filesFound(bindery, there(target))).map(({ level }) => level),
      ['ok'],
    )
    const again = await serve({ DATA_DIR: target, DATABASE_URL: `sqlite:${target}/bindery.db` })
    t.after(() => again.stop())
    assert.equal((await bytesAt(again, `${box}/label`)).toString(), 'second')
    assert.ok((await bytesAt(again, `${thing}/photo`)).equals(png))
  })

  it('go with an erased record, and with its versions', async (t: TestContext) => {
    const { bindery, service } = await world(t)
    const { box } = await fill(service)
    const id = box.slice('/boxes/'.length)
    const erased = await ran(bindery, ['erase', id, '--of', 'boxes', '--yes'])
    assert.equal(erased.places.files.how, 'with')
    await service.sweep()
    assert.equal((await rowsOf(service)).length, 1)
    assert.equal(objectsOf(service).filter((name) => name.endsWith('/original')).length, 1)
    assert.deepEqual(
      (await filesFound(bindery)).map(({ level }) => level),
      ['ok'],
    )
  })
})
