/**
 * Strict JSON bodies: input that lenient parsers accept, or that would fail later, is refused and
 * not stored.
 */
import { after, before, test } from 'node:test'
import { check, checkReply, type Scenario, startService, type TestService } from '../helpers/service.ts'

let service: TestService
const book = { id: 1, title: 'Emma', author: 'Jane Austen', year: 1815 }

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
  [
    'a surrogate in UTF-8',
    Buffer.from([...Buffer.from('{"title":"'), 0xed, 0xa0, 0x80, ...Buffer.from('","author":"y"}')]),
  ],
  ['half a character at the end', Buffer.from([...Buffer.from('{"title":"x","author":"y'), 0xe2, 0x82])],
  ['UTF-16', Buffer.from(`${start}}`, 'utf16le')],
]

test('what no body may have, on every write', async (t) => {
  for (const target of ['POST /books', 'PATCH /books/1', 'PUT /api/v1/books/1']) {
    const scenarios = refused.map(
      ([it, raw, says]): Scenario => ({ it, ask: target, send: { raw }, status: 400, says }),
    )
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
    {
      it: '32 levels are only of a wrong type',
      ask: 'POST /books',
      send: { raw: nested(31) },
      status: 400,
      error: 'year must be an integer',
    },
    {
      it: '2^53 - 1 is only too large a year',
      ask: 'POST /books',
      send: { raw: `${start},"year":9007199254740991}` },
      status: 400,
      says: 'year',
    },
    { it: 'no body on a create', ask: 'POST /books', status: 400, error: 'title and author required' },
    { it: 'an empty body', ask: 'POST /books', send: { raw: '' }, status: 400, error: 'title and author required' },
    { it: 'no body on a change', ask: 'PATCH /books/1', status: 400, error: 'The body is empty; send a JSON object' },
    { it: 'an empty body', ask: 'PATCH /books/1', send: { raw: '' }, status: 400, says: 'The body is empty' },
    { it: 'none on a replace', ask: 'PUT /api/v1/books/1', status: 400, error: 'title and author required' },
    { it: 'an empty object is a body', ask: 'PATCH /books/1', send: { raw: '{}' }, status: 200 },
    {
      it: 'a body on a read is not read',
      ask: 'DELETE /books/999',
      send: { raw: '{"a":' },
      status: 404,
      error: 'Not found',
    },
  ])
  await checkUntouched()
})

test('a body without fields of a resource refuses whole numbers beyond 2^53 too', async (t) => {
  const scenarios = ['9007199254740992', '[{"a":-9007199254740992}]', '1e20'].map((more): Scenario => {
    const raw = `{"email":"ann@example.com","password":"x","more":${more}}`
    const says = 'is beyond what a JSON number holds exactly'
    return { it: more, ask: 'POST /auth/login', send: { raw }, status: 400, says }
  })
  await check(t, service.ask, scenarios)
})
