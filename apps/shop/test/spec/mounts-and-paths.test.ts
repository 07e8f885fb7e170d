/** Both mounts of the API, the spelling of paths, methods, and values that cannot be ids. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { check, checkReply, startService, type TestService } from '../helpers/service.ts'

let service: TestService
const uuid = '01926e0f-0000-7000-8000-000000000000'

before(async () => {
  service = await startService()
  const { ask } = service
  await ask('POST', '/books', { body: { title: 'Emma', author: 'Jane Austen', year: 1815 } })
})
after(() => service.stop())

test('the same resource at both mounts', async (t) => {
  const emma = { id: 1, title: 'Emma', author: 'Jane Austen', year: 1815 }
  await check(t, service.ask, [
    { it: 'books at the root', ask: 'GET /books', status: 200, body: { data: [emma], count: 1 } },
    { it: 'books under the prefix', ask: 'GET /api/v1/books', status: 200, body: { data: [emma], count: 1 } },
    { it: 'one book at the root', ask: 'GET /books/1', status: 200, body: emma },
    { it: 'one book under the prefix', ask: 'GET /api/v1/books/1', status: 200, body: emma },
    { it: 'messages at the root are guarded', ask: 'GET /messages', status: 401, error: 'Token required' },
    { it: 'and under the prefix', ask: 'GET /api/v1/messages', status: 401, error: 'Token required' },
    { it: 'login at the root', ask: 'POST /auth/login', send: { body: {} }, status: 400 },
    { it: 'login under the prefix', ask: 'POST /api/v1/auth/login', send: { body: {} }, status: 400 },
    { it: 'refresh', ask: 'POST /auth/refresh', status: 401, error: 'Invalid refresh token' },
    { it: 'refresh', ask: 'POST /api/v1/auth/refresh', status: 401, error: 'Invalid refresh token' },
    { it: 'refresh', ask: 'POST /api/v1/auth/refresh-token', status: 401, error: 'Invalid refresh token' },
    { it: 'logout', ask: 'POST /auth/logout', status: 204 },
    { it: 'logout', ask: 'POST /api/v1/auth/logout', status: 204 },
    { it: 'health', ask: 'GET /livez', status: 200 },
    { it: 'readiness', ask: 'GET /readyz', status: 200 },
    { it: 'health is at the root alone', ask: 'GET /api/v1/livez', status: 404, error: 'Not found' },
    {
      it: 'graphql is at the root alone',
      ask: 'POST /api/v1/graphql',
      send: { body: {} },
      status: 404,
      error: 'Not found',
    },
    { it: 'products are not at the root', ask: 'GET /products', status: 404, error: 'Not found' },
    { it: 'nor are users', ask: 'GET /users', status: 404, error: 'Not found' },
    { it: 'nor is the other name of refresh', ask: 'POST /auth/refresh-token', status: 404, error: 'Not found' },
  ])
})

test('Location names the mount that was called', async () => {
  const { ask } = service
  for (const mount of ['', '/api/v1']) {
    const made = await ask('POST', `${mount}/books`, { body: { title: 'Walden', author: 'Thoreau' } })
    assert.equal(made.headers.get('location'), `${mount}/books/${made.body.id}`)
    const read = await ask('GET', made.headers.get('location') ?? '')
    assert.deepEqual(read.body, made.body)
    checkReply({ status: 204 }, await ask('DELETE', made.headers.get('location') ?? ''))
  }
})

test('paths are taken to the letter', async (t) => {
  const unknown = [
    ...[
      '/books/',
      '/books/1/',
      '/Books',
      '/BOOKS/1',
      '//books',
      '/books//',
      '/api/v1/books/',
      '/api/v1/Books',
      '/API/v1/books',
    ],
    ...[
      '/api/v1',
      '/api/v1/',
      '/api/v2/books',
      '/api/books',
      '/v1/books',
      '/nothing',
      '/books/1/author',
      '/books/1/2/3/4',
    ],
    ...['/api/v1/products/', `/api/v1/products/${uuid}/reviews/`, `/api/v1/users/${uuid}/cart/items/${uuid}/more`],
    ...[
      '/api/v1/refresh-tokens',
      '/api/v1/cart-items',
      '/api/v1/order-items',
      '/api/v1/carts',
      '/auth',
      '/auth/',
      '/auth/login/',
    ],
  ]
  const methods = ['GET', 'POST', 'DELETE', 'OPTIONS']
  const scenarios = unknown.flatMap((path) =>
    methods.map((method) => ({ it: 'unknown', ask: `${method} ${path}`, status: 404, error: 'Not found' })),
  )
  await check(t, service.ask, scenarios)
})

test('an id that cannot be one names no record', async (t) => {
  const ids = [
    'abc',
    '1.0',
    '1.5',
    '-1',
    '+1',
    '1e0',
    '0x1',
    '0',
    '%20',
    '1%20',
    '%201',
    '%00',
    '1%00',
    '%2F',
    '..%2F1',
    '9'.repeat(15),
  ]
  const more = [
    '9'.repeat(16),
    '9'.repeat(400),
    '%D9%A1',
    '1;2',
    '1,2',
    'null',
    'undefined',
    'NaN',
    'true',
    '__proto__',
    'constructor',
    "1'--",
  ]
  const books = [...ids, ...more].flatMap((id) => [
    { it: 'read', ask: `GET /books/${id}`, status: 404, error: 'Book not found' },
    { it: 'update', ask: `PATCH /books/${id}`, send: { body: { title: 'x' } }, status: 404, error: 'Book not found' },
    { it: 'delete', ask: `DELETE /api/v1/books/${id}`, status: 404, error: 'Not found' },
  ])
  const uuids = ['abc', '1', uuid, `${uuid}0`, uuid.replaceAll('-', ''), `{${uuid}}`, '%00', 'import%00', '__proto__']
  const products = uuids.flatMap((id) => [
    { it: 'read', ask: `GET /api/v1/products/${id}`, status: 404, error: 'Product not found' },
    { it: 'reviews', ask: `GET /api/v1/products/${id}/reviews`, status: 404, error: 'Product not found' },
    { it: 'post', ask: `GET /api/v1/posts/${id}`, status: 404, error: 'Post not found' },
  ])
  await check(t, service.ask, [...books, ...products])
})

test('a book is found by the number in the path', async (t) => {
  await check(t, service.ask, [
    { it: 'zeros before it', ask: 'GET /books/01', status: 200, says: '"id":1,' },
    { it: 'many zeros', ask: 'GET /books/0000000001', status: 200, says: '"id":1,' },
    { it: 'many more zeros', ask: `GET /books/${'0'.repeat(40)}1`, status: 200, says: '"id":1,' },
    { it: 'an escaped digit', ask: 'GET /books/%31', status: 200, says: '"id":1,' },
    { it: 'an escaped path', ask: 'GET /%62ooks/1', status: 200, says: '"id":1,' },
  ])
})

test('a malformed escape is refused', async (t) => {
  const paths = [
    '/books/%',
    '/books/%z',
    '/books/%zz',
    '/books/1%',
    '/books/%E0%A4',
    '/books/%FF',
    '/%',
    '/nothing/%zz',
    '/api/v1/products/%C3%28',
  ]
  await check(
    t,
    service.ask,
    paths.map((path) => ({ it: 'path', ask: `GET ${path}`, status: 400 })),
  )
  const queries = ['author=%', 'author=%zz', '%zz=1', 'author=%FF', 'author=%ED%A0%80', 'author=%00']
  await check(
    t,
    service.ask,
    queries.map((query) => ({ it: 'query', ask: `GET /books?${query}`, status: 400 })),
  )
})

test('another method of a known path', async (t) => {
  const { ask } = service
  const cases: [string, string, string[]][] = [
    ['/books', 'PUT', ['GET', 'QUERY', 'HEAD', 'POST', 'OPTIONS']],
    ['/books', 'DELETE', ['GET', 'QUERY', 'HEAD', 'POST', 'OPTIONS']],
    ['/books/1', 'POST', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/books/abc', 'POST', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/api/v1/products', 'PUT', ['GET', 'QUERY', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/messages', 'PUT', ['GET', 'QUERY', 'HEAD', 'POST', 'OPTIONS']],
    [`/messages/${uuid}`, 'PATCH', ['GET', 'HEAD', 'DELETE', 'OPTIONS']],
    [`/api/v1/orders/${uuid}`, 'DELETE', ['GET', 'HEAD', 'OPTIONS']],
    [`/api/v1/orders/${uuid}/cancel`, 'GET', ['POST', 'OPTIONS']],
    [`/api/v1/users/${uuid}/cart/checkout`, 'GET', ['POST', 'OPTIONS']],
    [`/api/v1/users/${uuid}/orders`, 'POST', ['GET', 'QUERY', 'HEAD', 'OPTIONS']],
    ['/auth/login', 'GET', ['POST', 'OPTIONS']],
    ['/api/v1/auth/refresh-token', 'GET', ['POST', 'OPTIONS']],
    ['/livez', 'POST', ['GET', 'HEAD', 'OPTIONS']],
    ['/books', 'PROPFIND', ['GET', 'QUERY', 'HEAD', 'POST', 'OPTIONS']],
  ]
  const sorted = (text: string | null) => (text ?? '').split(', ').toSorted()
  for (const [path, method, allow] of cases) {
    await t.test(`${method} ${path}`, async () => {
      const refused = await ask(method, path)
      checkReply({ status: 405 }, refused)
      assert.deepEqual(sorted(refused.headers.get('allow')), allow.toSorted())
      const options = await ask('OPTIONS', path)
      assert.equal(options.status, 204)
      assert.equal(options.text, '')
      assert.deepEqual(sorted(options.headers.get('allow')), allow.toSorted())
    })
  }
})

test('HEAD is GET without its body', async () => {
  const { ask } = service
  for (const path of [
    '/books',
    '/books/1',
    '/books/9999',
    '/api/v1/products',
    '/messages',
    '/livez',
    '/nothing',
    '/books?bad=1',
  ]) {
    const get = await ask('GET', path)
    const head = await ask('HEAD', path)
    assert.equal(head.status, get.status, path)
    assert.equal(head.text, '')
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
    assert.equal(head.headers.get('etag'), get.headers.get('etag'))
    const length = head.headers.get('content-length')
    if (length !== null) assert.equal(length, String(Buffer.byteLength(get.text)), path)
  }
})
