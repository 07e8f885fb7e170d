/**
 * Log-in by a provider in a real browser. Provider and server are two sites, and the browser still
 * has the strict refresh cookie when it comes back.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startService as startOf, type TestService } from '../../src/testing/index.ts'
import { resources } from '../helpers/application.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'
import { type Issuer, providerEnv, startIssuer } from '../helpers/oidc-issuer.ts'
import { links } from '../service/people.ts'

/** The globals that the page's script uses. */
type InPage = { document: { cookie: string } }

describe('a log-in by a provider in Chromium', { timeout: 480_000 }, () => {
  let issuer: Issuer
  let service: TestService
  let browser: Browser
  let page: Page
  before(async () => {
    issuer = await startIssuer()
    const env = { OIDC_PROVIDERS: 'corp', ...providerEnv('CORP', issuer.url) }
    service = await startOf([...resources, links], { env })
    browser = await launchChromium()
    // The welcome page lets no script ask; here the test's does.
    page = await browser.newPage({ bypassCSP: true })
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    await issuer?.stop()
  })

  /** The server by another name than the provider: for a browser these are two sites. */
  const home = () => service.url.replace('127.0.0.1', 'localhost')
  async function logIn(as: string): Promise<void> {
    await page.goto(`${home()}/auth/oidc/corp?returnTo=/`)
    assert.ok(page.url().startsWith(issuer.url))
    await page.fill('input[name=login]', as)
    await page.fill('input[name=password]', 'any')
    await page.click('button[type=submit]')
    await page.click('button[type=submit]')
  }
  const refresh = () =>
    page.evaluate(async () => {
      const reply = await fetch('/auth/refresh', { method: 'POST' })
      return [reply.status, (globalThis as unknown as InPage).document.cookie] as const
    })

  it('ends on the page that asked, which has a session that no script reads', async () => {
    issuer.people.ann = { email: 'ann@corp.example', email_verified: true }
    await logIn('ann')
    await page.waitForURL(`${home()}/`)
    assert.deepEqual(await refresh(), [200, ''])
    const cookies = await page.context().cookies(`${home()}/auth/oidc/corp`)
    assert.deepEqual(
      cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
      [
        ['device', true, 'Strict'],
        ['refreshToken', true, 'Strict'],
      ],
    )
    await page.context().clearCookies()
  })

  it('says in a page why it did not, and where an account has to say yes', async () => {
    issuer.people.bob = { email: 'bob@corp.example', email_verified: false }
    await logIn('bob')
    await page.waitForSelector('text=The e-mail address is not verified by the provider.')
    const { email } = await service.person()
    issuer.people.bob = { email, email_verified: true }
    await page.goto(`${home()}/auth/oidc/corp?returnTo=/`)
    await page.waitForURL(/\/#next=link&ticket=/)
    assert.equal((await refresh())[0], 401)
  })
})
