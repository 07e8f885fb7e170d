/**
 * Files move between a folder and a bucket while the service reads and takes files. The command is
 * killed in the middle and run again.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { beginUpload } from '../../src/files/uploads/upload-rows.ts'
import { anonymous } from '../../src/resource/principal.ts'
import { folderOf, originalOf } from '../../src/stores/file-objects.ts'
import type { ObjectStore } from '../../src/stores/object-store.ts'
import type { TestService } from '../../src/testing/index.ts'
import { startBucket } from '../backup/bucket-server.ts'
import { ran, refused } from '../backup/places.ts'
import type { Bindery } from '../cli/bindery.ts'
import { removeFolder, temporaryFolder } from '../helpers/application.ts'
import { shortOr } from '../helpers/long.ts'
import { until } from '../helpers/until.ts'
import { filesFound, fill, serve, world } from './file-world.ts'
import { pdf, roomOf, rowsOf, storeAt } from './sample-files.ts'

/** The ids of the files whose bytes are in the store. */
async function idsIn(store: ObjectStore): Promise<string[]> {
  const names = (await store.list('files/')).map(({ name }) => name)
  return names.filter((name) => name.endsWith('/original')).map((name) => name.split('/')[2] as string)
}

type Token = { readonly token: string }

async function put(service: TestService, { token }: Token, path: string, bytes: Buffer): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/pdf' }
  const init = { method: 'PUT', headers, body: new Uint8Array(bytes) }
  const answer = await fetch(`${service.url}/api/v1${path}`, init)
  assert.equal(answer.status, 200, await answer.text())
}

async function addThing(service: TestService, owner: Token, files: Map<string, Buffer>): Promise<string> {
  const made = await service.ask('POST', '/api/v1/things', { body: { title: 'T' }, token: owner.token })
  const path = `/things/${made.body.id}/manual`
  const bytes = Buffer.concat([pdf, randomBytes(20_000)])
  await put(service, owner, path, bytes)
  files.set(path, bytes)
  return path
}

/** Reads all files again and again until it is stopped. Each read must have the right bytes. */
function startReading(service: TestService, { token }: Token, files: ReadonlyMap<string, Buffer>) {
  let isOver = false
  let reads = 0
  const reading = (async () => {
    while (!isOver)
      for (const [path, bytes] of files) {
        const headers = { authorization: `Bearer ${token}`, range: 'bytes=100-' }
        const answer = await fetch(`${service.url}/api/v1${path}`, { headers })
        assert.equal(answer.status, 206, service.logged.slice(-3).join('\n'))
        assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(100)), path)
        reads += 1
        await sleep(50) // the command has the processor, too
      }
  })()
  return {
    /** Each file has been read since. Throws where a read was wrong. */
    async readAll() {
      const target = reads + 2 * files.size
      await Promise.race([reading, until(() => reads > target, 'reads go on')])
    },
    async stop() {
      isOver = true
      await reading
    },
  }
}

async function killedRun(bindery: Bindery, env: Record<string, string>, isFar: () => Promise<boolean>): Promise<void> {
  const child = await bindery.start(['files', 'move', '--json'], { env })
  const ended = once(child, 'exit')
  await until(async () => child.exitCode !== null || (await isFar()), 'a part is copied')
  child.kill('SIGKILL')
  await ended
}

/** An upload of which one part has come. Returns the name of the part. */
async function beginParts(service: TestService, store: ObjectStore): Promise<string> {
  const { engine } = service.service
  const room = roomOf(service)
  const id = await beginUpload(room, {
    resource: engine.catalog.get('thing'),
    field: 'manual',
    caller: anonymous,
    tenant: null,
    address: '127.0.0.1',
    name: 'a.pdf',
    size: 1_000,
  })
  const name = `${folderOf(id)}/chunk-0000000000000`
  await store.putBytes(name, randomBytes(500))
  return name
}

type Direction = { readonly from: string; readonly to: string; readonly keys: Record<string, string> }

