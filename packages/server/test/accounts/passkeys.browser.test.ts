/**
 * Passkeys in a real browser with a virtual authenticator: enrolled, used as a second factor, used
 * as the only factor, and attacked by a stranger.
 */
import assert from 'node:assert/strict'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { adminEmail, password, startService, type TestService } from '../helpers/application.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'

const base = '/api/v1/proofs'

/** A page of the service's own origin, as a proxy would serve both. */
function startSite(target: string): Promise<Server> {
  const server = createServer((asked, answer) => {
    if (asked.url === '/site/') return answer.writeHead(200, { 'content-type': 'text/html' }).end('<title>Site</title>')
    const onward = request(target + asked.url, { method: asked.method, headers: asked.headers }, (came) => {
      answer.writeHead(came.statusCode ?? 0, came.headers)
      came.pipe(answer)
    })
    asked.pipe(onward)
    return undefined
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

type Said = { status: number; body: Record<string, unknown> }
/** The globals of code that runs in the page. */
type InPage = {
  fetch: typeof fetch
  navigator: { credentials: Record<'create' | 'get', (options: object) => Promise<{ toJSON(): object }>> }
  PublicKeyCredential: Record<
    'parseCreationOptionsFromJSON' | 'parseRequestOptionsFromJSON',
    (options: object) => object
  >
}

describe('passkeys in Chromium', { timeout: 480_000 }, () => {
  let service: TestService
  let site: Server
  let browser: Browser
  let page: Page
  let devtools: CDPSession
  let authenticatorId: string
  before(async () => {
    service = await startService()
    site = await startSite(service.url)
    browser = await launchChromium()
    page = await browser.newPage()
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/site/`)
    devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const
    const made = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
    })
    authenticatorId = made.authenticatorId
  })
  after(async () => {
    await browser?.close()
    site?.closeAllConnections()
    await new Promise((resolve) => site?.close(resolve))
    await service?.stop()
  })

  const post = (path: string, body: object, token?: string): Promise<Said> =>
    page.evaluate(
      async (sent) => {
        const { fetch } = globalThis as unknown as InPage
        const headers = {
          'content-type': 'application/json',
          ...(sent.token && { authorization: `Bearer ${sent.token}` }),
        }
        const answer = await fetch(sent.path, { method: 'POST', headers, body: JSON.stringify(sent.body) })
        return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
      },
      { path, body, token },
    )
  const create = (options: unknown) =>
    page.evaluate(async (given) => {
      const { navigator, PublicKeyCredential } = globalThis as unknown as InPage
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(given as object)
      return (await navigator.credentials.create({ publicKey })).toJSON()
    }, options)
  const get = (options: unknown) =>
    page.evaluate(async (given) => {
      const { navigator, PublicKeyCredential } = globalThis as unknown as InPage
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(given as object)
      return (await navigator.credentials.get({ publicKey })).toJSON()
    }, options) as Promise<Record<string, unknown> & { response: Record<string, string> }>

  let enrolled: Said
  it('are enrolled from a page, for the origin that it has', async () => {
    const { token } = await service.logIn(adminEmail)
    const begun = await post(base, { type: 'passkey', name: 'Laptop', currentPassword: password }, token)
    assert.equal(begun.status, 200, JSON.stringify(begun))
    assert.equal((begun.body.options as { rp: { id: string } }).rp.id, 'localhost')
    const passkey = await create(begun.body.options)
    const { ticket } = begun.body
    const elsewhere = await service.ask('POST', `${base}/finish`, { token, body: { ticket, passkey } })
    assert.deepEqual(
      [elsewhere.status, elsewhere.body.error],
      [421, 'Passkeys belong to a name: open http://localhost, or set PUBLIC_URL'],
    )
    enrolled = await post(`${base}/finish`, { ticket, passkey }, token)
    assert.equal(enrolled.status, 201, JSON.stringify(enrolled))
    assert.deepEqual([enrolled.body.type, enrolled.body.name], ['passkey', 'Laptop'])
    assert.equal((enrolled.body.recoveryCodes as unknown[]).length, 10)
    assert.equal((await post(`${base}/finish`, { ticket, passkey }, token)).status, 409)
  })

  it('end a log-in, once a challenge', async () => {
    const first = await post('/auth/login', { email: adminEmail, password })
    assert.deepEqual([first.status, first.body.next, first.body.factors], [401, 'passkey', ['passkey']])
    const asked = await post('/auth/passkey', { ticket: first.body.ticket })
    const passkey = await get(asked.body.options)
    const sent = { ticket: asked.body.ticket, passkey }
    const other = await post('/auth/passkey', { ticket: first.body.ticket })
    assert.equal((await post('/auth/factor', { ticket: other.body.ticket, passkey })).body.error, 'Invalid passkey')
    const right = await post('/auth/factor', sent)
    assert.deepEqual(Object.keys(right.body), ['accessToken', 'refreshToken'])
    assert.equal((await post('/auth/factor', sent)).body.error, 'Invalid ticket', 'nobody sends it again')
  })

  it('log in alone, when the device asked who holds it', async () => {
    const asked = await post('/auth/passkey', {})
    assert.deepEqual((asked.body.options as { allowCredentials?: unknown[] }).allowCredentials ?? [], [])
    const passkey = await get(asked.body.options)
    const right = await post('/auth/factor', { ticket: asked.body.ticket, passkey })
    assert.equal(right.status, 200, JSON.stringify(right))

    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    const again = await post('/auth/passkey', {})
    const weak = { ...(again.body.options as object), userVerification: 'discouraged' }
    const unverified = await post('/auth/factor', { ticket: again.body.ticket, passkey: await get(weak) })
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    assert.deepEqual([unverified.status, unverified.body.error], [401, 'Invalid passkey'])
  })

  it('are refused when anything of them was changed, and when the count goes back', async () => {
    const attempt = async (change: (passkey: Awaited<ReturnType<typeof get>>) => object) => {
      const asked = await post('/auth/passkey', {})
      const passkey = await get(asked.body.options)
      return (await post('/auth/factor', { ticket: asked.body.ticket, passkey: change(passkey) })).body.error
    }
    const flipped = (text = '') => `${text.slice(0, -4)}AAAA`
    const changes: readonly ((passkey: Awaited<ReturnType<typeof get>>) => object)[] = [
      (one) => ({ ...one, id: 'AAAA', rawId: 'AAAA' }),
      (one) => ({ ...one, response: { ...one.response, signature: flipped(one.response.signature) } }),
      (one) => ({ ...one, response: { ...one.response, clientDataJSON: flipped(one.response.clientDataJSON) } }),
      (one) => ({ ...one, response: { ...one.response, userHandle: 'c29tZWJvZHk' } }),
      (one) => ({ ...one, response: {} }),
      () => ({}),
    ]
    for (const [i, change] of changes.entries()) assert.equal(await attempt(change), 'Invalid passkey', `${i}`)
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
    const [credential] = credentials
    await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential?.credentialId ?? '' })
    await devtools.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...(credential as NonNullable<typeof credential>), signCount: 0 },
    })
    assert.equal(await attempt((one) => one), 'Invalid passkey', 'a copied key counts from an earlier number')
  })

  it('make a code of the password unneeded, and are removed by it', async () => {
    const { recoveryCodes, id } = enrolled.body as { recoveryCodes: string[]; id: string }
    const first = await post('/auth/login', { email: adminEmail, password })
    const opened = await post('/auth/factor', { ticket: first.body.ticket, recoveryCode: recoveryCodes[0] })
    const token = opened.body.accessToken as string
    const removed = await service.ask('DELETE', `${base}/${id}`, { token, body: { recoveryCode: recoveryCodes[1] } })
    assert.equal(removed.status, 204, removed.text)
    assert.equal((await post('/auth/login', { email: adminEmail, password })).status, 200)
    const asked = await post('/auth/passkey', {})
    const gone = await post('/auth/factor', { ticket: asked.body.ticket, passkey: await get(asked.body.options) })
    assert.equal(gone.body.error, 'Invalid passkey')
  })
})
