/** Endpoints for agents, on the command line, and in the documents. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { printTypes } from '../../../src/openapi/print-types.ts'
import { startService, type TestService } from '../../../src/testing/index.ts'
import { shop } from './shop.ts'

let service: TestService
let reading: TestService
let ada: { id: string; token: string }
let order: string
before(async () => {
  service = await startService(shop, { env: { MCP: 'write' } })
  reading = await startService(shop, { env: { MCP: 'read' } })
  ada = await service.person()
  const product = await service.make('product', { name: 'Lamp', price: 12.5 })
  order = String((await service.make('order', { productId: product.id, quantity: 2, userId: ada.id })).id)
})
after(async () => {
  await service?.stop()
  await reading?.stop()
})

async function rpc(to: TestService, method: string, params: object, token?: string) {
  const headers = { accept: 'application/json, text/event-stream' }
  const body = { jsonrpc: '2.0', id: 1, method, params }
  return (await to.ask('POST', '/mcp', { headers, body, ...(token && { token }) })).body.result
}
async function call(name: string, args: object, token?: string) {
  const { content, isError } = await rpc(service, 'tools/call', { name, arguments: args }, token)
  return { isError: isError === true, said: JSON.parse(content[0].text) }
}

describe('agents', () => {
  it('have the tool where they may send to an endpoint', async () => {
    const names = async (to: TestService) =>
      (await rpc(to, 'tools/list', {})).tools.map((tool: { name: string }) => tool.name)
    assert.ok((await names(service)).includes('call'))
    assert.ok((await names(reading)).includes('call'))
  })

  it('are told paths, fields and answers', async () => {
    const { said } = await call('describe', {}, ada.token)
    assert.deepEqual(said._endpoints, ['call price-list', 'call slow', 'call small'])
    assert.ok(said.orders.includes('call orders/{id}/quote'))
    assert.ok(!JSON.stringify(said).includes('restock'), 'another role')
    assert.ok(!JSON.stringify(said).includes('report'), 'bytes are for programs')
    const { said: orders } = await call('describe', { resource: 'orders' }, ada.token)
    const { quote } = orders.calls
    assert.equal(quote.path, 'orders/{id}/quote')
    assert.deepEqual(Object.keys(quote.input.properties), ['coupon', 'address'])
    assert.deepEqual(quote.output.required, ['total', 'to', 'note'])
    const { said: free } = await call('describe', { resource: '_endpoints' })
    assert.deepEqual(Object.keys(free.calls), ['priceList', 'slow'])
  })

  it('send what they are told, and get refusals as REST answers them', async () => {
    const path = `orders/${order}/quote`
    const input = { address: { street: 'High Street' } }
    const done = await call('call', { path, input }, ada.token)
    assert.deepEqual(done.said, { total: 25, to: `High Street of ${ada.id}`, note: null })
    assert.deepEqual((await call('call', { path, input })).said, { status: 401, error: 'Token required' })
    const wrong = await call('call', { path, input: {} }, ada.token)
    assert.deepEqual([wrong.isError, wrong.said.error], [true, 'address is required'])
    const prices = await call('call', { path: 'price-list', query: { least: 5 } })
    assert.equal(prices.said.prices.length, 1)
    const broken = await call('call', { path, input: { ...input, coupon: 'BROKEN' } }, ada.token)
    assert.deepEqual(broken.said, { status: 500, error: 'Internal server error' })
    assert.ok(service.logged.some((line) => line.includes('The endpoint quote failed')))
  })

  it('reach neither raw bodies nor bytes, and no writes where they only read', async () => {
    for (const path of ['paid', 'report', 'none', `orders/${order}`])
      assert.match((await call('call', { path }, ada.token)).said.error, /There is nothing to call at/)
    const { content } = await rpc(reading, 'tools/call', { name: 'call', arguments: { path: 'small' } })
    assert.match(content[0].text, /There is nothing to call at small/)
  })
})

describe('documents', () => {
  it('have endpoints with their input, answers and errors', async () => {
    const { body: document } = await service.ask('GET', '/openapi.json')
    const { post } = document.paths['/api/v1/orders/{id}/quote']
    assert.equal(post.operationId, 'quoteOrder')
    assert.deepEqual(post.tags, ['Orders'])
    assert.match(post.description, /Allowed: the user in `userId`/)
    assert.match(post.responses['409'].description, /There is no such coupon/)
    const { get } = document.paths['/api/v1/price-list']
    assert.deepEqual(
      get.parameters.map((one: { name: string }) => one.name),
      ['currency', 'least'],
    )
    assert.deepEqual(get.tags, ['Endpoints'])
    assert.equal(document.paths['/api/v1/paid'].post['x-mcp'], false)
    assert.deepEqual(document.paths['/api/v1/products/restock']['x-also-at'], ['/products/restock'])
    const names = document.tags.map((tag: { name: string }) => tag.name)
    assert.equal(new Set(names).size, names.length)
    const types = printTypes(document)
      .replace(/\s*\/\*\*[^*]*\*\//g, '')
      .replace(/\s+/g, ' ')
    assert.ok(types.includes("'application/json': { total: number to: string note: string | null }"))
    assert.ok(types.includes('address: { street: string zip?: string | null }'))
  })

  it('tell permissions of endpoints as those of operations', async () => {
    const { body } = await service.ask('GET', '/api/v1/_permissions', { token: ada.token })
    const operations = JSON.stringify(body)
    assert.match(operations, /"quote":"some"/)
    assert.match(operations, /"restock":"none"/)
  })
})