async function moves(t: TestContext, { from, to, keys }: Direction): Promise<void> {
  const { bindery, service, env } = await world(t, { ...keys, FILES_STORE: from })
  const [old, next] = [await storeAt(t, from, keys), await storeAt(t, to, keys)]
  const files = new Map<string, Buffer>()
  const { ann, thing } = await fill(service)
  for (let i = 0; i < 12; i += 1) await addThing(service, ann, files)
  const part = await beginParts(service, old)
  assert.match(await refused(bindery, ['files', 'move', '--to', to]), /start the servers with FILES_STORE=\S+ and/)
  assert.match(await refused(bindery, ['files', 'move']), /FILES_STORE_FALLBACK is not set/)
  await service.stop()

  const both = { FILES_STORE: to, FILES_STORE_FALLBACK: from }
  const moving = await serve({ ...env, ...both })
  t.after(() => moving.stop())
  assert.ok(moving.logged.some((line) => line.includes(`Files that are not in ${to} are read from ${from}`)))
  const reading = startReading(moving, ann, files)
  const before = await idsIn(old)
  await addThing(moving, ann, files)
  assert.deepEqual([(await idsIn(old)).length, (await idsIn(next)).length], [before.length, 1], 'writes go to the new')
  const photo = (await rowsOf(moving)).find(({ field }) => field === 'photo')?.id as string
  const cleared = await moving.ask('PATCH', `/api/v1${thing}`, { body: { photo: null }, token: ann.token })
  assert.equal(cleared.status, 200)
  await moving.sweep()
  assert.ok(before.includes(photo) && !(await idsIn(old)).includes(photo), 'the sweep takes the old one too')

  const doctor = () => filesFound(bindery, { env: both })
  assert.match((await doctor())[0]?.what ?? '', /^\d+ files are not in .* yet$/)
  for (const share of shortOr([5], [2, 5, 8]))
    await killedRun(bindery, both, async () => (await idsIn(next)).length >= share)
  await addThing(moving, ann, files)
  await reading.readAll()
  const told = await ran(bindery, ['files', 'move', '--to', to], { env: both })
  const kept = (await rowsOf(moving)).filter(({ state, dueAt }) => state !== 'arriving' && dueAt === null)
  assert.deepEqual([told.files, told.lacking, told.isDone], [kept.length, 0, true])
  assert.ok(told.copied < kept.length - 3, `it goes on where it was: ${told.copied} of ${kept.length}`)
  assert.deepEqual(
    (await doctor()).map(({ level }) => level),
    ['ok', 'ok'],
  )
  await reading.stop()
  await moving.stop()

  await old.removeAll('files')
  const after = await serve({ ...env, FILES_STORE: to })
  t.after(() => after.stop())
  const rest = startReading(after, ann, files)
  await rest.readAll()
  await rest.stop()
  assert.ok((await next.list(part)).length === 1, 'the part of an upload has come along')
  assert.deepEqual(
    (await filesFound(bindery, { env: { FILES_STORE: to } })).map(({ level }) => level),
    ['ok'],
  )
}

function folderFor(t: TestContext): string {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  return join(folder, 'store')
}

describe('files move while the service runs', { concurrency: 2 }, () => {
  it('from a folder to a bucket', async (t: TestContext) => {
    const keys = await startBucket(t, 'house')
    await moves(t, { from: folderFor(t), to: 's3://house/files', keys })
  })

  it('from a bucket to a folder', async (t: TestContext) => {
    const keys = await startBucket(t, 'house')
    await moves(t, { from: 's3://house/files', to: folderFor(t), keys })
  })

  it('and a file that neither store has is told, and the others are copied', async (t: TestContext) => {
    const [from, to] = [folderFor(t), folderFor(t)]
    const { bindery, service } = await world(t, { FILES_STORE: from })
    await fill(service)
    const [lost, damaged] = await rowsOf(service)
    rmSync(join(from, originalOf(String(lost?.id))))
    writeFileSync(join(from, originalOf(String(damaged?.id))), 'another')
    const env = { FILES_STORE: to, FILES_STORE_FALLBACK: from }
    const { code, stdout, stderr } = await bindery.run(['files', 'move', '--json'], { env })
    const told = JSON.parse(stdout)
    assert.deepEqual([code, told.files, told.lacking, told.isDone], [1, 1, 2, false])
    assert.match(stderr, /2 files cannot be read in .* as they were stored/)
    assert.equal((await idsIn(await storeAt(t, to, {}))).length, 1)
    const same = { env: { FILES_STORE: to, FILES_STORE_FALLBACK: to } }
    assert.match(await refused(bindery, ['files', 'move'], same), /FILES_STORE_FALLBACK is FILES_STORE itself/)
  })
})
