/** Batches: one transaction, each operation with the same result as alone, all of them or none. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService, type TestPerson, type TestService } from '../helpers/application.ts'

let own: TestService
let editor: TestPerson
before(async () => {
  own = await startService({ RATE_LIMIT: '500/1m' })
  editor = await own.person('EDITOR')
})
after(() => own.stop())

const batch = (operations: unknown, more: { token?: string; headers?: Record<string, string> } = {}) =>
  own.ask('POST', '/api/v1/batch', { body: { operations }, ...more })
const countOf = async (room: string) => (await own.ask('GET', `/shelves?room=${room}`)).body.count

test('later operations see and name what earlier ones wrote, and the answer has each result in its order', async () => {
  const { token } = editor
  const { status, body } = await batch(
    [
      { id: 'a', method: 'POST', path: '/articles', body: { title: 'One', published: true } },
      { method: 'PATCH', path: '/articles/{a}', headers: { 'If-Match': '"1"' }, body: { title: 'Two' } },
      { id: 's', method: 'POST', path: '/api/v1/shelves', body: { label: '{a}', room: 'batch' } },
      { method: 'GET', path: '/articles/{a}?fields=title' },
      { method: 'DELETE', path: '/shelves/{s}' },
    ],
    { token },
  )
  assert.equal(status, 200)
  const [made, changed, shelf, read, gone] = body.data
  assert.deepEqual([made.id, made.status, made.body.title, made.headers.ETag], ['a', 201, 'One', '"1"'])
  assert.equal(made.headers.Location, `/api/v1/articles/${made.body.id}`)
  assert.equal(made.body.authorId, editor.id)
  assert.deepEqual([changed.status, changed.body.title, changed.headers.ETag], [200, 'Two', '"2"'])
  assert.equal(shelf.body.label, '{a}')
  assert.deepEqual(read, { status: 200, headers: { ETag: '"2"' }, body: { id: made.body.id, title: 'Two' } })
  assert.deepEqual(gone, { status: 204, headers: {} })
  assert.equal(await countOf('batch'), 0)
})

test('a reference in a body is a whole value and nothing else', async () => {
  const { token } = await own.admin()
  const { id } = await own.person()
  const reply = await batch(
    [
      { id: 'who', method: 'GET', path: `/members/${id}` },
      {
        id: 'made',
        method: 'POST',
        path: '/articles',
        body: { title: { $id: 'who' }, body: '{"$id":"who"}', tags: ['{who}'] },
      },
    ],
    { token },
  )
  assert.equal(reply.status, 200)
  const { title, body, tags } = reply.body.data[1].body
  assert.deepEqual([title, body, tags], [id, '{"$id":"who"}', ['{who}']])
  const unknown = await batch([{ method: 'POST', path: '/articles', body: { title: { $id: 'made' } } }], { token })
  assert.deepEqual(
    [unknown.status, unknown.body.error],
    [400, 'operations[0]: no operation before this one has a record and the id made; nothing was stored'],
  )
})

test('one that fails undoes all, and is named', async () => {
  const first = { id: 'x', method: 'POST', path: '/shelves', body: { label: 'Undone', room: 'undone' } }
  const cases: [object, number, RegExp][] = [
    [
      { method: 'POST', path: '/shelves', body: { label: '' } },
      400,
      /^operations\[1\]: label and room required; nothing was stored$/,
    ],
    [
      { id: 'gone', method: 'DELETE', path: '/shelves/99999' },
      404,
      /^operations\[1\] \(gone\): No such shelf; nothing was stored$/,
    ],
    [{ method: 'POST', path: '/articles', body: { title: 'A' } }, 401, /^operations\[1\]: Token required/],
    [{ method: 'PATCH', path: '/shelves/{x}', headers: { 'if-match': '"7"' }, body: {} }, 412, /^operations\[1\]/],
    [{ method: 'PUT', path: '/nothing/1' }, 400, /^operations\[1\]: there is no PUT \/nothing\/1/],
    [{ method: 'GET', path: '/shelves' }, 400, /^operations\[1\]: list is not possible in a batch/],
    [
      { method: 'POST', path: '/members', body: { email: 'a@example.com', password: 'x' } },
      400,
      /^operations\[1\]: create of members is not possible in a batch; send it alone/,
    ],
    [{ method: 'POST', path: '/auth/login', body: {} }, 400, /^operations\[1\]: there is no POST \/auth\/login/],
    [
      { method: 'DELETE', path: '/shelves/{x}?api_key=bk_1' },
      400,
      /^operations\[1\]: an operation takes no credential/,
    ],
    [{ method: 'DELETE', path: '/shelves/%7Bx%7D' }, 404, /^operations\[1\]: No such shelf/],
  ]
  for (const [second, status, error] of cases) {
    const reply = await batch([first, second])
    assert.deepEqual([reply.status, error.test(reply.body.error)], [status, true], reply.text)
  }
  assert.equal(await countOf('undone'), 0)
  const { token } = await own.person()
  const foreign = await batch([first, { method: 'PATCH', path: `/members/${editor.id}`, body: { name: 'Mine' } }], {
    token,
  })
  assert.equal(foreign.status, 400)
  const barring = await batch([first, { method: 'POST', path: `/members/${editor.id}/bar` }], { token })
  assert.deepEqual([barring.status, await countOf('undone')], [403, 0])
})

test('a unique key that is taken undoes all, on whichever of the two', async () => {
  const { token } = await own.admin()
  const { token: reader } = await own.person()
  const editions = Array.from({ length: 2 }, (_, i) => ({
    id: `e${i}`,
    method: 'POST',
    path: '/editions',
    body: { title: `Unique ${i}`, price: 1 },
  }))
  const made = await batch(editions, { token: editor.token })
  assert.equal(made.status, 200, made.text)
  const { id } = made.body.data[0].body
  const opinion = { method: 'POST', path: `/editions/${id}/opinions`, body: { stars: 5 } }
  const twice = await batch([opinion, opinion], { token: reader })
  assert.equal(twice.status, 409, twice.text)
  assert.match(twice.body.error, /^operations\[1\]/)
  assert.equal((await own.ask('GET', `/api/v1/editions/${id}/opinions`, { token })).body.meta.total, 0)
  assert.equal((await batch([opinion], { token: reader })).status, 200)
})

test('what is no batch is refused before anything is done', async () => {
  const one = { method: 'POST', path: '/shelves', body: { label: 'No', room: 'none' } }
  const cases: [unknown, RegExp][] = [
    [undefined, /operations must be a list of 1 to 100/],
    [[], /operations must be a list of 1 to 100/],
    [Array.from({ length: 101 }, () => one), /operations must be a list of 1 to 100/],
    [[one, 5], /operations\[1\] must be an object/],
    [[one, { ...one, verb: 'x' }], /operations\[1\] has no member verb/],
    [[one, { ...one, path: 'shelves' }], /operations\[1\].path must be a path/],
    [[one, { ...one, id: 'a b' }], /operations\[1\].id must be/],
    [
      [
        { ...one, id: 'a' },
        { ...one, id: 'a' },
      ],
      /operations\[1\].id is the id of an operation before it/,
    ],
    [[one, { ...one, headers: { Authorization: 'Bearer x' } }], /operations\[1\].headers takes If-Match/],
  ]
  for (const [operations, error] of cases) {
    const { status, body } = await batch(operations)
    assert.equal(status, 400)
    assert.match(body.error, error)
  }
  assert.equal(await countOf('none'), 0)
})

test('a read with the version that is known says so; what names a version for all of them is refused', async () => {
  const { body: shelf } = await own.ask('POST', '/shelves', { body: { label: 'Known', room: 'known' } })
  const read = { method: 'GET', path: `/shelves/${shelf.id}` }
  const { headers: known } = await own.ask('GET', read.path)
  const etag = known.get('etag') as string
  const { status, body } = await batch([
    { ...read, headers: { 'If-None-Match': `"99", ${etag}` } },
    { ...read, headers: { 'If-None-Match': '"99"' } },
  ])
  assert.equal(status, 200)
  assert.deepEqual(body.data[0], { status: 304, headers: { ETag: etag } })
  assert.deepEqual([body.data[1].status, body.data[1].body.id], [200, shelf.id])
  for (const name of ['if-match', 'if-none-match']) {
    const refused = await batch([read], { headers: { [name]: etag } })
    assert.deepEqual([refused.status, /send them with the operations/.test(refused.body.error)], [400, true])
  }
})

test('a dry run says all that would happen; a retry with the same key has the same answer', async () => {
  const operations = Array.from({ length: 100 }, (_, i) => ({
    method: 'POST',
    path: '/shelves',
    body: { label: `Shelf ${i}`, room: 'keyed' },
  }))
  const dry = await batch(operations, { headers: { prefer: 'dry-run' } })
  assert.deepEqual([dry.status, dry.body.data.length, await countOf('keyed')], [200, 100, 0])
  assert.equal(dry.headers.get('preference-applied'), 'dry-run')
  const headers = { 'idempotency-key': 'batch-1' }
  const [first, again] = [await batch(operations, { headers }), await batch(operations, { headers })]
  assert.deepEqual([first.status, again.status, again.text], [200, 200, first.text])
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.equal(await countOf('keyed'), 100)
  assert.equal((await batch(operations.slice(1), { headers })).status, 422)
})

test('each operation counts towards the rate', async () => {
  const { token } = await own.person()
  const reads = Array.from({ length: 100 }, () => ({ method: 'GET', path: '/shelves/1' }))
  const statuses: number[] = []
  for (let i = 0; i < 6; i += 1) statuses.push((await batch(reads, { token })).status)
  assert.deepEqual(new Set(statuses.slice(0, 4)).size, 1)
  assert.equal(statuses.at(-1), 429)
})

test('QUERY asks for a list by a body, and for nothing else', async () => {
  const { ask } = own
  const { token } = await own.admin()
  const body = { room: 'keyed', page: 2, limit: 30, sort: ['-label', 'id'], fields: ['label'] }
  const asked = await ask('QUERY', '/shelves', { body })
  const got = await ask('GET', '/shelves?room=keyed&page=2&limit=30&sort=-label,id&fields=label')
  assert.deepEqual([asked.status, asked.text], [200, got.text])
  assert.equal(asked.headers.get('etag'), got.headers.get('etag'))
  const known = await ask('QUERY', '/shelves', {
    body,
    headers: { 'if-none-match': got.headers.get('etag') as string },
  })
  assert.equal(known.status, 304)
  const between = { createdAt: { gte: '2000-01-01T00:00:00Z' }, role: { in: ['ADMIN', 'EDITOR'] }, limit: 1 }
  assert.equal((await ask('QUERY', '/api/v1/members', { body: between, token })).status, 200)
  assert.equal((await ask('QUERY', '/api/v1/members', { body: between })).status, 401)
  assert.equal((await ask('QUERY', '/shelves?room=keyed&limit=1')).body.count, 1)
  const refused: [unknown, RegExp][] = [
    [{ rom: 'a' }, /Unknown query parameter rom/],
    [{ room: null }, /room must be a string/],
    [{ sort: ['a,b'] }, /must not have a comma/],
    [['room'], /must be a JSON object/],
    [{ room: 'keyed', api_key: 'bk_wrong' }, /api_key does not go into the body/],
  ]
  for (const [wrong, error] of refused) {
    const reply = await ask('QUERY', '/shelves', { body: wrong })
    assert.deepEqual([reply.status, error.test(reply.body.error)], [400, true], reply.text)
  }
  assert.equal((await ask('QUERY', '/shelves?room=a', { body: { room: 'b' } })).status, 400)
  const unread = await ask('QUERY', '/shelves', { raw: 'room=a', type: 'text/plain' })
  assert.deepEqual([unread.status, unread.headers.get('accept-query')], [415, 'application/json'])
  const options = async (path: string) => (await ask('OPTIONS', path)).headers.get('accept-query')
  assert.deepEqual([await options('/shelves'), await options('/shelves/1')], ['application/json', null])
  for (const path of ['/shelves/1', '/api/v1/batch', '/auth/login', '/openapi.json'])
    assert.equal((await ask('QUERY', path, { body: {} })).status, 405, path)
})
