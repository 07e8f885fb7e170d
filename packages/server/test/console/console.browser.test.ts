/** The frame of the console in Chromium: log-in, menu, list, palette, in both themes and widths. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { adminEmail, password, startService, type TestService } from '../helpers/application.ts'
import { type ConsoleBrowser, logInAt, openConsoles } from './console-browser.ts'

describe('the console in Chromium', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  before(async () => {
    service = await startService()
    const editor = await service.person('EDITOR')
    for (const title of ['Emma', 'Middlemarch', 'Persuasion'])
      await service.ask('POST', '/api/v1/editions', { token: editor.token, body: { title, price: 12.5 } })
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const)
    test(`log-in, list and palette, ${colorScheme}, in ${width} pixels`, async () => {
      const page = await consoles.open({ as: null, colorScheme, viewport: { width, height: 800 } })
      await logInAt(page, { email: adminEmail, password })
      await page.goto(`${service.url}/console/editions`)
      await page.locator('.grid-row').first().waitFor()
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isWide, false, 'the page scrolls sideways')
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type('shel')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/console/shelves')
      await page.close()
      consoles.checkComplaints()
    })

  test('a reload keeps the session, and a log-out ends it', async () => {
    const page = await consoles.open({ at: '/editions' })
    await page.reload()
    await page.locator('.grid-row').first().waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.locator('[name=email]').waitFor()
    await page.reload()
    await page.locator('[name=email]').waitFor()
    await page.close()
    consoles.checkComplaints()
  })
})
