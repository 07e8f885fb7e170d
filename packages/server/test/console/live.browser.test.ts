/**
 * Lists and records that change while a person looks at them, in Chromium. Rows come, change and
 * go. A form keeps what is typed. Only resources with `changes` are followed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  boolean,
  defineConsole,
  defineResource,
  id,
  integer,
  oneToOne,
  operator,
  reference,
  text,
  user,
} from '../../src/index.ts'
import { password, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { library } from '../events/library.ts'
import { makeSettle } from '../events/reader.ts'
import { wcagFaults } from '../helpers/axe.ts'
import { until } from '../helpers/until.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

const access = { read: user, write: user } as const
const named = { id: id(), name: text({ required: true, maxLength: 40 }) }
/** A record with all that may stand below one: lines of its form, a grid, and single records. */
const parcels = defineResource({
  name: 'parcel',
  path: '/parcels',
  fields: named,
  list: { style: 'page' },
  children: {
    lines: { resource: 'line', by: 'parcelId', inBody: true },
    stops: { resource: 'stop', by: 'parcelId' },
    label: { resource: 'label', by: 'parcelId' },
  },
  access,
})
const parcelId = reference('parcel', { required: true, onDelete: 'delete' })
const lines = defineResource({
  name: 'line',
  path: '/lines',
  changes: true,
  fields: { ...named, parcelId, amount: integer({ default: 1 }) },
  list: { style: 'page', sortable: ['name'], defaultSort: 'name', filterable: ['parcelId'] },
  access,
})
/** Only below parcels. */
const stops = defineResource({
  name: 'stop',
  changes: true,
  fields: { ...named, parcelId },
  list: { style: 'page', sortable: ['name'], defaultSort: 'name' },
  access,
})
const labels = defineResource({
  name: 'label',
  path: '/labels',
  changes: true,
  fields: { id: id(), parcelId: oneToOne('parcel', { onDelete: 'delete' }), line: text({ maxLength: 40 }) },
  list: { style: 'page' },
  access,
})
const settings = defineResource({
  name: 'settings',
  path: '/settings',
  single: true,
  changes: true,
  fields: { id: id(), title: text({ default: 'Ours', maxLength: 40 }), isOpen: boolean({ default: true }) },
  access,
})

/** Marks and words that pass: they stand for some seconds. */
const watchMarks = `window.seen = []; new MutationObserver(() => {
  for (const row of document.querySelectorAll('[data-changed]')) window.seen.push('marked ' + row.textContent)
  const said = document.querySelector('.live [role=status]')
  if (said?.textContent) window.seen.push('said ' + said.textContent)
}).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['data-changed'] })`
const seen = (page: Page) => page.evaluate<string[]>('window.seen')

