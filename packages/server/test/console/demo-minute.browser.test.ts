/**
 * The first minute of a person who starts the demo, opens the address that it prints, and then
 * writes an application of their own. A timed run also holds the bar of 60 s.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freePort, program, removeFolder, type ServerProcess, spawnServer, temporaryFolder } from 'bindery-server/test'
import type { Page } from 'playwright-core'
import { adminEmail, password } from '../helpers/application.ts'
import { type ConsoleBrowser, logInAt, openConsoles } from './console-browser.ts'

const root = join(import.meta.dirname, '../../../..')
const minuteMs = 60_000

const cups = `import { accounts, anyone, defineResource, defineResources, id, integer, password, role, roleField, text } from 'bindery-server'

const people = defineResource({
  name: 'person',
  plural: 'people',
  path: '/people',
  fields: {
    id: id(),
    email: text({ required: true, unique: true, format: 'email' }),
    password: password({ required: true }),
    role: roleField({ default: 'USER', write: role('ADMIN') }),
  },
  identity: { kind: 'login', login: 'email', secret: 'password', role: 'role' },
  list: { style: 'page' },
  access: { list: role('ADMIN'), get: role('ADMIN'), create: anyone },
})

export const cups = defineResource({
  name: 'cup',
  path: '/cups',
  fields: {
    id: id(),
    glaze: text({ required: true }),
    volume: integer(),
  },
  list: { style: 'page' },
  access: { read: anyone, write: anyone },
})

export const resources = defineResources([cups, ...accounts({ roles: ['USER', 'ADMIN'], users: people })])
`

/** An application in a folder of its own, with the engine of this checkout. */
function writeApplication(): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'packages/server'), join(folder, 'node_modules/bindery-server'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'cups', type: 'module' }))
  writeFileSync(join(folder, 'app.ts'), cups)
  return folder
}

/** The line of the text in a file of the shop, counted from 1. */
function lineOf(text: string): number {
  const lines = readFileSync(join(root, 'apps/shop/resources/products.ts'), 'utf8').split('\n')
  return lines.findIndex((line) => line.includes(text)) + 1
}

describe('the first minute of the demo', { timeout: 480_000 }, () => {
  let demo: ServerProcess
  let developing: ServerProcess
  let browser: ConsoleBrowser
  let address: string
  const folder = writeApplication()
  before(async () => {
    demo = spawnServer({ command: ['sh', 'apps/shop/lean.sh', 'apps/shop/demo/main.ts'], cwd: root })
    const env = { PORT: String(await freePort()), DATA_DIR: join(folder, 'data') }
    developing = spawnServer({ command: [process.execPath, program, 'dev'], cwd: folder, env })
    await Promise.all([demo.ready(), developing.ready()])
    const printed = demo.stdout().trimEnd().split('\n')
    assert.match(printed.at(-1) ?? '', /Bindery is ready on/)
    address = /^Open the console: (http:\S+)$/.exec(printed.at(-2) ?? '')?.[1] ?? ''
    browser = await openConsoles({ url: await demo.ready() })
  })
  after(async () => {
    await browser?.close()
    await demo?.stop()
    await developing?.stop()
    removeFolder(folder)
  })

  async function searchAndEdit(page: Page): Promise<void> {
    await page.locator('.person', { hasText: 'root@demo.example' }).waitFor()
    await page.getByText(`declared in products.ts:${lineOf('defineResource({')}`).waitFor()
    await page.locator('.grid-row').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('lamp')
    await page.locator('.request', { hasText: 'GET /api/v1/products?q=lamp' }).waitFor()
    await page.locator('.grid-row', { hasText: /lamp/i }).first().waitFor()
    await page.locator('.request').getByRole('button', { name: 'Copy' }).waitFor()
    const heads = await page.getByRole('columnheader').allTextContents()
    const price = heads.findIndex((head) => head.startsWith('Price'))
    await page.locator('.grid-row').first().getByRole('gridcell').nth(price).click()
    await page.keyboard.type('12')
    await page.keyboard.press('Enter')
    const notice = page.locator('.notice')
    // Its picture was version 2.
    await notice.filter({ hasText: 'Saved, version 3' }).waitFor()
    await notice.getByRole('button', { name: 'Undo' }).click()
    await notice.filter({ hasText: 'Undone, version 4' }).waitFor()
  }

  async function viewAndAsk(page: Page): Promise<void> {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('view as grace')
    await page.getByRole('menuitem', { name: 'View as Grace Lindqvist (EDITOR)' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('You see what Grace Lindqvist (EDITOR) sees').waitFor()
    await page.getByRole('button', { name: 'New product' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Users' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Why?' }).click()
    const why = page.getByRole('dialog', { name: 'Why is it not offered?' })
    await why.getByText(`declared in products.ts:${lineOf("create: role('EDITOR')")}`).waitFor()
    await why.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'End this view' }).click()
  }

  async function develop(): Promise<void> {
    const page = await browser.open({ as: null, expected: /./ })
    await page.goto(`${await developing.ready()}/console/cups`)
    await logInAt(page, { email: adminEmail, password })
    for (const name of ['New cup', 'Import CSV', 'Sample data'])
      await page.locator('.empty').getByRole('button', { name }).waitFor()
    await page.locator('.empty').getByRole('button', { name: 'Sample data' }).click()
    await page.locator('.grid-row').first().waitFor()
    writeFileSync(
      join(folder, 'app.ts'),
      cups.replace('volume: integer(),', 'volume: integer(),\n    handles: integer(),'),
    )
    await page.getByRole('columnheader', { name: 'Handles' }).waitFor()
  }

  it('shows, searches, saves, undoes, views as a user, says why, and follows a declaration', async () => {
    const begunMs = performance.now()
    assert.match(address, /\/console\/products#code=/)
    const page = await browser.open({ as: null, expected: /40[34]/ })
    await page.goto(address)
    await searchAndEdit(page)
    await viewAndAsk(page)
    await develop()
    const neededMs = performance.now() - begunMs
    browser.checkComplaints()
    if (process.env.BINDERY_TEST_TIMED) assert.ok(neededMs < minuteMs, `${neededMs} ms`)
  })
})
