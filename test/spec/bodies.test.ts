/** Bodies, strictly: everything that JSON parsers let through and that later goes wrong is refused, and nothing of it is stored. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, test } from 'node:test'
import { check, checkReply, type Scenario } from '../helpers/scenario.ts'
import { startService, type TestService } from '../helpers/service.ts'

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
const nested = (levels: number) => `${start},"year":${'['.repeat(levels)}${']'.repeat(levels)}}`
const refused: [string, string | Uint8Array, RegExp?][] = [
  ['half an object', '{"title":"x"'],
  ['a trailing comma', `${start},}`],
  ['single quotes', "{'title':'x','author':'y'}"],
  ['a comment', `/* hi */${start}}`],
  ['two values', `${start}}${start}}`],
  ['bare words', '{title:"x",author:"y"}'],
  ['NaN', `${start},"year":NaN}`],
  ['Infinity', `${start},"year":Infinity}`],
  ['undefined', 'undefined'],
  ['only white space', '   '],
  ['a raw control character', '{"title":"a\u0001b","author":"y"}'],
  ['a number with a zero before it', `${start},"year":01}`],
  ['an array', '[]'],
  ['an array of books', `[${start}}]`],
  ['a string', '"title"'],
  ['a number', '1'],
  ['null', 'null'],
  ['true', 'true'],
  ['a key twice', `${start},"title":"z"}`, /title/],
  ['a key twice, the same value', `${start},"author":"y"}`, /author/],
  ['a key twice, once escaped', `${start},"\\u0074itle":"z"}`, /title/],
  ['a key twice, further inside', `${start},"year":{"a":1,"a":2}}`],
  ['a byte-order mark', `\ufeff${start}}`],
  ['__proto__', `${start},"__proto__":{"year":1}}`],
  ['__proto__ escaped', `${start},"__\\u0070roto__":{"year":1}}`],
  ['constructor', `${start},"constructor":{"prototype":{"x":1}}}`],
  ['prototype', `${start},"prototype":null}`],
  ['__proto__ inside', `${start},"year":{"a":[{"__proto__":1}]}}`],
  ['33 levels', nested(32), /32/],
  ['10,000 levels', nested(10_000)],
  ['200,000 levels', '['.repeat(200_000)],
  ['1e400', `${start},"year":1e400}`],
  ['-1e400', `${start},"year":-1e400}`],
  ['1e-400', `${start},"year":1e-400}`],
  ['2^53', `${start},"year":9007199254740992}`],
  ['2^53 + 1', `${start},"year":9007199254740993}`],
  ['-2^53', `${start},"year":-9007199254740992}`],
  ['1e16', `${start},"year":1e16}`],
  ['a big number in an unknown field', `${start},"x":123456789012345678901234567890}`],
  ['an escaped NUL', '{"title":"a\\u0000b","author":"y"}'],
  ['a NUL in a key', `${start},"a\\u0000":1}`],
  ['a lone high surrogate', '{"title":"\\ud83d","author":"y"}'],
  ['a lone low surrogate', '{"title":"\\ude00 x","author":"y"}'],
  ['surrogates the wrong way', '{"title":"\\ude00\\ud83d","author":"y"}'],
  ['a lone surrogate in a key', `${start},"\\ud800":1}`],
  ['invalid UTF-8', Buffer.from([...Buffer.from('{"title":"'), 0xff, 0xfe, ...Buffer.from('","author":"y"}')])],
  ['overlong UTF-8', Buffer.from([...Buffer.from('{"title":"'), 0xc0, 0xaf, ...Buffer.from('","author":"y"}')])],
  ['a surrogate in UTF-8', Buffer.from([...Buffer.from('{"title":"'), 0xed, 0xa0, 0x80, ...Buffer.from('","author":"y"}')])],
  ['half a character at the end', Buffer.from([...Buffer.from('{"title":"x","author":"y'), 0xe2, 0x82])],
  ['UTF-16', Buffer.from(`${start}}`, 'utf16le')],
]

test('what no body may have, on every write', async (t) => {
  for (const target of ['POST /books', 'PATCH /books/1', 'PUT /api/v1/books/1']) {
    const scenarios = refused.map(([it, raw, says]): Scenario => ({ it, ask: target, send: { raw }, status: 400, says }))
    await check(t, service.ask, scenarios)
  }
  const logins = refused.map(([it, raw]): Scenario => ({ it, ask: 'POST /auth/login', send: { raw }, status: 400 }))
  await check(t, service.ask, logins)
  await checkUntouched()
})

test('what a body may have', async (t) => {
  const scenarios: [string, string, string][] = [
    ['white space around', ` \r\n\t${start}}\n `, '"title":"x"'],
    ['escapes', '{"title":"\\u00e9\\ud83d\\ude00\\n\\/\\"","author":"y"}', '"title":"é😀\\n/\\""'],
    ['a value that looks like a key', '{"title":"__proto__","author":"constructor"}', '"title":"__proto__"'],
    ['equal values', '{"title":"title","author":"title"}', '"author":"title"'],
    ['braces in a text', '{"title":"}{][\\\\","author":"y"}', '"title":"}{][\\\\"'],
    ['a surrogate pair raw', '{"title":"😀","author":"y"}', '😀'],
  ]
  for (const [it, raw, says] of scenarios) {
    await t.test(it, async () => {
      const made = await service.ask('POST', '/books', { raw })
      checkReply({ status: 201, says }, made)
      checkReply({ status: 204 }, await service.ask('DELETE', `/books/${made.body.id}`))
    })
  }
  await check(t, service.ask, [
    { it: '32 levels are only of a wrong type', ask: 'POST /books', send: { raw: nested(31) }, status: 400, error: 'year must be an integer' },
    { it: '2^53 - 1 is only too large a year', ask: 'POST /books', send: { raw: `${start},"year":9007199254740991}` }, status: 400, says: 'year' },
    { it: 'no body on a create', ask: 'POST /books', status: 400, error: 'title and author required' },
    { it: 'an empty body', ask: 'POST /books', send: { raw: '' }, status: 400, error: 'title and author required' },
    { it: 'a body on a read is not read', ask: 'DELETE /books/999', send: { raw: '{"a":' }, status: 404, error: 'Not found' },
  ])
  await checkUntouched()
})

test('its media type', async (t) => {
  const good = ['application/json', 'APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'application/merge-patch+json']
  const bad = ['text/plain', 'text/json', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonx']
  const worse = ['application/json-patch+json', 'application/json; charset=iso-8859-1', 'application/json; charset=utf-16', '*/*', 'application/*', 'json']
  await check(t, service.ask, [
    ...good.map((type): Scenario => ({ it: type, ask: 'PATCH /books/1', send: { type, body: book }, status: 200, body: book })),
    ...[...bad, ...worse].map((type): Scenario => ({ it: type, ask: 'PATCH /books/1', send: { type, body: { title: 'stolen' } }, status: 415 })),
    ...bad.map((type): Scenario => ({ it: type, ask: 'POST /auth/login', send: { type, body: { email: 'a@b', password: 'x' } }, status: 415 })),
  ])
  const bytes = new TextEncoder().encode('{"title":"stolen"}')
  const response = await fetch(`${service.url}/books/1`, { method: 'PATCH', body: bytes })
  assert.equal(response.status, 415, 'no type at all')
  const encoded = { raw: bytes, headers: { 'content-encoding': 'gzip' } }
  checkReply({ status: 415 }, await service.ask('PATCH', '/books/1', encoded))
  await checkUntouched()
})

test('what the client takes', async (t) => {
  const takes = ['*/*', 'application/json', 'application/*', 'text/html, application/json;q=0.1', 'text/html,*/*;q=0.1', 'Application/JSON', 'application/json; charset=utf-8', '']
  const refuses = ['text/html', 'application/xml, text/*', 'application/json;q=0', 'application/json;q=0.000', '*/*;q=0', 'application/json;q=0, */*', 'image/*;q=1', 'application/*;q=0, */*']
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

/** Sends without waiting for leave, as much as the server will take, and says what came back. */
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
    for (let left = bytes; left > 0; left -= chunk.length) sent.write(left < chunk.length ? chunk.subarray(0, left) : chunk)
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
  checkReply({ status: 413 }, await service.ask('PATCH', '/books/1', { raw: `{"title":"${'é'.repeat(bytesMax / 2)}"}` }))
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
