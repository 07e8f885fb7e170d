/** Pieces of resumable uploads end anywhere, and a server that is busy ends none. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ApiError } from '../../src/errors.ts'
import { finishChunks } from '../../src/files/tus/finish-chunks.ts'
import { keepChunk } from '../../src/files/tus/keep-chunk.ts'
import { openFiles } from './open-files.ts'
import { png, roomOf } from './sample-files.ts'
import { idOf, placeOf, tusClient } from './tus-client.ts'

const { service, ann } = await openFiles()
const tus = tusClient(service.url, ann.token)

const manual = { resource: 'things', field: 'manual', filetype: 'text/plain' }
const photo = { resource: 'things', field: 'photo' }

async function checkTaken(path: string, field: string, size: number): Promise<void> {
  const body = { title: 'A', [field]: idOf(path) }
  const made = await service.ask('POST', '/api/v1/things', { body, token: ann.token })
  assert.deepEqual([made.status, made.body[field]?.size], [201, size], made.text)
}

it('a first piece may end within a letter, or before the mark of its type', async () => {
  const text = Buffer.from('日本語のテキスト')
  const cases = [
    ['manual', manual, text, 1],
    ['manual', manual, text, 4],
    ['photo', photo, png, 2],
  ] as const
  for (const [field, metadata, bytes, cut] of cases) {
    const path = placeOf(await tus.begin(metadata, bytes.length))
    const first = await tus.patch(path, 0, bytes.subarray(0, cut))
    assert.deepEqual([first.status, first.headers['upload-offset']], [204, String(cut)], first.text)
    assert.equal((await tus.patch(path, cut, bytes.subarray(cut))).status, 204)
    await checkTaken(path, field, bytes.length)
  }
})

it('a connection that is cut within the first bytes leaves an upload that goes on', async () => {
  const bytes = Buffer.from('ä'.repeat(20_000))
  const path = placeOf(await tus.begin(manual, bytes.length))
  await tus.patch(path, 0, bytes, { cutAfter: 10_001 })
  const from = await tus.offsetOf(path)
  assert.ok(from <= 10_001)
  assert.equal((await tus.patch(path, from, bytes.subarray(from))).status, 204)
  await checkTaken(path, 'manual', bytes.length)
})

it('a small file of a wrong type is refused with its last piece, and ends', async () => {
  const path = placeOf(await tus.begin(manual, png.length))
  assert.equal((await tus.patch(path, 0, png.subarray(0, 40))).status, 204)
  assert.equal((await tus.patch(path, 40, png.subarray(40))).status, 415)
  assert.equal((await tus.send('HEAD', path)).status, 404)
})

it('a server that is busy with pictures ends no upload', async () => {
  const path = placeOf(await tus.begin(photo, png.length))
  const id = idOf(path)
  assert.equal((await tus.patch(path, 0, png.subarray(0, 40))).status, 204)
  const room = roomOf(service)
  const { promise: gate, resolve: open } = Promise.withResolvers<Buffer>()
  const last = async function* () {
    yield png.subarray(40)
  }
  // As many as wait, and those that work.
  const busy = Array.from({ length: 102 }, () => room.pictures.measure(() => gate, 'image/png'))
  assert.equal(await keepChunk(room, { id, offset: 40 }, last()), png.length)
  const resource = service.service.engine.catalog.get('thing')
  const upload = { id, resource, field: 'photo', said: undefined, size: png.length }
  const isBusy = (error: unknown) => error instanceof ApiError && error.code === 'unavailable'
  await assert.rejects(finishChunks(room, upload), isBusy)
  open(png)
  await Promise.all(busy)
  assert.equal(await tus.offsetOf(path), png.length)
  await checkTaken(path, 'photo', png.length)
})
