/** A resource with one record in the console: a form in place of a list, with its versions. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  boolean,
  type DeclaredResource,
  defineResource,
  id,
  manualOrder,
  oneToOne,
  role,
  text,
} from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { people } from '../service/people.ts'
import { openConsoles } from './console-browser.ts'

const settings = defineResource({
  name: 'siteSettings',
  path: '/site-settings',
  single: true,
  history: { keep: 5 },
  fields: { id: id(), title: text({ default: 'My site', maxLength: 40 }), isOpen: boolean({ default: true }) },
  access: { read: role('ADMIN'), write: role('ADMIN') },
})

test('one record: the menu leads to its form', { timeout: 120_000 }, async () => {
  const service = await startService([...people, settings] as readonly DeclaredResource[])
  const consoles = await openConsoles(service)
  after(async () => {
    await consoles.close()
    await service.stop()
  })
  const page = await consoles.open()
  await page.locator('nav').getByRole('link', { name: 'Site settings' }).click()
  await page.getByRole('heading', { level: 1, name: 'Site settings' }).waitFor()
  assert.match(page.url(), /\/console\/site-settings$/)
  assert.equal(await page.locator('.back').count(), 0)
  assert.equal(await page.getByRole('button', { name: /Delete|Duplicate/ }).count(), 0)
  const title = page.getByLabel('Title', { exact: true })
  assert.equal(await title.inputValue(), 'My site')
  await title.fill('Your site')
  await page.keyboard.press('Control+s')
  await page.getByText('Saved, version 2').first().waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  const { token } = await service.admin()
  const stored = await service.ask('GET', '/api/v1/site-settings', { token })
  assert.deepEqual([stored.body.title, stored.headers.get('etag')], ['Your site', '"2"'])
  await page.reload()
  await title.waitFor()
  assert.equal(await title.inputValue(), 'Your site')
  await page.locator('.versions summary').first().press('Enter')
  await page.locator('.differences').first().waitFor()
  assert.match(String(await page.locator('.differences').first().textContent()), /My site.*Your site/)
  await page.close()
  consoles.checkComplaints()
})

const staff = { read: role('ADMIN'), write: role('ADMIN') }
const rooms = defineResource({
  name: 'room',
  path: '/rooms',
  fields: { id: id(), name: text({ required: true }), place: manualOrder() },
  list: { style: 'page', sortable: ['place'] },
  children: { lease: { resource: 'lease', by: 'roomId' } },
  access: staff,
})
const leases = defineResource({
  name: 'lease',
  path: '/leases',
  fields: { id: id(), roomId: oneToOne('room', { onDelete: 'delete' }), tenant: text() },
  list: { style: 'page' },
  access: staff,
})

test('the record of a one-to-one reference that is not there is made at its address', {
  timeout: 120_000,
}, async () => {
  const service = await startService([...people, rooms, leases] as readonly DeclaredResource[])
  const consoles = await openConsoles(service)
  after(async () => {
    await consoles.close()
    await service.stop()
  })
  const { token } = await service.admin()
  const { body: room } = await service.ask('POST', '/api/v1/rooms', { token, body: { name: 'Attic' } })
  const page = await consoles.open({ at: `/rooms/${room.id}/lease`, expected: /status of 404/ })
  await page.getByRole('button', { name: 'New lease' }).waitFor()
  assert.equal(await page.locator('[role=alert]:not(:empty)').count(), 0)
  assert.deepEqual(await seriousFaults(page), [])
  await page.getByRole('button', { name: 'New lease' }).click()
  await page.getByLabel('Tenant').fill('Ann')
  await page.keyboard.press('Control+s')
  await page.locator('.notice').first().waitFor()
  const stored = await service.ask('GET', `/api/v1/rooms/${room.id}/lease`, { token })
  assert.equal(stored.body.tenant, 'Ann')
  await page.goto(`${service.url}/console/rooms`)
  await page.locator('.grid-row').first().waitFor()
  assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), ['Name'])
  await page.close()
  consoles.checkComplaints()
})
