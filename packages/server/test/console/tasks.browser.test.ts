/**
 * The ten main tasks of the console, by the keyboard alone and by the mouse. In the first way no
 * test moves the focus by itself: Tab, arrows, shortcuts and letters do.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { adminEmail, password, startService, type TestService } from '../helpers/application.ts'
import { long } from '../helpers/long.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'
import { makeShown } from './every-place.ts'

const tabsMax = 80

/** Ways to press a control and to write into one. */
type Hand = {
  press(target: Locator): Promise<void>
  write(target: Locator, text: string): Promise<void>
  choose(target: Locator, label: string): Promise<void>
}

/** The types of this test know no page. */
type Focusable = { readonly ownerDocument: { readonly activeElement: unknown } }
const hasFocus = (element: unknown) => element === (element as Focusable).ownerDocument.activeElement

/** Tab by Tab, until the control has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    if (await target.evaluate(hasFocus)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not lead to ${target}`)
}

function keyboardOf(page: Page): Hand {
  return {
    async press(target) {
      await tabTo(page, target)
      await page.keyboard.press('Enter')
    },
    async write(target, text) {
      await tabTo(page, target)
      await page.keyboard.press('Control+a')
      await page.keyboard.type(text)
    },
    async choose(target, label) {
      await tabTo(page, target)
      await page.keyboard.type(label)
    },
  }
}

const mouseOf = (page: Page): Hand => ({
  press: (target) => target.click(),
  async write(target, text) {
    await target.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type(text)
  },
  choose: async (target, label) => void (await target.selectOption({ label })),
})

describe('the ten main tasks', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let loanId: string
  before(async () => {
    service = await startService()
    loanId = (await makeShown(service)).loanId
    for (const label of ['Poetry', 'Prose'])
      await service.ask('POST', '/api/v1/shelves', { body: { label, room: 'East' } })
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  // The other tests of the console click.
  for (const [way, handOf] of Object.entries({ keyboard: keyboardOf, mouse: mouseOf }))
    test(`by the ${way}`, way === 'mouse' ? long : {}, async () => {
      const byKeys = way === 'keyboard'
      // Reads that are on their way at the log-out are 401.
      const page = await consoles.open({ as: null, expected: /status of 401/ })
      const { press, write, choose } = handOf(page)
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const rows = page.locator('.grid-row')
      const notice = (text: string) => page.locator('.notice', { hasText: text }).waitFor()
      const firstCell = page.locator('.grid-cell[tabindex="0"]')

      // 1: log in.
      await page.locator('[name=email]').waitFor()
      await write(page.locator('[name=email]'), adminEmail)
      await write(page.locator('[name=password]'), password)
      await press(page.getByRole('button', { name: 'Log in' }).first())
      await page.locator('.shell').waitFor()

      // 2: find a resource.
      if (byKeys) {
        await page.keyboard.press('Control+k')
        await page.getByRole('menuitem').first().waitFor()
        await page.keyboard.type('edit')
        await page.keyboard.press('Enter')
      } else await page.getByRole('link', { name: 'Editions' }).click()
      await rows.nth(2).waitFor()

      // 3: search.
      if (byKeys) await page.keyboard.press('/')
      else await page.getByRole('searchbox').click()
      await page.keyboard.type('middle')
      await rows.filter({ hasText: 'Emma' }).waitFor({ state: 'detached' })
      await page.keyboard.press('Control+a')
      await page.keyboard.press('Backspace')
      await rows.filter({ hasText: 'Emma' }).waitFor()

      // 4: sort and filter.
      await press(page.locator('.grid-th').getByRole('button', { name: 'Title' }))
      await page.waitForURL('**/editions?*sort=title*')
      await press(button('Filter'))
      await choose(page.getByLabel('Field', { exact: true }), 'Title')
      await write(page.getByLabel('Value'), 'emma')
      await page.keyboard.press('Enter')
      await rows.filter({ hasText: 'Persuasion' }).waitFor({ state: 'detached' })
      await press(page.getByRole('button', { name: /Remove the filter/ }))
      await rows.filter({ hasText: 'Persuasion' }).waitFor()

      // 5: edit a cell, and undo it.
      if (byKeys) {
        await tabTo(page, firstCell)
        await page.keyboard.press('Home')
        await page.keyboard.press('ArrowRight')
        await page.keyboard.press('ArrowRight')
        await page.keyboard.press('Enter')
      } else await rows.first().locator('.editable').nth(1).click()
      await page.locator('.cell-editor input').waitFor()
      await page.keyboard.press('Control+a')
      await page.keyboard.type('poem')
      await page.keyboard.press('Enter')
      await notice('Saved')
      if (byKeys) await page.keyboard.press('Control+z')
      else await button('Undo').click()
      await notice('Undone')

      // 6: open a record, change a field, save.
      if (byKeys) {
        await tabTo(page, firstCell)
        await page.keyboard.press('Home')
        await page.keyboard.press('Enter')
      } else await rows.first().getByRole('link').click()
      await page.locator('.record').waitFor()
      await write(page.getByLabel('Summary'), `by the ${way}`)
      if (byKeys) await page.keyboard.press('Control+s')
      else await page.locator('.save-bar .main').click()
      await notice('Saved')
      await press(page.getByRole('link', { name: /Back to/ }))
      await rows.first().waitFor()

      // 7: a new record, whose reference is found by a search.
      await press(page.getByRole('button', { name: 'New edition' }).first())
      await write(page.getByLabel('Title'), `Walden ${way}`)
      await press(page.locator('[data-field=shelfId] button').first())
      await page.getByRole('option', { name: 'Prose' }).waitFor()
      await page.keyboard.type('pro')
      await page.getByRole('option', { name: 'Poetry' }).waitFor({ state: 'detached' })
      if (byKeys) {
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Enter')
      } else await page.getByRole('option', { name: 'Prose' }).click()
      await page.locator('[data-field=shelfId] button', { hasText: 'Prose' }).waitFor()
      await write(page.getByLabel('Price'), '9.5')
      if (byKeys) await page.keyboard.press('Control+s')
      else await page.locator('.save-bar .main').click()
      await notice('Edition created')
      await press(page.getByRole('link', { name: /Back to/ }))
      await rows.first().waitFor()

      // 8: select a range, and change it with its number first.
      if (byKeys) {
        await tabTo(page, firstCell)
        await page.keyboard.press('Control+Home')
        await page.keyboard.press('Space')
        await page.keyboard.press('Shift+ArrowDown')
      } else {
        await rows.first().locator('[data-check]').click()
        await rows
          .nth(1)
          .locator('[data-check]')
          .click({ modifiers: ['Shift'] })
      }
      await page.getByText('2 selected').waitFor()
      await press(button('Edit'))
      await page.getByRole('dialog', { name: 'Change 2 of' }).waitFor()
      await choose(page.getByRole('dialog').getByLabel('Field', { exact: true }), 'Subject')
      await write(page.getByRole('dialog').getByLabel('Value'), 'changed')
      await page.keyboard.press('Enter')
      await notice('2 changed')

      // 9: run a transition, and an action with input; export a list.
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        press(button('Export')).then(() => press(button('CSV'))),
      ])
      assert.equal(file.suggestedFilename(), 'editions.csv')
      await page.goto(`${service.url}/console/loans/${loanId}`)
      await press(page.getByRole('button', { name: /^(Prepare|Lend)$/ }))
      await notice('done')
      await press(button('Extend'))
      await write(page.getByRole('dialog').getByLabel('Weeks'), '1')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })

      // 10: log out.
      await press(button('Log out'))
      await page.locator('[name=email]').waitFor()
      await page.close()
      consoles.checkComplaints()
    })
})
