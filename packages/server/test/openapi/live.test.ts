/**
 * The service responds as its document says. `npm test` compares every response with the document;
 * this file causes each kind of response once.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { apiPrefix } from '../../src/resource/words/api-prefix.ts'
import { type AskOptions, startService, type TestResponse, type TestService } from '../helpers/application.ts'

describe('a live service', () => {
  let test: TestService
  before(async () => {
    test = await startService()
  })
  after(() => test.stop())

  async function expect(status: number, method: string, path: string, options: AskOptions = {}): Promise<TestResponse> {
    const reply = await test.ask(method, path, options)
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`)
    return reply
  }

  it('keeps to the document on an open collection, at both mounts', async () => {
    for (const mount of ['', apiPrefix]) {
      const { id } = (await expect(201, 'POST', `${mount}/shelves`, { body: { label: 'A', room: 'East' } })).body
      await expect(200, 'GET', `${mount}/shelves`)
      await expect(200, 'GET', `${mount}/shelves?page=1&limit=1&fields=label`)
      const { headers } = await expect(200, 'GET', `${mount}/shelves/${id}`)
      await expect(304, 'GET', `${mount}/shelves/${id}`, {
        headers: { 'if-none-match': headers.get('etag') as string },
      })
      await expect(200, 'PATCH', `${mount}/shelves/${id}`, {
        body: { since: 1815 },
        type: 'application/merge-patch+json',
      })
      await expect(412, 'PUT', `${mount}/shelves/${id}`, {
        body: { label: 'A', room: 'West' },
        headers: { 'if-match': '"1"' },
      })
      await expect(415, 'POST', `${mount}/shelves`, { raw: 'label=A', type: 'text/plain' })
      await expect(400, 'POST', `${mount}/shelves`, { body: { label: '' } })
      await expect(400, 'GET', `${mount}/shelves?colour=red`)
      await expect(406, 'GET', `${mount}/shelves`, { headers: { accept: 'text/html' } })
      await expect(401, 'GET', `${mount}/shelves`, { token: 'bad' })
      await expect(204, 'DELETE', `${mount}/shelves/${id}`)
      await expect(404, 'GET', `${mount}/shelves/${id}`)
    }
  })

  it('keeps to the document on editions, baskets and loans', async () => {
    const [editor, buyer] = [await test.person('EDITOR'), await test.person()]
    const key = await test.key(editor)
    const made = await expect(201, 'POST', `${apiPrefix}/editions`, {
      token: editor.token,
      body: { title: 'Lamp', price: 19.99, copies: 2 },
    })
    const editionId = made.body.id
    await expect(200, 'POST', `${apiPrefix}/editions/import`, {
      key,
      type: 'application/x-ndjson',
      raw: '{"title":"Bed","price":5}\n{"title":1}\n',
    })
    await expect(200, 'GET', `${apiPrefix}/editions/export?fields=title&sort=-price`, { key })
    await expect(401, 'GET', `${apiPrefix}/editions/export`, { token: editor.token })
    await expect(403, 'POST', `${apiPrefix}/editions`, { token: buyer.token, body: { title: 'Lamp', price: 1 } })
    const filters =
      'subject=&available=true&minPrice=1&maxPrice=19.995&title[startsWith]=La&price[in]=19.99,5&copies[null]=false'
    for (const query of [
      '',
      `?${filters}`,
      '?cursor=',
      '?fields=title,price&q=lamp&sort=title,-price&page=2&limit=5',
    ]) {
      await expect(200, 'GET', `${apiPrefix}/editions${query}`)
    }
    const opinions = `${apiPrefix}/editions/${editionId}/opinions`
    await expect(201, 'POST', opinions, { token: buyer.token, body: { stars: 5 } })
    await expect(409, 'POST', opinions, { token: buyer.token, body: { stars: 4 } })
    await expect(200, 'GET', opinions)
    const basket = `${apiPrefix}/members/${buyer.id}/basket`
    await expect(409, 'POST', `${basket}/borrow`, { token: buyer.token })
    const item = await expect(201, 'POST', `${basket}/lines`, { token: buyer.token, body: { editionId, count: 1 } })
    await expect(200, 'PATCH', `${basket}/lines/${item.body.id}`, { token: buyer.token, body: { count: 2 } })
    await expect(200, 'GET', basket, { token: buyer.token })
    await expect(200, 'GET', `${basket}?fields=lines`, { token: buyer.token })
    const loan = await expect(201, 'POST', `${basket}/borrow`, { token: buyer.token })
    await expect(200, 'GET', `${apiPrefix}/loans/${loan.body.id}/lines`, { token: buyer.token })
    await expect(403, 'POST', `${apiPrefix}/loans/${loan.body.id}/prepare`, { token: buyer.token })
    await expect(200, 'POST', `${apiPrefix}/loans/${loan.body.id}/cancel`, { token: buyer.token })
    await expect(409, 'POST', `${apiPrefix}/loans/${loan.body.id}/prepare`, { token: editor.token })
    await expect(200, 'GET', `${apiPrefix}/loans`, { token: editor.token })
    await expect(200, 'GET', `${apiPrefix}/members/${buyer.id}/loans`, { token: buyer.token })
  })

  it('keeps to the document on people, articles, letters and keys', async () => {
    const [admin, writer] = [await test.admin(), await test.person()]
    await expect(409, 'POST', `${apiPrefix}/members`, { body: { email: writer.email, password: 'long enough' } })
    await expect(403, 'POST', `${apiPrefix}/members`, {
      body: { email: 'x@example.com', password: 'long enough', role: 'ADMIN' },
    })
    await expect(200, 'GET', `${apiPrefix}/members`, { token: admin.token })
    await expect(200, 'POST', `${apiPrefix}/members/${writer.id}/admit`, { token: admin.token })
    const article = await expect(201, 'POST', `${apiPrefix}/articles`, {
      token: writer.token,
      body: { title: 'Hello', tags: ['a'], published: true },
    })
    await expect(200, 'GET', `${apiPrefix}/articles?tags=a`)
    await expect(200, 'PUT', `${apiPrefix}/articles/${article.body.id}`, { token: writer.token, body: article.body })
    await expect(201, 'POST', '/letters', { token: writer.token, body: { recipientId: admin.id, text: 'Hello' } })
    await expect(200, 'GET', '/letters?limit=1', { token: admin.token })
    await expect(401, 'GET', `${apiPrefix}/letters`)
    const made = await expect(201, 'POST', `${apiPrefix}/access-keys`, {
      token: writer.token,
      body: { name: 'k', scopes: ['articles:read'] },
    })
    await expect(200, 'GET', `${apiPrefix}/access-keys/${made.body.id}`, { token: writer.token })
    await expect(200, 'GET', `${apiPrefix}/visits`, { token: writer.token })
  })

  it('keeps to the document on logging in, and on health', async () => {
    const { email, refreshToken } = await test.person()
    await expect(200, 'POST', '/auth/login', { body: { email, password: 'correct horse' } })
    await expect(401, 'POST', `${apiPrefix}/auth/login`, { body: { email, password: 'wrong horse' } })
    const refreshed = await expect(200, 'POST', `${apiPrefix}/auth/refresh-token`, {
      cookie: `refreshToken=${refreshToken}`,
    })
    assert.deepEqual(Object.keys(refreshed.body), ['accessToken'])
    await expect(200, 'POST', '/auth/refresh', { body: { refreshToken } })
    await expect(204, 'POST', '/auth/logout', { cookie: `refreshToken=${refreshToken}` })
    await expect(200, 'GET', '/livez')
    await expect(200, 'GET', '/readyz')
  })
})
