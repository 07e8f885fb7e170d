/** A visit of the tests to a part of the console, and the steps that visits have in common. */
import type { Page } from 'playwright-core'
import type { TestService } from '../../helpers/application.ts'

/** `parts`: the files of packages/console/src that it shows. */
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

export type Visited = { readonly service: TestService; readonly shown: Shown; readonly steps: VisitSteps }
export type VisitSteps = ReturnType<typeof makeVisitSteps>

export function makeVisitSteps({ url }: Pick<TestService, 'url'>) {
  const go = (page: Page, at: string) => page.goto(`${url}/console${at}`)
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
  return { go, list, tool, select, record, answerWith }
}
