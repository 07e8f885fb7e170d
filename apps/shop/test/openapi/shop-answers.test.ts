/** The shop responds as its document says: each response is checked against the statuses, headers and schemas of its operation. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type AskOptions, type Reply, startService, type TestService } from '../helpers/service.ts'

type Answer = {
  readonly $ref?: string
  readonly headers?: object
  readonly content?: Readonly<Record<string, { schema: object }>>
}
type Document = {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Answer>> }>>>
  >
  readonly components: { readonly responses: Readonly<Record<string, Answer>> }
}

const apiPrefix = '/api/v1'
const documentId = 'https://bindery.example/openapi.json'
let document: Document
const ajv = new Ajv2020({ strict: false, allErrors: true })
;(addFormats as unknown as (to: Ajv2020) => void)(ajv)

/** Prefers a fixed path to one with parameters, as routing does. */
function templateOf(path: string): string {
  const matching = Object.keys(document.paths).filter((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  const [found] = matching.toSorted((a, b) => a.split('{').length - b.split('{').length)
  assert.ok(found, path)
  return found
}

function checkReply(method: string, path: string, reply: Reply): void {
  const template = templateOf(path.split('?')[0] as string)
  const operation = document.paths[template]?.[method.toLowerCase()]
  const about = `${method} ${template} → ${reply.status} ${reply.text.slice(0, 300)}`
  const named = operation?.responses[String(reply.status)]
  assert.ok(named, `${about} is not documented`)
  const answer = named.$ref ? document.components.responses[named.$ref.split('/').at(-1) as string] : named
  for (const name of Object.keys(answer?.headers ?? {})) {
    if (name !== 'Retry-After') assert.ok(reply.headers.has(name), `${about} has no ${name}`)
  }
  if (reply.text === '') {
    assert.equal(answer?.content, undefined, about)
    return
  }
  const type = reply.headers.get('content-type')?.split(';')[0] as string
  const schema = answer?.content?.[type]?.schema
  assert.ok(schema, `${about}: ${type} is not documented`)
  if (reply.body === undefined) return
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${documentId}#/`))
  const validate = ajv.compile(absolute)
  assert.ok(validate(reply.body), `${about}: ${ajv.errorsText(validate.errors)}`)
}

describe('a live service', () => {
  let test: TestService
  before(async () => {
    test = await startService()
    document = (await test.ask('GET', '/openapi.json')).body
    ajv.addSchema({ ...document, $id: documentId })
  })
  after(() => test.stop())

  async function ask(method: string, path: string, options: AskOptions = {}): Promise<Reply> {
    const reply = await test.ask(method, path, options)
    checkReply(method, path, reply)
    return reply
  }

  async function expect(status: number, method: string, path: string, options: AskOptions = {}): Promise<Reply> {
    const reply = await ask(method, path, options)
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`)
    return reply
  }

  it('keeps to the document on books', async () => {
    for (const mount of ['', apiPrefix]) {
      const { id } = (await expect(201, 'POST', `${mount}/books`, { body: { title: 'Emma', author: 'Austen' } })).body
      await expect(200, 'GET', `${mount}/books`)
      await expect(200, 'GET', `${mount}/books?page=1&limit=1&fields=title`)
      const { headers } = await expect(200, 'GET', `${mount}/books/${id}`)
      await expect(304, 'GET', `${mount}/books/${id}`, { headers: { 'if-none-match': headers.get('etag') as string } })
      await expect(200, 'PATCH', `${mount}/books/${id}`, { body: { year: 1815 }, type: 'application/merge-patch+json' })
      await expect(412, 'PUT', `${mount}/books/${id}`, {
        body: { title: 'Emma', author: 'Jane Austen' },
        headers: { 'if-match': '"1"' },
      })
      await expect(415, 'POST', `${mount}/books`, { raw: 'title=Emma', type: 'text/plain' })
      await expect(400, 'POST', `${mount}/books`, { body: { title: '' } })
      await expect(400, 'GET', `${mount}/books?colour=red`)
      await expect(406, 'GET', `${mount}/books`, { headers: { accept: 'text/html' } })
      await expect(401, 'GET', `${mount}/books`, { token: 'bad' })
      await expect(204, 'DELETE', `${mount}/books/${id}`)
      await expect(404, 'GET', `${mount}/books/${id}`)
    }
  })

  it('keeps to the document on products, carts and orders', async () => {
    const [editor, buyer] = [await test.person('EDITOR'), await test.person()]
    const key = await test.key(editor)
    const made = await expect(201, 'POST', `${apiPrefix}/products`, {
      token: editor.token,
      body: { name: 'Lamp', price: 19.99, stock: 2 },
    })
    const productId = made.body.id
    await expect(200, 'POST', `${apiPrefix}/products/import`, {
      key,
      type: 'application/x-ndjson',
      raw: '{"name":"Bed","price":5}\n{"name":1}\n',
    })
    await expect(200, 'GET', `${apiPrefix}/products/export?fields=name&sort=-price`, { key })
    await expect(401, 'GET', `${apiPrefix}/products/export`, { token: editor.token })
    await expect(403, 'POST', `${apiPrefix}/products`, { token: buyer.token, body: { name: 'Lamp', price: 1 } })
    const filters =
      'category=&inStock=true&minPrice=1&maxPrice=19.995&name[startsWith]=La&price[in]=19.99,5&stock[null]=false'
    for (const query of ['', `?${filters}`, '?cursor=', '?fields=name,price&q=lamp&sort=name,-price&page=2&limit=5']) {
      await expect(200, 'GET', `${apiPrefix}/products${query}`)
    }
    const reviews = `${apiPrefix}/products/${productId}/reviews`
    await expect(201, 'POST', reviews, { token: buyer.token, body: { rating: 5 } })
    await expect(409, 'POST', reviews, { token: buyer.token, body: { rating: 4 } })
    await expect(200, 'GET', reviews)
    const cart = `${apiPrefix}/users/${buyer.id}/cart`
    await expect(409, 'POST', `${cart}/checkout`, { token: buyer.token })
    const item = await expect(201, 'POST', `${cart}/items`, { token: buyer.token, body: { productId, quantity: 1 } })
    await expect(200, 'PATCH', `${cart}/items/${item.body.id}`, { token: buyer.token, body: { quantity: 2 } })
    await expect(200, 'GET', cart, { token: buyer.token })
    await expect(200, 'GET', `${cart}?fields=items`, { token: buyer.token })
    const order = await expect(201, 'POST', `${cart}/checkout`, { token: buyer.token })
    await expect(200, 'GET', `${apiPrefix}/orders/${order.body.id}/items`, { token: buyer.token })
    await expect(403, 'POST', `${apiPrefix}/orders/${order.body.id}/pay`, { token: buyer.token })
    await expect(200, 'POST', `${apiPrefix}/orders/${order.body.id}/cancel`, { token: buyer.token })
    await expect(409, 'POST', `${apiPrefix}/orders/${order.body.id}/pay`, { token: editor.token })
    await expect(200, 'GET', `${apiPrefix}/orders`, { token: editor.token })
    await expect(200, 'GET', `${apiPrefix}/users/${buyer.id}/orders`, { token: buyer.token })
  })

  it('keeps to the document on people, posts, messages and keys', async () => {
    const [admin, writer] = [await test.admin(), await test.person()]
    await expect(409, 'POST', `${apiPrefix}/users`, { body: { email: writer.email, password: 'long enough' } })
    await expect(403, 'POST', `${apiPrefix}/users`, {
      body: { email: 'x@example.com', password: 'long enough', role: 'ADMIN' },
    })
    await expect(200, 'GET', `${apiPrefix}/users`, { token: admin.token })
    await expect(200, 'POST', `${apiPrefix}/users/${writer.id}/activate`, { token: admin.token })
    const post = await expect(201, 'POST', `${apiPrefix}/posts`, {
      token: writer.token,
      body: { title: 'Hello', tags: ['a'], published: true },
    })
    await expect(200, 'GET', `${apiPrefix}/posts?tags=a`)
    await expect(200, 'PUT', `${apiPrefix}/posts/${post.body.id}`, { token: writer.token, body: post.body })
    await expect(201, 'POST', '/messages', { token: writer.token, body: { recipientId: admin.id, text: 'Hello' } })
    await expect(200, 'GET', '/messages?limit=1', { token: admin.token })
    await expect(401, 'GET', `${apiPrefix}/messages`)
    const made = await expect(201, 'POST', `${apiPrefix}/api-keys`, {
      token: writer.token,
      body: { name: 'k', scopes: ['posts:read'] },
    })
    await expect(200, 'GET', `${apiPrefix}/api-keys/${made.body.id}`, { token: writer.token })
    await expect(200, 'GET', `${apiPrefix}/sessions`, { token: writer.token })
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
