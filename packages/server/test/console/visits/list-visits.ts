/** Visits to lists, and to what opens from them. */
import type { Visit, Visited } from './visit.ts'

export function listVisits({ service, shown: { editionId }, steps }: Visited): readonly Visit[] {
  const { go, list, tool, select, answerWith } = steps
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
  ]
}
