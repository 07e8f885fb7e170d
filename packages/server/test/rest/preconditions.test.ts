/** ETags of lists and documents, links between pages, and writes that must name a version. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startService as startOf } from 'bindery-server/test'
import { anyone, defineResource, id, integer, text } from '../../src/index.ts'
import { resources, type TestService } from '../helpers/application.ts'

const counters = defineResource({
  name: 'tally',
  plural: 'tallies',
  path: '/tallies',
  fields: { id: id(), label: text({ required: true }), count: integer({ default: 0 }) },
  list: { style: 'page', sortable: ['label'], defaultSort: 'label' },
  access: { list: anyone, get: anyone, create: anyone, replace: anyone, update: anyone, delete: anyone },
  concurrency: 'required',
})

let own: TestService
before(async () => {
  own = await startOf([...resources, counters], { env: { CORS_ORIGINS: 'https://app.example' } })
  for (let i = 0; i < 7; i += 1) await own.ask('POST', '/shelves', { body: { label: `S${i}`, room: 'paged' } })
})
after(() => own.stop())

const linksOf = (headers: Headers) =>
  Object.fromEntries(
    [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, target, name]) => [name, target]),
  )

test('a list and a document that have not changed are 304 by their ETag, kept or made anew', async () => {
  const { ask } = own
  const { token } = await own.admin()
  const paths = ['/shelves', '/shelves?page=2&limit=3', '/api/v1/articles', '/api/v1/members?limit=2', '/openapi.json']
  const plain = { 'accept-encoding': 'identity' }
  for (const path of paths) {
    const first = await ask('GET', path, { token, headers: plain })
    const etag = first.headers.get('etag') as string
    assert.match(etag, /^"[\w-]{27}"$/, path)
    for (let i = 0; i < 3; i += 1) {
      const again = await ask('GET', path, { token, headers: { ...plain, 'if-none-match': `"other", ${etag}` } })
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], path)
      for (const name of ['cache-control', 'vary'])
        assert.equal(again.headers.get(name), first.headers.get(name), `${path} ${name}`)
      const full = await ask('GET', path, { token, headers: plain })
      assert.deepEqual([full.status, full.text, full.headers.get('etag')], [200, first.text, etag], path)
    }
  }
  const list = () => ask('GET', '/shelves?room=paged&limit=2')
  const known = [await list(), await list(), await list()].map(({ headers }) => headers.get('etag'))
  const made = await ask('POST', '/shelves', { body: { label: 'New', room: 'paged' } })
  const changed = await ask('GET', '/shelves?room=paged&limit=2', { headers: { 'if-none-match': known[2] as string } })
  assert.deepEqual([changed.status, changed.headers.get('x-total-count')], [200, '8'])
  await ask('DELETE', made.headers.get('location') as string)
})

test('the ETag and the headers of a page follow its total, where the page itself stays', async () => {
  const { ask } = own
  const path = '/api/v1/tallies?limit=1'
  await ask('POST', '/api/v1/tallies', { body: { label: 'a' } })
  let before = await ask('GET', path)
  for (let i = 0; i < 3; i += 1) before = await ask('GET', path)
  await ask('POST', '/api/v1/tallies', { body: { label: 'z' } })
  const later = await ask('GET', path, { headers: { 'if-none-match': before.headers.get('etag') as string } })
  assert.equal(later.status, 200)
  assert.deepEqual([later.body.meta.total, later.headers.get('x-total-count')], [2, '2'])
  assert.match(later.headers.get('link') ?? '', /page=2>; rel="last"/)
})

test('pages link to each other, without the credential of who asked', async () => {
  const { ask } = own
  const path = '/shelves?room=pag%65d&limit=3'
  const middle = await ask('GET', `${path}&page=2`)
  assert.deepEqual(linksOf(middle.headers), {
    first: `${path}&page=1`,
    prev: `${path}&page=1`,
    next: `${path}&page=3`,
    last: `${path}&page=3`,
  })
  assert.equal(middle.headers.get('x-total-count'), '7')
  assert.deepEqual(Object.keys(linksOf((await ask('GET', `${path}&page=3`)).headers)), ['first', 'prev', 'last'])
  assert.deepEqual(linksOf((await ask('GET', `${path}&page=9`)).headers).prev, `${path}&page=3`)
  const followed = await ask('GET', linksOf(middle.headers).next as string)
  assert.equal(followed.body.count, 1)
  const { token } = await own.admin()
  const key = await own.key(await own.admin())
  const secret = await ask('GET', `/api/v1/members?api_key=${key}&limit=1`)
  assert.equal(secret.status, 200)
  assert.ok(!(secret.headers.get('link') ?? 'bk_').includes('bk_'))
  await own.person()
  const walked = await ask('GET', '/api/v1/members?limit=1&cursor=', { token })
  const { next, ...others } = linksOf(walked.headers)
  assert.deepEqual([others, walked.headers.get('x-total-count')], [{}, null])
  assert.equal((await ask('GET', next as string, { token })).body.data.length, 1)
  const all = await ask('GET', '/shelves')
  assert.deepEqual([all.headers.get('link'), all.headers.get('x-total-count')], [null, null])
})

test('count=none counts no total, and its page still says whether there is a next one', async () => {
  const { ask } = own
  const headers = { prefer: 'count=none' }
  const { token } = await own.admin()
  await own.person()
  const first = await ask('GET', '/api/v1/members?limit=1', { token, headers })
  assert.deepEqual(first.body.meta, {
    page: 1,
    limit: 1,
    total: null,
    totalPages: null,
    hasNextPage: true,
    hasPrevPage: false,
  })
  assert.deepEqual([first.body.data.length, first.headers.get('x-total-count')], [1, null])
  assert.equal(first.headers.get('preference-applied'), 'count=none')
  assert.deepEqual(Object.keys(linksOf(first.headers)), ['first', 'next'])
  for (let i = 0; i < 3; i += 1) {
    assert.equal((await ask('GET', '/api/v1/members?limit=1', { token })).body.meta.total > 1, true)
    assert.equal((await ask('GET', '/api/v1/members?limit=1', { token, headers })).body.meta.total, null)
  }
})

test('a cache learns that a page depends on Prefer and on who asks, and of what does not it hears nothing', async () => {
  const { ask } = own
  const { token } = await own.admin()
  const variesBy = async (path: string, headers = {}) =>
    (await ask('GET', path, { token, headers: { 'accept-encoding': 'identity', ...headers } })).headers
      .get('vary')
      ?.replace(/^Origin(, )?/, '')
  const page = '/api/v1/members?limit=1'
  const byCaller = 'Authorization, X-API-Key'
  for (let i = 0; i < 3; i += 1) assert.equal(await variesBy(page), `Prefer, ${byCaller}`)
  assert.equal(await variesBy(page, { prefer: 'count=none' }), `Prefer, ${byCaller}`)
  assert.equal(await variesBy(page, { 'if-none-match': '*' }), `Prefer, ${byCaller}`)
  const body = { limit: 1 }
  const queried = await ask('QUERY', '/api/v1/members', { body, token })
  assert.equal(queried.headers.get('vary'), `Origin, Prefer, ${byCaller}`)
  assert.equal(await variesBy('/api/v1/members?limit=1&cursor='), byCaller)
  assert.equal(await variesBy('/api/v1/opinions?limit=1'), 'Prefer')
  assert.equal(await variesBy('/shelves/1'), '')
})

test('other origins may read these headers', async () => {
  const { headers } = await own.ask('GET', '/shelves?limit=1', { headers: { origin: 'https://app.example' } })
  const exposed = headers.get('access-control-expose-headers') ?? ''
  for (const name of ['Link', 'X-Total-Count', 'ETag', 'Preference-Applied', 'Idempotency-Replayed'])
    assert.ok(exposed.split(/, ?/).includes(name), name)
})

test('If-None-Match keeps a write from a record that there is', async () => {
  const { ask } = own
  const at = '/shelves/1'
  const body = { label: 'Again', room: 'b' }
  for (const none of ['*', '"1"', '"7", W/"1"'])
    assert.equal((await ask('PUT', at, { body, headers: { 'if-none-match': none } })).status, 412, none)
  assert.equal((await ask('PUT', '/shelves/99999', { body, headers: { 'if-none-match': '*' } })).status, 404)
  assert.equal((await ask('DELETE', at, { headers: { 'if-none-match': '*' } })).status, 412)
  assert.equal((await ask('PATCH', at, { body: {}, headers: { 'if-none-match': '"2"' } })).status, 200)
})

test('where a version is required, a write without one is 428 and changes nothing', async () => {
  const { ask } = own
  const made = await ask('POST', '/api/v1/tallies', { body: { label: 'versions' } })
  const at = made.headers.get('location') as string
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const { status, body } = await ask(method, at, { body: { label: 'b' } })
    assert.deepEqual([status, body], [428, { error: 'Name the version that you read, in If-Match' }])
  }
  const right = { headers: { 'if-match': made.headers.get('etag') as string } }
  assert.equal((await ask('PATCH', at, { body: { count: 1 }, ...right })).status, 200)
  assert.equal((await ask('PATCH', at, { body: { count: 2 }, ...right })).status, 412)
  assert.equal((await ask('DELETE', at, { headers: { 'if-match': '*' } })).status, 204)
})

test('GraphQL shows versions and takes them', async () => {
  const { ask } = own
  const run = async (query: string) => (await ask('POST', '/graphql', { body: { query } })).body
  const made = await run('mutation { createTally(input: { label: "graph" }) { id version } }')
  const { id, version } = made.data.createTally
  assert.equal(version, 1)
  const dry = await ask('POST', '/graphql', {
    body: { query: '{ tallies { data { id } } }' },
    headers: { prefer: 'dry-run' },
  })
  assert.deepEqual([dry.status, dry.body.errors[0].extensions.code], [400, 'BAD_USER_INPUT'])
  const unnamed = await run(`mutation { updateTally(id: "${id}", input: { count: 1 }) { version } }`)
  assert.equal(unnamed.errors[0].message, 'Name the version that you read, in the argument version')
  assert.equal(unnamed.errors[0].extensions.code, 'PRECONDITION_REQUIRED')
  const update = `mutation { updateTally(id: "${id}", input: { count: 1 }, version: 1) { version count } }`
  assert.deepEqual((await run(update)).data.updateTally, { version: 2, count: 1 })
  assert.equal((await run(update)).errors[0].extensions.code, 'PRECONDITION_FAILED')
  const { data } = await run('{ tallies { data { label version } } }')
  assert.ok(data.tallies.data.some((one: object) => JSON.stringify(one) === '{"label":"graph","version":2}'))
  assert.ok((await run(`mutation { deleteTally(id: "${id}", version: 1) { id } }`)).errors)
  const deleted = await run(`mutation { deleteTally(id: "${id}", version: 2) { id version } }`)
  assert.equal(deleted.data.deleteTally.version, 2)
})

test('two hundred who read, add one and write by the version that they read lose nothing', async () => {
  const { ask } = own
  const made = await Promise.all(
    ['a', 'b', 'c', 'd'].map((label) => ask('POST', '/api/v1/tallies', { body: { label: `counted ${label}` } })),
  )
  const places = made.map(({ headers }) => headers.get('location') as string)
  let refused = 0
  const add = async (at: string) => {
    for (;;) {
      const read = await ask('GET', at)
      const headers = { 'if-match': read.headers.get('etag') as string }
      const { status } = await ask('PATCH', at, { body: { count: read.body.count + 1 }, headers })
      if (status === 200) return
      assert.ok(status === 412 || status === 503, `${status}`)
      refused += 1
    }
  }
  const worker = async (at: string) => {
    for (let i = 0; i < 25; i += 1) await add(at)
  }
  await Promise.all(Array.from({ length: 8 }, (_, i) => worker(places[i % 4] as string)))
  for (const at of places) assert.equal((await ask('GET', at)).body.count, 50)
  assert.ok(refused > 0)
})
