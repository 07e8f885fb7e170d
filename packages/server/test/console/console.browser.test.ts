/** The frame of the console in Chromium: log-in, menu, list, palette, in both themes and widths. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { adminEmail, password, startService, type TestService } from '../helpers/application.ts'
import { long } from '../helpers/long.ts'
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
    test(`log-in, list and palette, ${colorScheme}, in ${width} pixels`, width < 700 ? long : {}, async () => {
      const page = await consoles.open({ as: null, colorScheme, viewport: { width, height: 800 } })
      await logInAt(page, { email: adminEmail, password })
      await page.locator('nav [aria-current]').waitFor({ state: 'attached' })
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

  test('an address with the name of a part of objects is nothing; a part that does not load is told', async () => {
    const page = await consoles.open({ at: '/_operate/constructor', expected: /operate|Failed to (load|fetch)/ })
    await page.getByText('There is nothing at this address').waitFor()
    await page.goto(`${service.url}/console/editions`)
    await page.locator('.grid-row').first().waitFor()
    await page.route('**/console/assets/**', (route) => route.abort())
    await page.locator('.grid-row a').first().click()
    await page.getByText('This part of the page cannot be shown.').waitFor()
    await page.unroute('**/console/assets/**')
    await page.getByRole('button', { name: 'Load the page again' }).click()
    await page.getByLabel('Title').waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('a record whose title shows nothing has the name of its id', async () => {
    const editor = await service.person('EDITOR')
    const title = '\u200b\u2060'
    const made = await service.ask('POST', '/api/v1/editions', { token: editor.token, body: { title, price: 1 } })
    const page = await consoles.open({ at: '/editions' })
    await page.locator('.grid-row').getByRole('link', { name: made.body.id, exact: true }).click()
    await page.getByRole('heading', { name: made.body.id }).waitFor()
    await page.getByRole('button', { name: 'Delete …' }).click()
    const removed: string[] = []
    page.on('request', (request) => request.method() === 'DELETE' && removed.push(request.url()))
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).dblclick()
    await page.locator('.notice', { hasText: 'deleted' }).waitFor()
    assert.equal(removed.length, 1)
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
