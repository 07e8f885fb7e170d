/** Records with their files in one request: bodies of multipart/form-data. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { it } from 'node:test'
import { limits } from '../../src/limits.ts'
import { stuckMs, until } from '../helpers/until.ts'
import { openFiles } from './open-files.ts'
import { objectsOf, pdf, png, rowsOf } from './sample-files.ts'

const { service, ann } = await openFiles()

type Part = readonly [name: string, value: string | Uint8Array, file?: string, type?: string]

async function send(method: string, path: string, parts: readonly Part[], headers: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value, file, type = 'application/octet-stream'] of parts) {
    if (typeof value === 'string' && file === undefined) form.append(name, value)
    else form.append(name, new Blob([value as never], { type }), file)
  }
  const authorization = `Bearer ${ann.token}`
  const reply = await fetch(`${service.url}/api/v1${path}`, {
    method,
    body: form,
    headers: { authorization, ...headers },
  })
  const text = await reply.text()
  return { status: reply.status, text, body: text === '' ? undefined : JSON.parse(text) }
}

it('a form makes a record with all of its files', async () => {
  const made = await send('POST', '/things', [
    ['title', 'A, "B"'],
    ['photo', png, 'front.png', 'image/png'],
    ['papers', 'one', 'one.txt', 'text/plain'],
    ['papers', pdf, 'two.pdf'],
  ])
  assert.equal(made.status, 201, made.text)
  const { title, photo, papers } = made.body
  assert.deepEqual([title, photo.name, photo.type], ['A, "B"', 'front.png', 'image/png'])
  assert.deepEqual(
    papers.map(({ name, type }: { name: string; type: string }) => [name, type]),
    [
      ['one.txt', 'text/plain'],
      ['two.pdf', 'application/pdf'],
    ],
  )
  const changed = await send('PATCH', `/things/${made.body.id}`, [
    ['photo', ''],
    ['manual', pdf, 'manual.pdf'],
  ])
  assert.deepEqual([changed.status, changed.body.photo, changed.body.manual?.name], [200, null, 'manual.pdf'])
  const replaced = await send('PUT', `/things/${made.body.id}`, [
    ['title', 'C'],
    ['photo', png, 'back.png'],
  ])
  assert.deepEqual([replaced.status, replaced.body.photo?.name, replaced.body.manual], [200, 'back.png', null])
})

it('a form that is refused leaves nothing', async () => {
  await service.sweep()
  const before = [await rowsOf(service), objectsOf(service)]
  const large = Buffer.concat([png, Buffer.alloc(1_100_000)])
  const cases: readonly (readonly [readonly Part[], number, RegExp])[] = [
    [
      [
        ['photo', png, 'a.png'],
        ['nothing', 'x'],
      ],
      400,
      /Unknown field nothing/,
    ],
    [[['nothing', png, 'a.png']], 400, /Unknown field nothing/],
    [
      [
        ['title', 'A'],
        ['title', 'B'],
      ],
      400,
      /^title occurs twice/,
    ],
    [
      [
        ['photo', png, 'a.png'],
        ['photo', png, 'b.png'],
      ],
      400,
      /photo occurs twice/,
    ],
    [[['secret', png, 'a.png']], 400, /Unknown field secret/],
    [[['photo', pdf, 'a.png']], 415, /these bytes are application\/pdf/],
    [[['photo', large, 'a.png']], 413, /at most 1\.0 MB/],
    [[1, 2, 3, 4].map((i) => ['papers', 'x', `${i}.txt`] as const), 400, /papers must have at most 3 files/],
    [Array.from({ length: 600 }, (_, i) => [`f${i}`, 'x'] as const), 413, /more parts/],
  ]
  for (const [parts, status, sentence] of cases) {
    const reply = await send('POST', '/things', parts)
    assert.deepEqual([reply.status, sentence.test(reply.body.error)], [status, true], reply.text)
  }
  const keyed = await send('POST', '/things', [['photo', png, 'a.png']], { 'idempotency-key': 'once' })
  assert.deepEqual([keyed.status, /no Idempotency-Key/.test(keyed.text)], [400, true])
  for (const raw of ['', '--x\r\n', '--x\r\nContent-Disposition: form-data; name="photo"; filename="a"\r\n\r\nabc']) {
    const type = 'multipart/form-data; boundary=x'
    const reply = await service.ask('POST', '/api/v1/things', { raw, type, token: ann.token })
    assert.equal(reply.status, 400, reply.text)
  }
  const nameless = await service.ask('POST', '/api/v1/things', {
    raw: 'x',
    type: 'multipart/form-data',
    token: ann.token,
  })
  assert.equal(nameless.status, 400, nameless.text)
  await service.sweep()
  assert.deepEqual([await rowsOf(service), objectsOf(service)], before)
})

it('a form of another caller is not read', async () => {
  const made = await send('POST', '/things', [['title', 'Mine']])
  const rows = (await rowsOf(service)).length
  const parts: Part[] = [['photo', png, 'a.png']]
  assert.equal((await send('PATCH', '/things/0198c0de-0000-7000-8000-000000000001', parts)).status, 404)
  assert.equal((await send('PATCH', `/things/${made.body.id}`, parts, { authorization: 'Bearer x' })).status, 401)
  assert.equal((await rowsOf(service)).length, rows)
})

it('a form whose sender leaves is over at once', async () => {
  const waiting = async () => (await rowsOf(service)).filter(({ heldBy }) => heldBy !== null).length
  assert.equal(await waiting(), 0)
  // A body that stops is waited for, here for longer than the test.
  const { bodyTimeoutMs } = limits
  Object.assign(limits, { bodyTimeoutMs: 2 * stuckMs })
  try {
    const headers = { authorization: `Bearer ${ann.token}`, 'content-type': 'multipart/form-data; boundary=x' }
    const sent = request(`${service.url}/api/v1/things`, { method: 'POST', headers, agent: false })
    sent.on('error', () => undefined)
    sent.write('--x\r\nContent-Disposition: form-data; name="manual"; filename="a.txt"\r\n\r\n')
    sent.write('a'.repeat(500_000))
    await until(async () => (await waiting()) === 1, 'its upload has begun')
    sent.destroy()
    await until(async () => (await waiting()) === 0, 'its upload is over')
  } finally {
    Object.assign(limits, { bodyTimeoutMs })
  }
})
