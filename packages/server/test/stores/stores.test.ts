/** A folder and a bucket keep the same objects: written as streams, read by ranges, removed. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeOutgoing } from '../../src/outgoing/outgoing.ts'
import { parseStore } from '../../src/settings/store-settings.ts'
import { bucketFetchOf } from '../../src/stores/bucket-fetch.ts'
import { type ObjectStore, openObjectStore } from '../../src/stores/object-store.ts'
import { startBucket } from '../backup/bucket-server.ts'
import { removeFolder, temporaryFolder } from '../helpers/application.ts'

async function* chunked(bytes: Buffer, each = 50_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += each) yield bytes.subarray(at, at + each)
}

async function open(t: TestContext, text: string, env: Record<string, string> = {}): Promise<ObjectStore> {
  const setting = parseStore('FILES_STORE', text, env)
  assert.ok(setting)
  const outgoing = makeOutgoing({ allow: [], proxy: {} })
  t.after(() => outgoing.close())
  return openObjectStore(setting, bucketFetchOf(outgoing))
}

async function bytesOf(store: ObjectStore, name: string, range?: { first: number; last: number }): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(await store.read(name, range)))
}

async function keepsObjects(store: ObjectStore): Promise<void> {
  const small = randomBytes(1_000)
  const large = randomBytes(23_000_001) // three parts of a bucket
  await store.write('files/ab/abc/original', chunked(large))
  await store.write('files/ab/abd/original', chunked(small))
  await store.write('files/cd/empty', chunked(Buffer.alloc(0)))
  assert.ok((await bytesOf(store, 'files/ab/abc/original')).equals(large))
  assert.ok((await bytesOf(store, 'files/ab/abd/original')).equals(small))
  assert.equal((await bytesOf(store, 'files/cd/empty')).length, 0)
  const ranges = [
    [0, 1],
    [1, 70_000],
    [12_000_000, 22_000_000],
    [23_000_000, 23_000_000],
  ] as const
  for (const [first, last] of ranges)
    assert.ok(
      (await bytesOf(store, 'files/ab/abc/original', { first, last })).equals(large.subarray(first, last + 1)),
      `${first}-${last}`,
    )
  const left = new Error('the client has left')
  const failing = async function* (first: Buffer) {
    yield first
    throw left
  }
  const beside = () => ({ name: 'half.sum', bytes: Buffer.from('sum') })
  for (const first of [large, small])
    await assert.rejects(store.write('files/ab/abc/half', failing(first), beside), (error) => error === left)
  assert.deepEqual(await store.list('files/ab/'), [
    { name: 'files/ab/abc/original', bytes: large.length },
    { name: 'files/ab/abd/original', bytes: small.length },
  ])
  let passed = 0
  const counting = async function* () {
    for await (const chunk of chunked(large)) {
      passed += chunk.length
      yield chunk
    }
  }
  const count = () => ({ name: 'original.count', bytes: Buffer.from(String(passed)) })
  await store.write('files/ab/abe/original', counting(), count)
  assert.equal(String(await bytesOf(store, 'files/ab/abe/original.count')), String(large.length))
  assert.equal((await bytesOf(store, 'files/ab/abe/original')).length, large.length)
  await store.removeAll('files/ab/abe')
  await store.removeAll('files/ab/abc')
  await store.removeAll('files/ab/abc')
  assert.deepEqual(
    (await store.list('files/')).map(({ name }) => name),
    ['files/ab/abd/original', 'files/cd/empty'],
  )
  await assert.rejects(store.read('files/ab/abc/original'), { name: 'StartError', message: /There is no / })
}

test('a folder keeps objects, which only its owner reads, and no half ones', async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeFolder(folder))
  const store = await open(t, join(folder, 'store'))
  await keepsObjects(store)
  assert.equal(statSync(join(folder, 'store/files/ab/abd/original')).mode & 0o777, 0o600)
  assert.equal(statSync(join(folder, 'store/files/ab')).mode & 0o777, 0o700)
  assert.deepEqual(readdirSync(join(folder, 'store/files/ab/abd')), ['original'])
  mkdirSync(join(folder, 'elsewhere'))
  writeFileSync(join(folder, 'elsewhere/own'), 'x')
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'store/files/ef'))
  await assert.rejects(store.write('files/ef/x/original', chunked(randomBytes(3))), /ef is a link/)
  await assert.rejects(store.removeAll('files/ef'), /ef is a link/)
  assert.deepEqual(readdirSync(join(folder, 'elsewhere')), ['own'])
})

/** A bucket that answers as a test says, by the method and the query. */
function answering(answer: (method: string, url: URL) => readonly [status: number, xml: string]) {
  const setting = parseStore('FILES_STORE', 's3://house/shop', {
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    AWS_REGION: 'eu-test-1',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  })
  assert.ok(setting)
  return openObjectStore(setting, () => async (url, init) => {
    const [status, xml] = answer(init?.method ?? 'GET', new URL(String(url)))
    return new Response(xml, { status, headers: { 'content-type': 'application/xml' } })
  })
}

test('a bucket that keeps an object which it is to remove is an error', async () => {
  const keys = ['original', 'original.sha256'].map((name) => `shop/files/ab/abc/${name}`)
  const listed = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')
  const store = await answering((method) =>
    method === 'GET'
      ? [200, `<ListBucketResult><IsTruncated>false</IsTruncated>${listed}</ListBucketResult>`]
      : [
          200,
          `<DeleteResult><Deleted><Key>${keys[1]}</Key></Deleted><Error><Key>${keys[0]}</Key><Code>AccessDenied</Code></Error></DeleteResult>`,
        ],
  )
  await assert.rejects(
    store.removeAll('files/ab/abc'),
    /the bucket keeps 1 objects, such as shop\/files\/ab\/abc\/original/,
  )
})

test('a source is closed where the bucket takes no more of it', async () => {
  const store = await answering((method, { searchParams }) => {
    if (searchParams.has('uploads'))
      return [200, '<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>']
    return method === 'DELETE' ? [204, ''] : [403, '<Error><Code>AccessDenied</Code></Error>']
  })
  let isClosed = false
  const source = async function* () {
    try {
      yield* chunked(randomBytes(23_000_001))
    } finally {
      isClosed = true
    }
  }
  await assert.rejects(store.write('files/ab/abc/original', source()), /AccessDenied/)
  assert.ok(isClosed)
})

test('a bucket keeps objects, in parts where they are large', async (t) => {
  const env = await startBucket(t, 'house')
  await keepsObjects(await open(t, 's3://house/shop', env))
})
