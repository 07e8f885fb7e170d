/**
 * The client in a real browser, on a page of the server's own origin: it needs no bundler, and
 * scripts cannot read a token.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Client } from 'bindery-server/client'
import type { Browser, Page } from 'playwright-core'
import { adminEmail, password, type TestService } from '../../src/testing/index.ts'
import { startService } from '../helpers/application.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'

const source = fileURLToPath(new URL('../../src/client/', import.meta.url))
const library = fileURLToPath(import.meta.resolve('openapi-fetch'))

/** The page of an application before the service, as a proxy would serve both. */
function startSite(target: string): Promise<Server> {
  const imports = JSON.stringify({ imports: { 'openapi-fetch': '/site/openapi-fetch.js' } })
  const page = `<!doctype html><title>Site</title><script type="importmap">${imports}</script><script type="module">
    globalThis.client = await import('/site/client/index.ts')</script>`
  const server = createServer((asked, answer) => {
    const path = asked.url ?? ''
    const send = (type: string, text: string) => answer.writeHead(200, { 'content-type': type }).end(text)
    if (path === '/site/') return send('text/html', page)
    if (path === '/site/openapi-fetch.js') return send('text/javascript', readFileSync(library, 'utf8'))
    const [, file] = /^\/site\/client\/((?:[\w-]+\/)?[\w-]+\.ts)$/.exec(path) ?? []
    if (file) return send('text/javascript', stripTypeScriptTypes(readFileSync(source + file, 'utf8')))
    const onward = request(target + path, { method: asked.method, headers: asked.headers }, (came) => {
      answer.writeHead(came.statusCode ?? 0, came.headers)
      came.pipe(answer)
    })
    asked.pipe(onward)
    return undefined
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** The globals of the page's script; `client` is the module. */
type InPage = {
  client: typeof import('bindery-server/client')
  location: { origin: string }
  document: { cookie: string }
}

describe('the client in Chromium', { timeout: 480_000 }, () => {
  let service: TestService
  let site: Server
  let browser: Browser
  let page: Page
  before(async () => {
    service = await startService()
    site = await startSite(service.url)
    browser = await launchChromium()
    page = await browser.newPage()
  })
  after(async () => {
    await browser?.close()
    site?.closeAllConnections()
    await new Promise((resolve) => site?.close(resolve))
    await service?.stop()
  })

  it('logs in, refreshes by the cookie once for many requests, goes on after a reload, and logs out', async () => {
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', (one) => asked.push(`${one.method()} ${new URL(one.url()).pathname}`))
    page.on('pageerror', (error) => complaints.push(String(error)))
    const open = async () => {
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/site/`)
      await page.waitForFunction(() => 'client' in globalThis)
    }
    await open()
    const kept = await page.evaluate(
      async (credentials) => {
        const { document, location, client: module } = globalThis as unknown as InPage
        const { createClient, memoryStore } = module
        const tokens = memoryStore()
        const client = createClient({ url: location.origin, tokens })
        Object.assign(globalThis, { shop: client })
        await client.logIn(credentials)
        return { tokens: Object.keys((await tokens.read()) ?? {}), cookie: document.cookie }
      },
      { email: adminEmail, password },
    )
    assert.deepEqual(kept, { tokens: ['accessToken'], cookie: '' })

    service.turn(16 * 60_000)
    asked.length = 0
    const counts = await page.evaluate(async () => {
      const { shop } = globalThis as unknown as { shop: Client }
      const lists = await Promise.all([1, 2, 3, 4].map(() => shop.get('/api/v1/members')))
      return lists.map(({ data }) => data.length)
    })
    assert.deepEqual(counts, [1, 1, 1, 1])
    assert.equal(asked.filter((one) => one === 'POST /api/v1/auth/refresh').length, 1)

    await open()
    const after = await page.evaluate(async () => {
      const { location, client: module } = globalThis as unknown as InPage
      const { createClient, RequestError } = module
      const client = createClient({ url: location.origin })
      const resumed = await client.resume()
      const made = await client.post('/api/v1/editions', { body: { title: 'From a page', price: 1 } })
      const path = { id: made.id }
      const edited = await client.edit('/api/v1/editions/{id}', { path }, ({ price }) => ({ price: price + 1 }))
      const titles: string[] = []
      for await (const { title } of client.all('/api/v1/editions')) titles.push(title)
      await client.logOut()
      const refusal = await client.get('/api/v1/members').catch((error: unknown) => error)
      const fresh = await createClient({ url: location.origin }).resume()
      const isKnown = refusal instanceof RequestError
      return { resumed, price: edited.price, titles, status: isKnown && refusal.status, fresh }
    })
    assert.deepEqual(after, { resumed: true, price: 2, titles: ['From a page'], status: 401, fresh: false })
    assert.deepEqual(complaints, [])
  })

  it('enrols a passkey, and logs in by it, as the second step and alone', async () => {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const kind = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...kind, isUserVerified: true, automaticPresenceSimulation: true },
    })
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/site/`)
    await page.waitForFunction(() => 'client' in globalThis)
    const said = await page.evaluate(
      async (credentials) => {
        const { location, client: module } = globalThis as unknown as InPage
        const { createClient, makePasskey, nextStepOf } = module
        const client = createClient({ url: location.origin })
        await client.logIn(credentials)
        const begin = { type: 'passkey', currentPassword: credentials.password }
        type Begun = { ticket: string; options: object }
        const { ticket, options } = (await client.post('/api/v1/proofs', { body: begin })) as Begun
        const passkey = await makePasskey(options)
        await client.post('/api/v1/proofs/finish', { body: { ticket, passkey } })
        await client.logOut()
        const step = nextStepOf(await client.logIn(credentials).catch((error: unknown) => error))
        const second = await client.logInByPasskey(step)
        await client.logOut()
        const alone = await client.logInByPasskey()
        return [step?.next, second?.email, alone?.email, await createClient({ url: location.origin }).resume()]
      },
      { email: adminEmail, password },
    )
    assert.deepEqual(said, ['passkey', adminEmail, adminEmail, true])
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    const refused = await page.evaluate(async () => {
      const { location, client: module } = globalThis as unknown as InPage
      const client = module.createClient({ url: location.origin })
      return client.logInByPasskey().catch((error: unknown) => (error as Error).name)
    })
    assert.equal(refused, 'NotAllowedError')
  })
})
