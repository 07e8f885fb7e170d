/**
 * A visit to every part of the console that fills a page, a panel or a dialog. `parts` names the
 * files of packages/console/src that the visit shows.
 */
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { password, type TestService } from '../helpers/application.ts'
import { makeChapters, openNewEndpoint } from './visited-resources.ts'

/** `status` */
const operatePages = globSync('operate/*-page.tsx', { cwd: join(import.meta.dirname, '../../../console/src') })
  .map((file) => basename(file, '-page.tsx'))
  .sort()

export type Visit = {
  readonly name: string
  readonly parts: readonly string[]
  open(page: Page): Promise<void>
}

/** Records that the visits show. */
export type Shown = {
  readonly editionId: string
  readonly loanId: string
  readonly chapterId: string
  readonly editorToken: string
}

export async function makeShown(service: TestService): Promise<Shown> {
  const { token } = await service.person('EDITOR')
  const reader = await service.person('USER')
  const made: string[] = []
  for (const title of ['Emma', 'Middlemarch', 'Persuasion']) {
    const body = { title, isbn: title, price: 12.5, subject: 'novel' }
    made.push((await service.ask('POST', '/api/v1/editions', { token, body })).body.id)
  }
  const [editionId = ''] = made
  const view = { resource: 'editions', name: 'Cheap', query: 'price[lt]=15&fields=title,price' }
  await service.ask('POST', '/api/v1/saved-views', { token, body: view })
  const opinion = { stars: 5, headline: 'Fine' }
  await service.ask('POST', `/api/v1/editions/${editionId}/opinions`, { token: reader.token, body: opinion })
  const basket = `/api/v1/members/${reader.id}/basket`
  await service.ask('POST', `${basket}/lines`, { token: reader.token, body: { editionId, count: 1 } })
  const { body: loan } = await service.ask('POST', `${basket}/borrow`, { token: reader.token })
  return { editionId, loanId: loan.id, chapterId: await makeChapters(service, token), editorToken: token }
}

