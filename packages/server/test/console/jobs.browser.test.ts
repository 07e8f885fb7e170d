/**
 * Work that is done later, in Chromium: the button of an action that adds a job, and the pages for
 * operators. They work by keyboard, and in German.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startService, type TestService } from '../../src/testing/index.ts'
import { adminEmail, password } from '../helpers/application.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { hold, mailroom, ran } from '../jobs/mailroom.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

describe('jobs and schedules in the console', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let letter: string
  before(async () => {
    service = await startService(mailroom, { mayFail: true })
    consoles = await openConsoles(service)
    letter = (await service.ask('POST', '/api/v1/letters', { body: { body: 'browser' } })).body.id
    await service.sweep()
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })
  const admin = { email: adminEmail, password }

  test('the button of an action shows how far its job is, and then its result', async () => {
    const release = hold('one browser')
    const page = await consoles.open({ at: `/letters/${letter}`, as: admin })
    await page.getByRole('button', { name: 'Stamp one' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Copies').fill('2')
    await page.keyboard.press('Enter')
    const sheet = page.getByRole('dialog', { name: 'Stamp one' })
    await sheet.getByText('running · 1 / 2 half').waitFor()
    await sheet.getByRole('progressbar').waitFor()
    assert.deepEqual(await seriousFaults(page), [])
    release()
    await sheet.getByText('done', { exact: false }).first().waitFor()
    await sheet.getByRole('row', { name: /^Stamped one browser by / }).waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.close()
    consoles.checkComplaints()
  })

  test('operators see jobs, try them again and cancel them', async () => {
    const add = (body: object) =>
      service.ask('POST', `/api/v1/letters/${letter}/stamp-one`, { body, token: person.token })
    const person = await service.person()
    await add({ text: 'refused' })
    await service.sweep()
    const page = await consoles.open({ at: '/_operate/jobs', as: admin })
    await page.getByRole('combobox', { name: 'State' }).selectOption('failed')
    const failed = page.getByRole('row', { name: /No stamp is left/ })
    await failed.waitFor()
    assert.equal(await page.getByRole('region', { name: 'Jobs' }).getByRole('row').count(), 2)
    assert.deepEqual(await seriousFaults(page), [])
    await failed.getByRole('button', { name: 'Retry now' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.notice', { hasText: 'Done' }).waitFor()
    await page.getByRole('combobox', { name: 'State' }).selectOption('')
    await service.sweep()
    await page.getByRole('row', { name: /No stamp is left/ }).waitFor()
    const release = hold('browser runs')
    await add({ text: 'browser runs' })
    const running = page.getByRole('row', { name: /^stamp running 1 \/ 2 half/ })
    await running.getByRole('button', { name: 'Cancel it' }).click()
    await page.getByRole('cell', { name: 'cancelled', exact: true }).first().waitFor()
    release()
    await page.close()
    consoles.checkComplaints()
  })

  test('operators see schedules, and run one now; in German', async () => {
    const before = ran.filter((line) => line === 'tidy').length
    const page = await consoles.open({ at: '/_operate/schedules', as: admin, locale: 'de-DE' })
    const row = page.getByRole('row', { name: /^tidy 0 3 1 1 \* UTC/ })
    await row.waitFor()
    assert.equal(await row.getByRole('listitem').count(), 5)
    await row.getByRole('button', { name: 'Jetzt ausführen' }).click()
    await page.locator('.notice', { hasText: 'Erledigt' }).waitFor()
    await service.sweep()
    assert.equal(ran.filter((line) => line === 'tidy').length, before + 1)
    assert.deepEqual(await seriousFaults(page), [])
    await page.getByRole('link', { name: 'Aufträge' }).click()
    await page.getByRole('cell', { name: 'abgebrochen', exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'Wartende Arbeit' }).click()
    await page.getByRole('combobox', { name: 'Art' }).selectOption('job.stamp')
    await page.getByRole('cell', { name: 'aufgegeben', exact: true }).first().waitFor()
    await page.close()
    consoles.checkComplaints()
  })
})
