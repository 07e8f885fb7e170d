/** A visit to every part of the console that fills a page, a panel or a dialog. */
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { password, type TestService } from '../helpers/application.ts'
import { makeChapters, openNewEndpoint } from './visited-resources.ts'
import { listVisits } from './visits/list-visits.ts'
import { recordVisits } from './visits/record-visits.ts'
import { makeVisitSteps, type Shown, type Visit, type VisitSteps } from './visits/visit.ts'

/** `status` */
const operatePages = globSync('operate/*-page.tsx', { cwd: join(import.meta.dirname, '../../../console/src') })
  .map((file) => basename(file, '-page.tsx'))
  .sort()
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

function pageVisits({ go }: VisitSteps): readonly Visit[] {
  return [
    { name: 'a new endpoint of webhooks', parts: ['operate/webhooks-page'], open: openNewEndpoint(go) },
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

/** The first attempt of every visit is a fresh page: what the one before left open is gone. */
export function visitsOf(service: TestService, shown: Shown): readonly Visit[] {
  const visited = { service, shown, steps: makeVisitSteps(service) }
  return [...listVisits(visited), ...recordVisits(visited), ...pageVisits(visited.steps)]
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