/** The first attempt of every visit is a fresh page: what the one before left open is gone. */
export function visitsOf(service: TestService, { editionId, loanId, chapterId, editorToken }: Shown): readonly Visit[] {
  const go = (page: Page, at: string) => page.goto(`${service.url}/console${at}`)
  const list = async (page: Page, query = '') => {
    await go(page, `/editions${query}`)
    await page.locator('.grid-row').first().waitFor()
  }
  const tool = async (page: Page, name: string) => {
    await list(page)
    await page.getByRole('button', { name, exact: true }).click()
    await page.locator('.panel').waitFor()
  }
  const select = async (page: Page, button: string) => {
    await list(page)
    await page.locator('.grid-cell').first().focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.locator('dialog').waitFor()
  }
  const record = async (page: Page, at: string) => {
    await go(page, at)
    await page.locator('.record').waitFor()
  }
  const answerWith = async (page: Page, status: number, body: unknown) => {
    await page.route(/\/api\/v1\/editions\?/, (route) => route.fulfill({ status, json: body }))
    await go(page, '/editions')
  }

  return [
    { name: 'a list', parts: ['list/list-page'], open: (page) => list(page) },
    { name: 'a filter', parts: [], open: (page) => tool(page, 'Filter') },
    { name: 'filters', parts: [], open: (page) => list(page, '?price[gte]=2&available=true') },
    { name: 'columns', parts: ['list/columns-panel'], open: (page) => tool(page, 'Columns') },
    {
      name: 'views',
      parts: ['list/views-panel'],
      async open(page) {
        await tool(page, 'Views')
        await page.getByLabel('Share it').check()
        await page.getByRole('button', { name: 'Rename the view Cheap' }).waitFor()
      },
    },
    {
      name: 'a filter on a field that there is not',
      parts: [],
      async open(page) {
        await answerWith(page, 400, { error: 'Unknown query parameter gone' })
        await page.goto(`${service.url}/console/editions?gone=2`)
        await page.getByRole('button', { name: 'Open without' }).waitFor()
        await page.unrouteAll()
      },
    },
    { name: 'requests', parts: ['list/copy-panel'], open: (page) => tool(page, 'Copy as') },
    { name: 'export', parts: ['list/export-panel'], open: (page) => tool(page, 'Export') },
    {
      name: 'the trash',
      parts: ['list/trash-panel'],
      async open(page) {
        await page.route(/\/_resources\/editions/, async (route) => {
          const answer = await route.fetch()
          const told = (await answer.json()) as { operations: string[] }
          await route.fulfill({
            response: answer,
            json: { ...told, operations: [...told.operations, 'restore', 'purge'] },
          })
        })
        const rows = [{ id: editionId, title: 'Emma', trashedAt: '2026-01-31T12:00:00.000Z' }]
        await page.route(/_trash=only/, (route) => route.fulfill({ json: { data: rows, meta: { total: 1 } } }))
        await tool(page, 'Trash')
        await page.getByRole('button', { name: 'Delete for good' }).click()
        await page.locator('dialog').waitFor()
        await page.unrouteAll()
      },
    },
    {
      name: 'a job that an action has added',
      parts: ['record/job-sheet'],
      async open(page) {
        const action = { name: 'count', label: 'Count', path: 'count', input: [], job: { name: 'count', result: [] } }
        await page.route(/\/_resources\/editions/, async (route) => {
          const answer = await route.fetch()
          const told = (await answer.json()) as { actions: unknown[] }
          await route.fulfill({ response: answer, json: { ...told, actions: [...told.actions, action] } })
        })
        const progress = { done: 1, total: 3, note: 'the first shelf' }
        const job = { id: editionId, state: 'running', progress, result: null, error: null }
        await page.route(/\/count$/, (route) => route.fulfill({ status: 202, json: job }))
        await page.route(/\/_jobs\//, (route) => route.fulfill({ json: job }))
        await record(page, `/editions/${editionId}`)
        await page.getByRole('button', { name: 'Count', exact: true }).click()
        await page.locator('dialog progress').waitFor()
        await page.unrouteAll()
      },
    },
    { name: 'many changed', parts: ['list/bulk-sheet'], open: (page) => select(page, 'Edit') },
    { name: 'many deleted', parts: [], open: (page) => select(page, 'Delete') },
    {
      name: 'import',
      parts: ['list/import-sheet'],
      async open(page) {
        await list(page)
        await page.getByRole('button', { name: 'Import CSV' }).click()
        const buffer = Buffer.from('Title,price\nWalden,7.25\nWaverley,\n')
        await page.getByLabel('CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer })
        await page.getByText('1 of 2 lines can be imported').waitFor()
      },
    },
    {
      name: 'a cell and its message',
      parts: [],
      async open(page) {
        await list(page)
        const cell = page.locator('.grid-row', { hasText: 'Persuasion' }).locator('.editable').first()
        await cell.click()
        await page.keyboard.type('19')
        await page.keyboard.press('Enter')
        await page.locator('.notice').waitFor()
        await cell.click()
      },
    },
    {
      name: 'an empty list',
      parts: [],
      async open(page) {
        await go(page, '/shelves')
        await page.getByText('There are no shelves yet').waitFor()
      },
    },
    {
      name: 'a search that finds nothing',
      parts: [],
      async open(page) {
        await go(page, '/editions?q=zzzz')
        await page.getByText('No editions match').waitFor()
      },
    },
    {
      name: 'an error',
      parts: [],
      async open(page) {
        await answerWith(page, 500, { error: 'Internal server error' })
        await page.locator('.failed').waitFor()
        await page.unrouteAll()
      },
    },
    {
      name: 'no server',
      parts: [],
      async open(page) {
        await page.route(/\/api\/v1\/editions\?/, (route) => route.abort())
        await go(page, '/editions')
        await page.getByText('The server cannot be reached').waitFor()
        await page.unrouteAll()
      },
    },
    {
      name: 'rows that are on their way',
      parts: [],
      async open(page) {
        await page.route(/\/api\/v1\/editions\?/, () => undefined)
        await go(page, '/editions')
        await page.locator('[data-waits]').waitFor()
        await page.unrouteAll()
      },
    },
    {
      name: 'commands',
      parts: ['shell/palette'],
      async open(page) {
        await list(page)
        await page.keyboard.press('Control+k')
        await page.getByRole('menuitem').first().waitFor()
      },
    },
    {
      name: 'a record and its children',
      parts: ['record/record-page', 'record/edit-form'],
      async open(page) {
        await record(page, `/editions/${editionId}`)
        await page.locator('.child .grid-row').waitFor()
      },
    },
    {
      name: 'a record to be deleted',
      parts: [],
      async open(page) {
        await record(page, `/editions/${editionId}`)
        await page.getByRole('button', { name: 'Delete …' }).click()
        await page.getByRole('alertdialog').waitFor()
      },
    },
    {
      name: 'a record to be erased',
      parts: ['record/erase-sheet'],
      async open(page) {
        await record(page, `/editions/${editionId}`)
        await page.getByRole('button', { name: 'Erase …' }).click()
        await page.locator('dialog table').waitFor()
      },
    },
    {
      name: 'a conflict',
      parts: ['merge/conflict'],
      async open(page) {
        await record(page, `/editions/${editionId}`)
        await page.getByLabel('Subject').fill('mine')
        const body = { subject: 'theirs' }
        await service.ask('PATCH', `/api/v1/editions/${editionId}`, { token: editorToken, body })
        await page.keyboard.press('Control+s')
        await page.locator('.conflict').waitFor()
      },
    },
    {
      name: 'an action with input',
      parts: [],
      async open(page) {
        await record(page, `/loans/${loanId}`)
        await page.getByRole('button', { name: 'Extend' }).click()
        await page.locator('dialog').waitFor()
      },
    },
    {
      name: 'why an action is not offered',
      parts: ['shell/why-dialog'],
      async open(page) {
        await record(page, `/loans/${loanId}`)
        await page.getByRole('button', { name: 'Why?' }).click()
        await page.locator('dialog').waitFor()
        await page.locator('dialog .quiet:has-text("Loading")').waitFor({ state: 'detached' })
      },
    },
    {
      name: 'a row to be moved',
      parts: ['order/moving'],
      async open(page) {
        await go(page, '/chapters')
        await page.locator('.grid-row', { hasText: 'Two' }).locator('[data-column="0"]').focus()
        await page.keyboard.press('Alt+Enter')
        await page.getByRole('dialog', { name: 'Move Two' }).waitFor()
      },
    },
    {
      name: 'records to be linked',
      parts: ['fields/kinds/links-input', 'fields/kinds/record-offers'],
      async open(page) {
        await record(page, `/chapters/${chapterId}`)
        await page.locator('[data-field=labels] .pick').click()
        await page.getByRole('option', { name: 'white' }).waitFor()
      },
    },
    {
      name: 'files of a record, and one that is refused',
      parts: ['fields/files/file-input'],
      async open(page) {
        await record(page, `/chapters/${chapterId}`)
        const buffer = Buffer.from('no picture')
        const chooser = page.locator('[data-field=drawing] input[type=file]')
        await chooser.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
        await page.locator('[data-field=drawing] .problem').first().waitFor()
      },
    },
    {
      name: 'a one-to-one record that is not there',
      parts: ['record/single-child'],
      async open(page) {
        await record(page, `/chapters/${chapterId}`)
        await page.locator('details.single summary').click()
        await page.getByRole('button', { name: 'New cover' }).click()
        await page.getByLabel('Paper').waitFor()
      },
    },
    {
      name: 'a new record with errors',
      parts: ['record/create-form'],
      async open(page) {
        await go(page, '/editions/_new')
        await page.locator('.form').waitFor()
        await page.keyboard.press('Control+s')
        await page.locator('.error-summary').waitFor()
      },
    },
    { name: 'a new endpoint of webhooks', parts: ['operate/webhooks-page'], open: openNewEndpoint(go) },
    {
      name: 'a record that is gone',
      parts: [],
      async open(page) {
        await go(page, '/editions/00000000-0000-7000-8000-000000000000')
        await page.getByText('not found').waitFor()
      },
    },
    {
      name: 'the own account',
      parts: ['session/account-page'],
      async open(page) {
        await go(page, '/_account')
        await page.locator('main h1').waitFor()
        await page.locator('main .quiet:has-text("Loading")').waitFor({ state: 'detached' })
      },
    },
    {
      name: 'an address of nothing',
      parts: ['shell/nothing-page'],
      async open(page) {
        await go(page, '/nothing')
        await page.getByText('There is nothing at this address').waitFor()
      },
    },
    {
      name: "the application's page",
      parts: ['extend/own-page'],
      async open(page) {
        await go(page, '/_own/stock-report')
        await page.getByText('Editions: 3').waitFor()
      },
    },
    ...operatePages.map((name) => ({
      name,
      parts: [`operate/${name}-page`],
      async open(page: Page) {
        await go(page, `/_operate/${name}`)
        await page.locator('.operate h1').waitFor()
        await page.locator('.operate .quiet:has-text("Loading")').waitFor({ state: 'detached' })
      },
    })),
  ]
}

/** Those of a person without a session. */
export function doorsOf(service: TestService, reader: { readonly email: string }): readonly Visit[] {
  return [
    {
      name: 'log-in',
      parts: ['session/log-in-page'],
      async open(page) {
        await page.goto(`${service.url}/console`)
        await page.fill('[name=email]', reader.email)
        await page.fill('[name=password]', 'wrong password')
        await page.click('button[type=submit]')
        await page.locator('.problem:not(:empty)').waitFor()
      },
    },
    {
      name: 'a person who is not admitted',
      parts: ['session/refused-page'],
      async open(page) {
        await page.fill('[name=password]', password)
        await page.click('button[type=submit]')
        await page.getByRole('heading', { name: 'This console is not for your account' }).waitFor()
      },
    },
  ]
}
