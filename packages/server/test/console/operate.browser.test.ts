/** The pages for operators in Chromium: each opens, without a finding of axe or a policy report. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { adminEmail, onPostgres, password, startService, type TestService } from '../helpers/application.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { type ConsoleBrowser, logInAt, openConsoles } from './console-browser.ts'

const pages = ['status', 'work', 'roles', 'backups', 'doctor', 'settings', 'statements', 'documents']

describe('the pages for operators in Chromium', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  before(async () => {
    service = await startService()
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  test('each opens, and has no finding', async () => {
    const page = await consoles.open({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
    for (const name of pages) {
      await page.goto(`${service.url}/console/_operate/${name}`)
      await page.locator('.operate h1').waitFor()
      await page.locator('.operate .quiet:has-text("Loading")').waitFor({ state: 'detached' })
      assert.deepEqual(await seriousFaults(page), [], name)
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isWide, false, `${name} scrolls sideways`)
    }
    await page.close()
    consoles.checkComplaints()
  })

  test('/status leads to its page, which shows all that the server counts', async () => {
    const page = await consoles.open({ as: null })
    await page.goto(`${service.url}/status`)
    await page.waitForURL('**/console/_operate/status')
    await logInAt(page, { email: adminEmail, password })
    // Counting begins with the first look, so that is the first route that is seen.
    await page.getByRole('cell', { name: 'GET /status' }).waitFor()
    const figures = await page.locator('.tiles div').allTextContents()
    const shown = (label: string) => figures.find((one) => one.startsWith(label))?.slice(label.length) ?? ''
    assert.equal(figures.length, 8)
    for (const label of ['Database', 'Free on the disk']) assert.match(shown(label), /^[\d.]+ [kMGT]?B$/, label)
    assert.match(shown('Since the start'), /^\d+ (sec|min)$/)
    assert.equal(shown('Since a backup'), 'none known')
    assert.equal(await page.locator('.chart path[fill]').count(), 11)
    assert.equal(await page.locator('meter').count(), 5)
    const part = onPostgres ? 'connections: used' : 'log'
    for (const name of ['data', part, 'Slow statements since the start', 'Failed log-ins'])
      await page.getByRole('cell', { name, exact: true }).waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('people who do not run the service are not offered them', async () => {
    const { email } = await service.person('EDITOR')
    const page = await consoles.open({ as: { email, password: 'correct horse' } })
    await page.locator('.menu a').first().waitFor()
    assert.equal(await page.locator('.menu a[href*="_operate"]').count(), 0)
    await page.close()
    consoles.checkComplaints()
  })
})
