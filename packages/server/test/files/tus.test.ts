/** Resumable uploads by tus: begun, cut, continued, finished, ended, and taken by a record. */
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { Upload } from 'tus-js-client'
import { keepChunk } from '../../src/files/tus/keep-chunk.ts'
import { openFiles } from './open-files.ts'
import { objectsOf, pdf, png, roomOf, rowsOf } from './sample-files.ts'
import { idOf, placeOf, tusClient, uploadsPath } from './tus-client.ts'

const { service, ...opened } = await openFiles()
let { ann } = opened
let tus = tusClient(service.url, ann.token)

const manual = { resource: 'things', field: 'manual', filename: 'm.txt', filetype: 'text/plain' }
/** Its beginning is no mark of another type. */
const textOf = (bytes: number) => Buffer.from(`text ${randomBytes(bytes).toString('base64')}`.slice(0, bytes))
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const stored = (id: string) => objectsOf(service).filter((name) => name.includes(id))
const whole = (id: string) => ['original', 'original.sha256'].map((name) => `${id.slice(0, 2)}/${id}/${name}`)

async function take(id: string, field = 'manual') {
  return service.ask('POST', '/api/v1/things', { body: { title: 'A', [field]: id }, token: ann.token })
}

/** The record has exactly these bytes. */
async function checkTaken(id: string, bytes: Buffer): Promise<void> {
  const made = await take(id)
  assert.equal(made.status, 201, made.text)
  assert.deepEqual([made.body.manual.size, made.body.manual.sha256], [bytes.length, sha256(bytes)])
  const served = await fetch(new URL(made.body.manual.url, service.url), {
    headers: { authorization: `Bearer ${ann.token}` },
  })
  assert.ok(Buffer.from(await served.arrayBuffer()).equals(bytes))
  assert.deepEqual(
    stored(id).map((name) => name.replace(/^files\//, '')),
    whole(id),
  )
}

describe('an upload by tus', () => {
  it('says what it can do', async () => {
    const { status, headers } = await tus.send('OPTIONS', uploadsPath)
    assert.equal(status, 204)
    assert.equal(headers['tus-version'], '1.0.0')
    assert.equal(headers['tus-extension'], 'creation,creation-with-upload,expiration,termination,checksum')
    assert.equal(headers['tus-checksum-algorithm'], 'sha1,sha256,sha512')
    assert.equal(headers['tus-max-size'], '300000000')
  })

  it('begins, goes on in pieces, and is taken by a record', async () => {
    const bytes = textOf(200_000)
    const begun = await tus.begin(manual, bytes.length)
    const path = placeOf(begun)
    assert.match(path, /^\/api\/v1\/_uploads\/[0-9a-f-]{36}$/)
    assert.equal(begun.headers['tus-resumable'], '1.0.0')
    assert.ok(Date.parse(String(begun.headers['upload-expires'])) > Date.now() + 23 * 3_600_000)
    assert.equal((await take(idOf(path))).status, 400)
    for (const [from, to] of [
      [0, 5],
      [5, 100_000],
      [100_000, 200_000],
    ] as const) {
      assert.equal(await tus.offsetOf(path), from)
      const reply = await tus.patch(path, from, bytes.subarray(from, to))
      assert.deepEqual([reply.status, reply.headers['upload-offset']], [204, String(to)], reply.text)
    }
    const looked = await tus.send('HEAD', path)
    assert.deepEqual(
      [looked.headers['upload-offset'], looked.headers['upload-length'], looked.headers['cache-control']],
      ['200000', '200000', 'no-store'],
    )
    await checkTaken(idOf(path), bytes)
    // A client that missed the last answer learns that all is there.
    assert.equal(await tus.offsetOf(path), bytes.length)
    assert.equal((await tus.send('DELETE', path)).status, 409)
  })

  it('has its first bytes in the request that begins it', async () => {
    const bytes = textOf(1_000)
    const options = { body: bytes.subarray(0, 400), headers: { 'content-type': 'application/offset+octet-stream' } }
    const begun = await tus.begin(manual, bytes.length, options)
    const path = placeOf(begun)
    assert.equal(begun.headers['upload-offset'], '400')
    assert.equal((await tus.patch(path, 400, bytes.subarray(400), { isChunked: true })).status, 204)
    await checkTaken(idOf(path), bytes)
  })

  it('keeps a piece whose checksum is right', async () => {
    const bytes = textOf(50_000)
    const path = placeOf(await tus.begin(manual, bytes.length))
    const sum = (algorithm: string, of: Buffer) => ({
      headers: { 'upload-checksum': `${algorithm} ${createHash(algorithm).update(of).digest('base64')}` },
    })
    const half = bytes.subarray(0, 25_000)
    const wrong = await tus.patch(path, 0, half, sum('sha1', bytes))
    assert.deepEqual(
      [wrong.status, wrong.reason, JSON.parse(wrong.text)],
      [460, 'Checksum mismatch', { error: 'The bytes are not those of Upload-Checksum; send them again' }],
    )
    const unknown = await tus.patch(path, 0, half, { headers: { 'upload-checksum': 'crc32 AAAA' } })
    assert.deepEqual([unknown.status, /sha1, sha256, sha512/.test(unknown.text)], [400, true])
    assert.equal(await tus.offsetOf(path), 0)
    assert.equal((await tus.patch(path, 0, half, sum('sha1', half))).status, 204)
    assert.equal(
      (await tus.patch(path, 25_000, bytes.subarray(25_000), sum('sha256', bytes.subarray(25_000)))).status,
      204,
    )
    await checkTaken(idOf(path), bytes)
  })

  it('ends when its caller says so, and when its time is over', async () => {
    const [ended, late] = [placeOf(await tus.begin(manual, 9)), placeOf(await tus.begin(manual, 9))]
    await tus.patch(ended, 0, textOf(4))
    await tus.patch(late, 0, textOf(4))
    assert.equal((await tus.send('DELETE', ended)).status, 204)
    for (const method of ['HEAD', 'DELETE']) assert.equal((await tus.send(method, ended)).status, 404, method)
    assert.equal((await tus.patch(ended, 4, textOf(5))).status, 404)
    await service.sweep()
    assert.deepEqual([stored(idOf(ended)), stored(idOf(late)).length], [[], 1])
    service.turn(25 * 3_600_000)
    ann = await service.logIn(ann.email)
    tus = tusClient(service.url, ann.token)
    assert.equal((await tus.patch(late, 4, textOf(5))).status, 404)
    await service.sweep()
    assert.deepEqual([stored(idOf(late)), await rowsOf(service, [idOf(late), idOf(ended)])], [[], []])
  })

  it('is byte-equal after 50 cuts', async () => {
    const bytes = textOf(6_000_000)
    const path = placeOf(await tus.begin(manual, bytes.length))
    let offset = 0
    for (let cut = 0; cut < 50; cut += 1) {
      const cutAfter = randomInt(1, 200_000)
      const reply = await tus.patch(path, offset, bytes.subarray(offset), { cutAfter })
      assert.equal(reply.status, 0)
      const next = await tus.offsetOf(path)
      assert.ok(next >= offset && next <= offset + cutAfter, `${offset} → ${next} of ${cutAfter}`)
      offset = next
    }
    assert.ok(offset > 0, 'what came before a cut is kept')
    assert.equal((await tus.patch(path, offset, bytes.subarray(offset))).status, 204)
    await checkTaken(idOf(path), bytes)
  })

  it('goes on through any instance, and one of two pieces at the same place counts', async () => {
    const bytes = textOf(30_000)
    const path = placeOf(await tus.begin(manual, bytes.length))
    const id = idOf(path)
    const pieces = async function* (from: number, to: number) {
      for (let at = from; at < to; at += 1_000) yield bytes.subarray(at, Math.min(at + 1_000, to))
    }
    for (const [from, ends] of [
      [0, [7_000, 12_000, 3_000]],
      [undefined, [20_000, 25_000]],
    ] as const) {
      const offset = from ?? (await tus.offsetOf(path))
      const rooms = ends.map(() => roomOf(service))
      const tried = await Promise.allSettled(
        ends.map((end, i) => keepChunk(rooms[i] as (typeof rooms)[0], { id, offset }, pieces(offset, end))),
      )
      const kept = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      assert.deepEqual(kept, [await tus.offsetOf(path)])
    }
    const offset = await tus.offsetOf(path)
    assert.equal((await tus.patch(path, offset, bytes.subarray(offset))).status, 204)
    await checkTaken(id, bytes)
  })

  it('is sent by a client of others, which pauses and resumes', async () => {
    const bytes = textOf(500_000)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    let pauses = 0
    const upload = new Upload(bytes, {
      endpoint: `${service.url}${uploadsPath}`,
      chunkSize: 64_000,
      retryDelays: [0, 0, 0],
      headers: { authorization: `Bearer ${ann.token}` },
      metadata: manual,
      onError: reject,
      onSuccess: () => resolve(String(upload.url)),
      onChunkComplete() {
        pauses += 1
        if (pauses === 3) void upload.abort().then(() => upload.start())
      },
    })
    upload.start()
    await checkTaken(idOf(await promise), bytes)
  })
})

describe('an upload by tus is judged as any', () => {
  it('before its bytes, by rights, field, type and size', async () => {
    const begin = async (metadata: Readonly<Record<string, string>>, length: number, token = ann.token) => {
      const { status, text } = await tusClient(service.url, token).begin(metadata, length)
      return [status, (JSON.parse(text || '{}') as { error?: string }).error]
    }
    assert.deepEqual(await begin(manual, 9, ''), [401, 'Token required'])
    assert.deepEqual(await begin({ ...manual, field: 'nothing' }, 9), [400, 'Unknown field nothing'])
    assert.deepEqual(await begin({ ...manual, field: 'title' }, 9), [400, 'Unknown field title'])
    assert.deepEqual(await begin({ ...manual, field: 'secret' }, 9), [400, 'Unknown field secret'])
    const which = 'The upload must name the resource of its record, as in paths, one that has files'
    for (const resource of ['users', 'stored-files', 'thing', 'nothing', '__proto__'])
      assert.deepEqual(await begin({ ...manual, resource }, 9), [400, which])
    assert.deepEqual(await begin({ ...manual, filetype: 'image/png' }, 9), [
      415,
      'manual takes application/pdf, text/plain, and this is to be image/png',
    ])
    assert.deepEqual(await begin(manual, 300_000_001), [413, 'manual takes files of at most 300.0 MB'])
    assert.deepEqual(await begin(manual, 0), [400, 'manual has no bytes: send the bytes of a file'])
    assert.deepEqual(await rowsOf(service).then((rows) => rows.filter(({ state }) => state === 'arriving')), [])
  })

  it('by its bytes, whatever it says', async () => {
    const { filetype: _, ...untold } = manual
    const small = placeOf(await tus.begin(untold, png.length))
    const refused = await tus.patch(small, 0, png)
    const sentence = 'manual takes application/pdf, text/plain, and these bytes are image/png'
    assert.deepEqual([refused.status, JSON.parse(refused.text)], [415, { error: sentence }])
    assert.equal((await tus.send('HEAD', small)).status, 404)
    // The first bytes are enough.
    const large = Buffer.concat([png, Buffer.alloc(200_000)])
    const begun = placeOf(await tus.begin(untold, 10_000_000))
    assert.equal((await tus.patch(begun, 0, large)).status, 415)
    assert.deepEqual(stored(idOf(begun)), [])
    const mixed = Buffer.concat([Buffer.from('a text'), Buffer.alloc(1)])
    const late = placeOf(await tus.begin(untold, mixed.length))
    assert.equal((await tus.patch(late, 0, mixed.subarray(0, 6))).status, 204)
    assert.equal((await tus.patch(late, 6, mixed.subarray(6))).status, 415)
    const photo = placeOf(
      await tus.begin({ resource: 'things', field: 'photo', filename: '../../\0x/y.png' }, png.length),
    )
    assert.equal((await tus.patch(photo, 0, png)).status, 204)
    const made = await take(idOf(photo), 'photo')
    assert.deepEqual([made.body.photo.name, made.body.photo.width], ['y.png', 1])
    const paper = placeOf(await tus.begin(untold, pdf.length))
    assert.equal((await tus.patch(paper, 0, pdf)).status, 204)
    assert.equal((await take(idOf(paper), 'photo')).status, 400)
  })
})
