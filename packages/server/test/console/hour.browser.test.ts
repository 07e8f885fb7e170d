/**
 * Use of the console for long, by script: searches, sorts, scrolls, records, pages of operators.
 * The heap after a collection stays small, and no element of a page that is left stays behind.
 * `npm run test:long` does the 1,500 acts of an hour.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { startService, type TestService } from '../helpers/application.ts'
import { shortOr } from '../helpers/long.ts'
import { until } from '../helpers/until.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'
import { makeShown } from './every-place.ts'

const rounds = shortOr(6, 100)
const heapBytesMax = 200e6
/** Elements that may be more after the last round than after the second. */
const moreNodesMax = 300

type Used = { readonly heap: number; readonly nodes: number }

async function measure(session: CDPSession): Promise<Used> {
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN
  return { heap: of('JSHeapUsedSize'), nodes: of('Nodes') }
}

/** Fifteen acts. */
async function workOnce(page: Page): Promise<void> {
  const rows = page.locator('.grid-row')
  await page.getByRole('link', { name: 'Editions' }).click()
  await rows.nth(2).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('emma')
  await rows.nth(1).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Backspace')
  await rows.nth(2).waitFor()
  await page.locator('.grid-th button').first().click()
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.keyboard.press('Control+k')
  await page.getByRole('menuitem').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await rows.first().getByRole('link').click()
  const discard = page.getByRole('button', { name: 'Discard changes' })
  // Under load the form may be drawn again after the first letters.
  await until(async () => {
    await page.getByLabel('Summary').fill('half')
    return discard.isVisible()
  }, 'a changed form')
  await discard.click()
  await page.getByRole('link', { name: 'Status', exact: true }).click()
  await page.locator('.operate h1').waitFor()
  await page.getByRole('link', { name: 'Members' }).click()
  await rows.first().waitFor()
}

describe('the console in use for long', { timeout: 1_200_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  before(async () => {
    service = await startService()
    await makeShown(service)
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  test('keeps its memory small', async () => {
    const page = await consoles.open({ at: '/editions' })
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    await workOnce(page)
    await workOnce(page)
    const early = await measure(session)
    for (let round = 2; round < rounds; round += 1) await workOnce(page)
    const late = await measure(session)
    assert.ok(late.heap < heapBytesMax, `${late.heap} bytes`)
    assert.ok(late.nodes < early.nodes + moreNodesMax, `${early.nodes} elements, and ${late.nodes} later`)
    await page.close()
    consoles.checkComplaints()
  })
})
