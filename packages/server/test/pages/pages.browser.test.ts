/**
 * The HTML pages in a real browser. They load under their content policy, send no request to other
 * hosts, and pass axe's serious checks. Requests that a reader tries after a log-in run as that
 * user.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startService } from 'bindery-server/test'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { adminEmail, password, resources, type TestService } from '../helpers/application.ts'
import { addAuthenticator, enrolPasskey } from '../helpers/authenticator.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'
import { oneTimeTokens, outgoingMails } from '../service/people.ts'

describe('pages in Chromium', { timeout: 480_000 }, () => {
  let library: TestService
  let browser: Browser
  before(async () => {
    library = await startService([...resources, oneTimeTokens, outgoingMails], { env: { LOGIN_LINK: 'on' } })
    await library.make('shelf', { label: 'A', room: 'B' })
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    await library?.stop()
  })

  async function open(
    path: string,
    scheme: 'light' | 'dark',
    width: number,
  ): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 800 } })
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(library.url) && !/^(data|blob):/.test(request.url()))
        complaints.push(`asked ${request.url()}`)
    })
    await page.goto(new URL(path, library.url).href)
    return { page, complaints }
  }
  const lightness = (page: Page) =>
    page.evaluate(
      'getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b) / 3',
    ) as Promise<number>
  /** How much wider than the window the page is, in pixels. */
  const overflow = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth - window.innerWidth') as Promise<number>

  /** The reference draws what has been scrolled to. */
  async function openRequest(page: Page): Promise<void> {
    const button = page.getByRole('button', { name: /Test Request/ }).first()
    while ((await button.count()) === 0) await page.mouse.wheel(0, 400)
    await button.click()
    await page.getByRole('button', { name: /^Send/ }).first().waitFor()
  }

  for (const [scheme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    test(`/ is ${scheme} and fits ${width} pixels`, async () => {
      const { page, complaints } = await open('/', scheme, width)
      assert.ok(scheme === 'light' ? (await lightness(page)) > 200 : (await lightness(page)) < 60)
      assert.ok((await overflow(page)) <= 0)
      if (scheme === 'light') {
        await page.click('text=API reference')
        await page.waitForURL('**/docs')
      }
      assert.deepEqual(complaints, [])
      await page.close()
    })
  }

  test('/docs: a request as nobody, a log-in, and a request as that user', async () => {
    const person = await library.person('USER')
    const { page, complaints } = await open('/docs', 'dark', 390)
    await page.getByRole('heading', { name: 'Bindery' }).first().waitFor()
    assert.ok((await overflow(page)) <= 0)
    assert.ok((await lightness(page)) < 60)
    assert.deepEqual(await seriousFaults(page), [])
    await page.setViewportSize({ width: 1280, height: 800 })
    const send = async () => {
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/shelves'))
      await page.getByRole('button', { name: /^Send/ }).first().click()
      const { authorization, 'x-api-key': key } = (await answered).request().headers()
      return { status: (await answered).status(), authorization, key }
    }
    const test = () => openRequest(page)
    await test()
    assert.deepEqual(await send(), { status: 200, authorization: undefined, key: undefined })
    const colours = await page.evaluate(
      "['2', '3', 'green', 'blue', 'orange', 'yellow', 'red'].map((one) => getComputedStyle(document.body).getPropertyValue('--scalar-color-' + one))",
    )
    assert.deepEqual(colours, ['#b4bcc6', '#a3adb8', '#6fd39a', '#7db5ff', '#ffa873', '#f2c94c', '#ff8a80'])
    await page.reload()
    const logIn = async () => {
      await page.fill('[name=email]', person.email)
      await page.fill('[name=password]', 'correct horse')
      await page.click('text=Log in')
      await page.locator('#person').filter({ hasText: person.email }).waitFor()
    }
    await logIn()
    await page.click('text=Log out')
    await logIn()
    await test()
    const { status, authorization } = await send()
    assert.equal(status, 200)
    assert.match(authorization ?? '', /^Bearer ey/)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  async function logIn(page: Page, { email }: { readonly email: string }, secret = 'correct horse'): Promise<void> {
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', secret)
    await page.click('text=Log in')
  }
  async function typeCode(page: Page, code: string): Promise<void> {
    await page.fill('[name=code]', code)
    await page.click('text=Go on')
  }

  test('/docs: an ADMIN who must have a factor and has none gets one', async (t) => {
    const strict = await startService(resources, { env: { MFA: 'ADMIN' } })
    t.after(() => strict.stop())
    const { page } = await open(`${strict.url}/docs`, 'light', 390)
    await logIn(page, { email: adminEmail }, password)
    const told = page.locator('#message', { hasText: 'Add this key to an authenticator app' })
    await told.waitFor()
    const secret = /[A-Z2-7]{32,}/.exec((await told.textContent()) ?? '')?.[0] ?? ''
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: strict.now() })
    await typeCode(page, code === '000000' ? '111111' : '000000')
    await page.locator('#message', { hasText: 'Invalid code' }).waitFor()
    await typeCode(page, code)
    await page.locator('#message', { hasText: 'Keep these recovery codes' }).waitFor()
    await page.locator('#person', { hasText: adminEmail }).waitFor()
    await page.click('text=Log out')
    await page.locator('#log-in').waitFor()
    const renewed = await page.evaluate(
      "fetch('/api/v1/auth/refresh', { method: 'POST' }).then(({ status }) => status)",
    )
    assert.equal(renewed, 401, 'the log-out has ended the session')
    await page.close()
  })

  test('/docs: a log-in goes on to the second factor: a code, a recovery code, a passkey', async () => {
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

    // Passkeys belong to a name.
    const { page, complaints } = await open(`${library.url.replace('127.0.0.1', 'localhost')}/docs`, 'dark', 390)
    const isIn = () => page.locator('#person', { hasText: admin.email }).waitFor()
    await logIn(page, admin)
    await page.locator('#message', { hasText: 'your second factor' }).waitFor()
    assert.deepEqual([await page.isVisible('#log-in'), await page.isVisible('#passkey')], [false, false])
    await typeCode(page, '000000')
    await page.locator('#message', { hasText: 'Invalid code' }).waitFor()
    await typeCode(page, recoveryCodes[0])
    await isIn()
    await page.click('text=Log out')
    await logIn(page, admin)
    await typeCode(page, code())
    await isIn()
    await page.click('text=Log out')
    await addAuthenticator(page)
    await enrolPasskey(page, { token: admin.token, currentPassword: 'correct horse' })
    await logIn(page, admin)
    await page.click('text=Use a passkey')
    await isIn()
    // A browser says in its console that an answer was 401.
    assert.deepEqual(
      complaints.filter((one) => !/status of 401|localhost/.test(one)),
      [],
    )
    await page.close()
  })

  const isReady: Record<string, string> = {
    '/docs': 'h1:has-text("Bindery")',
    '/graphql': '.graphiql-query-editor .CodeMirror textarea[aria-label]',
    '/account/reset?token=a': '#use button',
  }
  const pages = ['/', '/docs', '/graphql', '/errors', '/errors/not-found', '/nowhere']
  const accounts = ['reset', 'verify', 'log-in', 'own-address'].map((name) => `/account/${name}`)
  const looks = [
    ['dark', 390],
    ['light', 1280],
  ] as const
  // Both looks of all pages take half a minute: `npm run test:long` has them.
  const isLong = process.env.TEST_LONG !== undefined
  const examined = isLong ? [...pages, ...accounts, '/account/reset?token=a'] : ['/', '/graphql', '/account/reset']
  for (const [scheme, width] of isLong ? looks : looks.slice(0, 1))
    test(`axe finds nothing serious in ${width} pixels, ${scheme}`, async () => {
      const faults: Record<string, string[]> = {}
      for (const path of examined) {
        const { page } = await open(path, scheme, width)
        await page
          .locator(isReady[path] ?? 'h1')
          .first()
          .waitFor()
        if (isLong && path === '/docs') await openRequest(page)
        faults[path] = await seriousFaults(page)
        await page.close()
      }
      assert.deepEqual(
        Object.entries(faults).filter(([, found]) => found.length > 0),
        [],
      )
    })
})
