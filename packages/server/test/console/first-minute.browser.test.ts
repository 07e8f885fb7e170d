/**
 * The first minute: the printed address opens the console, a new folder's first account is taken
 * over, and the operator sees what a user sees.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminEmail, startService, type TestService } from '../helpers/application.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

async function onNewFolder(work: (service: TestService, browser: ConsoleBrowser) => Promise<void>): Promise<void> {
  const service = await startService()
  const browser = await openConsoles(service)
  try {
    await work(service, browser)
    browser.checkComplaints()
  } finally {
    await browser.close()
    await service.stop()
  }
}

async function codeFor({ service }: TestService, purpose: 'log-in' | 'take-over'): Promise<string> {
  const code = await service.engine.identity.consoleCodes?.issue(purpose, adminEmail)
  assert.ok(code)
  return code
}

describe('the first minute', { timeout: 240_000 }, () => {
  it('takes over the first account by the address of a new folder', () =>
    onNewFolder(async (service, browser) => {
      const page = await browser.open({ at: `#take-over=${await codeFor(service, 'take-over')}`, as: null })
      await page.getByText('Choose the e-mail address and the password').waitFor()
      assert.equal(new URL(page.url()).hash, '')
      await page.fill('[name=email]', 'root@library.example')
      await page.fill('[name=password]', 'a long new password 77')
      await page.click('button[type=submit]')
      await page.locator('.person', { hasText: 'root@library.example' }).waitFor()
    }))

  it('logs in by the address of the demo, and sees what a user sees', () =>
    onNewFolder(async (service, browser) => {
      const editor = await service.person('EDITOR')
      await service.ask('POST', '/api/v1/shelves', { body: { label: 'Poetry', room: 'East' } })
      const code = await codeFor(service, 'log-in')
      const page = await browser.open({ at: `/members/${editor.id}#code=${code}`, as: null, expected: /40[013]/ })
      await page.locator('.person', { hasText: adminEmail }).waitFor()
      assert.equal(new URL(page.url()).hash, '')
      await page.getByText(editor.email).first().waitFor()
      await page.getByRole('button', { name: `View as ${editor.email} (EDITOR)` }).waitFor()
      await page.goto(`${service.url}/console/shelves`)
      await page.locator('.grid-row').first().waitFor()
      await page.getByRole('gridcell', { name: 'East' }).click()
      await page.keyboard.type('West')
      await page.keyboard.press('Enter')
      const undo = page.getByRole('button', { name: 'Undo' })
      await undo.waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type('view as')
      await page.getByRole('menuitem', { name: `View as ${editor.email} (EDITOR)` }).waitFor()
      assert.equal(await page.getByRole('menuitem', { name: adminEmail }).count(), 0)
      await page.keyboard.press('Enter')
      await page.getByText(`You see what ${editor.email} (EDITOR) sees`).waitFor()
      await page.getByRole('button', { name: 'New shelf' }).waitFor({ state: 'detached' })
      assert.equal(await undo.count(), 0)
      await page.getByRole('button', { name: 'Why?' }).click()
      const why = page.getByRole('dialog', { name: 'Why is it not offered?' })
      await why
        .getByText(/declared in shelves\.ts:\d+/)
        .first()
        .waitFor()
      assert.deepEqual(await seriousFaults(page), [])
      await why.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'End this view' }).click()
      await page.getByRole('button', { name: 'New shelf' }).waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('view as')
      await page.getByRole('menuitem', { name: `View as ${editor.email} (EDITOR)` }).click()
      await page.getByText(`You see what ${editor.email} (EDITOR) sees`).waitFor()
      await page.getByRole('button', { name: 'New shelf' }).waitFor({ state: 'detached' })
      // As after its 15 minutes.
      await page.route('**/api/v1/**', (route) => route.fulfill({ status: 401, json: { error: 'Expired' } }), {
        times: 1,
      })
      await page.getByRole('link', { name: 'Editions' }).click()
      await page.getByText(`The view of ${editor.email} has ended`).waitFor()
      await page.locator('.view-bar').waitFor({ state: 'detached' })
    }))
})
