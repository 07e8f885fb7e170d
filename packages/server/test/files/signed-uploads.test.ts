/** Uploads that clients send to a bucket themselves, by a signed address, and have confirmed. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { DeclaredResource } from '../../src/index.ts'
import { makeOutgoing } from '../../src/outgoing/outgoing.ts'
import { parseStore } from '../../src/settings/store-settings.ts'
import { bucketFetchOf } from '../../src/stores/bucket-fetch.ts'
import { type ObjectStore, openObjectStore } from '../../src/stores/object-store.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { startBucket } from '../backup/bucket-server.ts'
import { resources } from './file-resources.ts'
import { pdf, png, rowsOf } from './sample-files.ts'

const path = '/api/v1/_uploads'
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

type Signed = {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const releases: (() => Promise<unknown> | unknown)[] = []
let service: TestService
let ann: TestPerson
let store: ObjectStore

before(async () => {
  const bucket = await startBucket({ after: (release: never) => void releases.push(release) } as never, 'house')
  const env = { ...bucket, FILES_STORE: 's3://house/shop' }
  const outgoing = makeOutgoing({ allow: [], proxy: {} })
  releases.push(() => outgoing.close())
  store = await openObjectStore(parseStore('FILES_STORE', env.FILES_STORE, env) as never, bucketFetchOf(outgoing))
  service = await startService(resources as readonly DeclaredResource[], { env: { ...env, RATE_LIMIT: '' } })
  ann = await service.person()
})
after(async () => {
  await service.stop()
  for (const release of releases) await release()
})

const manual = { resource: 'things', field: 'manual', name: '../m.txt', type: 'text/plain' }
const wantedOf = (bytes: Buffer, more: object = {}) => ({
  ...manual,
  size: bytes.length,
  sha256: sha256(bytes),
  ...more,
})
const post = (at: string, body: object = {}, token = ann.token) => service.ask('POST', `${path}/${at}`, { body, token })
const confirm = (id: string, token = ann.token) => post(`${id}/_confirm`, {}, token)
const objectsOf = async (id: string) =>
  (await store.list('files/')).map(({ name }) => name).filter((one) => one.includes(id))

async function sign(bytes: Buffer, more: object = {}): Promise<Signed> {
  const answer = await post('_signed', wantedOf(bytes, more))
  assert.equal(answer.status, 201, answer.text)
  assert.equal(answer.body.method, 'PUT')
  return answer.body
}

/** Sends bytes to the bucket. Returns its status. */
function put({ url, headers }: Pick<Signed, 'url' | 'headers'>, bytes: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'PUT', headers: { ...headers, 'content-length': bytes.length }, agent: false })
    sent.on('response', (reply) => reply.resume().on('end', () => resolve(reply.statusCode)))
    sent.on('error', reject).end(bytes)
  })
}

const text = Buffer.from('Screw it in.')

