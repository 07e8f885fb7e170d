/** Records below one that its form has: added, changed and removed with it, in one request. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { anyOf, choice, defineResource, id, integer, owner, reference, role, text, user } from '../../src/index.ts'
import { startService as startOf, type TestService } from '../../src/testing/index.ts'
import { password } from '../helpers/application.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { until } from '../helpers/until.ts'
import { people } from '../service/people.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

const parcels = defineResource({
  name: 'parcel',
  path: '/parcels',
  fields: { id: id(), title: text({ required: true, maxLength: 40 }), note: text({ maxLength: 80 }) },
  list: { style: 'page', search: ['title'] },
  children: { lines: { resource: 'line', by: 'parcelId', inBody: true } },
  access: { read: user, create: user, update: user, delete: user },
})
const lines = defineResource({
  name: 'line',
  path: '/lines',
  fields: {
    id: id(),
    parcelId: reference('parcel', { required: true, onDelete: 'delete' }),
    name: text({ required: true, maxLength: 40 }),
    amount: integer({ min: 1, max: 1000, default: 1 }),
    size: choice(['S', 'M', 'L']),
    authorId: reference('member', { setBy: 'principal', onDelete: 'clear' }),
  },
  list: { style: 'page', sortable: ['name'], defaultSort: 'name' },
  access: {
    read: user,
    create: user,
    update: anyOf([owner('authorId'), role('ADMIN')]),
    delete: role('ADMIN'),
  },
})

describe('records in the form of the one above', { timeout: 240_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let token: string
  const make = async (path: string, body: object) =>
    (await service.ask('POST', `/api/v1${path}`, { token, body })).body.id as string
  const read = async (parcelId: string) => {
    const { body } = await service.ask('GET', `/api/v1/parcels/${parcelId}/lines`, { token })
    return (body.data as { name: string; amount: number }[]).map(({ name, amount }) => `${name} ${amount}`)
  }
  const line = (page: Page, number: number) => page.locator('.child-lines tbody tr').nth(number - 1)
  const press = async (page: Page, name: string) => {
    await page.getByRole('button', { name, exact: true }).focus()
    await page.keyboard.press('Enter')
  }
  before(async () => {
    service = await startOf([...people, parcels, lines])
    token = (await service.admin()).token
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  test('are made with a new record by keyboard; an error stands at its cell', async () => {
    const page = await consoles.open({ at: '/parcels/_new', expected: /400/ })
    await page.getByLabel('Title').fill('May')
    await press(page, 'Add line')
    await page.keyboard.type('Pen')
    await page.keyboard.press('Tab')
    await page.keyboard.type('2000')
    await press(page, 'Add line')
    await press(page, 'Add line')
    await page.keyboard.type('Ink')
    await press(page, 'Remove line 3')
    await press(page, 'Undo: keep line 3')
    await page.keyboard.press('Control+s')
    await line(page, 2).getByText('Name is required').waitFor()
    await press(page, 'Remove line 2')
    assert.deepEqual(await seriousFaults(page), [])
    await page.keyboard.press('Control+s')
    const cell = line(page, 1).locator('td').nth(1)
    await cell.getByText('amount must be from 1 to 1000').waitFor()
    await page.getByRole('alert').getByRole('button', { name: 'amount must be' }).click()
    assert.equal(await page.evaluate('document.activeElement.value'), '2000')
    await cell.getByRole('textbox').fill('20')
    await cell.getByText('amount must be').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+s')
    await page.getByText('Parcel created').waitFor()
    assert.deepEqual(await read(page.url().split('/').at(-1) as string), ['Ink 1', 'Pen 20'])
    await page.close()
    consoles.checkComplaints()
  })

  test('are changed, removed and added with the record; a draft of them survives a reload', async () => {
    const body = { title: 'One', lines: ['a', 'b', 'c'].map((name) => ({ name, amount: 5 })) }
    const parcelId = await make('/parcels', body)
    const page = await consoles.open({ at: `/parcels/${parcelId}`, expected: /400/ })
    await line(page, 3).waitFor()
    await line(page, 1).getByLabel('Amount').fill('7')
    await page.getByRole('button', { name: 'Remove line 2' }).click()
    await page.getByRole('button', { name: 'Add line' }).click()
    await page.keyboard.type('d')
    await page.getByText('The changes are kept').waitFor()
    await page.reload()
    await page.getByText('The text of before is here again').waitFor()
    // A change of another person that the form does not name stays.
    const { body: stored } = await service.ask('GET', `/api/v1/parcels/${parcelId}/lines?name=c`, { token })
    await service.ask('PATCH', `/api/v1/lines/${stored.data[0].id}`, { token, body: { amount: 6 } })
    await page.keyboard.press('Control+s')
    await page.getByText(/^Saved/).waitFor()
    assert.deepEqual(await read(parcelId), ['a 7', 'c 6', 'd 1'])
    const lines = page.locator('.child-lines tbody tr')
    await until(async () => (await lines.count()) === 3, 'the stored lines, which are read after the save')
    await line(page, 2).getByLabel('Amount').fill('0')
    await page.getByRole('button', { name: 'Save' }).click()
    await line(page, 2).getByText('amount must be from 1 to 1000').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await line(page, 1).getByRole('link', { name: 'Open line 1' }).click()
    await page.getByRole('button', { name: 'Delete …' }).waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('are to read where the caller may not write them; a page of many says that there are more', async () => {
    const editor = await service.person('EDITOR')
    const many = Array.from({ length: 101 }, (_, i) => ({ name: `l${1000 + i}` }))
    const parcelId = await make('/parcels', { title: 'Many', lines: many })
    const page = await consoles.open({ at: `/parcels/${parcelId}`, as: { email: editor.email, password } })
    await page.getByText('The first 100 are shown here').waitFor()
    assert.equal(await page.locator('.child-lines tbody :is(input, select, .line-acts button)').count(), 0)
    await page.locator('.child-grid .grid-row').first().waitFor()
    await page.getByRole('button', { name: 'Add line' }).click()
    await page.keyboard.type('mine')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Saved/).waitFor()
    assert.equal(
      (await service.ask('GET', `/api/v1/parcels/${parcelId}/lines?name=mine`, { token })).body.data.length,
      1,
    )
    await page.close()
    consoles.checkComplaints()
  })
})
