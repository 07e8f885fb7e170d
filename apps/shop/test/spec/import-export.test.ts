/**
 * The machine routes of products: NDJSON in and out, bad lines reported by number, streamed
 * whatever the size.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { askWith, check, checkReply, startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let editor: TestPerson
let key: string
const at = '/api/v1/products'
const type = 'application/x-ndjson'
const none = '01926e0f-0000-7000-8000-000000000000'

before(async () => {
  service = await startService()
  editor = await service.person('EDITOR')
  key = await service.key(editor)
})
after(() => service.stop())

function send(lines: readonly (object | string)[], end = '\n') {
  const raw = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') + end
  return service.ask('POST', `${at}/import`, { raw, type, key })
}

async function exported(query = '?sort=id'): Promise<{ id: string; name: string; price: number; version?: number }[]> {
  const reply = await service.ask('GET', `${at}/export${query}`, { key })
  assert.equal(reply.status, 200, reply.text)
  return reply.text === ''
    ? []
    : reply.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

test('the first line may begin with a byte-order mark, no other', async () => {
  const reply = await send(['\ufeff{"name":"Marked","price":1}', '\ufeff{"name":"Inside","price":1}'])
  const { created, rejected, errors } = reply.body
  assert.deepEqual([reply.status, created, rejected, errors[0].line], [200, 1, 1, 2])
  const [marked] = await exported('?name=Marked')
  assert.equal((await service.ask('DELETE', `${at}/${marked?.id}`, { token: editor.token })).status, 204)
})

test('good lines go in, bad ones are told by number', async () => {
  const reply = await send([
    { name: 'One', price: 1.5, stock: 0 },
    '{"name":"Broken"',
    '',
    '   ',
    { name: 'Two', price: 2, category: 'Ünï 😀' },
    { name: 'No price' },
    { name: 'Wrong', price: '3' },
    '{"name":"Twice","price":1,"price":2}',
    '{"name":"Proto","price":1,"__proto__":{}}',
    '{"name":"Big","price":1e400}',
    { name: 'Unknown', price: 1, colour: 'red' },
    { name: 'Set', price: 1, createdAt: '2020-01-01T00:00:00.000Z' },
    { id: none, name: 'Gone', price: 1 },
    { id: 'abc', name: 'No id', price: 1 },
    '[]',
    'null',
    '5',
    '{"name":"Three","price":3}\r',
  ])
  assert.equal(reply.status, 200)
  const { created, updated, rejected, errors } = reply.body
  assert.deepEqual({ created, updated, rejected }, { created: 3, updated: 0, rejected: 13 })
  assert.deepEqual(
    errors.map((one: { line: number }) => one.line),
    [2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17],
  )
  const said = (line: number) => errors.find((one: { line: number }) => one.line === line).error
  assert.equal(said(6), 'price is required')
  assert.equal(said(7), 'price must be a number')
  assert.match(said(11), /colour/)
  assert.equal(said(12), 'createdAt is read-only')
  assert.equal(said(13), 'Product not found')
  for (const one of errors) assert.deepEqual(Object.keys(one), ['line', 'error'])
  const records = await exported()
  assert.deepEqual(
    records.map((record) => record.name),
    ['One', 'Two', 'Three'],
  )
  checkReply({ status: 200, says: '"inStock":false' }, await service.ask('GET', `${at}/${records[0]?.id}`))
})

test('what was exported and edited can be put back', async () => {
  const before = await exported()
  const same = await send(before)
  assert.deepEqual(same.body, { created: 0, updated: before.length, rejected: 0, errors: [] })
  const edited = before.map((record, i) => ({ ...record, price: i + 10 }))
  const put = await send(
    [...edited, { name: 'New', price: 7 }, { ...before[0], createdAt: '2020-01-01T00:00:00.000Z' }],
    '',
  )
  const { created, updated, rejected } = put.body
  assert.deepEqual({ created, updated, rejected }, { created: 1, updated: before.length, rejected: 1 })
  const after = await exported()
  assert.deepEqual(
    after.map((record) => record.price),
    [...before.map((_, i) => i + 10), 7],
  )
  assert.deepEqual(
    after.slice(0, -1).map((record) => record.id),
    before.map((record) => record.id),
  )
  assert.deepEqual((await send([{ id: after[0]?.id, price: 5 }])).body, {
    created: 0,
    updated: 1,
    rejected: 0,
    errors: [],
  })
  checkReply({ status: 200, says: '"name":"One"' }, await service.ask('GET', `${at}/${after[0]?.id}`))
})

test('its parameters, types and methods', async (t) => {
  const [one] = await exported('?name=One')
  assert.equal(one?.name, 'One')
  assert.deepEqual(await exported('?name=nobody'), [])
  assert.deepEqual(
    (await exported('?fields=name&sort=-price&minPrice=7')).map((record) => Object.keys(record)),
    Array(3).fill(['id', 'name']),
  )
  const reply = await service.ask('GET', `${at}/export`, { key })
  assert.match(reply.headers.get('content-type') ?? '', /^application\/x-ndjson/)
  assert.ok(reply.text.endsWith('\n'))
  const line = '{"name":"x","price":1}'
  await check(t, askWith(service.ask, { key }), [
    { it: 'unknown', ask: `GET ${at}/export?nothing=1`, status: 400, says: 'nothing' },
    { it: 'hidden', ask: `GET ${at}/export?fields=version`, status: 400 },
    { it: 'no pages', ask: `GET ${at}/export?page=2`, status: 400, says: 'page' },
    { it: 'no limit', ask: `GET ${at}/export?limit=1`, status: 400, says: 'limit' },
    { it: 'no cursor', ask: `GET ${at}/export?cursor=`, status: 400, says: 'cursor' },
    { it: 'unknown on import', ask: `POST ${at}/import?dry=1`, send: { raw: line, type }, status: 400, says: 'dry' },
    { it: 'JSON', ask: `POST ${at}/import`, send: { raw: line, type: 'application/json' }, status: 415 },
    { it: 'CSV', ask: `POST ${at}/import`, send: { raw: line, type: 'text/csv' }, status: 415 },
    {
      it: 'another charset',
      ask: `POST ${at}/import`,
      send: { raw: line, type: `${type}; charset=latin1` },
      status: 415,
    },
    {
      it: 'nothing in it',
      ask: `POST ${at}/import`,
      send: { raw: '\n\n', type },
      status: 200,
      body: { created: 0, updated: 0, rejected: 0, errors: [] },
    },
    {
      it: 'a line over 1 MiB',
      ask: `POST ${at}/import`,
      send: { raw: `{"name":"${'x'.repeat(1_048_576)}"}`, type },
      status: 413,
    },
    {
      it: 'a type that excludes it',
      ask: `GET ${at}/export`,
      send: { headers: { accept: 'text/html' } },
      status: 406,
    },
    { it: 'its own type', ask: `GET ${at}/export`, send: { headers: { accept: type } }, status: 200 },
    { it: 'PUT on import', ask: `PUT ${at}/import/x`, status: 404, error: 'Not found' },
  ])
})

test('thousands of rows in and out', async () => {
  const count = process.env.TEST_LONG ? 20_000 : 5_000
  const known = (await exported()).length
  const encoder = new TextEncoder()
  let next = 0
  const body = new ReadableStream({
    pull(controller) {
      if (next === count) return controller.close()
      let text = ''
      for (const end = next + 1000; next < end; next += 1)
        text += `${JSON.stringify({ name: `Row ${next}`, price: next / 100, category: `c${next % 50}` })}\n`
      controller.enqueue(encoder.encode(text))
    },
  })
  const headers = { 'content-type': type, 'x-api-key': key }
  const imported = await fetch(`${service.url}${at}/import`, {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit)
  assert.deepEqual(await imported.json(), { created: count, updated: 0, rejected: 0, errors: [] })
  const response = await fetch(`${service.url}${at}/export?sort=id`, { headers })
  assert.equal(response.headers.get('content-length'), null, 'sent as it is read')
  const records = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; name: string; price: number })
  assert.equal(records.length, known + count)
  assert.equal(new Set(records.map((record) => record.id)).size, known + count)
  const rows = records.filter((record) => record.name.startsWith('Row '))
  assert.ok(
    rows.every((record, i) => record.name === `Row ${i}` && record.price === i / 100),
    'in order',
  )
  const list = await service.ask('GET', `${at}?q=row&category=c7&sort=price&limit=2&page=3`)
  assert.equal(list.body.meta.total, count / 50)
  assert.deepEqual(
    list.body.data.map((record: { name: string }) => record.name),
    ['Row 207', 'Row 257'],
  )
  const cut = new AbortController()
  const half = await fetch(`${service.url}${at}/export`, { headers, signal: cut.signal })
  await half.body?.getReader().read()
  cut.abort()
  checkReply({ status: 200 }, await service.ask('GET', '/readyz'))
})
