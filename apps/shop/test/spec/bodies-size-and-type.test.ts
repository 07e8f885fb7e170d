/** Bodies: their media type, their size, and which types of response the client accepts. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, test } from 'node:test'
import { check, checkReply, type Scenario, startService, type TestService } from '../helpers/service.ts'

let service: TestService
const book = { id: 1, title: 'Emma', author: 'Jane Austen', year: 1815 }
const bytesMax = 1_048_576

before(async () => {
  service = await startService()
  await service.ask('POST', '/books', { body: { title: 'Emma', author: 'Jane Austen', year: 1815 } })
})
after(() => service.stop())

async function checkUntouched(): Promise<void> {
  checkReply({ status: 200, body: { data: [book], count: 1 } }, await service.ask('GET', '/books'))
}

const start = '{"title":"x","author":"y"'

test('its media type', async (t) => {
  const good = [
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/merge-patch+json',
  ]
  const bad = [
    'text/plain',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ]
  const worse = [
    'application/json-patch+json',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    '*/*',
    'application/*',
    'json',
  ]
  await check(t, service.ask, [
    ...good.map(
      (type): Scenario => ({ it: type, ask: 'PATCH /books/1', send: { type, body: book }, status: 200, body: book }),
    ),
    ...[...bad, ...worse].map(
      (type): Scenario => ({ it: type, ask: 'PATCH /books/1', send: { type, body: { title: 'stolen' } }, status: 415 }),
    ),
    { it: 'no media type, of nobody', ask: 'POST /messages', send: { type: 'json', body: {} }, status: 401 },
    { it: 'no media type, to no path', ask: 'POST /nothing', send: { type: 'json', body: {} }, status: 404 },
    ...bad.map(
      (type): Scenario => ({
        it: type,
        ask: 'POST /auth/login',
        send: { type, body: { email: 'a@b', password: 'x' } },
        status: 415,
      }),
    ),
  ])
  const bytes = new TextEncoder().encode('{"title":"stolen"}')
  const response = await fetch(`${service.url}/books/1`, { method: 'PATCH', body: bytes })
  assert.equal(response.status, 415, 'no type at all')
  const encoded = { raw: bytes, headers: { 'content-encoding': 'gzip' } }
  checkReply({ status: 415 }, await service.ask('PATCH', '/books/1', encoded))
  await checkUntouched()
})

test('what the client takes', async (t) => {
  const takes = [
    '*/*',
    'application/json',
    'application/*',
    'text/html, application/json;q=0.1',
    'text/html,*/*;q=0.1',
    'Application/JSON',
    'application/json; charset=utf-8',
    '',
  ]
  const refuses = [
    'text/html',
    'application/xml, text/*',
    'application/json;q=0',
    'application/json;q=0.000',
    '*/*;q=0',
    'application/json;q=0, */*',
    'image/*;q=1',
    'application/*;q=0, */*',
  ]
  const scenarios = (accepts: readonly string[], status: number) =>
    accepts.flatMap((accept): Scenario[] => [
      { it: accept, ask: 'GET /books/1', send: { headers: { accept } }, status },
      { it: accept, ask: 'GET /books', send: { headers: { accept } }, status },
    ])
  await check(t, service.ask, [...scenarios(takes, 200), ...scenarios(refuses, 406)])
  const write = { body: { title: 'x', author: 'y' }, headers: { accept: 'text/html' } }
  checkReply({ status: 406 }, await service.ask('POST', '/books', write))
  await checkUntouched()
})

/**
 * Sends as much as the server will read, without waiting for a response, and returns what came
 * back.
 */
function push(bytes: number, declared: boolean): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (declared) headers['content-length'] = String(bytes)
    const sent = httpRequest(`${service.url}/books`, { method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    const chunk = Buffer.alloc(65_536, ' ')
    for (let left = bytes; left > 0; left -= chunk.length)
      sent.write(left < chunk.length ? chunk.subarray(0, left) : chunk)
    sent.end()
  })
}

test('its size', async (t) => {
  const frame = `${start}}`
  const full = frame + ' '.repeat(bytesMax - frame.length)
  const made = await service.ask('POST', '/books', { raw: full })
  checkReply({ status: 201 }, made)
  await service.ask('DELETE', `/books/${made.body.id}`)
  checkReply({ status: 413 }, await service.ask('POST', '/books', { raw: `${full} ` }))
  checkReply(
    { status: 413 },
    await service.ask('PATCH', '/books/1', { raw: `{"title":"${'é'.repeat(bytesMax / 2)}"}` }),
  )
  checkReply({ status: 413 }, await service.ask('POST', '/auth/login', { raw: `${full} ` }))
  for (const megabytes of [2, 8]) {
    for (const declared of [true, false]) {
      await t.test(`${megabytes} MiB, ${declared ? 'declared' : 'in chunks'}: the answer arrives`, async () => {
        const { status, text } = await push(megabytes * bytesMax, declared)
        assert.equal(status, 413)
        assert.deepEqual(Object.keys(JSON.parse(text)), ['error'])
      })
    }
  }
  await checkUntouched()
})
