/**
 * Files in the console: dropped, chosen, uploaded, shown, replaced and removed. Operators see those
 * of all.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import sharp from 'sharp'
import { type DeclaredResource, defineResource, file, files, id, image, text, user } from '../../src/index.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { people } from '../service/people.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

/** Holds the scans until it is opened. */
const gate = Promise.withResolvers<void>()

const lamps = defineResource({
  name: 'lamp',
  path: '/lamps',
  fields: {
    id: id(),
    title: text({ required: true, maxLength: 40 }),
    photo: image({ maxBytes: '1 MB', variants: { thumb: { width: 96, height: 96, fit: 'cover' } } }),
    manual: file({ types: ['application/pdf', 'text/plain'], maxBytes: '20 MB' }),
    papers: files({ types: ['text/plain'], max: 3 }),
    // No answer has it unless the console asks for it.
    warranty: file({
      types: ['text/plain'],
      returned: 'request',
      scan: {
        timeoutSeconds: 600,
        run: () => gate.promise.then(() => 'passed' as const),
      },
    }),
  },
  list: { style: 'page', sortable: ['title'] },
  access: { list: user, get: user, create: user, update: user, delete: user },
})

const picture = (background: string, type: 'png' | 'webp' = 'png') =>
  sharp({ create: { width: 320, height: 240, channels: 3, background } })
    [type]()
    .toBuffer()
const pdfOf = (bytes: number) => Buffer.concat([Buffer.from('%PDF-1.4\n'), randomBytes(bytes)])

