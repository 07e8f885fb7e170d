/** The GraphiQL page and the files that it loads. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Endpoint, openEndpoint } from './endpoint.ts'

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

describe('GraphiQL', () => {
  let endpoint: Endpoint
  before(async () => {
    endpoint = await openEndpoint()
  })
  after(() => endpoint.stop())

  it('is what a browser gets, without inline or foreign scripts', async () => {
    const response = await fetch(endpoint.address, { headers: browser })
    const page = await response.text()
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(page, /<script(?! src="\/graphql\/assets\/)/)
    assert.doesNotMatch(page, /https?:\/\//)
  })

  it('serves every file of the page, immutable under its digest', async () => {
    const page = await (await fetch(endpoint.address, { headers: browser })).text()
    const addresses = [...page.matchAll(/(?:src|href)="(\/graphql\/assets\/[^"]+)"/g)].map(
      (match) => match[1] as string,
    )
    assert.equal(addresses.length, 6)
    for (const address of addresses) {
      const response = await fetch(endpoint.url + address)
      assert.equal(response.status, 200, address)
      assert.match(
        response.headers.get('content-type') ?? '',
        address.includes('.css') ? /^text\/css/ : /^text\/javascript/,
      )
      assert.match(response.headers.get('cache-control') ?? '', /immutable/)
      assert.ok((await response.arrayBuffer()).byteLength > 50)
    }
  })

  it('serves no other file', async () => {
    for (const name of ['package.json', '..%2f..%2fpackage.json', 'constructor', 'graphiql.js', '']) {
      const response = await fetch(`${endpoint.address}/assets/${name}`)
      assert.notEqual(response.status, 200, name)
    }
  })

  it('answers a query as JSON, to browsers too', async () => {
    const response = await fetch(`${endpoint.address}?query=%7B__typename%7D`, { headers: browser })
    assert.deepEqual(await response.json(), { data: { __typename: 'Query' } })
  })
})
