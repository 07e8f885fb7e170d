/**
 * Every page, panel and dialog of the console has no finding of axe, none scrolls sideways, and
 * nothing moves while it loads. `npm run test:long` adds their other states, such as errors and
 * empty lists, the dark theme, forced colours, and a zoom of 200 %.
 */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startService } from '../../src/testing/index.ts'
import type { TestService } from '../helpers/application.ts'
import { wcagFaults } from '../helpers/axe.ts'
import { shortOr } from '../helpers/long.ts'
import { until } from '../helpers/until.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'
import { doorsOf, makeShown, visitsOf } from './every-place.ts'
import { resources } from './own-console.ts'
import { visitedResources } from './visited-resources.ts'
import type { Visit } from './visits/visit.ts'

const source = join(import.meta.dirname, '../../../console/src')
/** Files that fill a page, a panel or a dialog. Each must be in a visit. */
const named = '*/{*-page,*-panel,*-sheet,*-dialog,*-form,palette,conflict,moving,single-child}.tsx'
const parts = globSync([named, 'fields/{kinds/{links-input,record-offers},files/file-input}.tsx'], { cwd: source })
  .map((file) => file.replace('.tsx', ''))
  .sort()

const wide = { width: 1280, height: 800 }
/** A window of 1280 × 800 pixels at a zoom of 200 %, and a phone. */
const zoomed = 640
const small = [
  { width: zoomed, height: 400 },
  { width: 390, height: 800 },
]
/** axe sees each page, panel and dialog once, or in every state and every look. */
const hasAllLooks = shortOr(false, true)
const shiftMax = 0.05
/** Rules whose findings change with colours, and with widths. */
const colours = ['color-contrast']
const sizes = ['target-size', 'scrollable-region-focusable']
const watchShifts =
  'window.shifted = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value }).observe({ type: "layout-shift", buffered: true })'

async function checkLooks(page: Page, name: string): Promise<void> {
  const check = async (look: string, rules?: readonly string[]) =>
    assert.deepEqual(await wcagFaults(page, rules), [], `${name}, ${look}`)
  assert.ok(((await page.evaluate('window.shifted')) as number) < shiftMax, `${name} moves while it loads`)
  await check('light')
  if (hasAllLooks) {
    await page.emulateMedia({ colorScheme: 'dark' })
    await check('dark', colours)
    await page.emulateMedia({ forcedColors: 'active' })
    await check('forced colours', colours)
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
  }
  for (const size of small) {
    await page.setViewportSize(size)
    if (hasAllLooks && size.width === zoomed) await check('a zoom of 200 %', sizes)
    // A popover takes its new place a moment after the page. This process asks: a page's own timers
    // stand still in a Chromium that draws nothing.
    const fits = () => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')
    await until(fits, `${name} scrolls sideways in ${size.width} pixels`)
  }
  await page.setViewportSize(wide)
}

describe('every page of the console', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  before(async () => {
    service = await startService([...resources, ...visitedResources])
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })
  const seen = new Set<string>()

  async function visitAll(page: Page, visits: readonly Visit[]): Promise<void> {
    await page.addInitScript(watchShifts)
    for (const { name, parts: shown, open } of visits) {
      if (!hasAllLooks && shown.length === 0) continue
      await open(page).catch((cause) => assert.fail(`${name}: ${cause}`))
      await checkLooks(page, name)
      for (const part of shown) seen.add(part)
    }
    await page.close()
    consoles.checkComplaints()
  }

  test('those before a log-in have no finding', async () => {
    const page = await consoles.open({ as: null, expected: /status of 40[13]/ })
    await visitAll(page, doorsOf(service, await service.person('USER')))
  })

  test('those after a log-in have no finding', async () => {
    const visits = visitsOf(service, await makeShown(service))
    const page = await consoles.open({ expected: /status of (4|5)\d\d|ERR_FAILED/ })
    await visitAll(page, visits)
  })

  test('there are no others', () => {
    const missing = parts.filter((part) => !seen.has(part))
    assert.deepEqual(missing, [], 'every-place.ts has no visit to these')
  })
})
