/**
 * The page of all mails under `bindery dev`: every language, HTML in a frame without scripts, and
 * mistakes with their file and line. It follows the files, and other machines do not get it.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { readConfig } from '../../src/config.ts'
import { accounts, defineMail, integer, money, text, timestamp } from '../../src/index.ts'
import { type StartedService, start } from '../../src/service/start.ts'
import { recordingLog, removeFolder, startService, temporaryFolder } from '../../src/testing/index.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'

const folder = temporaryFolder()
const mails = join(folder, 'mails')
mkdirSync(mails)
const german = join(mails, 'task-due.de.txt')
writeFileSync(german, 'Subject: {{title}} ist fällig\n\nAm {{dueAt}}, zu {{worth}}, {{count}} mal.\n')
writeFileSync(
  join(mails, 'task-due.en.txt'),
  'Subject: {{title}} is due\n\nAt {{dueAt}}, {{worth}}, {{count}} times.\n',
)
writeFileSync(join(mails, 'task-due.en.html'), '<h1>{{title}}</h1><img src="https://a.example/" onerror="alert(1)">')
const taskDue = defineMail({
  name: 'taskDue',
  folder: `./${relative(import.meta.dirname, mails)}`,
  values: { title: text(), dueAt: timestamp(), worth: money(), count: integer() },
})

let service: StartedService
let browser: Browser
let page: Page
before(async () => {
  const config = readConfig({ PORT: '0', DATA_DIR: folder })
  const application = [...accounts({ roles: ['USER', 'ADMIN'], recovery: true }), taskDue]
  service = await start(config, application, { log: recordingLog([]), isDeveloped: true })
  service.prepared()
  browser = await launchChromium()
  page = await browser.newPage()
})
after(async () => {
  await browser?.close()
  await service?.stop()
  removeFolder(folder)
})

test('the page has each mail, follows its files, and names mistakes', async () => {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('dialog', (dialog) => {
    problems.push('a script of a mail ran')
    void dialog.dismiss()
  })
  await page.goto(`${service.address}/_mails`)
  const own = page.locator('#taskDue')
  assert.deepEqual(await own.locator('h3').allTextContents(), ['deTitle ist fällig', 'enTitle is due'])
  assert.match((await own.locator('pre').allTextContents()).join(), /Am 31\. Januar 2026 um 12:00, zu 19,99\s\$, 3 mal/)
  assert.equal(await own.frameLocator('iframe').locator('h1').textContent(), 'Title')
  assert.deepEqual(await page.locator('#reset h3 small').allTextContents(), ['de', 'en'])
  assert.equal(await page.locator('.mistakes').count(), 0)
  writeFileSync(german, 'Subject: {{titel}} ist neu\n\nAm {{dueAt}}, zu {{worth}}, {{count}} mal.\n')
  await page.getByText('ist neu').first().waitFor()
  const line = `${relative(process.cwd(), german)}:1: {{titel}} is no value of this mail; did you mean "title"?`
  assert.deepEqual(await page.locator('.mistakes li').allTextContents(), [line])
  assert.deepEqual(problems, [])
})

test('the frame may do nothing, and there is no page where the server is not developed', async () => {
  const frame = await fetch(`${service.address}/_mails/taskDue.en.html`)
  assert.match(frame.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none';/)
  assert.equal((await fetch(`${service.address}/_mails/taskDue.de.html`)).status, 404)
  const usual = await startService([taskDue])
  assert.equal((await usual.ask('GET', '/_mails')).status, 404)
  await usual.stop()
})
