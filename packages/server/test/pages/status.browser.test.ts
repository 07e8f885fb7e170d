/**
 * The page at /status in a real browser: it loads under its own policy and sends no request to
 * other hosts. It shows charts after an ADMIN has logged in.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { adminEmail, onPostgres, password, startService, type TestService } from '../helpers/application.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'

describe('/status in Chromium', { timeout: 480_000 }, () => {
  let library: TestService
  let browser: Browser
  before(async () => {
    library = await startService()
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    await library?.stop()
  })

  type Opened = { page: Page; complaints: string[] }
  function open(colorScheme: 'light' | 'dark', width: number): Promise<Opened> {
    return openIn(browser, { colorScheme, viewport: { width, height: 800 }, locale: 'en-US' })
  }
  async function openIn(browser: Browser, options: Parameters<Browser['newPage']>[0]): Promise<Opened> {
    const page = await browser.newPage(options)
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(library.url) && !/^(data|blob):/.test(request.url()))
        complaints.push(`asked ${request.url()}`)
    })
    await page.goto(`${library.url}/status`)
    return { page, complaints }
  }
  async function logIn(page: Page, email: string, secret: string): Promise<void> {
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', secret)
    await page.click('text=Log in')
  }

  for (const [scheme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    test(`an ADMIN sees charts and tables, ${scheme}, in ${width} pixels`, async () => {
      const { page, complaints } = await open(scheme, width)
      assert.equal(await page.isVisible('#shown'), false)
      await logIn(page, adminEmail, password)
      // Counting begins with the first look, so that is the first route that is seen.
      await page.locator('#routes tr', { hasText: '/status' }).first().waitFor()
      assert.equal(await page.locator('.chart canvas').count(), 6)
      assert.equal(await page.locator('#budgets tr').count(), 5)
      const store = onPostgres
        ? /data[\d.]+ [KMG]?Bconnections used.*slow statements/
        : /data[\d.]+ [KMG]?Bits log.*slow statements/
      assert.match((await page.textContent('#store')) ?? '', store)
      assert.match((await page.textContent('#fact-database')) ?? '', /^[\d.]+ [KMG]?B$/)
      const wider = (await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')) as number
      assert.ok(wider <= 0)
      assert.deepEqual(complaints, [])
      await page.click('text=Log out')
      await page.locator('#log-in').waitFor()
      assert.equal(await page.isVisible('#shown'), false)
      await page.close()
    })
  }

  test('it is drawn where the language of the browser is none that Intl knows', async (t) => {
    const posix = await launchChromium({ LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' })
    t.after(() => posix.close())
    const { page, complaints } = await openIn(posix, {})
    await logIn(page, adminEmail, password)
    await page.locator('.chart canvas').nth(5).waitFor({ timeout: 100_000 })
    assert.deepEqual(complaints, [])
  })

  test('anybody else is told that it is not for them', async () => {
    const person = await library.person('EDITOR')
    const { page } = await open('light', 800)
    await logIn(page, person.email, 'correct horse')
    await page.locator('#message', { hasText: 'Only an ADMIN may see this' }).waitFor()
    assert.equal(await page.isVisible('#shown'), false)
    await page.close()
  })

  test('an ADMIN who must have a factor and has none gets one here', async (t) => {
    const strict = await startService({ MFA: 'ADMIN' })
    t.after(() => strict.stop())
    const { page } = await open('light', 390)
    await page.goto(`${strict.url}/status`)
    await logIn(page, adminEmail, password)
    const told = page.locator('#message', { hasText: 'Add this key to an authenticator app' })
    await told.waitFor()
    const secret = /[A-Z2-7]{32,}/.exec((await told.textContent()) ?? '')?.[0] ?? ''
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: strict.now() })
    await page.fill('[name=code]', code === '000000' ? '111111' : '000000')
    await page.click('text=Go on')
    await page.locator('#message', { hasText: 'Invalid code' }).waitFor()
    await page.fill('[name=code]', code)
    await page.click('text=Go on')
    await page.locator('#message', { hasText: 'Keep these recovery codes' }).waitFor()
    await page.locator('.chart canvas').first().waitFor()
    await page.click('text=Log out')
    await page.waitForSelector('#shown', { state: 'hidden' })
    const renewed = await page.evaluate(
      "fetch('/api/v1/auth/refresh', { method: 'POST' }).then(({ status }) => status)",
    )
    assert.equal(renewed, 401, 'the log-out has ended the session')
    await page.close()
  })

  test('an ADMIN with second factors goes on to one: a code, a recovery code, a passkey, here and at /docs', async () => {
    const admin = await library.person('ADMIN')
    const sent = (body: object) => ({ token: admin.token, body })
    const begun = await library.ask('POST', '/api/v1/proofs', sent({ type: 'totp', currentPassword: 'correct horse' }))
    const app = new TOTP({ secret: Secret.fromBase32(begun.body.secret) })
    const code = () => {
      library.turn(30_000)
      return app.generate({ timestamp: library.now() })
    }
    const shown = sent({ ticket: begun.body.ticket, code: code() })
    const { recoveryCodes } = (await library.ask('POST', '/api/v1/proofs/finish', shown)).body

    const { page, complaints } = await open('dark', 390)
    await logIn(page, admin.email, 'correct horse')
    await page.locator('#message', { hasText: 'your second factor' }).waitFor()
    assert.deepEqual([await page.isVisible('#log-in'), await page.isVisible('#passkey')], [false, false])
    await page.fill('[name=code]', '000000')
    await page.click('text=Go on')
    await page.locator('#message', { hasText: 'Invalid code' }).waitFor()
    await page.fill('[name=code]', recoveryCodes[0])
    await page.click('text=Go on')
    await page.locator('#person', { hasText: admin.email }).waitFor()
    await page.locator('.chart canvas').first().waitFor()
    await page.click('text=Log out')
    await page.waitForSelector('#shown', { state: 'hidden' })

    await page.goto(`${library.url.replace('127.0.0.1', 'localhost')}/docs`)
    await logIn(page, admin.email, 'correct horse')
    await page.fill('[name=code]', code())
    await page.click('text=Go on')
    await page.locator('#person', { hasText: admin.email }).waitFor()
    await page.click('text=Log out')
    await addPasskey(page, admin)
    await logIn(page, admin.email, 'correct horse')
    await page.click('text=Use a passkey')
    await page.locator('#person', { hasText: admin.email }).waitFor()
    // A browser says in its console that an answer was 401.
    assert.deepEqual(
      complaints.filter((one) => !/status of 401|localhost/.test(one)),
      [],
    )
    await page.close()
  })
})

/** Enrols a passkey of a device that the browser plays. */
async function addPasskey(page: Page, { token }: { token: string }): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const kind = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...kind, isUserVerified: true, automaticPresenceSimulation: true },
  })
  const enrolled = await page.evaluate(
    `(async () => {
      const post = async (path, body) => (await fetch('/api/v1/proofs' + path, { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer ${token}' }, body: JSON.stringify(body) })).json()
      const { ticket, options } = await post('', { type: 'passkey', currentPassword: 'correct horse' })
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      return post('/finish', { ticket, passkey: (await navigator.credentials.create({ publicKey })).toJSON() })
    })()`,
  )
  assert.equal((enrolled as { type: string }).type, 'passkey')
}
