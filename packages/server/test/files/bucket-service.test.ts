/**
 * A service whose files are in a bucket alone: uploads, forms, ranges, variants, removal, the
 * sweep and backups. Reads without a credential are sent to the bucket itself.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { readConfig } from '../../src/config.ts'
import { startBucket } from '../backup/bucket-server.ts'
import { emptyFolder, ran, there } from '../backup/places.ts'
import { filesFound, serve, world } from './file-world.ts'
import { pdf, png, rowsOf, storeAt } from './sample-files.ts'

const store = 's3://house/files'

async function bucketWorld(t: TestContext) {
  const keys = await startBucket(t, 'house')
  const always = { ...keys, FILES_STORE: store, FILES_REDIRECT: '60s' }
  const { bindery, service } = await world(t, always)
  const ann = await service.person()
  const authorization = `Bearer ${ann.token}`
  const send = async (method: string, path: string, body?: Uint8Array | FormData, type?: string) => {
    const headers = { authorization, ...(type !== undefined && { 'content-type': type }) }
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: body as never }),
    })
    const text = await answer.text()
    assert.ok(answer.status < 300, text)
    return text === '' ? undefined : JSON.parse(text)
  }
  const read = (path: string, init: RequestInit = {}) => fetch(`${service.url}/api/v1${path}`, init)
  return { keys, always, bindery, service, ann, authorization, send, read, bucket: await storeAt(t, store, keys) }
}

const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())

test('all of a service works on a bucket', async (t) => {
  const { always, bindery, service, authorization, send, read, bucket } = await bucketWorld(t)
  const large = Buffer.concat([pdf, randomBytes(23_000_000)]) // three parts of a bucket
  const form = new FormData()
  form.append('title', 'Made by a form')
  form.append('manual', new Blob([large], { type: 'application/pdf' }), 'manual.pdf')
  for (const text of ['one', 'two']) form.append('papers', new Blob([text], { type: 'text/plain' }), `${text}.txt`)
  const thing = await send('POST', '/things', form)
  const path = `/things/${thing.id}`
  assert.deepEqual([thing.manual.size, thing.papers.length], [large.length, 2])
  const whole = await read(`${path}/manual`, { headers: { authorization } })
  assert.ok((await bytesOf(whole)).equals(large))
  for (const [first, last] of [
    [0, 9],
    [10_485_755, 20_971_525],
    [large.length - 5, large.length - 1],
  ] as const) {
    const part = await read(`${path}/manual`, { headers: { authorization, range: `bytes=${first}-${last}` } })
    assert.equal(part.status, 206)
    assert.ok((await bytesOf(part)).equals(large.subarray(first, last + 1)), `${first}-${last}`)
  }

  const picture = await sharp({ create: { width: 30, height: 30, channels: 3, background: '#abc' } })
    .png()
    .toBuffer()
  const poster = await send('POST', '/posters', Buffer.from('{}'), 'application/json')
  const shown = await send('PUT', `/posters/${poster.id}/picture`, picture, 'image/png')
  for (let i = 0; i < 2; i += 1) {
    const thumb = await read(`/posters/${poster.id}/picture?variant=thumb`, { redirect: 'manual' })
    assert.equal((await sharp(await bytesOf(thumb)).metadata()).width, 8)
  }
  const folder = `files/${shown.picture.id.slice(0, 2)}/${shown.picture.id}/`
  assert.match((await bucket.list(folder)).map(({ name }) => name.slice(folder.length)).join(), /original,.*,thumb-/)

  const { files } = await ran(bindery, ['backup', 's3://house/backups'])
  assert.deepEqual([files.copied, files.lacking], [4, 0])
  const deep = async (options = {}) => (await filesFound(bindery, options)).map(({ what }) => what)
  assert.deepEqual(await deep(), ['4 files: each has its row, its bytes and their SHA-256'])

  await send('DELETE', `/things/${thing.id}`)
  await send('DELETE', `/posters/${poster.id}/picture`)
  await service.sweep()
  assert.deepEqual([await rowsOf(service), await bucket.list('files/')], [[], []])
  assert.ok(!existsSync(bindery.path('files')), 'nothing of files is in the data folder')

  const target = emptyFolder(bindery, 'target')
  const env = { ...there(target).env, FILES_STORE: 's3://house/again' }
  assert.equal((await ran(bindery, ['restore', 's3://house/backups', '--yes'], { env })).files.copied, 4)
  const restored = await serve({ ...always, ...env })
  t.after(() => restored.stop())
  const { token } = await restored.admin()
  const back = await fetch(`${restored.url}/api/v1${path}/manual`, { headers: { authorization: `Bearer ${token}` } })
  assert.ok((await bytesOf(back)).equals(large))
})

test('reads without a credential are sent to the bucket, which serves nothing as a page', async (t) => {
  const { ann, service, authorization, send, read } = await bucketWorld(t)
  const { id } = await send('POST', '/posters', Buffer.from('{}'), 'application/json')
  const put = (field: string, body: Uint8Array, type: string) => send('PUT', `/posters/${id}/${field}`, body, type)
  const picture = `/posters/${id}/picture`
  await put('picture', png, 'image/png')
  const away = await read(picture, { redirect: 'manual' })
  assert.deepEqual([away.status, away.headers.get('cache-control')], [302, 'private, no-store'])
  assert.equal(await away.text(), '')
  const location = away.headers.get('location') as string
  assert.match(location, /^http:\/\/127\.0\.0\.1:\d+\/house\/files\/files\/.*X-Amz-Expires=60&/)
  const followed = await read(picture)
  assert.ok((await bytesOf(followed)).equals(png))
  assert.deepEqual(
    ['content-type', 'cache-control'].map((name) => followed.headers.get(name)),
    ['image/png', 'private, no-store'],
  )
  assert.match(followed.headers.get('content-disposition') ?? '', /^inline; filename="picture"/)
  // Altered addresses are refused by the bucket: another name, another type.
  for (const [one, other] of [
    ['inline', 'attachment'],
    ['%2Fpng', '%2Fhtml'],
  ] as const) {
    assert.ok(location.includes(one))
    assert.equal((await fetch(location.replace(one, other))).status, 403)
  }

  const pages = [
    ['<html><script>alert(1)</script></html>', 'text/html'],
    ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml'],
    ['alert(1)', 'text/javascript'],
    ['plain', 'text/plain'],
  ] as const
  for (const [text, type] of pages) {
    await put('leaflet', Buffer.from(text), type)
    const page = await read(`/posters/${id}/leaflet`)
    assert.ok(page.redirected)
    assert.equal(await page.text(), text)
    assert.equal(page.headers.get('content-type'), 'application/octet-stream', type)
    assert.match(
      page.headers.get('content-disposition') ?? '',
      /^attachment; filename="leaflet"; filename\*=UTF-8''leaflet$/,
    )
  }

  const etag = (await read(picture, { method: 'HEAD' })).headers.get('etag') as string
  const own: [string, RequestInit, number][] = [
    ['a credential', { headers: { authorization } }, 200],
    ['a page of this server, as the console', { headers: { 'sec-fetch-site': 'same-origin' } }, 200],
    ['HEAD', { method: 'HEAD' }, 200],
    ['a known tag', { headers: { 'if-none-match': etag } }, 304],
  ]
  for (const [what, init, status] of own)
    assert.equal((await read(picture, { redirect: 'manual', ...init })).status, status, what)
  const range = await read(picture, { headers: { range: 'bytes=1-3' } })
  assert.deepEqual([range.status, await range.text()], [206, 'PNG'])

  // Rules come first: a file under a rule is sent there by its signed address alone.
  const made = await service.ask('POST', '/api/v1/things', { body: { title: 'T' }, token: ann.token })
  await send('PUT', `/things/${made.body.id}/photo`, png, 'image/png')
  const photo = `/things/${made.body.id}/photo`
  assert.equal((await read(photo, { redirect: 'manual' })).status, 401)
  const link = await service.ask('POST', `/api/v1${photo}/_link`, { body: {}, token: ann.token })
  const signed = await fetch(`${service.url}${link.body.url}`, { redirect: 'manual' })
  const embedding = ({ headers }: Response) => headers.get('cross-origin-resource-policy')
  assert.deepEqual([signed.status, embedding(signed), embedding(away)], [302, 'cross-origin', 'same-origin'])
  assert.ok((await bytesOf(await fetch(signed.headers.get('location') as string))).equals(png))
})

test('a start refuses reads that are sent to a folder, and times that S3 does not take', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
  assert.throws(
    () => readConfig({ FILES_REDIRECT: '60s' }),
    /FILES_REDIRECT sends reads to S3, and FILES_STORE is a folder/,
  )
  for (const bad of ['60', '200h', '0s', 'yes'])
    assert.throws(
      () => readConfig({ ...keys, FILES_STORE: store, FILES_REDIRECT: bad }),
      /FILES_REDIRECT must look like 60s/,
    )
  assert.equal(readConfig({ ...keys, FILES_STORE: store, FILES_REDIRECT: '2m' }).files.redirectSeconds, 120)
})
