/** The page of an invitation, in Chromium. It asks for a password where there is no account. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { startService } from '../../src/testing/index.ts'
import { clubhouse } from '../clubhouse/clubhouse.ts'
import { launchChromium } from '../helpers/launch-chromium.ts'

it('accepts an invitation, with a password for a new account', { timeout: 240_000 }, async () => {
  const service = await startService(clubhouse)
  after(() => service.stop())
  const browser = await launchChromium()
  after(() => browser.close())
  const { ask } = service
  const owner = await service.person()
  const club = (await ask('POST', '/api/v1/clubs', { body: { name: 'Rowing' }, token: owner.token })).body
  const body = { clubId: club.id, email: 'new@example.com', role: 'COACH' }
  assert.equal((await ask('POST', '/api/v1/club-invitations', { body, token: owner.token })).status, 201)
  await service.sweep()
  const [name = ''] = readdirSync(join(service.folder, 'mail'))
  const link = /http:\S+/.exec(readFileSync(join(service.folder, 'mail', name), 'utf8'))?.[0] ?? ''
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(link)
  assert.equal(await page.isVisible('input[type=password]'), false)
  const told = (text: string) => page.waitForSelector(`[role=status]:has-text("${text}")`)
  await page.click('#use > button')
  await told('Choose a password')
  await page.fill('input[type=password]', 'password1')
  await page.click('#use > button')
  await told('This password is one of the commonest')
  await page.fill('input[type=password]', 'a much longer horse')
  await page.click('#use > button')
  await told('The invitation is accepted.')
  const coach = await service.logIn('new@example.com', 'a much longer horse')
  const { body: list } = await ask('GET', `/api/v1/memberships?userId=${coach.id}`, { token: coach.token })
  assert.equal(list.data[0].role, 'COACH')
  await page.goto(link)
  await page.click('#use > button')
  await told('This invitation is used, expired or withdrawn.')
  assert.deepEqual(faults, [])
})
