/** The pages for operators in Chromium. `every-page.browser.test.ts` opens each. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startService as startOf } from '../../src/testing/index.ts'
import {
  adminEmail,
  onPostgres,
  password,
  removeFolder,
  resources,
  type TestService,
  temporaryFolder,
} from '../helpers/application.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { oneTimeTokens, outgoingMails, traces } from '../service/people.ts'
import { type ConsoleBrowser, logInAt, openConsoles } from './console-browser.ts'

const secrets = {
  JWT_SECRET: 'hidden-with-more-than-thirty-two-bytes',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hidden-token',
  AWS_SECRET_ACCESS_KEY: 'hidden-key-of-the-bucket',
}

describe('the pages for operators in Chromium', { timeout: 480_000 }, () => {
  const folder = temporaryFolder()
  let service: TestService
  let consoles: ConsoleBrowser
  before(async () => {
    service = await startOf([...resources, traces, oneTimeTokens, outgoingMails], {
      mayFail: true,
      env: { ...secrets, BACKUP_DIR: folder, SMTP_URL: 'smtp://mailer:hidden-in-an-address@127.0.0.1:9' },
    })
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
    removeFolder(folder)
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

  test('settings say which secrets are set, and no secret', async () => {
    const page = await consoles.open({ at: '/_operate/settings' })
    for (const name of Object.keys(secrets))
      await page.getByRole('row', { name: new RegExp(`^${name} set, not shown set`) }).waitFor()
    assert.ok(!(await page.content()).includes('hidden-'))
    await page.close()
    consoles.checkComplaints()
  })

  test('a mail that cannot be sent is tried again and given up, and a backup is taken', async () => {
    await service.ask('POST', '/auth/forgot', { body: { email: adminEmail } })
    await service.sweep()
    const page = await consoles.open({ at: '/_operate/work' })
    const mail = page.getByRole('region', { name: 'Waiting work' }).getByRole('row', { name: /ECONNREFUSED/ })
    await mail.getByRole('button', { name: 'Retry now' }).click()
    await page.locator('.notice', { hasText: 'Done' }).waitFor()
    await mail.getByRole('button', { name: 'Give up' }).click()
    await page.getByRole('cell', { name: 'given-up' }).first().waitFor()
    await page.getByRole('link', { name: 'Backups' }).click()
    await page.getByRole('button', { name: 'Take one now' }).click()
    const name = await page.getByRole('cell', { name: /^bindery-.*\.tar/ }).textContent()
    await page.getByText(`bindery restore ${folder}/${name}`).waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('keys, sessions and the audit are lists; a new key is shown once', async () => {
    const page = await consoles.open({ at: '/access-keys/_new' })
    await page.getByLabel('Name').fill('for a program')
    await page.keyboard.press('Control+s')
    const sheet = page.getByRole('alertdialog')
    await sheet.getByText('it is not shown again').waitFor()
    const key = (await sheet.locator('code').textContent()) ?? ''
    assert.equal((await service.ask('GET', '/status', { key })).status, 200)
    assert.deepEqual(await seriousFaults(page), [])
    await sheet.getByRole('button', { name: 'I have kept it' }).click()
    await sheet.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    await sheet.getByText('it is not shown again').waitFor()
    assert.notEqual(await sheet.locator('code').textContent(), key)
    await sheet.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('link', { name: 'Traces' }).click()
    await page.locator('.grid-row', { hasText: 'backup-asked' }).first().waitFor()
    await page.getByRole('link', { name: 'Visits' }).click()
    await page.locator('.grid-row').first().waitFor()
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
