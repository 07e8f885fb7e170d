/** Visits to the pages of records, and to what opens from them. */
import type { Visit, Visited } from './visit.ts'

export function recordVisits({ service, shown, steps }: Visited): readonly Visit[] {
  const { editionId, loanId, chapterId, editorToken } = shown
  const { go, record } = steps
  return [
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
        await page.locator('[data-field=labels] button.pick').click()
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
    {
      name: 'a record that is gone',
      parts: [],
      async open(page) {
        await go(page, '/editions/00000000-0000-7000-8000-000000000000')
        await page.getByText('not found').waitFor()
      },
    },
  ]
}
