/** Tenants in the console: a person in two clubs chooses one, sees it alone, and adds to it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { anyOf, defineConsole, member, operator } from '../../src/index.ts'
import { password, startService as startOf, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

const ownConsole = defineConsole({ access: anyOf([member('OWNER'), operator]) })

describe('tenants in the console', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let ann: TestPerson
  let player: TestPerson
  let hidden = ''
  const clubs: Record<string, string> = {}
  const post = async (path: string, { token }: TestPerson, body: object) => {
    const made = await service.ask('POST', `/api/v1${path}`, { token, body })
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  before(async () => {
    service = await startOf([...clubhouse, ownConsole])
    ann = await service.person()
    player = await service.person()
    const ben = await service.person()
    for (const [name, by] of Object.entries({ Reds: ann, Blues: ben, Greens: ben })) {
      clubs[name] = await post('/clubs', by, { name })
      await post('/events', by, { clubId: clubs[name], title: `Meeting of the ${name}`, state: 'PUBLISHED' })
    }
    await post('/memberships', ben, { clubId: clubs.Blues, userId: ann.id, role: 'PLAYER' })
    for (const state of ['PUBLISHED', 'DRAFT']) {
      const eventId = await post('/events', ben, { clubId: clubs.Blues, title: `Race, ${state}`, state })
      await post('/attendances', ben, { eventId })
      if (state === 'DRAFT') hidden = eventId
    }
    await post('/memberships', ann, { clubId: clubs.Reds, userId: player.id, role: 'PLAYER' })
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
  })

  const rows = async (page: Page, ...titles: string[]) => {
    for (const title of titles) await page.locator('.grid-row', { hasText: title }).waitFor()
    await page.locator('.grid-row').nth(titles.length).waitFor({ state: 'detached' })
  }
  const choose = async (page: Page, name: string) => {
    await page.locator('.bar .tenant').press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type(name)
    await page.getByRole('menuitem').nth(1).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
  }
  const at = (name: string, rest = '') => `/_in/club:${clubs[name]}${rest}`

  test('one is chosen by keyboard, stands in the address, and a new record is made in it', async () => {
    const page = await consoles.open({ at: '/events', as: { email: ann.email, password } })
    await rows(page, 'Meeting of the Reds', 'Meeting of the Blues', 'Race, PUBLISHED')
    await choose(page, 'Reds')
    await page.waitForURL(`**${at('Reds', '/events')}`)
    await rows(page, 'Meeting of the Reds')
    await page.reload()
    await rows(page, 'Meeting of the Reds')
    assert.match((await page.locator('.bar .tenant').textContent()) ?? '', /Club: Reds/)
    assert.deepEqual(await seriousFaults(page), [])
    await page.getByRole('button', { name: 'New event' }).click()
    assert.equal(await page.locator('[data-field=clubId]').count(), 0)
    await page.getByLabel('Title').fill('Regatta')
    await page.keyboard.press('Control+s')
    await page.locator('.notice', { hasText: 'Event created' }).waitFor()
    const found = await service.ask('GET', '/api/v1/events?title=Regatta', { token: ann.token })
    assert.equal(found.body.data[0].clubId, clubs.Reds)
    await choose(page, 'Blues')
    await page.waitForURL(`**${at('Blues', '/events')}`)
    await rows(page, 'Meeting of the Blues', 'Race, PUBLISHED')
    await page.goBack()
    await page.getByRole('heading', { name: 'Regatta' }).waitFor()
    await choose(page, 'All clubs')
    await page.waitForURL('**/console/events')
    await rows(page, 'Meeting of the Reds', 'Meeting of the Blues', 'Race, PUBLISHED', 'Regatta')
    await page.close()
    consoles.checkComplaints()
  })

  test('references have the titles of records by one request a page, and ids where they are hidden', async () => {
    const page = await consoles.open({ at: at('Blues', '/attendances'), as: { email: ann.email, password } })
    await rows(page, 'Race, PUBLISHED', hidden.slice(-8))
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname + new URL(request.url()).search))
    await page.reload()
    await rows(page, 'Race, PUBLISHED', hidden.slice(-8))
    const ofTitles = asked.filter((one) => /expand=event|v1\/(events|users)\b/.test(one))
    assert.equal(ofTitles.length, 1, ofTitles.join('\n'))
    await page.close()
    consoles.checkComplaints()
  })

  test('a club is entered from its record, and one without a membership is not', async () => {
    const as = { email: ann.email, password }
    const page = await consoles.open({ at: `/clubs/${clubs.Blues}`, as, expected: /status of 404/ })
    await page.getByRole('button', { name: 'Work in this club alone' }).click()
    await page.waitForURL(`**${at('Blues')}`)
    await page.goto(`${service.url}/console/clubs/${clubs.Greens}`)
    await page.getByRole('heading', { name: 'Greens' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Work in this club alone' }).count(), 0)
    await page.goto(`${service.url}/console${at('Greens', '/events')}`)
    await page.getByRole('alert').filter({ hasText: 'Club not found' }).waitFor()
    assert.deepEqual(await seriousFaults(page), [])
    await page.getByRole('button', { name: 'Leave it' }).click()
    await page.locator('.menu a').first().waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('people who are owners of no club are refused by the rule of the console', async () => {
    const page = await consoles.open({ as: null, expected: /status of 403/ })
    await page.fill('[name=email]', player.email)
    await page.fill('[name=password]', password)
    await page.click('button[type=submit]')
    await page.getByText('not for your account').waitFor()
    await page.close()
    consoles.checkComplaints()
  })
})
