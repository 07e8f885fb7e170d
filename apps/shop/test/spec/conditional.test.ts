/**
 * Versions as ETags: a conditional write is refused after another write has changed the record; a
 * read of an unchanged version is 304.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkReply, startService, type TestPerson, type TestService } from '../helpers/service.ts'

let service: TestService
let editor: TestPerson
const at = '/api/v1/products'

before(async () => {
  service = await startService()
  editor = await service.person('EDITOR')
})
after(() => service.stop())

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return service.ask(method, path, { body, headers, token: editor.token })
}

test('the version counts every write, starts at 1 and is in no body', async () => {
  const { ask } = service
  const made = await ask('POST', '/books', { body: { title: 'x', author: 'y', year: 1 } })
  const path = `/books/${made.body.id}`
  assert.equal(made.headers.get('etag'), '"1"')
  const etags: (string | null)[] = []
  for (const [method, body] of [
    ['PATCH', { year: 2 }],
    ['PATCH', { year: 2 }],
    ['PUT', { title: 'x', author: 'y' }],
    ['GET', undefined],
  ] as const) {
    const reply = await ask(method, path, { body })
    etags.push(reply.headers.get('etag'))
    assert.equal(reply.body.version, undefined)
  }
  assert.deepEqual(etags, ['"2"', '"3"', '"4"', '"4"'])
  await ask('PATCH', path, { body: { title: '' } })
  assert.equal((await ask('GET', path)).headers.get('etag'), '"4"', 'a refused write counts nothing')
  assert.equal((await ask('GET', `/api/v1${path}`)).headers.get('etag'), '"4"')
})

test('a lost update is refused with 412 and changes nothing', async () => {
  const { body: made } = await send('POST', at, { name: 'Shared', price: 1 })
  const path = `${at}/${made.id}`
  const [first, second] = await Promise.all([
    send('PATCH', path, { price: 2 }, { 'if-match': '"1"' }),
    send('PATCH', path, { price: 3 }, { 'if-match': '"1"' }),
  ])
  assert.deepEqual([first.status, second.status].toSorted(), [200, 412])
  const now = await service.ask('GET', path)
  assert.equal(now.headers.get('etag'), '"2"')
  assert.equal(now.body.price, first.status === 200 ? 2 : 3)
  for (const match of ['"1"', '"3"', '"x"', '""', '"1", "3"', '2', '"02"', '"-2"', '"2.0"', 'garbage']) {
    for (const [method, body] of [
      ['PATCH', { price: 9 }],
      ['PUT', { name: 'Shared', price: 9 }],
      ['DELETE', undefined],
    ] as const) {
      checkReply({ status: 412 }, await send(method, path, body, { 'if-match': match }))
    }
  }
  assert.deepEqual((await service.ask('GET', path)).body, now.body)
  checkReply({ status: 200 }, await send('PATCH', path, { price: 4 }, { 'if-match': '"2"' }))
  checkReply({ status: 200 }, await send('PATCH', path, { price: 5 }, { 'if-match': '"9", "3"' }))
  checkReply({ status: 200 }, await send('PUT', path, { name: 'Shared', price: 6 }, { 'if-match': '*' }))
  checkReply({ status: 400 }, await send('PATCH', path, { price: -1 }, { 'if-match': '"1"' }))
  checkReply({ status: 204 }, await send('DELETE', path, undefined, { 'if-match': '"5"' }))
  checkReply({ status: 404 }, await send('PATCH', path, { price: 1 }, { 'if-match': '"5"' }))
})

test('on the other writes too', async () => {
  const { ask } = service
  const admin = await service.admin()
  const user = await service.person()
  const users = '/api/v1/users'
  const stale = { 'if-match': '"77"' }
  checkReply({ status: 412 }, await ask('POST', `${users}/${user.id}/suspend`, { token: admin.token, headers: stale }))
  checkReply({ status: 200, says: '"status":"ACTIVE"' }, await ask('GET', `${users}/${user.id}`, { token: user.token }))
  checkReply({ status: 412 }, await ask('DELETE', `${users}/${user.id}`, { token: user.token, headers: stale }))
  const { body: post } = await ask('POST', '/api/v1/posts', {
    body: { title: 'Mine', published: true },
    token: user.token,
  })
  const stranger = await ask('PATCH', `/api/v1/posts/${post.id}`, {
    body: { title: 'Theirs' },
    token: editor.token,
    headers: stale,
  })
  checkReply({ status: 403, error: 'You can only edit your own posts' }, stranger)
  checkReply(
    { status: 412 },
    await ask('PATCH', `/api/v1/posts/${post.id}`, { body: { title: 'x' }, token: user.token, headers: stale }),
  )
})

test('a read of what is known is 304, without a body', async () => {
  const { body: made } = await send('POST', at, { name: 'Cached', price: 1 })
  const path = `${at}/${made.id}`
  for (const known of ['"1"', 'W/"1"', '*', '"7", "1"', ' "1" ']) {
    const reply = await service.ask('GET', path, { headers: { 'if-none-match': known } })
    assert.equal(reply.status, 304, known)
    assert.equal(reply.text, '')
    assert.equal(reply.headers.get('etag'), '"1"')
    assert.equal((await service.ask('HEAD', path, { headers: { 'if-none-match': known } })).status, 304)
  }
  for (const known of ['"2"', '1', '"11"', '', 'W/"2", "0"']) {
    checkReply({ status: 200, body: made }, await service.ask('GET', path, { headers: { 'if-none-match': known } }))
  }
  await send('PATCH', path, { price: 2 })
  checkReply(
    { status: 200, says: '"price":2' },
    await service.ask('GET', path, { headers: { 'if-none-match': '"1"' } }),
  )
  checkReply(
    { status: 404 },
    await service.ask('GET', `${at}/01926e0f-0000-7000-8000-000000000000`, { headers: { 'if-none-match': '*' } }),
  )
})

test('a cart follows its products, so it is never 304', async () => {
  const { ask } = service
  const user = await service.person()
  const { body: product } = await send('POST', at, { name: 'Dear', price: 1 })
  const cart = `/api/v1/users/${user.id}/cart`
  await ask('POST', `${cart}/items`, { body: { productId: product.id, quantity: 2 }, token: user.token })
  const known = (await ask('GET', cart, { token: user.token })).headers.get('etag') ?? '*'
  await send('PATCH', `${at}/${product.id}`, { price: 5 })
  checkReply(
    { status: 200, says: '"subtotal":10' },
    await ask('GET', cart, { token: user.token, headers: { 'if-none-match': known } }),
  )
})
