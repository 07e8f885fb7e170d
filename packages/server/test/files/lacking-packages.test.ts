/** A service without the optional packages of uploads says so, at its start and at their use. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { filePlace } from './file-place.ts'

const preload = new URL('./lacking-packages.ts', import.meta.url).href

test('without the package for buckets, a start with one is refused', async (t) => {
  const { folder } = await filePlace(t)
  const bucket = { FILES_STORE: 's3://boxes/files', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
  const own = { PORT: '0', DATA_DIR: folder, DATABASE_URL: '', NODE_OPTIONS: `--import ${preload}` }
  const program = join(import.meta.dirname, 'file-server.ts')
  const env = { ...process.env, ...bucket, ...own }
  const started = promisify(execFile)(process.execPath, [program], { env, timeout: 30_000 })
  await assert.rejects(started, /FILES_STORE=s3:\/\/boxes needs a package that is not installed: npm install s3mini/)
})

test('without packages for forms and tus, all else works', async (t) => {
  const { start } = await filePlace(t)
  const { api, child } = await start({ NODE_OPTIONS: `--import ${preload}` })
  child.send('log')
  const [log] = (await once(child, 'message')) as [string]
  assert.match(log, /^warn Bodies of multipart\/form-data are refused .*: npm install @fastify\/busboy/m)
  assert.match(log, /^warn Uploads by tus, .* are refused .*: npm install @tus\/server/m)

  const answer = async (method: string, path: string, init: RequestInit) => {
    const reply = await fetch(`${api}${path}`, { method, ...init })
    return [reply.status, await reply.json()]
  }
  const form = new FormData()
  form.append('label', new Blob(['bytes']), 'a.bin')
  assert.deepEqual(await answer('POST', '/boxes', { body: form }), [
    415,
    { error: 'This server takes no multipart/form-data: it lacks the package @fastify/busboy' },
  ])
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '5' }
  assert.deepEqual(await answer('POST', '/_uploads', { headers }), [
    404,
    { error: 'This server takes no uploads by tus: it lacks the package @tus/server' },
  ])
  const json = { body: '{"title":"A"}', headers: { 'content-type': 'application/json' } }
  const [status, { id }] = (await answer('POST', '/boxes', json)) as [number, { id: string }]
  assert.equal(status, 201)
  assert.equal((await answer('PUT', `/boxes/${id}/label`, { body: 'bytes' }))[0], 200)
})
