/**
 * The console of a service in Chromium. Every page that is opened here must load without a report
 * of its policy, an error in its console, or a request to another origin.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { buildConsole } from '../../../console/build.ts'
import { adminEmail, password, type TestService } from '../helpers/application.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'
import { shortOr } from '../helpers/long.ts'

export type OpenOptions = BrowserContextOptions & {
  /** Below the console: `/editions?q=lamp`. */
  readonly at?: string
  /** The ADMIN by default; null opens the page without a log-in. */
  readonly as?: { readonly email: string; readonly password: string } | null
  /** Errors of the browser's console that the test expects: a 412 prints one. */
  readonly expected?: RegExp
}

export type ConsoleBrowser = {
  open(options?: OpenOptions): Promise<Page>
  /** Throws for whatever the pages complained about. */
  checkComplaints(): void
  close(): Promise<void>
}

const admin = { email: adminEmail, password }

/** Collects what a page complains about, from its first line on. */
async function watch(page: Page, origin: string, report: (complaint: string) => void): Promise<void> {
  page.on('console', (message) => {
    if (message.type() === 'error') report(`console: ${message.text()} ${message.location().url}`)
    if (message.text().startsWith('policy: ')) report(message.text())
  })
  page.on('pageerror', (error) => report(`error: ${error}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) report(`asked ${request.url()}`)
  })
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.log('policy: ' + event.violatedDirective + ' ' + event.blockedURI))",
  )
}

export async function logInAt(page: Page, credentials: { readonly email: string; readonly password: string }) {
  await page.fill('[name=email]', credentials.email)
  await page.fill('[name=password]', credentials.password)
  await page.click('button[type=submit]')
  await page.locator('.shell').waitFor()
}

/**
 * Parts of the console come late, each at another time: a test that acts on what stands in for them
 * fails. A short run has them as they come.
 */
async function delayParts(page: Page): Promise<void> {
  const lateMsMax = shortOr(0, 400)
  if (lateMsMax === 0) return
  await page.context().route(/\/console\/assets\//, async (route) => {
    await sleep(Math.random() * lateMsMax)
    await route.continue().catch(() => undefined) // the page has gone
  })
}

export async function openConsoles(service: Pick<TestService, 'url'>): Promise<ConsoleBrowser> {
  await buildConsole()
  const browser: Browser = await launchChromium()
  const complaints: string[] = []
  return {
    async open({ at = '', as = admin, expected, ...context } = {}) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...context })
      await watch(page, service.url, (complaint) => {
        if (!expected?.test(complaint)) complaints.push(complaint)
      })
      await delayParts(page)
      await page.goto(`${service.url}/console${at}`)
      if (as) await logInAt(page, as)
      return page
    },
    checkComplaints: () => assert.deepEqual(complaints, []),
    close: () => browser.close(),
  }
}
