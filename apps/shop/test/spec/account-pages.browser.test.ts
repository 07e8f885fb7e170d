/**
 * The pages that links in mails open, in Chromium: each form works in light and dark, narrow and
 * wide, and with a second factor.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import chromium from '@sparticuz/chromium'
import { Secret, TOTP } from 'otpauth'
import { type Browser, type Page, chromium as playwright } from 'playwright-core'
import { type Mailbox, mailboxOf } from '../helpers/mails.ts'
import { password, startService, type TestService } from '../helpers/service.ts'

const next = 'a much longer horse'

describe('the pages of mails', { timeout: 480_000 }, () => {
  let service: TestService
  let box: Mailbox
  let browser: Browser
  before(async () => {
    service = await startService({ LOGIN_LINK: 'on', VERIFY_EMAIL: 'required' })
    box = mailboxOf(service)
    const args = chromium.args.filter((one) => !/disable-web-security|single-process|insecure-content/.test(one))
    browser = await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: [...args, '--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
      headless: true,
    })
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  /** By the name of the machine, which passkeys need. */
  const home = () => service.url.replace('127.0.0.1', 'localhost')
  const post = (path: string, body: object, token?: string) =>
    service.ask('POST', path, { body, ...(token && { token }) })
  const linkIn = ({ text }: { text: string }) => (/http:\S+/.exec(text)?.[0] ?? '').replace(service.url, home())

  async function open(
    address: string,
    look: { scheme?: 'light' | 'dark'; width?: number; locale?: string } = {},
  ): Promise<{ page: Page; complaints: string[] }> {
    const { scheme: colorScheme = 'light', width = 1280, locale = 'en-GB' } = look
    const page = await browser.newPage({ colorScheme, locale, viewport: { width, height: 800 } })
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => /Content.Security|Refused/.test(message.text()) && complaints.push(message.text()))
    page.on('request', (one) => !one.url().startsWith(home()) && complaints.push(`asked ${one.url()}`))
    await page.goto(address)
    assert.ok(!page.url().includes('token'), 'the token has left the address')
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    const back = await page.evaluate('getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]')
    assert.ok((overflow as number) <= 0)
    assert.ok(colorScheme === 'light' ? (back as number) > 200 : (back as number) < 60)
    return { page, complaints }
  }
  const told = (page: Page, text: string) =>
    page.waitForSelector(`[role=status]:has-text("${text}")`, { timeout: 100_000 })
  const say = (page: Page) => page.textContent('[role=status]')

  it('take a new password, once, and nothing for being opened', async () => {
    const { email } = await service.person()
    await post('/auth/forgot', { email })
    const link = linkIn(await box.wait(email))
    assert.match(link, /\/account\/reset\?token=/)
    for (const _ of [1, 2]) await (await open(link)).page.close()
    const { page, complaints } = await open(link, { scheme: 'dark', width: 360 })
    for (const [wrong, said] of [
      ['password1', 'This password is one of the commonest; choose another.'],
      [email, 'Your own address or name is no password; choose another.'],
      ['ä'.repeat(600), 'The password must have 8 to 1024 characters; some count as two to four.'],
      [next, 'The password is changed'],
    ] as const) {
      await page.fill('input[type=password]', wrong)
      await page.click('#use > button')
      await told(page, said)
    }
    assert.equal(await page.isVisible('form'), false)
    await service.logIn(email, next)
    const again = await open(link, { width: 360, locale: 'de' })
    assert.equal(await again.page.textContent('h1'), 'Ein neues Passwort wählen')
    await again.page.fill('input[type=password]', next)
    await again.page.click('#use > button')
    await told(again.page, 'Dieser Link ist benutzt oder abgelaufen')
    await again.page.fill('[type=email]', email)
    await again.page.click('text=Neue Mail senden')
    await told(again.page, 'eine neue Mail unterwegs')
    const { page: renewed } = await open(linkIn(await box.wait(email, 3)), { scheme: 'dark' })
    assert.equal(await renewed.isVisible('[type=email]'), false)
    await renewed.click('text=Get a new mail')
    assert.equal(await renewed.isVisible('[type=email]'), true)
    const none = await open(link.replace(/\?.*/, ''))
    assert.deepEqual(
      [await say(none.page), await none.page.isVisible('#use')],
      ['This link is incomplete: open it again from the mail, or get a new one.', false],
    )
    assert.deepEqual([complaints, again.complaints, none.complaints], [[], [], []])
  })

  it('prove a new address, which is the old one until then', async () => {
    const { email, id, token } = await service.person()
    const address = `new-${email}`
    const changed = await service.ask('PATCH', `/api/v1/users/${id}`, {
      token,
      body: { email: address, currentPassword: password },
    })
    assert.deepEqual([changed.status, changed.body.email], [200, email])
    const { page, complaints } = await open(linkIn(await box.wait(address)), { scheme: 'dark' })
    await page.click('#use > button')
    await told(page, 'The address is confirmed.')
    assert.equal((await service.ask('GET', `/api/v1/users/${id}`, { token })).body.email, address)
    assert.deepEqual(complaints, [])
  })

  it('prove the address of whoever is logged in with this browser, whichever mount that was by', async () => {
    const { id, email, token } = await service.person()
    assert.equal((await post(`/api/v1/users/${id}/verify`, {}, token)).status, 200)
    const link = linkIn(await box.wait(email))
    assert.match(link, /\/account\/own-address\?token=/)
    const stranger = await open(link, { scheme: 'dark', width: 360, locale: 'de' })
    await stranger.page.click('#use > button')
    await told(stranger.page, 'Melden Sie sich mit diesem Browser im Konto an')
    const logIn = (page: Page, who: string, mount: string) =>
      page.evaluate(
        ([to, body]) =>
          fetch(to as string, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: body as string,
          }),
        [`${mount}/auth/login`, JSON.stringify({ email: who, password })],
      )
    const other = await service.person()
    await logIn(stranger.page, other.email, '')
    await stranger.page.click('#use > button')
    await told(stranger.page, 'Dieser Link ist benutzt oder abgelaufen oder für ein anderes Konto.')
    const { page, complaints } = await open(link)
    await logIn(page, email, '/api/v1')
    await page.click('text=Get a new mail')
    await page.click('text=Send a new mail')
    await told(page, 'A new mail is on its way.')
    await page.goto(linkIn(await box.wait(email, 2)))
    await page.click('#use > button')
    await told(page, 'The address is confirmed.')
    const events = (await service.ask('GET', `/api/v1/users/${id}/audit-events`, { token })).body.data
    const proof = events.find(({ event }: { event: string }) => event === 'email-verified')
    assert.match(proof.credential, /^session:/)
    assert.deepEqual([complaints, stranger.complaints], [[], []])
  })

  it('log in by a link, and go on to the second factor where one is due', async () => {
    const { email, token } = await service.person()
    const link = async () => {
      await post('/auth/login-link', { email })
      asked += 1
      return linkIn(await box.wait(email, asked))
    }
    let asked = 0
    const plain = await open(await link(), { width: 360 })
    await plain.page.click('#use > button')
    await told(plain.page, 'You are logged in.')
    const refresh = (page: Page) =>
      page.evaluate("fetch('/auth/refresh', { method: 'POST' }).then((one) => one.status)")
    assert.equal(await refresh(plain.page), 200)

    const begun = await post('/api/v1/factors', { type: 'totp', currentPassword: password }, token)
    const app = new TOTP({ secret: Secret.fromBase32(begun.body.secret) })
    const code = () => {
      service.turn(30_000)
      return app.generate({ timestamp: service.now() })
    }
    const finish = { ticket: begun.body.ticket, code: code() }
    const { recoveryCodes } = (await post('/api/v1/factors/finish', finish, token)).body
    for (const [right, look] of [
      [code, { width: 360, scheme: 'dark' }],
      [() => recoveryCodes[0] as string, { locale: 'de' }],
    ] as const) {
      const { page, complaints } = await open(await link(), look)
      assert.equal(await page.isVisible('#use input'), false)
      await page.click('#use > button')
      await page.waitForSelector('#use input')
      assert.match((await say(page)) ?? '', /second factor|zweiter Faktor/)
      assert.equal(await page.isVisible('button:has-text("asskey")'), false, 'there is none')
      await page.fill('#use input', '000000')
      await page.click('#use > button')
      await page.locator('[role=status]', { hasText: /not right|stimmt nicht/ }).waitFor()
      await page.fill('#use input', right())
      await page.click('#use > button')
      await page.waitForSelector('#use', { state: 'hidden' })
      assert.equal(await refresh(page), 200)
      assert.deepEqual(complaints, [])
    }
  })

  it('ask the device for a passkey where that is the factor', async () => {
    const { email } = await service.person()
    const page = await browser.newPage()
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const kind = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...kind, isUserVerified: true, automaticPresenceSimulation: true },
    })
    await page.goto(`${home()}/account/log-in`)
    const enrolled = await page.evaluate(
      `(async () => {
        const post = async (path, body, token) => (await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) }, body: JSON.stringify(body) })).json()
        const { accessToken } = await post('/auth/login', ${JSON.stringify({ email, password })})
        const { ticket, options } = await post('/api/v1/factors', ${JSON.stringify({ type: 'passkey', currentPassword: password })}, accessToken)
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
        const passkey = (await navigator.credentials.create({ publicKey })).toJSON()
        return post('/api/v1/factors/finish', { ticket, passkey }, accessToken)
      })()`,
    )
    assert.equal((enrolled as { type: string }).type, 'passkey')
    await page.context().clearCookies()
    await post('/auth/login-link', { email })
    await page.goto(linkIn(await box.wait(email)))
    await page.click('#use > button')
    await page.click('button:has-text("Use a passkey")')
    await told(page, 'You are logged in.')
  })
})
