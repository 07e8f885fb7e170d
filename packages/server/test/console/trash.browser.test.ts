/** The trash in the console: a deletion is undone, and records come back or end from a list. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startService as startOf, type TestService } from '../../src/testing/index.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { trashed } from '../record/trash-resources.ts'
import { people } from '../service/people.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

describe('the trash in the console', { timeout: 240_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  const made = async (name: string) =>
    (await service.ask('POST', '/api/v1/racks', { body: { name }, token: (await service.admin()).token })).body.id
  const statusOf = async (path: string) =>
    (await service.ask('GET', `/api/v1${path}`, { token: (await service.admin()).token })).status
  before(async () => {
    service = await startOf([...people, ...trashed])
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  test('a deletion is undone in the message about it', async () => {
    const id = await made('undone')
    const page = await consoles.open({ at: `/racks/${id}` })
    await page.getByRole('button', { name: 'Delete …' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Rack restored').waitFor()
    assert.equal(await statusOf(`/racks/${id}`), 200)
    await page.getByText('undone', { exact: true }).first().waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('a record comes back from the trash, and another ends', async () => {
    const [back, ended] = [await made('comes back'), await made('ends')]
    const { token } = await service.admin()
    for (const id of [back, ended]) await service.ask('DELETE', `/api/v1/racks/${id}`, { token })
    const page = await consoles.open({ at: '/racks' })
    await page.getByRole('button', { name: 'Trash', exact: true }).click()
    assert.deepEqual(await seriousFaults(page), [])
    await page.getByRole('button', { name: 'Restore: comes back' }).click()
    await page.getByText('Rack restored').waitFor()
    await page.getByRole('button', { name: 'Delete for good: ends' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('The trash is empty.').waitFor()
    assert.deepEqual([await statusOf(`/racks/${back}`), await statusOf(`/racks/${ended}?_trash=only`)], [200, 404])
    await page.close()
    consoles.checkComplaints()
  })
})
