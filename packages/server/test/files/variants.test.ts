/** Variants of images: made once, under the rule of their record, from pictures that are safe. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { type DeclaredResource, defineResource, id, image, owner, reference, user } from '../../src/index.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { people } from './file-resources.ts'
import { animation, blankPng, svg } from './hostile-pictures.ts'
import { objectsOf, pdf, roomOf } from './sample-files.ts'

const cards = defineResource({
  name: 'card',
  path: '/cards',
  fields: {
    id: id(),
    front: image({
      variants: {
        thumb: { width: 20, height: 10, fit: 'cover' },
        wide: { width: 50, format: 'jpeg', quality: 60 },
        padded: { width: 30, height: 30, fit: 'contain', format: 'png' },
        small: { height: 8, format: 'avif' },
      },
    }),
    drawing: image({ types: ['image/svg+xml', 'image/png'], variants: { thumb: { width: 20 } } }),
    back: image({ read: owner('ownerId'), variants: { thumb: { width: 20 } } }),
    plain: image(),
    ownerId: reference('user', { setBy: 'principal', onDelete: 'clear' }),
  },
  list: { style: 'page' },
  access: { list: user, get: user, create: user, update: user, delete: user },
})

let service: TestService
let ann: TestPerson
let ben: TestPerson

before(async () => {
  service = await startService([...people, cards] as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  ;[ann, ben] = [await service.person(), await service.person()]
})
after(() => service.stop())

const put = (path: string, raw: Uint8Array) =>
  service.ask('PUT', path, {
    raw,
    type: 'application/octet-stream',
    token: ann.token,
    headers: { 'content-disposition': 'attachment; filename="my.front.jpg"' },
  })
const get = (path: string, { token = ann.token, ...init }: RequestInit & { token?: string } = {}) =>
  fetch(`${service.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

async function card(): Promise<string> {
  const made = await service.ask('POST', '/api/v1/cards', { body: {}, token: ann.token })
  assert.equal(made.status, 201, made.text)
  return `/api/v1/cards/${made.body.id}`
}

/** Left half red, right half blue, stored lying on its side, with a position. */
const photo = await sharp({ create: { width: 100, height: 60, channels: 3, background: '#0000ff' } })
  .composite([{ input: { create: { width: 50, height: 60, channels: 3, background: '#ff0000' } }, left: 0, top: 0 }])
  .jpeg({ quality: 95 })
  .withExif({ IFD0: { Copyright: 'secret owner' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
  .withMetadata({ orientation: 6 })
  .toBuffer()

describe('a variant of an image', () => {
  it('is upright, of its size and format, and without what the camera noted', async () => {
    const at = await card()
    const { body, status, text } = await put(`${at}/front`, photo)
    assert.equal(status, 200, text)
    assert.deepEqual([body.front.width, body.front.height], [60, 100])
    for (const [name, format, width, height] of [
      ['thumb', 'webp', 20, 10],
      ['wide', 'jpeg', 50, 83],
      ['padded', 'png', 30, 30],
      ['small', 'heif', 5, 8],
    ] as const) {
      const response = await get(`${at}/front?variant=${name}`)
      assert.equal(response.status, 200, name)
      const bytes = await bytesOf(response)
      const found = await sharp(bytes).metadata()
      assert.deepEqual([found.format, found.width, found.height], [format, width, height], name)
      assert.ok(!found.exif && !found.orientation && !bytes.includes('secret owner'), name)
    }
    assert.ok((await bytesOf(await get(`${at}/front`))).equals(photo))
    const { data } = await sharp(await bytesOf(await get(`${at}/front?variant=wide`)))
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.ok((data[0] as number) > 200 && (data[2] as number) < 60, 'red is above')
    assert.ok((data.at(-3) as number) < 60 && (data.at(-1) as number) > 200, 'blue is below')
  })

  it('has an ETag of its own, a name, a type, HEAD, 304 and ranges', async () => {
    const at = await card()
    await put(`${at}/front`, photo)
    const path = `${at}/front?variant=thumb`
    const whole = await get(path)
    const bytes = await bytesOf(whole)
    const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`
    assert.equal(whole.headers.get('etag'), etag)
    assert.equal(whole.headers.get('content-type'), 'image/webp')
    assert.equal(
      whole.headers.get('content-disposition'),
      `inline; filename="my.front.webp"; filename*=UTF-8''my.front.webp`,
    )
    assert.equal(whole.headers.get('cache-control'), 'private, no-cache, no-transform')
    const head = await get(path, { method: 'HEAD' })
    assert.deepEqual([head.headers.get('etag'), head.headers.get('content-length')], [etag, String(bytes.length)])
    assert.equal((await get(path, { headers: { 'if-none-match': etag } })).status, 304)
    const part = await get(path, { headers: { range: 'bytes=2-5' } })
    assert.equal(part.status, 206)
    assert.ok((await bytesOf(part)).equals(bytes.subarray(2, 6)))
  })

  it('is made once by many first requests, again where its object is lost, and goes with the file', async () => {
    const at = await card()
    const { id: file } = (await put(`${at}/front`, photo)).body.front
    const answers = await Promise.all(Array.from({ length: 12 }, () => get(`${at}/front?variant=thumb`)))
    const etags = new Set(answers.map(({ status, headers }) => `${status} ${headers.get('etag')}`))
    assert.equal(etags.size, 1)
    const own = () => objectsOf(service).filter((name) => name.includes(file))
    const [made, ...others] = own().filter((name) => !name.includes('original'))
    assert.match(made ?? '', /\/thumb-[0-9a-f]{16}$/)
    assert.deepEqual(others, [])
    await rm(join(service.folder, 'files', made as string))
    assert.equal((await bytesOf(await get(`${at}/front?variant=thumb`))).subarray(8, 12).toString(), 'WEBP')
    assert.ok(own().includes(made as string))
    assert.equal((await service.ask('DELETE', `${at}/front`, { token: ann.token })).status, 204)
    await service.sweep()
    assert.deepEqual(own(), [])
    assert.equal((await get(`${at}/front?variant=thumb`)).status, 404)
  })

  it('is another one when its options change, and the old one goes', async () => {
    const at = await card()
    const { front } = (await put(`${at}/front`, photo)).body
    await get(`${at}/front?variant=thumb`)
    const room = roomOf(service)
    await room.findVariant(front, 'large', { large: { width: 40 } })
    const left = objectsOf(service).filter((name) => name.includes(front.id))
    assert.equal(left.length, 3, left.join())
    assert.ok(left.some((name) => name.includes('/large-')) && !left.some((name) => name.includes('/thumb-')))
    assert.equal((await bytesOf(await get(`${at}/front?variant=thumb`))).subarray(8, 12).toString(), 'WEBP')
  })

  it('is read by those who may read the field', async () => {
    const at = await card()
    await put(`${at}/back`, photo)
    assert.equal((await get(`${at}/back?variant=thumb`)).status, 200)
    assert.equal((await get(`${at}/back?variant=thumb`, { token: ben.token })).status, 404)
    assert.equal((await fetch(`${service.url}${at}/back?variant=thumb`)).status, 401)
    assert.equal((await get(`${at}/front?variant=thumb`)).status, 404)
  })

  it('refuses names and parameters that are not declared', async () => {
    const at = await card()
    await put(`${at}/front`, photo)
    const unknown = await get(`${at}/front?variant=constructor`)
    assert.equal(unknown.status, 400)
    assert.deepEqual(await unknown.json(), { error: 'variant must be one of thumb, wide, padded, small' })
    await put(`${at}/plain`, photo)
    assert.equal((await get(`${at}/plain?variant=thumb`)).status, 400)
  })
})

describe('a hostile picture', () => {
  it('is refused by its header, or has no variant', async () => {
    const at = await card()
    for (const [bytes, error] of [
      [blankPng(10_000, 10_000), 'front cannot take this picture: it has more than 50 million pixels'],
      [animation(10_000), 'front cannot take this picture: it has more than 1000 frames'],
      [photo.subarray(0, 40), 'front cannot take this picture: its bytes are damaged'],
    ] as const) {
      const refused = await put(`${at}/front`, bytes)
      assert.deepEqual([refused.status, refused.body], [415, { error }])
    }
    assert.equal((await put(`${at}/front`, svg)).status, 415)
    assert.equal((await put(`${at}/front`, pdf)).status, 415)
    assert.equal((await put(`${at}/front`, animation(3))).status, 200)
    assert.equal((await get(`${at}/front?variant=thumb`)).status, 200)
  })

  it('answers 404 where its pixels are damaged, and never renders a drawing', async () => {
    const at = await card()
    assert.equal((await put(`${at}/front`, blankPng(100, 100, { damaged: true }))).status, 200)
    const broken = await get(`${at}/front?variant=thumb`)
    assert.equal(broken.status, 404)
    assert.deepEqual(await broken.json(), {
      error: 'There is no thumb of this picture: its bytes are damaged, or take too long',
    })
    const drawing = await put(`${at}/drawing`, svg)
    assert.deepEqual(
      [drawing.status, drawing.body],
      [415, { error: 'drawing cannot take this picture: it is image/svg+xml' }],
    )
    assert.equal((await put(`${at}/plain`, blankPng(10_000, 10_000))).body.plain.width, null)
  })

  it('leaves the server awake while many are made', async () => {
    const ats = await Promise.all(Array.from({ length: 8 }, card))
    const large = blankPng(6000, 6000)
    for (const at of ats) assert.equal((await put(`${at}/front`, large)).status, 200)
    const order: string[] = []
    const making = ats.map((at) => get(`${at}/front?variant=thumb`).then(() => order.push('variant')))
    const pings = Array.from({ length: 8 }, () => fetch(`${service.url}/health`).then(() => order.push('ping')))
    await Promise.all([...making, ...pings])
    assert.ok(order.slice(0, 8).includes('ping') && order.at(-1) === 'variant', order.join())
  })
})

it('mistakes in variants are found at the start', async () => {
  const wrong = (variants: object, more: object = {}) =>
    defineResource({
      name: 'card',
      path: '/cards',
      fields: { id: id(), front: image({ variants, ...more } as never) },
      list: { style: 'page' },
      access: {},
    })
  for (const [resource, words] of [
    [wrong({ thumb: {} }), /"thumb" needs a width, a height, or both/],
    [wrong({ 'a b': { width: 1 } }), /needs a name of letters and digits/],
    [wrong({ thumb: { width: 5000 } }), /larger than 4096/],
    [wrong({ thumb: { width: 5, fit: 'crop' } }), /cannot be "crop"/],
    [wrong({ thumb: { widht: 5 } }), /no option "widht"/],
    [wrong({ thumb: { width: 5, quality: 101 } }), /quality above 100/],
    [wrong({ thumb: { width: 5 } }, { maxBytes: '60 MB' }), /maxBytes is above 50 MB/],
  ] as const)
    await assert.rejects(startService([...people, resource] as readonly DeclaredResource[]), words)
})
