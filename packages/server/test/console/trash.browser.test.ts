/** The trash in the console: a deletion is undone, and records come back or end from a list. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startService as startOf, type TestService } from '../../src/testing/index.ts'
import { password } from '../helpers/application.ts'
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
  test('many deletions are undone, and those that cannot come back are told', async () => {
    const { token } = await service.admin()
    for (const name of ['bulk 1', 'bulk 2', 'bulk 3']) await made(name)
    const page = await consoles.open({ at: '/racks?q=bulk', expected: /409/ })
    const remove = async () => {
      await page.locator('.grid-row', { hasText: 'bulk 3' }).waitFor()
      await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('3 deleted').waitFor()
    }
    await remove()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('3 restored.').waitFor()
    await remove()
    const { body } = await service.ask('POST', '/api/v1/racks', { body: { name: 'bulk 2' }, token })
    assert.ok(body.id)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 restored. 1 could not come back: ').waitFor()
    const { body: list } = await service.ask('GET', '/api/v1/racks?q=bulk', { token })
    assert.equal(list.meta.total, 3)
    await page.close()
    consoles.checkComplaints()
  })

  test('the trash is searched, filtered and read page after page, and offers what may be done', async () => {
    const { token } = await service.admin()
    const ids: string[] = []
    for (let i = 0; i < 101; i += 1) ids.push(await made(`many ${i}`))
    for (const at of [0, 100])
      await service.ask('DELETE', `/api/v1/racks?id[in]=${ids.slice(at, at + 100).join(',')}&limit=100`, { token })
    const page = await consoles.open({ at: '/racks' })
    await page.getByRole('button', { name: 'Trash', exact: true }).click()
    const trash = page.getByRole('region', { name: 'Trash' })
    const back = trash.getByRole('button', { name: /^Restore: many/ })
    await trash.getByRole('button', { name: 'Show more' }).click()
    await trash.getByText('many 0', { exact: true }).waitFor()
    assert.equal(await back.count(), 101)
    await trash.getByRole('searchbox').fill('many 100')
    await trash.getByText('many 0', { exact: true }).waitFor({ state: 'detached' })
    assert.equal(await back.count(), 1)
    await trash.getByRole('searchbox').fill('')
    await trash.getByText('many 0', { exact: true }).waitFor()
    await trash.getByRole('button', { name: 'Filter', exact: true }).click()
    assert.deepEqual(await seriousFaults(page), [])
    await trash.getByLabel('Field').selectOption('Name')
    await trash.getByLabel('Comparison').selectOption('is')
    await trash.getByLabel('Value').fill('many 7')
    await trash.getByRole('button', { name: 'Apply' }).click()
    await trash.getByText('many 0', { exact: true }).waitFor({ state: 'detached' })
    assert.equal(await back.count(), 1)
    await page.close()
    const { email } = await service.person('EDITOR')
    const other = await consoles.open({ at: '/racks', as: { email, password } })
    await other.getByRole('button', { name: 'Trash', exact: true }).click()
    await other
      .getByRole('button', { name: /^Restore: many/ })
      .first()
      .waitFor()
    assert.equal(await other.getByRole('button', { name: /^Delete for good/ }).count(), 0)
    await other.close()
    consoles.checkComplaints()
  })
})
