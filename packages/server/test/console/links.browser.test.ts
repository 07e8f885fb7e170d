/** Links of a record in the console: added, ordered, removed by keyboard, and shown. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { choice, defineResource, id, manyToMany, role, text, user } from '../../src/index.ts'
import { startService as startOf, type TestService } from '../../src/testing/index.ts'
import { password } from '../helpers/application.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { until } from '../helpers/until.ts'
import { people } from '../service/people.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

const all = { list: user, get: user, create: user, update: user, delete: user }
const tags = defineResource({
  name: 'label',
  path: '/labels',
  fields: { id: id(), name: text({ required: true, maxLength: 40 }) },
  list: { style: 'page', search: ['name'] },
  access: all,
})
const papers = defineResource({
  name: 'paper',
  path: '/papers',
  fields: {
    id: id(),
    title: text({ required: true, maxLength: 40 }),
    labels: manyToMany('label'),
    parts: manyToMany('label', { ordered: true, fields: { mark: choice(['A', 'B'], { default: 'A' }) } }),
    kept: manyToMany('label', { write: role('ADMIN') }),
  },
  list: { style: 'page', sortable: ['title'] },
  display: { columns: ['title', 'labels'] },
  access: all,
})

describe('links in the console', { timeout: 240_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let token: string
  const ids: Record<string, string> = {}
  const make = async (path: string, body: object) =>
    (await service.ask('POST', `/api/v1${path}`, { token, body })).body.id as string
  const read = async (paperId: string) => {
    const path = `/api/v1/papers/${paperId}?expand=labels(fields:name),parts(fields:name),kept(fields:name)`
    const { body } = await service.ask('GET', path, { token })
    type Linked = { readonly name: string; readonly _link?: { readonly mark: string } }
    const namesIn = (name: string) => (body[name] as Linked[]).map((one) => one.name + (one._link?.mark ?? ''))
    return { labels: namesIn('labels'), parts: namesIn('parts'), kept: namesIn('kept') }
  }
  before(async () => {
    service = await startOf([...people, tags, papers])
    token = (await service.admin()).token
    for (const name of ['blue', 'green', 'red', 'white']) ids[name] = await make('/labels', { name })
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  test('are described with their order and their values', async () => {
    const { body } = await service.ask('GET', '/api/v1/_resources/papers', { token })
    type Told = { readonly name: string; readonly links?: { readonly ordered: boolean; readonly fields: Told[] } }
    const told = (body.fields as Told[]).flatMap(({ name, links }) =>
      links ? [[name, links.ordered, links.fields.map((one) => one.name)]] : [],
    )
    assert.deepEqual(told, [
      ['labels', false, []],
      ['parts', true, ['mark']],
      ['kept', false, []],
    ])
  })

  test('are changed by keyboard, saved with the record, and come back by an undo', async () => {
    const { blue, green } = ids
    const parts = [{ id: blue, mark: 'B' }, green]
    const paperId = await make('/papers', { title: 'One', labels: [blue, green], parts })
    const page = await consoles.open({ at: `/papers/${paperId}` })
    const removeGreen = page.locator('[data-field=labels]').getByRole('button', { name: 'Remove green' })
    await removeGreen.waitFor()
    assert.deepEqual(await seriousFaults(page), [])
    await removeGreen.focus()
    await page.keyboard.press('Enter')
    const focused = 'document.activeElement.getAttribute("aria-label")'
    assert.equal(await page.evaluate(focused), 'Remove blue')
    await page.locator('[data-field=labels] button.pick').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('red')
    await page.getByRole('option', { name: 'white' }).waitFor({ state: 'detached' })
    const option = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')) !== null"
    await until(() => page.evaluate(option) as Promise<boolean>, 'the option that the input names')
    assert.deepEqual(await seriousFaults(page), [])
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'red', selected: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    const down = page.locator('[data-field=parts]').getByRole('button', { name: 'Move blue down' })
    await down.focus()
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate(focused), 'Move blue up')
    await page.getByRole('group', { name: 'green' }).getByLabel('Mark').selectOption('B')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved, version 2').waitFor()
    assert.deepEqual(await read(paperId), { labels: ['blue', 'red'], parts: ['greenB', 'blueB'], kept: [] })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone, version 3').waitFor()
    assert.deepEqual(await read(paperId), { labels: ['blue', 'green'], parts: ['blueB', 'greenA'], kept: [] })
    await page.locator('[data-field=labels]').getByRole('link', { name: 'red' }).waitFor({ state: 'detached' })
    await page.close()
    consoles.checkComplaints()
  })

  test('are part of a new record, stand in cells, and have no inputs for callers who may not change them', async () => {
    const editor = await service.person('EDITOR')
    const page = await consoles.open({ at: '/papers/_new', as: { email: editor.email, password } })
    await page.getByLabel('Title').fill('Two')
    await page.locator('[data-field=labels] button.pick').click()
    await page.getByRole('option', { name: 'white' }).click()
    await page.keyboard.press('Escape')
    await page.locator('[data-field=labels]').getByRole('link', { name: 'white' }).waitFor()
    assert.equal(await page.locator('[data-field=kept]').count(), 0)
    await page.keyboard.press('Control+s')
    await page.getByText('Paper created').waitFor()
    const paperId = page.url().split('/').at(-1) as string
    assert.deepEqual((await read(paperId)).labels, ['white'])
    await service.ask('PATCH', `/api/v1/papers/${paperId}`, { token, body: { kept: [ids.green] } })
    await page.goto(`${service.url}/console/papers`)
    await page.locator('.grid-row', { hasText: 'Two' }).getByText('white').waitFor()
    await page.locator('.grid-row', { hasText: 'Two' }).getByRole('link').click()
    await page.locator('.record-facts').getByRole('link', { name: 'green' }).waitFor()
    assert.equal(await page.locator('[data-field=kept]').count(), 0)
    assert.deepEqual(await seriousFaults(page), [])
    await page.close()
    consoles.checkComplaints()
  })
})
