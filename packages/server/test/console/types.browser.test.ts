/** Values of each field type in the console: written as the person writes them, in German here. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  bigint,
  boolean,
  choice,
  date,
  decimal,
  defineResource,
  id,
  integer,
  json,
  list,
  manyToMany,
  slug,
  text,
  time,
  user,
  uuid,
} from '../../src/index.ts'
import { startService as startOf, type TestService } from '../../src/testing/index.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { people } from '../service/people.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

const access = { list: user, get: user, create: user, update: user, delete: user }
const samples = defineResource({
  name: 'sample',
  path: '/samples',
  fields: {
    id: id(),
    title: text({ required: true, maxLength: 40 }),
    slug: slug({ from: 'title', maxLength: 40 }),
    hour: time(),
    exact: decimal({ precision: 12, scale: 2 }),
    plain: decimal({ precision: 9, scale: 3, json: 'number' }),
    far: bigint(),
    stock: integer({ min: -5, max: 20_000, default: 0 }),
    key: uuid(),
    notes: json(),
    kinds: list(choice(['A', 'B', 'C'])),
    days: list(date()),
    flags: list(boolean()),
    like: manyToMany('sample'),
  },
  list: { style: 'page', sortable: ['title'] },
  access,
})

describe('field types in the console', { timeout: 240_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  before(async () => {
    service = await startOf([...people, samples])
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  test('numbers, ticks and lists are sent as they are meant, and an error of an item stands at its field', async () => {
    const { token } = await service.admin()
    const page = await consoles.open({ at: '/samples/_new', locale: 'de-DE', expected: /400/ })
    const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value)
    await page.getByLabel('Title').fill('Erstes')
    await fill('Slug', 'x')
    await fill('Slug', '')
    await fill('Hour', '09:05')
    await fill('Exact', '1.234,75')
    await fill('Plain', '2,5')
    await fill('Far', '9007199254740995')
    await fill('Key', '01a20a6f-0e48-72c1-8d2f-bb66b83ff11a')
    await fill('Days', '31.01.2026')
    await fill('Flags', 'true')
    await page.getByLabel('B', { exact: true }).check()
    assert.deepEqual(await seriousFaults(page), [])
    await page.keyboard.press('Control+s')
    await page.locator('[data-field=days] .problem', { hasText: 'days[0]' }).waitFor()
    await fill('Days', '2026-01-31')
    await fill('Exact', '1,2,3')
    await page.keyboard.press('Control+s')
    await page.locator('[data-field=exact] .problem').waitFor()
    await fill('Exact', '1.234,75')
    await page.keyboard.press('Control+s')
    await page.getByText('Sample angelegt').waitFor()
    const path = `/api/v1/samples/${page.url().split('/').at(-1)}`
    const { body } = await service.ask('GET', path, { token })
    const { slug: made, hour, exact, plain, far, kinds, days, flags } = body
    assert.deepEqual(
      { made, hour, exact, plain, far, kinds, days, flags },
      {
        made: 'erstes',
        hour: '09:05:00',
        exact: '1234.75',
        plain: 2.5,
        far: '9007199254740995',
        kinds: ['B'],
        days: ['2026-01-31'],
        flags: [true],
      },
    )
    assert.equal(await page.getByLabel('Exact').inputValue(), '1234,75')
    await page.close()
    consoles.checkComplaints()
  })

  test('cells have the writing of the reader, and a filter picks a linked record by its title', async () => {
    const { token } = await service.admin()
    const add = async (sent: object) => (await service.ask('POST', '/api/v1/samples', { token, body: sent })).body.id
    const linked = await add({ title: 'Ziel', hour: '17:30:00', exact: '1234.50', far: '1234567890123456789' })
    await add({ title: 'Quelle', like: [linked] })
    const page = await consoles.open({ at: '/samples?fields=title,hour,exact,far,like', locale: 'de-DE' })
    const row = page.locator('.grid-row', { hasText: '1.234,50' })
    await row.getByText('17:30', { exact: true }).waitFor()
    await row.getByText('1.234.567.890.123.456.789', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Feld').selectOption('Like')
    await page.getByLabel('Vergleich').selectOption('ist')
    await page.locator('.filter-form button.pick').click()
    await page.getByRole('option', { name: 'Ziel' }).click()
    await page.getByRole('button', { name: 'Anwenden' }).click()
    await row.waitFor({ state: 'detached' })
    await page.locator('.grid-row', { hasText: 'Quelle' }).waitFor()
    await page.getByRole('button', { name: 'Like ist Ziel', exact: true }).waitFor()
    assert.match(page.url(), new RegExp(`like=${linked}`))
    await page.close()
    consoles.checkComplaints()
  })
})