describe('files in the console', { timeout: 240_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let admin: TestPerson
  let page: Page
  before(async () => {
    service = await startService([...people, lamps] as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
    consoles = await openConsoles(service)
    admin = await service.admin()
    page = await consoles.open({ at: '/lamps/_new', expected: /status of 4\d\d|ERR_/ })
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })
  const field = (name: string) => page.locator(`[data-field=${name}]`)
  const choose = (name: string, ...chosen: { name: string; mimeType: string; buffer: Buffer }[]) =>
    field(name).locator('input[type=file]').setInputFiles(chosen)
  const note = (name: string, words: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(words) })
  /** The server has it. */
  const arrived = (name: string, file: string) =>
    field(name)
      .getByRole('button', { name: `Remove ${file}` })
      .waitFor()
  const stored = async () => (await service.ask('GET', '/api/v1/lamps?limit=1', { token: admin.token })).body.data[0]

  test('a new record with all of its files', async () => {
    await page.getByLabel('Title').fill('Desk lamp')
    await choose('photo', { name: 'front.png', mimeType: 'image/png', buffer: await picture('#c33') })
    await field('photo').locator('img.picture').waitFor()
    await choose('manual', { name: 'manual.pdf', mimeType: 'application/pdf', buffer: pdfOf(700_000) })
    await choose('papers', note('one.txt', 'one'), note('two.txt', 'two'))
    await arrived('papers', 'one.txt')
    await arrived('papers', 'two.txt')
    await arrived('manual', 'manual.pdf')
    assert.deepEqual(await seriousFaults(page), [])
    await page.keyboard.press('Control+s')
    await page.locator('.record').waitFor()
    const { photo, manual, papers } = await stored()
    assert.deepEqual([photo.name, photo.width, manual.size], ['front.png', 320, 700_009])
    assert.deepEqual(papers.map(({ name }: { name: string }) => name).toSorted(), ['one.txt', 'two.txt'])
  })

  test('its page shows the picture, and a click opens a file by an address of its own', async () => {
    await field('photo').locator('img.picture').waitFor()
    const opened = page.waitForEvent('popup')
    await field('papers').getByRole('button', { name: 'one.txt', exact: true }).click()
    const tab = await opened
    await tab.waitForLoadState()
    assert.match(tab.url(), /_token=/)
    assert.equal(await tab.locator('body').textContent(), 'one')
    await tab.close()
  })

  test('files are replaced, removed and dropped', async () => {
    await choose('photo', { name: 'back.webp', mimeType: 'image/webp', buffer: await picture('#36c', 'webp') })
    await arrived('photo', 'back.webp')
    await field('manual').getByRole('button', { name: 'Remove manual.pdf' }).click()
    await field('papers').getByRole('button', { name: 'Remove one.txt' }).click()
    const made =
      "const one = new DataTransfer(); one.items.add(new File(['three'], 'three.txt', { type: 'text/plain' })); one"
    const dropped = await page.evaluateHandle(made)
    const place = field('papers').locator('.files-input')
    await place.dispatchEvent('dragover', { dataTransfer: dropped })
    assert.equal(await place.getAttribute('data-over'), 'true')
    await place.dispatchEvent('drop', { dataTransfer: dropped })
    await arrived('papers', 'three.txt')
    await page.keyboard.press('Control+s')
    await page.locator('.notice', { hasText: 'Saved' }).last().waitFor()
    const { photo, manual, papers } = await stored()
    assert.deepEqual([photo.name, manual], ['back.webp', null])
    assert.deepEqual(
      papers.map(({ name }: { name: string }) => name),
      ['two.txt', 'three.txt'],
    )
  })

  test('a file that waits for its scan cannot be opened, and can be once it has passed', async () => {
    await choose('warranty', note('years.txt', 'ten'))
    await arrived('warranty', 'years.txt')
    await page.keyboard.press('Control+s')
    await field('warranty').getByText('not scanned yet').waitFor()
    const opener = field('warranty').getByRole('button', { name: 'years.txt', exact: true })
    assert.equal(await opener.count(), 0)
    gate.resolve()
    await service.runEffects()
    await page.reload()
    const opened = page.waitForEvent('popup')
    await opener.click()
    const tab = await opened
    await tab.waitForLoadState()
    assert.equal(await tab.locator('body').textContent(), 'ten')
    await tab.close()
    assert.equal(await field('warranty').getByText('not scanned yet').count(), 0)
  })

  test('a list shows a small picture beside the name', async () => {
    const asked: string[] = []
    page.on('request', (one) => asked.push(one.url()))
    await page.goto(`${service.url}/console/lamps`)
    await page.locator('.grid-row img.picture.cell').waitFor()
    assert.ok(asked.some((one) => one.endsWith('/photo?variant=thumb')))
    assert.ok(!asked.some((one) => one.endsWith('/photo')))
    await page.locator('.grid-row', { hasText: 'back.webp' }).waitFor()
  })

  test('what is refused stays with its sentence, and can be left out', async () => {
    await page.goto(`${service.url}/console/lamps/${(await stored()).id}`)
    await choose('photo', { name: 'no.png', mimeType: 'image/png', buffer: Buffer.from('no picture at all') })
    await field('photo').getByText('photo takes image/png', { exact: false }).waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Photo is still being uploaded').first().waitFor()
    await field('photo').getByRole('button', { name: 'Cancel the upload of no.png' }).click()
    await field('photo').getByText('back.webp').waitFor()
    await choose('photo', { name: 'big.png', mimeType: 'image/png', buffer: randomBytes(1_200_000) })
    await field('photo').locator('.problem').first().waitFor()
    await page.reload()
    await field('photo').getByText('back.webp').waitFor()
  })

  test('an upload shows how far it is, goes on after a reload, and is cancelled', async () => {
    let begun = 0
    let last: Route | undefined
    // The second piece waits for ever.
    await page.route(/\/_uploads\/[\w-]+$/, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      begun += 1
      last = route
      return begun === 1 ? route.continue() : undefined
    })
    const large = { name: 'large.pdf', mimeType: 'application/pdf', buffer: pdfOf(2_000_000) }
    await choose('manual', large)
    await field('manual').locator('progress[value="262144"]').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Manual is still being uploaded').first().waitFor()
    await page.unrouteAll()
    await last?.abort().catch(() => undefined)
    await page.reload()
    await field('manual').getByRole('button', { name: 'Choose a file' }).waitFor()
    const offsets: string[] = []
    page.on('request', (one) => {
      if (one.method() === 'PATCH' && one.url().includes('_uploads')) offsets.push(one.headers()['upload-offset'] ?? '')
    })
    await choose('manual', large)
    await arrived('manual', 'large.pdf')
    // The time of a chosen file is that of the choice here, so it may be another file.
    assert.ok(offsets.length > 0)
    await page.keyboard.press('Control+s')
    await page.locator('.notice', { hasText: 'Saved' }).last().waitFor()
    assert.equal((await stored()).manual.size, 2_000_009)
    await page.route(/\/_uploads\/[\w-]+$/, (route) =>
      route.request().method() === 'PATCH' ? undefined : route.continue(),
    )
    await choose('manual', { name: 'other.pdf', mimeType: 'application/pdf', buffer: pdfOf(900_000) })
    await field('manual').getByRole('button', { name: 'Cancel the upload of other.pdf' }).click()
    await field('manual').getByText('large.pdf').waitFor()
    await page.unrouteAll()
  })

  test('an operator sees what files take, and those without a record', async () => {
    await page.goto(`${service.url}/console/_operate/files`)
    await page.getByRole('heading', { name: 'Without a record' }).waitFor()
    await page.getByRole('cell', { name: 'lamp.papers' }).first().waitFor()
    await page.getByRole('cell', { name: 'front.png' }).waitFor()
    assert.deepEqual(await seriousFaults(page), [])
    consoles.checkComplaints()
  })
})
