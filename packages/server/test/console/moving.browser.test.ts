/** Rows that people order in the console: by keyboard, and by dragging. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defineResource, id, manualOrder, text, user } from '../../src/index.ts'
import { startService, type TestService } from '../../src/testing/index.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { people } from '../service/people.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

const chapters = defineResource({
  name: 'chapter',
  path: '/chapters',
  fields: { id: id(), title: text({ required: true, maxLength: 40 }), position: manualOrder() },
  list: { style: 'page', sortable: ['title'] },
  access: { read: user, write: user },
})

describe('an order by hand in the console', { timeout: 240_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let token: string
  before(async () => {
    service = await startService([...people, chapters])
    token = (await service.admin()).token
    for (const title of ['One', 'Two', 'Three', 'Four'])
      await service.ask('POST', '/api/v1/chapters', { token, body: { title } })
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })
  const order = async () => {
    const { body } = await service.ask('GET', '/api/v1/chapters', { token })
    return body.data.map(({ title }: { readonly title: string }) => title).join(' ')
  }

  test('moves rows by keyboard and by dragging, and not in another order', async () => {
    const page = await consoles.open({ at: '/chapters' })
    page.setDefaultTimeout(10_000)
    const row = (title: string) => page.locator('.grid-row', { hasText: title })
    const focused = row('Two').locator('[data-column="0"][tabindex="0"]:focus')
    await row('Four').waitFor()
    assert.deepEqual(await seriousFaults(page), [])
    await row('Two').locator('[data-column="0"]').focus()
    await page.keyboard.press('Alt+ArrowDown')
    await page.getByText('Moved to row 3').waitFor()
    assert.equal(await order(), 'One Three Two Four')
    await focused.and(page.locator('[data-row="2"] *')).waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await page.getByText('Moved to row 2').waitFor()
    await focused.and(page.locator('[data-row="1"] *')).waitFor()
    await row('Four').dragTo(row('One'))
    await page.getByText('Moved to row 1').waitFor()
    assert.equal(await order(), 'Four One Two Three')
    await page.goto(`${service.url}/console/chapters?sort=title`)
    await row('Four').waitFor()
    assert.equal(await row('Four').getAttribute('draggable'), null)
    assert.equal(await page.getByRole('button', { name: 'Move' }).count(), 0)
    await page.close()
    consoles.checkComplaints()
  })

  test('moves rows from a button where there is no pointer, and from the keyboard', async () => {
    const page = await consoles.open({ at: '/chapters', viewport: { width: 390, height: 800 }, hasTouch: true })
    page.setDefaultTimeout(10_000)
    const row = (title: string) => page.locator('.grid-row', { hasText: title })
    const handle = row('Three').getByRole('button', { name: 'Move' })
    const box = await handle.boundingBox()
    assert.ok(box && box.width >= 24 && box.height >= 24, JSON.stringify(box))
    await handle.tap()
    await page.getByRole('dialog', { name: 'Move Three' }).waitFor()
    assert.deepEqual(await seriousFaults(page), [])
    assert.ok(await page.getByRole('button', { name: 'Move down' }).isDisabled())
    await page.getByRole('button', { name: 'Move to top' }).tap()
    await page.getByText('Moved to the top').waitFor()
    assert.equal(await order(), 'Three Four One Two')
    const cell = row('Three').locator('[data-column="0"][tabindex="0"]:focus')
    await cell.waitFor()
    await page.keyboard.press('Alt+Enter')
    await page.getByRole('button', { name: 'Move to end' }).press('Enter')
    await page.getByText('Moved to the end').waitFor()
    assert.equal(await order(), 'Four One Two Three')
    await cell.waitFor()
    await page.close()
    consoles.checkComplaints()
  })
})
