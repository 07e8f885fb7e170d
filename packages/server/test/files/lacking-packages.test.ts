/** A service without the optional packages of uploads says so, at its start and at their use. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { filePlace } from './file-place.ts'

test('without packages for forms and tus, all else works', async (t) => {
  const { start } = await filePlace(t)
  const preload = new URL('./lacking-packages.ts', import.meta.url).href
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
