/** Files of records are put, served, replaced and removed by their addresses. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { openFiles } from './open-files.ts'
import { objectsOf, pdf, png, rowsOf } from './sample-files.ts'

const { service, ann } = await openFiles()
const ben = await service.person()

async function thing(values: object = {}): Promise<string> {
  const made = await service.ask('POST', '/api/v1/things', { body: { title: 'A', ...values }, token: ann.token })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

const put = (path: string, raw: Uint8Array, options: object = {}) =>
  service.ask('PUT', `/api/v1${path}`, { raw, type: 'application/octet-stream', token: ann.token, ...options })
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${ann.token}`, ...headers } })

describe('a file of a record', () => {
  it('is put, shown with its facts, and served', async () => {
    const id = await thing()
    const answer = await put(`/things/${id}/photo`, png, {
      headers: { 'content-disposition': `attachment; filename*=UTF-8''..%2F..%2Fsch%C3%B6n%00.png` },
    })
    assert.equal(answer.status, 200, answer.text)
    const { photo } = answer.body
    assert.deepEqual(
      { ...photo, id: 'x' },
      {
        id: 'x',
        name: 'schön.png',
        type: 'image/png',
        size: png.length,
        sha256: createHash('sha256').update(png).digest('hex'),
        width: 1,
        height: 1,
        url: `/api/v1/things/${id}/photo`,
      },
    )
    const shown = await service.ask('GET', `/api/v1/things/${id}`, { token: ann.token })
    assert.deepEqual(shown.body.photo, photo)
    const served = await get(`/things/${id}/photo`)
    assert.equal(served.status, 200)
    assert.ok(Buffer.from(await served.arrayBuffer()).equals(png))
    assert.equal(served.headers.get('etag'), `"${photo.sha256}"`)
    assert.equal(served.headers.get('content-type'), 'image/png')
    assert.equal(served.headers.get('content-length'), String(png.length))
    assert.equal(
      served.headers.get('content-disposition'),
      `inline; filename="sch_n.png"; filename*=UTF-8''sch%C3%B6n.png`,
    )
    assert.equal(served.headers.get('x-content-type-options'), 'nosniff')
    assert.match(served.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
    assert.equal(served.headers.get('cache-control'), 'private, no-cache, no-transform')
  })

  it('answers HEAD, 304, ranges and If-Range', async () => {
    const id = await thing()
    const bytes = Buffer.concat([pdf, randomBytes(200_000)])
    assert.equal((await put(`/things/${id}/manual`, bytes)).status, 200)
    const path = `/things/${id}/manual`
    const head = await fetch(`${service.url}/api/v1${path}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${ann.token}` },
    })
    const etag = head.headers.get('etag') as string
    assert.equal(head.headers.get('content-length'), String(bytes.length))
    assert.equal((await get(path, { 'if-none-match': etag })).status, 304)
    for (const [range, from, to] of [
      ['bytes=0-9', 0, 10],
      ['bytes=100000-', 100_000, bytes.length],
      ['bytes=-5', bytes.length - 5, bytes.length],
      [`bytes=10-${bytes.length * 2}`, 10, bytes.length],
    ] as const) {
      const part = await get(path, { range })
      assert.equal(part.status, 206, range)
      assert.equal(part.headers.get('content-range'), `bytes ${from}-${to - 1}/${bytes.length}`)
      assert.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(from, to)), range)
    }
    assert.equal((await get(path, { range: 'bytes=0-9', 'if-range': etag })).status, 206)
    assert.equal((await get(path, { range: 'bytes=0-9', 'if-range': '"other"' })).status, 200)
    assert.equal((await get(path, { range: 'bytes=0-1,5-6' })).status, 200)
    const beyond = await get(path, { range: `bytes=${bytes.length}-` })
    assert.equal(beyond.status, 416)
    assert.equal(beyond.headers.get('content-range'), `bytes */${bytes.length}`)
  })

  it('is replaced and removed, and the sweep removes its bytes', async () => {
    const id = await thing()
    const first = (await put(`/things/${id}/photo`, png)).body.photo.id
    const second = (await put(`/things/${id}/photo`, png)).body.photo.id
    assert.notEqual(first, second)
    assert.ok(objectsOf(service).some((name) => name.includes(first)))
    await service.sweep()
    assert.ok(!objectsOf(service).some((name) => name.includes(first)))
    assert.deepEqual(
      objectsOf(service).filter((name) => name.includes(second)),
      [`files/${second.slice(0, 2)}/${second}/original`, `files/${second.slice(0, 2)}/${second}/original.sha256`],
    )
    const gone = await service.ask('DELETE', `/api/v1/things/${id}/photo`, { token: ann.token })
    assert.equal(gone.status, 204, gone.text)
    assert.equal((await get(`/things/${id}/photo`)).status, 404)
    const again = await service.ask('DELETE', `/api/v1/things/${id}/photo`, { token: ann.token })
    assert.deepEqual([again.status, again.body], [404, { error: 'Thing has no photo' }])
    await service.sweep()
    assert.deepEqual(await rowsOf(service, [first, second]), [])
  })

  it('is an update of its record: If-Match, version, rules', async () => {
    const id = await thing()
    const before = await service.ask('GET', `/api/v1/things/${id}`, { token: ann.token })
    const etag = before.headers.get('etag') as string
    const done = await put(`/things/${id}/photo`, png, { headers: { 'if-match': etag } })
    assert.equal(done.status, 200, done.text)
    assert.notEqual(done.headers.get('etag'), etag)
    assert.equal((await put(`/things/${id}/photo`, png, { headers: { 'if-match': etag } })).status, 412)
    assert.equal((await put(`/things/${id}/secret`, png)).status, 400, 'the field does not exist for the caller')
    assert.equal((await put(`/things/${id}/photo`, png, { token: undefined })).status, 401)
    assert.equal((await put('/things/0198c0de-0000-7000-8000-000000000001/photo', png)).status, 404)
    assert.equal((await put(`/things/${id}/own`, pdf, { token: ben.token })).status, 403)
  })
})

describe('the bytes of an upload', () => {
  it('decide its type, and are counted', async () => {
    const id = await thing()
    const refused = async (path: string, raw: Uint8Array, status: number, sentence: RegExp) => {
      const answer = await put(path, raw, { type: 'image/png' })
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.body.error, sentence)
    }
    await refused(`/things/${id}/photo`, pdf, 415, /photo takes image\/png.*these bytes are application\/pdf/)
    await refused(`/things/${id}/photo`, Buffer.from('<svg xmlns="x"><script/></svg>'), 415, /no type that it knows/)
    await refused(`/things/${id}/photo`, randomBytes(5_000), 415, /no type that it knows/)
    await refused(`/things/${id}/photo`, Buffer.alloc(0), 400, /has no bytes/)
    await refused(`/things/${id}/photo`, Buffer.concat([png, randomBytes(1_000_000)]), 413, /at most 1\.0 MB/)
    await refused(`/things/${id}/manual`, Buffer.from([0x61, 0, 0x62]), 415, /no type that it knows/)
    const late = Buffer.concat([Buffer.alloc(100_000, 'a'), Buffer.from([0xff, 0xfe])])
    await refused(`/things/${id}/manual`, late, 415, /begins as a text/)
    await service.sweep()
    assert.equal((await service.ask('GET', `/api/v1/things/${id}`, { token: ann.token })).body.photo, null)
  })

  it('arrive and leave as they are, however they are cut', async () => {
    const id = await thing()
    const path = `/things/${id}/manual`
    const bytes = Buffer.concat([pdf, randomBytes(1_100_000)])
    const piece = 1 << 18 // the server gathers so many, and reads so many
    const put = async (sent: Buffer, each: number) => {
      const cut = async function* () {
        for (let at = 0; at < sent.length; at += each) yield sent.subarray(at, at + each)
      }
      const body = ReadableStream.from(cut())
      const headers = { authorization: `Bearer ${ann.token}`, 'content-type': 'application/octet-stream' }
      const given = { method: 'PUT', headers, body, duplex: 'half' } as RequestInit
      const answer = await fetch(`${service.url}/api/v1${path}`, given)
      assert.equal(answer.status, 200)
      const { manual } = (await answer.json()) as { manual: { sha256: string; size: number } }
      assert.equal(manual.sha256, createHash('sha256').update(sent).digest('hex'))
      assert.ok(Buffer.from(await (await get(path)).arrayBuffer()).equals(sent), `${sent.length} in ${each}`)
    }
    for (const size of [piece - 1, piece, piece + 1, 2 * piece, bytes.length])
      for (const each of [9_999, 65_536, size]) await put(bytes.subarray(0, size), each)
    const whole = await service.ask('PUT', `/api/v1${path}`, { raw: bytes, token: ann.token })
    assert.equal(whole.body.manual.size, bytes.length)
    const ranges = [0, piece - 1, piece, bytes.length - 1].map((first) => [
      first,
      Math.min(first + piece, bytes.length - 1),
    ])
    const parts = await Promise.all(
      ranges.map(async ([first, last]) => (await get(path, { range: `bytes=${first}-${last}` })).arrayBuffer()),
    )
    for (const [at, [first, last = 0]] of ranges.entries())
      assert.ok(Buffer.from(parts[at] as ArrayBuffer).equals(bytes.subarray(first, last + 1)), `${first}-${last}`)
  })

  it('of a text keep the type that is said', async () => {
    const id = await thing()
    const said = async (type: string) =>
      (await put(`/things/${id}/manual`, Buffer.from('Größe: 5'), { type })).body.manual.type
    assert.equal(await said('application/octet-stream'), 'text/plain')
    assert.equal(await said('text/plain; charset=utf-8'), 'text/plain')
    assert.equal(await said('text/html'), 'text/plain', 'a type that the field does not take')
  })

  it('of a script or a style go out without their type', async () => {
    const made = await service.ask('POST', '/api/v1/posters', { body: {}, token: ann.token })
    const at = `/posters/${made.body.id}/leaflet`
    for (const type of ['text/javascript', 'text/javascript1.5', 'text/jscript', 'text/css']) {
      const answer = await put(at, Buffer.from('a{}'), { type })
      assert.equal(answer.body.leaflet?.type, type, answer.text)
      assert.equal((await get(at)).headers.get('content-type'), 'application/octet-stream', type)
    }
  })

  it('of another caller are not read before its rights', async () => {
    const id = await thing()
    const rows = (await rowsOf(service)).length
    assert.equal((await put(`/things/${id}/photo`, png, { token: 'wrong' })).status, 401)
    assert.equal((await rowsOf(service)).length, rows)
  })
})

describe('a list of files', () => {
  it('takes one more, serves each, and lets one go', async () => {
    const id = await thing()
    const add = (name: string) =>
      service.ask('POST', `/api/v1/things/${id}/papers`, {
        raw: Buffer.from(`paper ${name}`),
        type: 'text/plain',
        token: ann.token,
        headers: { 'content-disposition': `attachment; filename="${name}.txt"` },
      })
    const first = await add('one')
    assert.equal(first.status, 201, first.text)
    const [paper] = first.body.papers
    assert.equal(first.headers.get('location'), paper.url)
    assert.equal(paper.url, `/api/v1/things/${id}/papers/${paper.id}`)
    await Promise.all([add('two'), add('three')])
    const full = await add('four')
    assert.deepEqual([full.status, full.body.error], [400, 'papers must have at most 3 files'])
    const { papers } = (await service.ask('GET', `/api/v1/things/${id}`, { token: ann.token })).body
    assert.deepEqual(papers.map(({ name }: { name: string }) => name).sort(), ['one.txt', 'three.txt', 'two.txt'])
    for (const { name, url } of papers)
      assert.equal(await (await get(url.slice('/api/v1'.length))).text(), `paper ${name.slice(0, -4)}`)
    const gone = await service.ask('DELETE', paper.url, { token: ann.token })
    assert.equal(gone.status, 204)
    assert.equal((await get(paper.url.slice('/api/v1'.length))).status, 404)
    assert.equal((await service.ask('DELETE', paper.url, { token: ann.token })).status, 404)
    const left = (await service.ask('GET', `/api/v1/things/${id}`, { token: ann.token })).body.papers
    assert.deepEqual(
      left.map(({ id: one }: { id: string }) => one),
      papers.map(({ id: one }: { id: string }) => one).filter((one: string) => one !== paper.id),
    )
  })
})
