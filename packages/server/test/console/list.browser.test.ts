/** A list of the console in Chromium, by keyboard: search, sort, edits in place with their undo. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startService, type TestService } from '../helpers/application.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

const titles = ['Emma', 'Lampshades', 'Middlemarch', 'Persuasion', 'Street lamps', 'Villette']

describe('a list of the console in Chromium', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let page: Page
  let token: string
  before(async () => {
    service = await startService()
    token = (await service.person('EDITOR')).token
    for (const [i, title] of titles.entries())
      await service.ask('POST', '/api/v1/editions', { token, body: { title, price: 12.5 + i } })
    consoles = await openConsoles(service)
    page = await consoles.open({ at: '/editions?sort=title', expected: /status of 4(12|00)/ })
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })
  beforeEach(async () => {
    await page.goto(`${service.url}/console/editions?sort=title`)
    await page.locator('.grid-row').first().waitFor()
  })

  const notice = (text: string) => page.locator('.notice', { hasText: text }).waitFor()
  const columnOf = async (label: string) =>
    Number(await page.locator(`.grid-th:has-text("${label}")`).first().getAttribute('aria-colindex')) - 1
  const cell = async (title: string, label: string) =>
    page.locator(`.grid-row:has-text("${title}") [data-column="${await columnOf(label)}"]`)
  const priceOf = async (title: string) => {
    const { body } = await service.ask('GET', `/api/v1/editions?title=${encodeURIComponent(title)}`)
    return (body as { data: { price: number }[] }).data[0]?.price
  }

  test('a slash and letters change the rows, the request above them, and the address', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('lamp')
    await page.waitForURL('**/editions?*q=lamp*')
    await page.locator('.request code', { hasText: 'q=lamp' }).waitFor()
    await page.locator('.grid-row', { hasText: 'Emma' }).waitFor({ state: 'detached' })
    assert.equal(await page.locator('.grid-row').count(), 2)
    consoles.checkComplaints()
  })

  test('a price is edited by keyboard with its version, and the edit is undone', async () => {
    await (await cell('Emma', 'Title')).focus()
    for (let i = await columnOf('Price'); i > 0; i -= 1) await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.keyboard.type('19.5')
    await page.keyboard.press('Enter')
    await notice('Saved, version 2')
    assert.equal(await priceOf('Emma'), 19.5)
    assert.equal(await page.evaluate("document.activeElement.getAttribute('role')"), 'gridcell')
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await notice('version 3')
    assert.equal(await priceOf('Emma'), 12.5)
    consoles.checkComplaints()
  })

  test('Escape leaves a cell as it was, and what the server refuses stays typed', async () => {
    await (await cell('Emma', 'Price')).click()
    await page.keyboard.type('99')
    await page.keyboard.press('Escape')
    assert.equal(await (await cell('Emma', 'Price')).textContent(), '$12.50')
    await (await cell('Emma', 'Price')).click()
    await page.keyboard.press('Delete')
    await page.keyboard.press('Enter')
    await notice('Price is required')
    await page.keyboard.type('77')
    const [edition] = (await service.ask('GET', '/api/v1/editions?title=Emma')).body.data
    await service.ask('PATCH', `/api/v1/editions/${edition.id}`, { token, body: { cost: 3 } })
    await page.keyboard.press('Enter')
    const sheet = page.getByRole('dialog', { name: 'Another person changed' })
    await sheet.waitFor()
    assert.deepEqual(await sheet.locator('legend').allTextContents(), ['Price', 'Cost'])
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    assert.equal(await (await cell('Emma', 'Cost')).textContent(), '$3.00')
    assert.equal(await priceOf('Emma'), 12.5)
    assert.equal(await page.locator('.cell-editor input').inputValue(), '77')
    await page.keyboard.press('Enter')
    await notice('Saved')
    assert.equal(await priceOf('Emma'), 77)
    await page.getByRole('button', { name: 'Undo' }).click()
    await notice('Undone')
    consoles.checkComplaints()
  })

  test('a cell that another person has changed is merged by choice', async () => {
    const [edition] = (await service.ask('GET', '/api/v1/editions?title=Villette')).body.data
    await (await cell('Villette', 'Price')).click()
    await page.keyboard.type('60')
    await service.ask('PATCH', `/api/v1/editions/${edition.id}`, { token, body: { price: 50, cost: 9 } })
    await page.keyboard.press('Enter')
    const sheet = page.getByRole('dialog', { name: 'Another person changed' })
    await sheet.getByText('60').waitFor()
    assert.equal(await sheet.getByRole('radio', { checked: true }).count(), 1)
    await sheet.locator('fieldset', { hasText: 'Price' }).getByRole('radio', { name: 'Mine' }).check()
    await sheet.getByRole('button', { name: 'Save as chosen' }).press('Enter')
    await notice('Saved, version 3')
    assert.equal(await priceOf('Villette'), 60)
    await (await cell('Villette', 'Cost')).getByText('9.00').waitFor()
    assert.equal(await page.evaluate("document.activeElement.getAttribute('role')"), 'gridcell')
    consoles.checkComplaints()
  })

  test('Enter on a title opens the record', async () => {
    await page.locator('.grid-cell').first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/editions/*')
    consoles.checkComplaints()
  })

  test('a filter is built by keyboard, stands above the list and in the address, and is removed', async () => {
    await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter')
    await page.getByLabel('Field', { exact: true }).selectOption({ label: 'Price' })
    await page.getByLabel('Comparison').selectOption({ label: '≥' })
    await page.getByLabel('Value').fill('15')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/editions?*price%5Bgte%5D=15')
    await page.locator('.grid-row', { hasText: 'Emma' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Price ≥ 15', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy as' }).click()
    await page.locator('pre', { hasText: 'query ($filter: EditionFilter)' }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter Price ≥ 15' }).press('Enter')
    await page.locator('.grid-row', { hasText: 'Emma' }).waitFor()
    consoles.checkComplaints()
  })

  test('columns are chosen by keyboard, the hidden ones are not asked for, and a reload keeps them', async () => {
    await page.getByRole('button', { name: 'Columns' }).press('Enter')
    await page.getByLabel('Cost', { exact: true }).press('Space')
    await page.getByRole('button', { name: 'Move Price up' }).press('Enter')
    await page.locator('.request code', { hasText: 'fields=price,title' }).waitFor()
    await page.reload()
    await page.locator('.grid-row').first().waitFor()
    assert.deepEqual(await page.locator('.grid-th').allTextContents(), ['Price', 'Title ▲'])
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'As declared' }).click()
    consoles.checkComplaints()
  })

  test('rows are selected by keys and changed and deleted together, with their number first', async () => {
    for (const title of ['Zadig', 'Zanoni', 'Zuleika'])
      await service.ask('POST', '/api/v1/editions', { token, body: { title, price: 9 } })
    await page.goto(`${service.url}/console/editions?sort=-title`)
    await (await cell('Zuleika', 'Title')).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).press('Enter')
    await page.getByRole('dialog', { name: 'Change 3 of 9 Editions' }).waitFor()
    await page.getByLabel('Field', { exact: true }).selectOption({ label: 'Price' })
    await page.getByLabel('Value').fill('4.5')
    await page.keyboard.press('Enter')
    await notice('3 changed')
    assert.equal(await priceOf('Zanoni'), 4.5)
    await (await cell('Zuleika', 'Title')).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
    const question = page.getByRole('alertdialog', { name: 'Delete 3 of 9 Editions?' })
    await question.getByRole('button', { name: 'Delete' }).press('Enter')
    await notice('3 deleted')
    assert.equal(await priceOf('Zanoni'), undefined)
    consoles.checkComplaints()
  })

  test('an empty list offers samples; a CSV file is tried with errors by line, and imported', async () => {
    await page.goto(`${service.url}/console/shelves`)
    await page.getByRole('button', { name: 'Sample data' }).press('Enter')
    await notice('10 created')
    await page.locator('.grid-row').nth(9).waitFor()
    await page.goto(`${service.url}/console/editions`)
    await page.getByRole('button', { name: 'Import CSV' }).press('Enter')
    const text = 'Title,price\nWalden,7.25\nWaverley,\n'
    await page.getByLabel('CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.getByText('1 of 2 lines can be imported').waitFor()
    await page.getByText('Line 3: price is required').waitFor()
    assert.equal(await priceOf('Walden'), undefined)
    await page.getByRole('button', { name: 'Import 1' }).press('Enter')
    await notice('1 created')
    assert.equal(await priceOf('Walden'), 7.25)
    await page.getByRole('button', { name: 'Export' }).press('Enter')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).press('Enter'),
    ])
    assert.equal(file.suggestedFilename(), 'editions.csv')
    consoles.checkComplaints()
  })
})
