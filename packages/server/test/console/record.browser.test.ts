/** The page of a record in Chromium: made, changed by two people at once, kept, deleted. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { adminEmail, password, startService, type TestService } from '../helpers/application.ts'
import { long } from '../helpers/long.ts'
import { until } from '../helpers/until.ts'
import { type ConsoleBrowser, logInAt, openConsoles } from './console-browser.ts'

describe('a record in the console', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let token: string
  before(async () => {
    service = await startService()
    token = (await service.person('EDITOR')).token
    for (const label of ['Poetry', 'Prose'])
      await service.ask('POST', '/api/v1/shelves', { body: { label, room: 'East' } })
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  async function makeEdition(title: string): Promise<string> {
    const made = await service.ask('POST', '/api/v1/editions', {
      token,
      body: { title, isbn: title, price: 12.5, subject: 'old' },
    })
    return made.body.id as string
  }
  const readEdition = async (id: string) => (await service.ask('GET', `/api/v1/editions/${id}`, { token })).body
  const notice = (page: Page) => page.locator('.notice').first()

  test('is made by keyboard: an error stands at its field, and a reference is found by a search', async () => {
    const page = await consoles.open({ at: '/editions/_new' })
    await page.getByLabel('Title').focus()
    await page.keyboard.press('Control+s')
    const summary = page.locator('.error-summary')
    await summary.waitFor()
    assert.equal(await page.evaluate("document.activeElement.className === 'error-summary'"), true)
    assert.match((await page.locator('[data-field=title] .problem').textContent()) ?? '', /Title is required/)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.type('North and South')
    await page.getByLabel('Price').focus()
    await page.keyboard.type('9,')
    await page.keyboard.press('Control+s')
    await page.locator('[data-field=price] .problem').filter({ hasText: 'cannot be read' }).waitFor()
    await page.getByLabel('Price').focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('9.75')
    await page.locator('[data-field=shelfId] button').first().focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('pro')
    await page.getByRole('option', { name: 'Prose' }).waitFor()
    await page.getByRole('option', { name: 'Poetry' }).waitFor({ state: 'detached' })
    // The input names the option that Enter would choose.
    const option = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')) !== null"
    await until(() => page.evaluate(option) as Promise<boolean>, 'the option that the input names')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('[data-field=shelfId] button', { hasText: 'Prose' }).waitFor()
    await page.keyboard.press('Control+s')
    await notice(page).filter({ hasText: 'Edition created' }).waitFor()
    const made = await readEdition(page.url().split('/').at(-1) as string)
    assert.equal(made.price, 9.75)
    assert.ok(made.shelfId)
    // A value that must be there is asked for before anything is sent.
    await page.getByLabel('Price').fill('')
    await page.keyboard.press('Control+s')
    await page.locator('[data-field=price] .problem').filter({ hasText: 'Price is required' }).waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('is made once, where the answer was lost and the person saves again', async () => {
    const page = await consoles.open({ at: '/editions/_new', expected: /Failed to load resource/ })
    await page.getByLabel('Title').fill('Ruth')
    await page.getByLabel('Price').fill('8')
    await page.route('**/api/v1/editions', async (route) => {
      if (route.request().method() === 'POST') await route.fetch()
      await route.abort()
    })
    await page.keyboard.press('Control+s')
    await page.locator('.error-summary', { hasText: 'cannot be reached' }).waitFor()
    await page.unroute('**/api/v1/editions')
    await page.keyboard.press('Control+s')
    await notice(page).filter({ hasText: 'Edition created' }).waitFor()
    const { body } = await service.ask('GET', '/api/v1/editions?title=Ruth', { token })
    assert.equal(body.data.length, 1)
    await page.close()
    consoles.checkComplaints()
  })

  test('changed by two people is merged by choice, field by field', async () => {
    const id = await makeEdition('Cranford')
    const page = await consoles.open({ at: `/editions/${id}`, expected: /status of 412/ })
    await page.getByLabel('Subject').fill('mine')
    await page.getByLabel('Title').fill('Cranford, revised')
    await service.ask('PATCH', `/api/v1/editions/${id}`, { token, body: { subject: 'theirs', copies: 4 } })
    await page.keyboard.press('Control+s')
    const sheet = page.getByRole('dialog', { name: 'Another person changed' })
    await sheet.waitFor()
    assert.deepEqual(await sheet.locator('legend').allTextContents(), ['Title', 'Subject', 'Copies'])
    await sheet.locator('fieldset', { hasText: 'Subject' }).getByRole('radio', { name: 'Mine' }).check()
    await sheet.getByRole('button', { name: 'Save as chosen' }).click()
    await notice(page).filter({ hasText: 'Saved, version 3' }).waitFor()
    const merged = await readEdition(id)
    assert.deepEqual([merged.title, merged.subject, merged.copies], ['Cranford, revised', 'mine', 4])
    await page.getByRole('button', { name: 'Undo' }).click()
    await notice(page).filter({ hasText: 'Undone, version 4' }).waitFor()
    assert.equal((await readEdition(id)).subject, 'theirs')
    await page.close()
    consoles.checkComplaints()
  })

  test('keeps what is typed over a reload, another page and the end of the session', async () => {
    const id = await makeEdition('Ruth')
    const page = await consoles.open({ at: `/editions/${id}`, expected: /status of 401/ })
    await page.getByLabel('Title').fill('Ruth, half')
    await page.reload()
    await page.getByText('The text of before is here again').waitFor()
    await page.getByRole('link', { name: /Back to/ }).click()
    await page.locator('.grid-row').first().waitFor()
    await page.goBack()
    assert.equal(await page.getByLabel('Title').inputValue(), 'Ruth, half')
    await endSessions()
    await page.getByLabel('Title').fill('Ruth, more than half')
    await page.keyboard.press('Control+s')
    await page.getByText('Your session has ended').waitFor()
    await logInAt(page, { email: adminEmail, password })
    await page.getByText('The text of before is here again').waitFor()
    assert.equal(await page.getByLabel('Title').inputValue(), 'Ruth, more than half')
    await page.keyboard.press('Control+s')
    await notice(page).filter({ hasText: 'Saved, version 2' }).waitFor()
    assert.equal((await readEdition(id)).title, 'Ruth, more than half')
    await page.close()
    consoles.checkComplaints()
  })

  test('below two others has an address that loads again, leads back, and takes edits', async () => {
    const { id: admin, token: own } = await service.logIn(adminEmail, password)
    const body = { editionId: await makeEdition('Sylvia'), count: 2 }
    const made = await service.ask('POST', `/api/v1/members/${admin}/basket/lines`, { token: own, body })
    const page = await consoles.open({ at: `/members/${admin}/basket/lines/${made.body.id}` })
    await page.reload()
    await page.getByLabel('Count').fill('3')
    await page.keyboard.press('Control+s')
    await notice(page).filter({ hasText: 'Saved' }).waitFor()
    await page.getByRole('link', { name: 'Back to basket' }).click()
    const lines = page.getByRole('grid', { name: 'Lines' })
    await lines.getByText('Sylvia').waitFor()
    await page.reload()
    await lines.getByRole('row').filter({ hasText: 'Sylvia' }).filter({ hasText: '37.50' }).waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('a new one begins in the list of its kind below another', async () => {
    const id = await makeEdition('Wives and Daughters')
    const page = await consoles.open({ at: `/editions/${id}` })
    await page.getByRole('button', { name: 'New opinion' }).click()
    await page.waitForURL(`**/editions/${id}/opinions/_new`)
    await page.reload()
    await page.getByLabel('Stars').fill('4')
    await page.getByLabel('Headline').fill('Sad')
    await page.keyboard.press('Control+s')
    await page.waitForURL(/opinions\/(?!_new)/)
    await page.getByRole('link', { name: 'Wives and Daughters' }).click()
    await page.getByRole('grid', { name: 'What readers say' }).getByText('Sad').waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  /** Those of the administrator, the page's among them. */
  async function endSessions(): Promise<void> {
    const { id: userId, token: own } = await service.logIn(adminEmail, password)
    const { body } = await service.ask('GET', '/api/v1/visits', { token: own })
    for (const session of body.data)
      if (session.userId === userId && !session.current)
        await service.ask('DELETE', `/api/v1/visits/${session.id}`, { token: own })
  }

  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const)
    test(
      `is duplicated and deleted; no finding, ${colorScheme}, in ${width} pixels`,
      width < 700 ? long : {},
      async () => {
        const id = await makeEdition(`Mary Barton ${width}`)
        const page = await consoles.open({ at: `/editions/${id}`, colorScheme, viewport: { width, height: 800 } })
        await page.getByRole('heading', { name: `Mary Barton ${width}` }).waitFor()
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
        await page.getByRole('button', { name: 'Duplicate' }).click()
        await page.getByRole('heading', { name: 'New edition' }).waitFor()
        assert.equal(await page.getByLabel('Title').inputValue(), `Mary Barton ${width}`)
        await page.getByRole('button', { name: 'Discard changes' }).click()
        await page.goBack()
        await page.getByRole('button', { name: 'Delete …' }).click()
        await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
        await notice(page).filter({ hasText: 'Edition deleted' }).waitFor()
        await until(
          async () => (await service.ask('GET', `/api/v1/editions/${id}`)).status === 404,
          'the edition is gone',
        )
        await page.close()
        consoles.checkComplaints()
      },
    )
})
