/** An application's own parts of the console: look, page, cell, action, and a person it refuses. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { password, startService, type TestService } from '../../src/testing/index.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { until } from '../helpers/until.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'
import { resources } from './own-console.ts'

describe('the console of an application', () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let page: Page
  before(async () => {
    service = await startService(resources)
    const { token } = await service.admin()
    for (const [title, price] of [
      ['Emma', 9.5],
      ['Persuasion', 0],
    ] as const)
      await service.ask('POST', '/api/v1/editions', { token, body: { title, price, isbn: title } })
    consoles = await openConsoles(service)
    page = await consoles.open({ at: '/editions' })
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  it('has its name, its logo and its colour', async () => {
    assert.match((await page.locator('.bar strong').textContent()) ?? '', /The <Library>/)
    assert.equal(await page.title(), 'The <Library>')
    const logo = page.locator('.bar img')
    await logo.waitFor()
    assert.ok(await logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0))
    const shown = await page.evaluate(
      "(() => { const one = document.body.appendChild(document.createElement('i')); one.style.color = 'var(--accent)'; const { color } = getComputedStyle(one); one.remove(); return color })()",
    )
    assert.equal(shown, 'rgb(138, 59, 18)')
  })

  it('shows its cells, and an error in one leaves the list whole', async () => {
    await page.getByText('9.5 for Emma').waitFor()
    await page.getByText('cells/edition.price failed: There is no price').waitFor()
    await page.getByRole('link', { name: 'Persuasion' }).waitFor()
  })

  it('shows its page, which asks the API and leads on', async () => {
    await page.getByRole('link', { name: 'Stock report' }).click()
    await page.getByText('Editions: 2').waitFor()
    await page.getByRole('button', { name: 'Tell' }).click()
    await page.getByText('Told', { exact: true }).waitFor()
    await page.getByText('9.5 for Emma').waitFor()
  })

  it('offers its action on a record, in a dialog', async () => {
    await page.getByRole('link', { name: 'Emma' }).click()
    await page.getByRole('button', { name: 'Print' }).click()
    await page.getByRole('button', { name: 'Print the label of Emma' }).click()
    await page.getByText('Printed').waitFor()
    await page.locator('dialog').waitFor({ state: 'detached' })
    // The action has written the record: the page shows it as it is now.
    const costs = page.locator('[data-field=cost] input')
    const shown = async () => Promise.all((await costs.all()).map((one) => one.inputValue()))
    await until(async () => (await shown()).includes('3'), 'the cost that the action stored')
  })

  it('has an input for each widget, links beside addresses, and Markdown without HTML', async () => {
    const { token } = await service.admin()
    const about = '# Ink\n\n**bold** <img src=x onerror=alert(1)> [a](javascript:alert(1))'
    const made = {
      name: 'Poster',
      about,
      site: 'https://example.com/',
      mail: 'a@example.com',
      ink: 'teal',
      price: 1234.5,
    }
    const { body } = await service.ask('POST', '/api/v1/posters', {
      token,
      body: { ...made, phone: '+49 (30) 123-456' },
    })
    await page.goto(`${service.url}/console/posters/${body.id}`)
    const links = page.locator('.beside a')
    await links.nth(2).waitFor()
    const hrefs = await page.evaluate("[...document.querySelectorAll('.beside a')].map(({ href }) => href)")
    assert.deepEqual(hrefs, ['https://example.com/', 'mailto:a@example.com', 'tel:+4930123456'])
    assert.equal(await page.getByLabel('Pick Ink').inputValue(), '#008080')
    await page.getByText('USD').waitFor()
    await page.getByLabel('Notes').fill('two\nlines')
    await page.getByLabel('Width in centimetres').fill('42')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('.markdown h3', { hasText: 'Ink' }).waitFor()
    assert.equal(await page.locator('.markdown :is(img, a)').count(), 0)
    assert.deepEqual(await seriousFaults(page), [])
    await page.keyboard.press('Control+s')
    await page.getByText('Saved, version 2').waitFor()
    const { notes, width } = (await service.ask('GET', `/api/v1/posters/${body.id}`)).body
    assert.deepEqual({ notes, width }, { notes: 'two\nlines', width: 42 })
  })

  it('keeps the lines of a text that is edited in its cell', async () => {
    await page.getByRole('link', { name: 'Back to posters' }).click()
    await page.getByRole('gridcell', { name: 'two lines' }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' more')
    await page.keyboard.press('Enter')
    await page.getByText('Saved, version 3').waitFor()
    const [{ notes }] = (await service.ask('GET', '/api/v1/posters')).body.data
    assert.equal(notes, 'two\nlines more')
  })

  it('changes selected records of a list without a filter on ids', async () => {
    await page.getByLabel('Select all loaded rows').click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Field', { exact: true }).selectOption({ label: 'Width' })
    await page.getByLabel('Value').fill('7')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('1 changed').waitFor()
    assert.equal((await service.ask('GET', '/api/v1/posters')).body.data[0].width, 7)
  })

  it('says so to a person whom it does not admit', async () => {
    const { email } = await service.person()
    const other = await consoles.open({ as: null, expected: /403/ })
    await other.fill('[name=email]', email)
    await other.fill('[name=password]', password)
    await other.click('button[type=submit]')
    await other.getByRole('heading', { name: 'This console is not for your account' }).waitFor()
    assert.equal(await other.locator('.shell').count(), 0)
    consoles.checkComplaints()
  })
})
