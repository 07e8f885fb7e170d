/** The console of a large application: 200 resources with 60 fields, and single children. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anyone, boolean, defineResource, id, integer, reference, text } from '../../src/index.ts'
import { startService as startOf, type TestService } from '../../src/testing/index.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { people } from '../service/people.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

const counts = Object.fromEntries(Array.from({ length: 58 }, (_, i) => [`count${i}`, integer({ default: i })]))
const open = { list: anyone, get: anyone, create: anyone, update: anyone } as const

function makeWide(i: number) {
  return defineResource({
    name: `wide${i}`,
    path: `/wides-${i}`,
    fields: { id: id(), name: text({ required: true }), ...counts },
    list: { style: 'page', sortable: ['name'] },
    access: open,
    display: { label: `Wide ${i}`, plural: `Wides ${i}`, ...(i >= 20 && { menu: `Group ${i % 9}` }) },
  })
}
const chests = defineResource({
  name: 'chest',
  path: '/chests',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page' },
  access: open,
  children: { lid: { resource: 'lid', by: 'chestId', single: true, operations: ['get', 'update', 'delete'] } },
})
const lids = defineResource({
  name: 'lid',
  fields: {
    id: id(),
    chestId: reference('chest', { setBy: 'parent', onDelete: 'delete' }),
    color: text(),
    isLocked: boolean({ default: false }),
  },
  unique: [['chestId']],
  access: { get: anyone, update: anyone, delete: anyone },
})

describe('the console of a large application', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let chest: string
  before(async () => {
    service = await startOf([...people, chests, lids, ...Array.from({ length: 198 }, (_, i) => makeWide(i))])
    for (const name of ['One', 'Two']) await service.ask('POST', '/api/v1/wides-150', { body: { name } })
    chest = (await service.ask('POST', '/api/v1/chests', { body: { name: 'Oak' } })).body.id
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const)
    test(`has a menu that is filtered by keyboard, and draws the columns in view, ${colorScheme}, in ${width} pixels`, async () => {
      const page = await consoles.open({ at: '/wide0s', colorScheme, viewport: { width, height: 800 } })
      if (width < 700) await page.getByRole('button', { name: 'Menu', exact: true }).click()
      const filter = page.getByRole('searchbox', { name: 'Filter the menu' })
      await filter.fill('wides 150')
      await page.locator('.menu a').nth(1).waitFor({ state: 'detached' })
      // In a wide window the menu is still there at the end.
      if (width < 700) assert.deepEqual(await seriousFaults(page), [])
      await filter.press('ArrowDown')
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Wides 150')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/console/wide150s')
      await page.locator('.grid-row', { hasText: 'Two' }).waitFor()
      const drawn = await page.locator('.grid-row').first().locator('[data-column]').count()
      assert.ok(drawn < 30, `${drawn} of 60 columns are drawn`)
      await page.locator('.grid-row [data-column="0"]').first().focus()
      await page.keyboard.press('End')
      await page.locator('.grid-row [data-column="58"]').first().waitFor()
      assert.deepEqual(await seriousFaults(page), [])
      await page.close()
      consoles.checkComplaints()
    })

  test('changes and deletes the one record below another where it stands, and on its page', async () => {
    const page = await consoles.open({ at: `/chests/${chest}` })
    const lid = async () => (await service.ask('GET', `/api/v1/chests/${chest}/lid`)).body
    const notice = (text: string) => page.locator('.notice', { hasText: text }).waitFor()
    await page.getByText('Lid, shown here').click()
    await page.getByLabel('Color').fill('red')
    await page.keyboard.press('Control+s')
    await notice('Saved')
    assert.equal((await lid()).color, 'red')
    assert.deepEqual(await seriousFaults(page), [])
    await page.locator('.single').getByRole('button', { name: 'Delete …' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await notice('Lid deleted')
    await page.locator('.single').getByLabel('Color').waitFor()
    assert.equal(await page.locator('.single').getByLabel('Color').inputValue(), '')
    await page.getByRole('link', { name: 'Open Lid' }).click()
    await page.waitForURL('**/lid')
    await page.reload()
    await page.getByLabel('Is locked').selectOption('Yes')
    await page.keyboard.press('Control+s')
    await notice('Saved')
    assert.equal((await lid()).isLocked, true)
    await page.close()
    consoles.checkComplaints()
  })
})