describe('a live console', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let admin: TestPerson
  let settle: () => Promise<void>
  before(async () => {
    service = await startService([
      ...library(),
      parcels,
      lines,
      stops,
      labels,
      settings,
      defineConsole({ access: operator }),
    ])
    admin = await service.admin()
    settle = makeSettle(service.ask, { token: admin.token })
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })
  const write = async (method: string, path: string, body?: object) => {
    const { status, text, body: answer } = await service.ask(method, `/api/v1${path}`, { token: admin.token, body })
    assert.ok(status < 300, text)
    return answer
  }
  const note = async (title: string, rank: number) => (await write('POST', '/notes', { title, rank })).id as string
  const open = (at: string, options: object = {}) =>
    consoles.open({ at, as: { email: admin.email, password }, ...options })
  const titles = (page: Page) => page.locator('.grid-row').allTextContents()
  const isLive = (page: Page) => page.locator('.live[data-state=live]').first().waitFor()

  test('has rows that come, change, move and go as its filter and sort say, and marks them', async () => {
    await note('hidden', 1)
    const first = await note('alpha', 5)
    const page = await open('/notes?rank[gte]=5&sort=rank&fields=title,rank', { reducedMotion: 'reduce' })
    await isLive(page)
    await page.evaluate(watchMarks)
    const second = await note('beta', 4)
    await write('PATCH', `/notes/${second}`, { rank: 9 })
    const row = (text: string) => page.locator('.grid-row', { hasText: text })
    await row('beta').waitFor()

    assert.deepEqual(await wcagFaults(page), [])
    await until(
      async () => (await seen(page)).some((text) => text.startsWith('marked') && text.includes('beta')),
      'its mark',
    )
    await until(async () => (await seen(page)).some((text) => text.startsWith('said 1 changed')), 'it is read out')
    const duration = "getComputedStyle(document.querySelector('.grid-row')).transitionDuration"
    assert.equal(await page.evaluate(duration), '0s')
    await page.locator('output', { hasText: '2 of 2' }).waitFor()

    await write('PATCH', `/notes/${first}`, { rank: 12, title: 'omega' })
    await until(async () => (await titles(page)).join().match(/beta.*omega/) !== null, 'the changed row moves')
    assert.equal(await row('alpha').count(), 0)

    // A selected row that has gone is not selected.
    await row('beta').locator('.grid-cell').first().focus()
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
    await write('PATCH', `/notes/${second}`, { rank: 2 })
    await row('beta').waitFor({ state: 'detached' })
    await page.getByText('1 selected').waitFor({ state: 'detached' })
    await write('DELETE', `/notes/${first}`)
    await page.locator('.grid-row').waitFor({ state: 'detached' })
    await page.close()
    consoles.checkComplaints()
  })

  test('keeps the row of a cell that is edited until it is left', async () => {
    const id = await note('typing', 50)
    const other = await note('other', 51)
    const page = await open('/notes?rank[gte]=50&sort=rank&fields=title,rank')
    await isLive(page)
    await page.locator('.grid-row', { hasText: 'typing' }).locator('[data-column="1"]').dblclick()
    const editor = page.locator('.cell-editor input')
    await editor.fill('53')
    await write('PATCH', `/notes/${other}`, { title: 'elsewhere' })
    await write('PATCH', `/notes/${id}`, { rank: 1 })
    await settle()
    assert.equal(await editor.inputValue(), '53')
    await page.keyboard.press('Escape')
    await page.locator('.grid-row', { hasText: 'elsewhere' }).waitFor()
    await page.locator('.grid-row', { hasText: 'typing' }).waitFor({ state: 'detached' })
    await page.close()
  })

  test('shows a record as it is now, and a form with changes keeps them until it is told to load', async () => {
    const id = await note('first', 70)
    // The records below a deleted one are read once more.
    const page = await open(`/notes/${id}`, { expected: /404.*\/answers/ })
    await isLive(page)
    const title = page.getByLabel('Title')
    await write('PATCH', `/notes/${id}`, { title: 'second' })
    await until(async () => (await title.inputValue()) === 'second', 'the form shows the record')
    await page.locator('.live [role=status]', { hasText: 'was changed elsewhere' }).waitFor()

    await title.fill('mine')
    await write('PATCH', `/notes/${id}`, { title: 'theirs', rank: 71 })
    const told = page.locator('.changed-elsewhere')
    await told.waitFor()
    assert.equal(await title.inputValue(), 'mine')

    assert.deepEqual(await wcagFaults(page), [])
    await told.getByRole('button', { name: 'Load it' }).click()
    assert.equal(await title.inputValue(), 'theirs')
    await told.waitFor({ state: 'detached' })

    await title.fill('kept')
    await write('DELETE', `/notes/${id}`)
    await page.locator('.live [role=status]', { hasText: 'deleted elsewhere' }).waitFor()
    assert.equal(await title.inputValue(), 'kept')
    await page.close()
    consoles.checkComplaints()
  })

  test('has the records below one, in grids, in its form and alone, by one request', async () => {
    const { id: parcel } = await write('POST', '/parcels', { name: 'May', lines: [{ name: 'ink' }, { name: 'pen' }] })
    const { id: other } = await write('POST', '/parcels', { name: 'June' })
    const page = await open(`/parcels/${parcel}`)
    const waiting = new Set<unknown>()
    page.on('request', (request) => /_changes.*wait=20/.test(request.url()) && waiting.add(request))
    page.on('requestfinished', (request) => waiting.delete(request))
    page.on('requestfailed', (request) => waiting.delete(request))
    const stopped = page.locator('.child', { hasText: 'Stops' })
    const grid = stopped.locator('.grid-row')
    const formed = page.locator('.child-lines')
    const amounts = () =>
      formed.getByLabel('Amount').evaluateAll((all) => all.map((one) => (one as { value?: string }).value))
    await stopped.locator('.live[data-state=live]').waitFor()
    await formed.locator('.live[data-state=live]').waitFor()
    await stopped.locator('.child-grid').waitFor({ state: 'detached' })
    await until(
      () => waiting.size === 1,
      () => `one request waits, not ${waiting.size}`,
    )

    const { id: stop } = await write('POST', `/parcels/${parcel}/stops`, { name: 'Bern' })
    await write('POST', `/parcels/${other}/stops`, { name: 'Rome' })
    await grid.filter({ hasText: 'Bern' }).waitFor()
    await write('PATCH', `/parcels/${parcel}/stops/${stop}`, { name: 'Basel' })
    await grid.filter({ hasText: 'Basel' }).waitFor()
    assert.equal(await grid.count(), 1)
    await write('DELETE', `/parcels/${parcel}/stops/${stop}`)
    await grid.first().waitFor({ state: 'detached' })

    const stored = (await write('GET', `/lines?parcelId=${parcel}`)).data as { id: string }[]
    const [ink, pen] = stored.map((one) => one.id)
    await write('PATCH', `/lines/${pen}`, { amount: 8 })
    await until(async () => (await amounts()).join() === '1,8', 'the line of the form changes')
    // An edit keeps all lines until it is saved or dropped.
    await formed.getByLabel('Amount').first().fill('5')
    await write('PATCH', `/lines/${pen}`, { amount: 9 })
    await settle()
    assert.deepEqual(await amounts(), ['5', '8'])
    await formed.getByLabel('Amount').first().fill('1')
    await until(async () => (await amounts()).join() === '1,9', 'it is read again')
    await write('DELETE', `/lines/${ink}`)
    await until(async () => (await amounts()).join() === '9', 'it goes')
    assert.deepEqual(await wcagFaults(page), [])

    await write('POST', `/parcels/${parcel}/label`, { line: 'fragile' })
    await page.goto(`${service.url}/console/parcels/${parcel}/label`)
    const line = page.getByLabel('Line')
    await isLive(page)
    await write('PATCH', `/parcels/${parcel}/label`, { line: 'heavy' })
    await until(async () => (await line.inputValue()) === 'heavy', 'the one record below another')

    await page.goto(`${service.url}/console/settings`)
    await isLive(page)
    await write('PATCH', '/settings', { title: 'Yours' })
    await until(async () => (await page.getByLabel('Title').inputValue()) === 'Yours', 'the one record of a resource')
    await page.locator('.live [role=status]', { hasText: 'was changed elsewhere' }).waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('says quietly that it connects again, and has what happened meanwhile', async () => {
    const page = await open('/clubs', { expected: /ERR_FAILED/ })
    let isCut = true
    await page.route(/_changes/, (route) => (isCut ? route.abort() : route.continue()))
    await page.goto(`${service.url}/console/notes?rank[gte]=90&fields=title,rank`)
    await page.locator('.live[data-state=again]', { hasText: 'Connecting again' }).waitFor()
    await note('meanwhile', 90)

    isCut = false
    await isLive(page)
    await page.locator('.grid-row', { hasText: 'meanwhile' }).waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('asks for nothing where the changes of a resource are not kept', async () => {
    const { id } = await write('POST', '/clubs', { name: 'Rowing' })
    const page = await open('/clubs')
    await page.locator('.grid-row', { hasText: 'Rowing' }).waitFor()
    const asked: string[] = []
    page.on('request', (request) => void asked.push(request.url()))
    await page.goto(`${service.url}/console/clubs/${id}`)
    await page.locator('.record').waitFor()
    assert.equal(await page.locator('.live').count(), 0)
    assert.deepEqual(
      asked.filter((url) => /_live|_changes|live-/.test(url)),
      [],
    )
    await page.close()
    consoles.checkComplaints()
  })
})
