/**
 * Problem details (RFC 9457) for clients that ask for them, for every kind of error; other clients
 * get the plain form unchanged.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { errorCodes } from '../../src/errors.ts'
import {
  type AskOptions,
  checkRefusal,
  startService,
  type TestResponse,
  type TestService,
} from '../helpers/application.ts'
import { exchange } from '../helpers/wire.ts'

const problem = 'application/problem+json'
const limit = 150
let service: TestService
let editor: string
before(async () => {
  service = await startService({ RATE_LIMIT: `${limit}/1h`, CORS_ORIGINS: 'https://app.example' })
  editor = (await service.person('EDITOR')).token
})
after(() => service.stop())

function askAs(accept: string | undefined, line: string, options: AskOptions = {}): Promise<TestResponse> {
  const [method = '', path = ''] = line.split(' ')
  return service.ask(method, path, { ...options, headers: { ...options.headers, ...(accept && { accept }) } })
}

function checkProblem(reply: TestResponse, code: keyof typeof errorCodes): void {
  const { status, title } = errorCodes[code]
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.headers.get('content-type'), problem)
  assert.match(reply.headers.get('vary') ?? '', /^(Origin, )?Accept$/)
  assert.equal(reply.headers.get('cache-control'), 'no-store')
  const { type, detail, requestId, ...rest } = reply.body
  assert.equal(type, `/errors#${code}`)
  assert.equal(requestId, reply.headers.get('x-request-id'))
  assert.equal(typeof detail, 'string')
  assert.deepEqual({ title: rest.title, status: rest.status, code: rest.code }, { title, status, code })
  assert.equal('error' in rest, false)
}

test('every refusal is a problem where one is asked for, with the sentence and the headers of the plain form', async () => {
  const raw = 'x'.repeat(1_048_577)
  const key = 'bk_nobody'
  const refusals: readonly (readonly [string, keyof typeof errorCodes, AskOptions?])[] = [
    ['GET /nothing', 'not-found'],
    ['GET /api/v1/editions/nothing', 'not-found'],
    ['GET /api/v1/%zz', 'bad-request'],
    ['GET /api/v1/editions?colour=red', 'bad-request'],
    ['GET /api/v1/loans', 'unauthenticated'],
    ['GET /api/v1/editions', 'unauthenticated', { token: 'bad' }],
    ['GET /api/v1/editions/export', 'unauthenticated', { key }],
    ['GET /api/v1/members', 'forbidden', { token: editor }],
    ['POST /api/v1/nothing', 'not-found', { body: {} }],
    ['DELETE /shelves', 'method-not-allowed'],
    ['DELETE /graphql', 'method-not-allowed'],
    ['POST /shelves', 'too-large', { raw }],
    ['POST /shelves', 'unsupported-media-type', { raw: 'a', type: 'text/plain' }],
    ['POST /shelves', 'bad-request', { raw: '{' }],
    ['POST /shelves', 'bad-request', { raw: '' }],
    ['POST /auth/login', 'bad-request', { body: {} }],
    ['POST /auth/login', 'unauthenticated', { body: { email: 'a@b.example', password: 'x' } }],
    [`GET /shelves?${'x'.repeat(9000)}`, 'uri-too-long'],
  ]
  for (const [line, code, options] of refusals) {
    const asked = await askAs(problem, line, options)
    checkProblem(asked, code)
    const plain = await askAs(undefined, line, options)
    checkRefusal(plain)
    assert.deepEqual([plain.status, plain.body.error], [asked.status, asked.body.detail], line)
    for (const name of ['allow', 'www-authenticate', 'retry-after'])
      assert.equal(asked.headers.get(name), plain.headers.get(name), `${line} ${name}`)
  }
})

test('it is asked for alone or among others, and accepts JSON', async () => {
  const yes = [problem, `text/html, ${problem}`, `application/json, ${problem};q=0.1`, 'APPLICATION/Problem+JSON']
  for (const accept of yes) {
    assert.equal((await askAs(accept, 'GET /shelves')).status, 200, accept)
    checkProblem(await askAs(accept, 'GET /shelves/99'), 'not-found')
  }
  for (const accept of ['*/*', 'application/json', `${problem};q=0, */*`, 'application/*', '']) {
    const reply = await askAs(accept, 'GET /shelves/99')
    assert.deepEqual([reply.status, reply.text], [404, '{"error":"Shelf not found"}'], accept)
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json; charset=utf-8$/)
  }
  checkRefusal(await askAs(`${problem};q=0`, 'GET /shelves'))
  checkProblem(await askAs(`${problem}, application/json;q=0`, 'GET /shelves'), 'not-acceptable')
})

test('all mistakes of a body are listed, and the sentence is the first one, as in the plain form', async () => {
  const full = { title: 3, price: 'x', colour: 1, 'a/b~c': 2, copies: -1, id: '1', shelfId: 'none' }
  const shelf = { label: '', since: 'long ago' }
  const { body: edition } = await service.ask('POST', '/api/v1/editions', {
    token: editor,
    body: { title: 'One', price: 1 },
  })
  const path = `/api/v1/editions/${edition.id}`
  const bodies: readonly (readonly [string, unknown, string, readonly string[]])[] = [
    [
      'POST /api/v1/editions',
      full,
      'title must be a string',
      [
        '#/title title must be a string',
        '#/price price must be a number',
        '#/colour Unknown field colour',
        '#/a~1b~0c Unknown field a/b~c',
        '#/copies copies must be at least 0',
        '#/id id is read-only',
        '#/shelfId shelfId must be an integer',
      ],
    ],
    [
      'POST /shelves',
      shelf,
      'label and room required',
      ['#/label label is required', '#/room room is required', '#/since since must be an integer'],
    ],
    [
      `PATCH ${path}`,
      { createdAt: '2020-01-01T00:00:00Z', id: 'another' },
      'createdAt is read-only',
      ['#/createdAt createdAt is read-only', '#/id id is read-only'],
    ],
    [
      `PATCH ${path}`,
      { shelfId: 99 },
      'shelfId refers to no shelf that exists',
      ['#/shelfId shelfId refers to no shelf that exists'],
    ],
    ['POST /auth/login', { email: 'a@b.example' }, 'email and password required', ['#/password password is required']],
    ['POST /auth/login', { email: 1 }, 'email must be a string', ['#/email email must be a string']],
  ]
  for (const [line, body, sentence, expected] of bodies) {
    const reply = await askAs(problem, line, { token: editor, body })
    checkProblem(reply, 'bad-request')
    assert.equal(reply.body.detail, sentence)
    const listed = reply.body.errors.map((one: { pointer: string; detail: string }) => `${one.pointer} ${one.detail}`)
    assert.deepEqual(listed, expected)
    assert.deepEqual((await askAs(undefined, line, { token: editor, body })).body, { error: sentence })
  }
})

test('a list of mistakes ends, a taken value names its field, a parameter is called one, roles are named', async () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, i]))
  const long = await askAs(problem, 'POST /shelves', { body: { label: 'a', room: 'b', ...many } })
  assert.equal(long.body.errors.length, 100)
  const body = { title: 'Two', price: 1, isbn: '1' }
  await service.ask('POST', '/api/v1/editions', { token: editor, body })
  const taken = await askAs(problem, 'POST /api/v1/editions', { token: editor, body })
  checkProblem(taken, 'conflict')
  assert.deepEqual(taken.body.errors, [{ pointer: '#/isbn', detail: 'isbn must be unique' }])
  const filter = await askAs(problem, 'GET /api/v1/editions?price[gt]=much')
  assert.deepEqual(filter.body.errors, [{ parameter: 'price[gt]', detail: filter.body.detail }])
  const refused = await askAs(problem, 'GET /api/v1/members', { token: editor })
  assert.deepEqual(refused.body.requiredRoles, ['ADMIN'])
  // A field that the caller may not read does not exist in any list of mistakes either.
  const hidden = await askAs(problem, 'GET /api/v1/editions?cost[gt]=much')
  assert.equal(
    hidden.body.detail,
    (await askAs(problem, 'GET /api/v1/editions?zost[gt]=much')).body.detail.replace('zost', 'cost'),
  )
})

test('kept answers are for everybody, and errors vary by the origin too', async () => {
  for (let i = 0; i < 4; i += 1) {
    for (const accept of [problem, 'application/json']) {
      const reply = await askAs(accept, 'GET /api/v1/editions?sort=title')
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(reply.body.success, true)
    }
  }
  const reply = await askAs(problem, 'GET /nothing', { headers: { origin: 'https://app.example' } })
  assert.equal(reply.headers.get('access-control-allow-origin'), 'https://app.example')
  assert.equal(reply.headers.get('vary'), 'Origin, Accept')
})

test('what the HTTP parser refuses is a problem where the head of the request was read', async () => {
  const head = `Host: a\r\nAccept: ${problem}\r\n`
  const chunk = `POST /shelves HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`
  for (const text of [
    chunk,
    `CONNECT a:1 HTTP/1.1\r\n${head}\r\n`,
    `GET /shelves HTTP/1.1\r\nAccept: ${problem}\r\n\r\n`,
  ]) {
    const { headers, body } = await exchange(service.url, text)
    assert.equal(headers['content-type'], problem, text)
    assert.match(JSON.parse(body).type, /^\/errors#/)
  }
})

test('the type of each problem leads to its place on a page', async () => {
  const { status, headers, text } = await service.ask('GET', '/errors')
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/html/)
  for (const code of Object.keys(errorCodes)) assert.ok(text.includes(`id="${code}"`), code)
})

test('too many requests, at last', async () => {
  let reply = await askAs(problem, 'GET /shelves')
  for (let i = 0; i < limit && reply.status === 200; i += 1) reply = await askAs(problem, 'GET /shelves')
  checkProblem(reply, 'too-many-requests')
  assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
})
