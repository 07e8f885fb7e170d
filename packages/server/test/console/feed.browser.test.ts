/**
 * The pages of the feed and of webhooks in Chromium, as operators see them. One shows what is kept
 * and who holds it back. The other has endpoints with their deliveries and attempts, also for
 * people who have some of their own.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import {
  databaseOf,
  onPostgres,
  password,
  startService,
  type TestPerson,
  type TestService,
} from '../../src/testing/index.ts'
import { makeSettle } from '../events/reader.ts'
import { wcagFaults } from '../helpers/axe.ts'
import { until } from '../helpers/until.ts'
import { library } from '../webhooks/library-with-hooks.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { type ConsoleBrowser, openConsoles } from './console-browser.ts'

describe('the feed and webhooks in the console', { timeout: 480_000 }, () => {
  let service: TestService
  let consoles: ConsoleBrowser
  let admin: TestPerson
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  before(async () => {
    service = await startService(library({ waits: [] }), { env: { OUTGOING_ALLOW: '127.0.0.1' } })
    admin = await service.admin()
    receiver = await startReceiver()
    consoles = await openConsoles(service)
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
    await receiver?.stop()
  })
  const write = async (method: string, path: string, body?: object) => {
    const { status, text, body: answer } = await service.ask(method, `/api/v1${path}`, { token: admin.token, body })
    assert.ok(status < 300, text)
    return answer
  }
  const settle = () => makeSettle(service.ask, { token: admin.token }, 'notes', { text: 'settled' })()
  const open = (at: string, options: object = {}) =>
    consoles.open({ at, as: { email: admin.email, password }, ...options })

  test('shows what is kept, and the last changes as the operator may see them', async () => {
    const { id } = await write('POST', '/books', { title: 'Emma' })
    await write('PATCH', `/books/${id}`, { stock: 4 })
    const gone = (await write('POST', '/books', { title: 'Ruth' })).id
    await write('DELETE', `/books/${gone}`)
    await settle()
    const page = await open('/_operate/feed')
    await page.getByRole('link', { name: 'Feed of changes' }).waitFor()
    const changes = page.getByRole('region', { name: 'Last changes' }).locator('tbody tr')
    await changes.filter({ hasText: 'deleted' }).filter({ hasText: gone }).waitFor()
    await changes.filter({ hasText: 'changed' }).filter({ hasText: 'stock' }).waitFor()
    assert.equal(
      await changes
        .filter({ hasText: 'came' })
        .filter({ hasText: id.slice(-8) })
        .count(),
      1,
    )
    const tile = (name: string) => page.locator('.tiles div', { hasText: name }).locator('dd').textContent()
    assert.ok(Number((await tile('Changes kept'))?.replace(/\D/g, '')) >= 4)
    await page.getByText('Changes are kept for 7 days').waitFor()
    assert.deepEqual(await wcagFaults(page), [])
    await changes
      .locator('a', { hasText: id.slice(-8) })
      .first()
      .click()
    await page.locator('.record').waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('names the transaction that holds changes back', { skip: !onPostgres }, async () => {
    const client = new pg.Client({
      connectionString: (await databaseOf(service.folder)).DATABASE_URL,
      application_name: 'nightly report',
    })
    await client.connect()
    try {
      const { pid } = (await client.query('SELECT pg_backend_pid() AS pid')).rows[0]
      await client.query('BEGIN')
      await client.query('SELECT pg_current_xact_id()')
      await write('POST', '/books', { title: 'Held' })
      const page = await open('/_operate/feed')
      const holder = page.getByRole('region', { name: 'Held back by' }).locator('tr', { hasText: 'nightly report' })
      await until(async () => (await holder.count()) === 1, 'it is named', 200)
      await holder.getByText(`SELECT pg_terminate_backend(${pid})`).waitFor()
      assert.deepEqual(await wcagFaults(page), [])
      await page.close()
    } finally {
      await client.end()
    }
    await settle()
  })

  test('has endpoints with their deliveries and attempts, tests them, and sends again', async () => {
    const { secret } = await write('POST', '/webhook-endpoints', { url: receiver.url, resources: ['books'] })
    receiver.state.secret = secret
    receiver.state.answer = (_, response) => response.writeHead(500).end('out of paper')
    await write('POST', '/books', { title: 'Persuasion' })
    const page = await open('/_operate/webhooks')
    const endpoint = page.getByRole('region', { name: 'Webhooks' }).locator('tr', { hasText: receiver.url })
    await endpoint.getByRole('button', { name: 'Deliveries' }).click()
    const deliveries = page.getByRole('region', { name: 'Deliveries to' }).locator('tbody tr')
    const failed = deliveries.filter({ hasText: 'given up' }).filter({ hasText: 'books.enter' })
    await until(async () => (await failed.count()) === 1, 'the delivery is given up', 200)
    await failed.getByRole('button', { name: 'Attempts' }).click()
    await page.getByRole('region', { name: 'Attempts of books.enter' }).getByText('out of paper').waitFor()
    assert.deepEqual(await wcagFaults(page), [])

    receiver.state.answer = (_, response) => response.writeHead(204).end()
    await failed.getByRole('button', { name: 'Send again' }).click()
    const arrived = (event: string) => deliveries.filter({ hasText: 'delivered' }).filter({ hasText: event })
    await until(async () => (await arrived('books.enter').count()) === 1, 'it arrives', 200)
    await endpoint.getByRole('button', { name: 'Send a test' }).click()
    await until(async () => (await arrived('ping').count()) === 1, 'the test arrives', 200)
    const count = receiver.received.length
    await page.getByLabel('Only those that were given up').uncheck()
    await page.locator('.tools').getByRole('button', { name: 'Send again' }).click()
    await page.locator('.notice', { hasText: '2 are sent again' }).waitFor()
    await until(() => receiver.received.length === count + 2, 'both arrive again')
    await page.close()
    consoles.checkComplaints()
  })

  test('a person who is no operator makes an endpoint, and manages it', async () => {
    const person = await service.person()
    const page = await consoles.open({ as: { email: person.email, password } })
    const menu = page.getByRole('navigation', { name: 'Menu' })
    await menu.getByRole('link', { name: 'Webhooks' }).click()
    assert.equal(await menu.getByRole('link', { name: 'Feed of changes' }).count(), 0)
    await page.getByText('There are no endpoints yet').waitFor()
    await page.getByRole('link', { name: 'New endpoint' }).click()
    await page.locator('[data-field=url] input').fill(receiver.url)
    await page.locator('[data-field=resources] textarea').fill('books')
    await page.keyboard.press('Control+s')
    const told = page.locator('.shown-once code')
    receiver.state.secret = (await told.textContent()) ?? ''
    assert.match(receiver.state.secret, /^whsec_/)
    await page.getByRole('alertdialog').locator('button.main').click()
    await menu.getByRole('link', { name: 'Webhooks' }).click()
    const endpoints = page.getByRole('region', { name: 'Webhooks' }).locator('tbody tr')
    const own = endpoints.filter({ hasText: receiver.url })
    await own.getByRole('button', { name: 'Deliveries' }).click()
    assert.equal(await endpoints.count(), 1, 'those of others are not there')

    const before = receiver.received.length
    await own.getByRole('button', { name: 'Send a test' }).click()
    await until(() => receiver.received.length === before + 1, 'the test arrives')
    const deliveries = page.getByRole('region', { name: 'Deliveries to' }).locator('tbody tr')
    const ping = deliveries.filter({ hasText: 'ping' }).filter({ hasText: 'delivered' })
    await until(async () => (await ping.count()) === 1, 'it is shown', 200)
    await ping.getByRole('button', { name: 'Send again' }).click()
    await until(() => receiver.received.length === before + 2, 'it is sent again')
    await ping.getByRole('button', { name: 'Attempts' }).click()
    await page.getByRole('region', { name: 'Attempts of ping' }).locator('tbody tr').first().waitFor()

    const former = receiver.state.secret
    await own.getByRole('button', { name: 'New secret' }).click()
    receiver.state.secret = (await told.textContent()) ?? ''
    assert.match(receiver.state.secret, /^whsec_/)
    assert.notEqual(receiver.state.secret, former)
    assert.deepEqual(await wcagFaults(page), [])
    await page.getByRole('alertdialog').locator('button.main').click()
    await own.getByRole('button', { name: 'Send a test' }).click()
    await until(() => receiver.received.length === before + 3, 'the test arrives again')
    assert.deepEqual(receiver.forged, [])
    await page.close()
    consoles.checkComplaints()
  })
})