describe('an upload by a signed address', () => {
  it('is sent to the bucket, confirmed, and taken by a record', async () => {
    const signed = await sign(text)
    const late = await confirm(signed.id)
    assert.deepEqual(
      [late.status, late.body.error],
      [409, 'The bytes have not arrived: send them to the signed address first'],
    )
    const unready = { body: { title: 'A', manual: signed.id }, token: ann.token }
    assert.equal((await service.ask('POST', '/api/v1/things', unready)).status, 400)
    assert.equal(await put(signed, text), 200)
    const facts = { id: signed.id, name: 'm.txt', type: 'text/plain', size: text.length, sha256: sha256(text) }
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await confirm(signed.id)
      assert.deepEqual([status, body], [200, facts])
    }
    const made = await service.ask('POST', '/api/v1/things', unready)
    assert.deepEqual([made.status, made.body.manual.sha256], [201, facts.sha256], made.text)
    assert.equal((await confirm(signed.id)).status, 200)
    const names = ['original', 'original.sha256'].map((name) => `files/${signed.id.slice(0, 2)}/${signed.id}/${name}`)
    assert.deepEqual(await objectsOf(signed.id), names)
    const served = await fetch(new URL(made.body.manual.url, service.url), {
      headers: { authorization: `Bearer ${ann.token}` },
    })
    assert.equal(await served.text(), String(text))
  })

  it('takes exactly the bytes that are said', async () => {
    const signed = await sign(text)
    assert.equal(await put(signed, Buffer.from('Screw it in!!')), 403, 'another size')
    assert.equal(await put({ ...signed, headers: {} }, text), 403, 'without its checksum')
    assert.equal(await put({ ...signed, url: signed.url.replace('/sent?', '/original?') }, text), 403, 'another object')
    // A bucket that does not compare the checksum.
    assert.equal(await put(signed, Buffer.from('Screw it up.')), 200)
    const wrong = await confirm(signed.id)
    const sentence = 'The bytes are not those of the sha256 that was said; begin the upload again'
    assert.deepEqual([wrong.status, wrong.body], [460, { error: sentence }])
    assert.equal((await confirm(signed.id)).status, 404)
  })

  it('cannot change a file that is judged, and leaves nothing', async () => {
    const signed = await sign(text)
    assert.equal(await put(signed, text), 200)
    assert.equal((await confirm(signed.id)).status, 200)
    assert.equal(await put(signed, Buffer.from('Screw it up.')), 200)
    const made = await service.ask('POST', '/api/v1/things', {
      body: { title: 'A', manual: signed.id },
      token: ann.token,
    })
    const address = new URL(made.body.manual.url, service.url)
    assert.equal(
      await (await fetch(address, { headers: { authorization: `Bearer ${ann.token}` } })).text(),
      String(text),
    )
    assert.equal((await objectsOf(signed.id)).length, 3)
    const never = await sign(text)
    const gone = await sign(text)
    await put(gone, text)
    await service.sweep()
    assert.equal((await objectsOf(gone.id)).length, 1)
    service.turn(26 * 3_600_000)
    ann = await service.logIn(ann.email)
    await service.sweep()
    await service.sweep()
    assert.deepEqual((await objectsOf(signed.id)).length, 2)
    assert.deepEqual([await objectsOf(gone.id), await rowsOf(service, [gone.id, never.id])], [[], []])
  })

  it('is judged before and after, and is of its caller', async () => {
    const ben = await service.person()
    const refusal = async (wanted: object, token = ann.token) => {
      const { status, body } = await post('_signed', wanted, token)
      return [status, body.error]
    }
    assert.deepEqual((await refusal(wantedOf(text), ''))[0], 401)
    assert.deepEqual(await refusal(wantedOf(text, { field: 'secret' })), [400, 'Unknown field secret'])
    assert.equal((await refusal(wantedOf(text, { type: 'image/png' })))[0], 415)
    assert.equal((await refusal(wantedOf(text, { size: 300_000_001 })))[0], 413)
    for (const more of [
      { size: 0 },
      { size: -1 },
      { size: '12' },
      { sha256: 'abc' },
      { sha256: undefined },
      { more: 1 },
    ])
      assert.equal((await refusal(wantedOf(text, more)))[0], 400, JSON.stringify(more))
    const wrong = await sign(png, { type: null })
    await put(wrong, png)
    const answer = await confirm(wrong.id)
    assert.deepEqual([answer.status, /these bytes are image\/png/.test(answer.text)], [415, true])
    const own = await sign(pdf, { type: 'application/pdf' })
    await put(own, pdf)
    for (const [id, token] of [
      [own.id, ben.token],
      [own.id, ''],
      ['00000000-0000-4000-8000-000000000000', ann.token],
    ] as const)
      assert.equal((await confirm(id, token)).status, 404)
    assert.equal((await confirm(own.id)).status, 200)
    const taken = await service.ask('POST', '/api/v1/things', {
      body: { title: 'B', manual: own.id },
      token: ben.token,
    })
    assert.equal(taken.status, 400)
  })
})

it('a folder takes no bytes from clients', async (t) => {
  const own = await startService(resources as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  t.after(() => own.stop())
  const { token } = await own.person()
  const { status, body } = await own.ask('POST', `${path}/_signed`, { body: wantedOf(text), token })
  const sentence = 'Files are kept by this server itself: send the bytes to it, by tus or with the record'
  assert.deepEqual([status, body], [409, { error: sentence }])
  assert.deepEqual(await rowsOf(own), [])
})
