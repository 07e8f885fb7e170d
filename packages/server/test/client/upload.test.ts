/** Uploads by the client: in pieces, with their progress, on after cuts, and ended where asked. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, it } from 'node:test'
import { createClient, memoryStore, RequestError, type UploadMemory } from 'bindery-server/client'
import type { DeclaredResource } from '../../src/index.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { resources } from '../files/file-resources.ts'
import { png, rowsOf } from '../files/sample-files.ts'

let service: TestService
let ann: TestPerson
/** Cuts the requests for which it is told so, after some bytes of their bodies. */
let proxy: Server
let cutsLeft = 0
const seen: string[] = []

before(async () => {
  service = await startService(resources as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  ann = await service.person()
  proxy = createServer((asked, answer) => {
    seen.push(`${asked.method} ${asked.url?.replace(/[\w-]{36}/, 'ID')}`)
    const onward = request(service.url + asked.url, { method: asked.method, headers: asked.headers }, (came) => {
      answer.writeHead(came.statusCode ?? 0, came.headers)
      came.pipe(answer)
    })
    onward.on('error', () => asked.socket.destroy())
    if (asked.method !== 'PATCH' || !asked.url?.includes('_uploads') || cutsLeft === 0) return void asked.pipe(onward)
    cutsLeft -= 1
    asked.once('data', (chunk: Buffer) => {
      onward.write(chunk.subarray(0, 20_000), () => setTimeout(() => onward.destroy(), 1))
    })
    return undefined
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await service.stop()
})

async function clientOf({ token }: Pick<TestPerson, 'token'>) {
  const tokens = memoryStore()
  await tokens.write({ accessToken: token })
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return createClient({ url, tokens, refreshBy: 'token' })
}

function memory(): UploadMemory & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>()
  return {
    kept,
    read: (key) => kept.get(key),
    write: (key, address) => void (address === undefined ? kept.delete(key) : kept.set(key, address)),
  }
}

type ShownFile = { readonly name: string; readonly sha256: string; readonly size: number; readonly url: string }
const bytes = Buffer.concat([Buffer.from('%PDF-1.4\n'), randomBytes(1_500_000)])
const pdf = () => new File([bytes], 'Über.pdf', { type: 'application/pdf', lastModified: 1 })
const manual = { resource: 'things', field: 'manual' }

it('an upload goes on after cuts, and a record takes it with the same bytes', async () => {
  const client = await clientOf(ann)
  const progress: number[] = []
  cutsLeft = 3
  seen.length = 0
  const id = await client.upload(pdf(), { ...manual, onProgress: ({ sent }) => progress.push(sent) })
  assert.equal(cutsLeft, 0)
  assert.equal(seen.filter((one) => one === 'POST /api/v1/_uploads').length, 1)
  assert.ok(seen.filter((one) => one === 'HEAD /api/v1/_uploads/ID').length >= 3)
  assert.deepEqual(
    progress,
    progress.toSorted((one, other) => one - other),
  )
  assert.deepEqual([progress[0], progress.at(-1)], [0, bytes.length])
  const made = (await client.post('/api/v1/things', { body: { title: 'A', manual: id } })) as { manual: ShownFile }
  const { name, sha256, size, url } = made.manual
  assert.deepEqual([name, size, sha256], ['Über.pdf', bytes.length, createHash('sha256').update(bytes).digest('hex')])
  const read = (await client.get(url, { parseAs: 'blob' })) as Blob
  assert.ok(Buffer.from(await read.arrayBuffer()).equals(bytes))
})

it('another call with the same file begins where the first one was', async () => {
  const client = await clientOf(ann)
  const own = memory()
  const stop = new Error('the page is left')
  const leaves = ({ sent }: { readonly sent: number }) => {
    if (sent > 0) throw stop
  }
  await assert.rejects(client.upload(pdf(), { ...manual, memory: own, onProgress: leaves }), stop)
  assert.equal(own.kept.size, 1)
  seen.length = 0
  const begun: number[] = []
  await client.upload(pdf(), { ...manual, memory: own, onProgress: ({ sent }) => begun.push(sent) })
  assert.ok((begun[0] as number) > 0)
  assert.ok(!seen.includes('POST /api/v1/_uploads'))
  assert.equal(own.kept.size, 0)
  // A remembered address may be gone, or of another person.
  const other = await clientOf(await service.person())
  await assert.rejects(client.upload(pdf(), { ...manual, memory: own, onProgress: leaves }), stop)
  assert.match(await other.upload(pdf(), { ...manual, memory: own }), /^[\w-]{36}$/)
})

it('an upload that is ended is removed', async () => {
  const client = await clientOf(ann)
  const own = memory()
  const end = new AbortController()
  const onProgress = ({ sent }: { readonly sent: number }) => {
    if (sent > 0) end.abort()
  }
  const before = (await rowsOf(service)).map(({ id }) => id)
  await assert.rejects(client.upload(pdf(), { ...manual, memory: own, signal: end.signal, onProgress }))
  assert.equal(own.kept.size, 0)
  await service.sweep()
  const left = (await rowsOf(service)).filter(({ id, state }) => !before.includes(id) && state === 'arriving')
  assert.deepEqual(left, [])
})

it('a refusal is told at once', async () => {
  const client = await clientOf(ann)
  const refused = async (file: Blob, field: string) =>
    client.upload(file, { resource: 'things', field }).then(
      () => assert.fail('it was taken'),
      (error: RequestError) => [error.status, error.message] as const,
    )
  assert.match(String(await refused(pdf(), 'photo')), /^415,photo takes image\/png/)
  assert.match(String(await refused(new Blob(['no picture'], { type: 'image/png' }), 'photo')), /^415,/)
  assert.match(String(await refused(new Blob([png], { type: 'image/png' }), 'secret')), /^400,Unknown field secret/)
  assert.match(String(await refused(new Blob([]), 'manual')), /^400,/)
  const anyone = createClient({ url: service.url })
  await assert.rejects(anyone.upload(pdf(), manual), (error) => error instanceof RequestError && error.status === 401)
})

it('a body of FormData is sent without a key for retries', async () => {
  const client = await clientOf(ann)
  const body = new FormData()
  body.append('title', 'Form')
  body.append('photo', new Blob([png], { type: 'image/png' }), 'a.png')
  const made = (await client.post('/api/v1/things', { body })) as { photo: { name: string } }
  assert.equal(made.photo.name, 'a.png')
})
