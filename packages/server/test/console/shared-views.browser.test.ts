/**
 * Two people and the views of a list: one shares, the other opens, and neither sees too much. And
 * the versions of a record, which one of them writes again.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { defineResource, id, integer, role, sharedViews, text, user } from '../../src/index.ts'
import { password, startService as startOf, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { resources as library } from '../application/resources/index.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

const plans = defineResource({
  name: 'plan',
  path: '/plans',
  fields: { id: id(), title: text({ required: true }), size: integer() },
  list: { style: 'page' },
  access: { read: user, create: user, update: user },
  history: {},
})

describe('shared views in the console', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let ann: TestPerson
  let ben: TestPerson
  before(async () => {
    service = await startOf([...library, plans, sharedViews({ users: 'member', share: role('EDITOR') })])
    ann = await service.person('EDITOR')
    ben = await service.person('USER')
    for (const [title, price] of [
      ['Emma', 12],
      ['Middlemarch', 20],
    ] as const)
      await service.ask('POST', '/api/v1/editions', { token: ann.token, body: { title, isbn: title, price } })
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })
  const openViews = async ({ email }: TestPerson, at: string, expected?: RegExp): Promise<Page> => {
    const page = await consoles.open({ at, as: { email, password }, ...(expected && { expected }) })
    await page.locator('.head').waitFor()
    await page.getByRole('button', { name: 'Views', exact: true }).press('Enter')
    await page.locator('.views').waitFor()
    return page
  }
  const rows = async (page: Page, ...titles: string[]) => {
    for (const title of titles) await page.locator('.grid-row', { hasText: title }).waitFor()
    await page.locator('.grid-row').nth(titles.length).waitFor({ state: 'detached' })
  }

  test('a view is shared by keyboard, and another person opens it with its columns', async () => {
    const page = await openViews(ann, '/editions?price[lt]=15&fields=title,price')
    await rows(page, 'Emma')
    await page.getByLabel('Share it').waitFor()
    await page.getByLabel('Name of this view').focus()
    await page.keyboard.type('Cheap')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.getByText('All who may see this list see the view').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('.views li', { hasText: 'shared by you' }).waitFor()
    await page.getByRole('button', { name: 'Rename the view Cheap' }).press('Enter')
    await page.keyboard.type('Bargains')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Bargains', exact: true }).waitFor()
    const other = await openViews(ben, '/editions')
    await rows(other, 'Emma', 'Middlemarch')
    await other.locator('.views li', { hasText: 'shared' }).waitFor()
    assert.equal(await other.getByLabel('Share it').count(), 0)
    assert.equal(await other.getByRole('button', { name: 'Remove the view Bargains' }).count(), 0)
    assert.deepEqual(await seriousFaults(other), [])
    await other.getByRole('button', { name: 'Bargains', exact: true }).press('Enter')
    await rows(other, 'Emma')
    assert.equal(await other.locator('.grid-th').count(), await page.locator('.grid-th').count())
    assert.match(other.url(), /editions\?price/)
    await page.getByRole('button', { name: 'Remove the view Bargains' }).press('Enter')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await page.locator('.views li').waitFor({ state: 'detached' })
    await page.close()
    await other.close()
    consoles.checkComplaints()
  })

  test('a view for oneself stays in the browser, and is renamed', async () => {
    const page = await openViews(ann, '/editions?price[gt]=15')
    await page.getByLabel('Name of this view').fill('Dear')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename the view Dear' }).click()
    await page.getByLabel('New name of the view Dear').fill('Dearest')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Dearest', exact: true }).waitFor()
    const { body } = await service.ask('GET', '/api/v1/saved-views', { token: ann.token })
    assert.deepEqual(body.data, [])
    await page.getByRole('button', { name: 'Remove the view Dearest' }).click()
    await page.locator('.views li').waitFor({ state: 'detached' })
    await page.close()
    consoles.checkComplaints()
  })

  test('columns and filters that the reader lacks: the first are left out, the others are named', async () => {
    const view = { resource: 'editions', name: 'Costs', query: 'cost[lt]=3&fields=title,cost' }
    await service.ask('POST', '/api/v1/saved-views', { token: ann.token, body: view })
    const page = await openViews(ben, '/editions', /status of 400/)
    await page.getByRole('button', { name: 'Costs', exact: true }).press('Enter')
    await page.getByText('cannot be opened with cost[lt]').waitFor()
    await page.getByRole('button', { name: 'Open without' }).press('Enter')
    await rows(page, 'Emma', 'Middlemarch')
    assert.equal((await page.locator('.request code').textContent())?.endsWith('?fields=title'), true)
    await page.close()
    const boss = await consoles.open({ at: '/editions' })
    await boss.getByRole('button', { name: 'Views', exact: true }).press('Enter')
    await boss.locator('.views li', { hasText: `shared by ${ann.email}` }).waitFor()
    await boss.getByRole('button', { name: 'Remove the view Costs' }).waitFor()
    await boss.close()
    consoles.checkComplaints()
  })

  test('the versions of a record, with what differs, and one of them written again', async () => {
    const { token } = ann
    const { body } = await service.ask('POST', '/api/v1/plans', { token, body: { title: 'Garden', size: 3 } })
    await service.ask('PATCH', `/api/v1/plans/${body.id}`, { token, body: { title: 'Hedge' } })
    const page = await consoles.open({ at: `/plans/${body.id}`, as: { email: ann.email, password } })
    await page.locator('.versions summary', { hasText: 'Title' }).first().press('Enter')
    const difference = page.locator('.versions details[open] tbody tr')
    await difference.first().waitFor() // the server compares the versions
    assert.deepEqual(await difference.locator('td').allInnerTexts(), ['Garden', 'Hedge'])
    assert.deepEqual(await seriousFaults(page), [])
    await page.locator('.versions summary').nth(1).press('Enter')
    await page.getByRole('button', { name: 'Write version 1 again' }).press('Enter')
    await page.getByText('Version 1 is written again').waitFor()
    await page.locator('.version-number', { hasText: '3' }).waitFor()
    assert.equal(await page.getByLabel('Title').inputValue(), 'Garden')
    await page.getByLabel('Size').fill('4')
    await page.keyboard.press('Control+s')
    await page.locator('.version-number', { hasText: '4' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Revert' }).count(), 0)
    await page.close()
    consoles.checkComplaints()
  })
})
