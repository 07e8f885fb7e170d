/**
 * The session of the console in Chromium: every way to log in, and its end in the middle of an
 * edit. Another person at the same browser sees nothing of the first.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { startService as startOf } from '../../src/testing/index.ts'
import { adminEmail, password, resources, startService, type TestService } from '../helpers/application.ts'
import { addAuthenticator, enrolPasskey } from '../helpers/authenticator.ts'
import { seriousFaults } from '../helpers/axe.ts'
import { type Issuer, providerEnv, startIssuer } from '../helpers/oidc-issuer.ts'
import { until } from '../helpers/until.ts'
import { links, oneTimeTokens, outgoingMails } from '../service/people.ts'
import { type ConsoleBrowser, logInAt, openConsoles } from './console-browser.ts'

type Person = Awaited<ReturnType<TestService['person']>>
const secret = 'correct horse'
/** A refused log-in is an error in the browser's console. */
const expected = /status of 40[01]/

describe('the session of the console', { timeout: 480_000 }, () => {
  let service: TestService
  let issuer: Issuer
  let consoles: ConsoleBrowser
  before(async () => {
    issuer = await startIssuer()
    const env = { OIDC_PROVIDERS: 'corp', LOGIN_LINK: 'on', ...providerEnv('CORP', issuer.url) }
    service = await startOf([...resources, links, oneTimeTokens, outgoingMails], { env })
    // Passkeys belong to a name.
    consoles = await openConsoles({ url: service.url.replace('127.0.0.1', 'localhost') })
  })
  after(async () => {
    await consoles?.close()
    await service?.stop()
    await issuer?.stop()
  })

  async function typePassword(page: Page, { email }: { readonly email: string }, typed = secret): Promise<void> {
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', typed)
    await page.click('button[type=submit]')
  }
  const typeCode = async (page: Page, code: string) => {
    await page.fill('[name=code]', code)
    await page.getByRole('button', { name: 'Go on' }).click()
  }
  const isIn = (page: Page, { email }: { readonly email: string }) =>
    page.locator('.person', { hasText: email }).waitFor()
  const logOut = async (page: Page) => {
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.locator('.log-in').waitFor()
  }

  /** An authenticator app of the person, whose codes are each good once. */
  async function giveApp(person: Person): Promise<{ code(): string; recoveryCodes: readonly string[] }> {
    const sent = (body: object) => ({ token: person.token, body })
    const begun = await service.ask('POST', '/api/v1/proofs', sent({ type: 'totp', currentPassword: secret }))
    const code = codesOf(begun.body.secret)
    const shown = sent({ ticket: begun.body.ticket, code: code() })
    return { code, recoveryCodes: (await service.ask('POST', '/api/v1/proofs/finish', shown)).body.recoveryCodes }
  }
  function codesOf(key: string, { turn, now }: TestService = service): () => string {
    const app = new TOTP({ secret: Secret.fromBase32(key) })
    return () => {
      turn(30_000)
      return app.generate({ timestamp: now() })
    }
  }
  async function endSessions({ id, email }: Person, code?: () => string): Promise<void> {
    const first = await service.ask('POST', '/auth/login', { body: { email, password: secret } })
    const own = code
      ? await service.ask('POST', '/auth/factor', { body: { ticket: first.body.ticket, code: code() } })
      : first
    const token = own.body.accessToken
    const { body } = await service.ask('GET', '/api/v1/visits', { token })
    for (const session of body.data)
      if (session.userId === id && !session.current)
        await service.ask('DELETE', `/api/v1/visits/${session.id}`, { token })
  }
  async function makeEdition({ token }: Person, title: string): Promise<string> {
    const made = await service.ask('POST', '/api/v1/editions', { token, body: { title, isbn: title, price: 12.5 } })
    return made.body.id as string
  }
  const formOf = (page: Page) => page.getByLabel('Title')

  test('logs in by a code of an app, a recovery code, and a passkey, which may stand alone', async () => {
    const editor = await service.person('EDITOR')
    const { code, recoveryCodes } = await giveApp(editor)
    const page = await consoles.open({ as: null, expected, colorScheme: 'dark', viewport: { width: 390, height: 800 } })
    await typePassword(page, editor, 'wrong horse')
    await page.getByText('do not fit').waitFor()
    await typePassword(page, editor)
    await page.getByText('One more step').waitFor()
    assert.deepEqual(await seriousFaults(page), [])
    assert.equal(await page.evaluate("document.activeElement.getAttribute('name')"), 'code')
    await typeCode(page, '000000')
    await page.getByText('This is not right').waitFor()
    await typeCode(page, code())
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await logOut(page)
    await typePassword(page, editor)
    await typeCode(page, recoveryCodes[0] as string)
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await logOut(page)

    await addAuthenticator(page)
    await enrolPasskey(page, { token: editor.token, currentPassword: secret })
    await typePassword(page, editor)
    await page.getByText('One more step').waitFor()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await logOut(page)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('a role that needs a factor enrols it, keeps its recovery codes, and is still in after a reload', async (t) => {
    const strict = await startService({ MFA: 'ADMIN' })
    t.after(() => strict.stop())
    const page = await consoles.open({ as: null, expected: /asked|status of 401/ })
    await page.goto(`${strict.url}/console`)
    await typePassword(page, { email: adminEmail }, password)
    await page.getByText('Your role needs a second factor').waitFor()
    await page.getByRole('button', { name: 'Authenticator app' }).click()
    const key = (await page.locator('.log-in-key').textContent()) ?? ''
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    assert.deepEqual(await seriousFaults(page), [])
    await typeCode(page, '000000')
    await page.getByText('This is not right').waitFor()
    await typeCode(page, codesOf(key.replaceAll(' ', ''), strict)())
    await page.getByText('Keep these recovery codes').waitFor()
    assert.equal(await page.locator('.log-in-codes li').count(), 10)
    assert.deepEqual(await seriousFaults(page), [])
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await isIn(page, { email: adminEmail })
    await page.reload()
    await isIn(page, { email: adminEmail })
    await logOut(page)
    await page.close()
    consoles.checkComplaints()
  })

  test('the page of the account adds factors, renews codes and removes them, with the password', async () => {
    const editor = await service.person('EDITOR')
    const page = await consoles.open({ as: { email: editor.email, password: secret }, expected: /status of 40[013]/ })
    await page.getByRole('link', { name: editor.email }).click()
    await page.getByRole('heading', { name: 'Second factors' }).waitFor()
    await page.getByLabel('Your password').fill('wrong horse')
    await page.getByRole('button', { name: 'Add an authenticator app' }).click()
    await page.locator('.problem:not(:empty)').waitFor()
    await page.getByLabel('Your password').fill(secret)
    await page.getByRole('button', { name: 'Add an authenticator app' }).click()
    const code = codesOf(((await page.locator('.log-in-key').textContent()) ?? '').replaceAll(' ', ''))
    await typeCode(page, code())
    const first = await page.locator('.log-in-codes').textContent()
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await addAuthenticator(page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('cell', { name: 'Passkey of this device' }).waitFor()
    assert.deepEqual(await seriousFaults(page), [])
    await page.getByRole('button', { name: 'New recovery codes' }).click()
    assert.notEqual(await page.locator('.log-in-codes').textContent(), first)
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page
      .getByRole('row', { name: /Authenticator app/ })
      .getByRole('button', { name: 'Delete' })
      .click()
    await page.getByRole('row', { name: /Authenticator app/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Passkey of this device/ }).waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('the own password is changed with the present one, and the other sessions end', async () => {
    const editor = await service.person('EDITOR')
    const next = 'seven green lamps'
    const page = await consoles.open({ as: { email: editor.email, password: secret }, expected: /status of 40[013]/ })
    await page.getByRole('link', { name: editor.email }).click()
    const type = async (present: string, first: string, again = first) => {
      await page.getByLabel('Present password').fill(present)
      await page.getByLabel('New password', { exact: true }).fill(first)
      await page.getByLabel('New password, once more').fill(again)
      await page.getByRole('button', { name: 'Change the password' }).click()
    }
    await type(secret, next, 'seven green lumps')
    await page.getByText('not typed the same twice').waitFor()
    await type('wrong horse', next)
    await page.getByText('This is not your password').waitFor()
    await type(secret, 'password1234')
    await page.getByText('one of the commonest').waitFor()
    assert.deepEqual(await seriousFaults(page), [])
    await type(secret, next)
    await page.getByText('Your password is changed').waitFor()
    assert.equal(await page.getByLabel('Present password').inputValue(), '')
    assert.equal((await service.ask('GET', '/api/v1/visits', { token: editor.token })).status, 401)

    // The form of the own record asks for it too.
    await page.goto(`${service.url.replace('127.0.0.1', 'localhost')}/console/members/${editor.id}`)
    await page.getByLabel('Email').fill(`new.${editor.email}`)
    await page.getByLabel('Your password, to confirm').fill(next)
    await page.keyboard.press('Control+s')
    await page.locator('.notice', { hasText: 'Saved' }).waitFor()
    await page.close()
    consoles.checkComplaints()
  })

  test('comes back from a provider, and asks an account that exists to agree', async () => {
    issuer.people.ann = { email: 'ann@corp.example', email_verified: true }
    const page = await consoles.open({
      at: '/editions?sort=title',
      as: null,
      expected: /asked|NAME_NOT_RESOLVED|status of 401/,
    })
    const byProvider = async (name: string) => {
      await page.getByRole('link', { name: 'Log in with corp' }).click()
      await page.fill('input[name=login]', name)
      await page.fill('input[name=password]', 'any')
      await page.click('button[type=submit]')
      await page.click('button[type=submit]')
    }
    await byProvider('ann')
    await isIn(page, { email: 'ann@corp.example' })
    assert.match(page.url(), /\/console\/editions\?sort=title$/)
    await logOut(page)
    await page.context().clearCookies()

    const known = await service.person('EDITOR')
    issuer.people.bob = { email: known.email, email_verified: true }
    await byProvider('bob')
    await page.getByText('There is an account with this e-mail address').waitFor()
    assert.equal(new URL(page.url()).hash, '')
    await logInAt(page, { email: known.email, password: secret })
    await logOut(page)
    await page.context().clearCookies()
    await byProvider('bob')
    await isIn(page, known)
    await page.close()
    consoles.checkComplaints()
  })

  test('has mails sent: one to choose a password, and one that leads back logged in', async () => {
    const person = await service.person('EDITOR')
    const page = await consoles.open({ as: null, expected: /asked|status of 401/ })
    await page.goto(`${service.url}/console/editions`)
    await page.getByRole('button', { name: 'Forgotten the password?' }).click()
    await page.fill('[name=email]', person.email)
    await page.getByRole('button', { name: 'Send the mail' }).click()
    await page.getByText(`a mail is on its way`).waitFor()
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByRole('button', { name: 'Log in by a mail' }).click()
    await page.fill('[name=email]', person.email)
    await page.getByRole('button', { name: 'Send the mail' }).click()
    await page.getByText('a mail is on its way').waitFor()
    await service.sweep()
    const folder = join(service.folder, 'mail')
    const mails = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    assert.ok(mails.some((one) => one.includes('/account/reset?token=')))
    const token = mails.map((one) => /log-in\?token=([\w-]+)/.exec(one)?.[1]).find((one) => one !== undefined)
    await page.goto(`${service.url}/account/log-in?token=${token}`)
    await page.click('#use button:not([type=button])')
    await page.waitForURL('**/console')
    await isIn(page, person)
    await page.close()
    consoles.checkComplaints()
  })

  test('a session that ends in the middle of an edit goes on in place, by the second factor', async () => {
    const editor = await service.person('EDITOR')
    const id = await makeEdition(editor, 'Ruth')
    const { code } = await giveApp(editor)
    const page = await consoles.open({ at: `/editions/${id}`, as: null, expected })
    await typePassword(page, editor)
    await typeCode(page, code())
    await formOf(page).fill('Ruth, half')
    await endSessions(editor, code)
    await page.keyboard.press('Control+s')
    await page.getByText('Your session has ended').waitFor()
    assert.equal(await page.inputValue('[name=email]'), editor.email)
    assert.equal(await page.getByText('Ruth').count(), 0, 'the page is not shown')
    await page.fill('[name=password]', secret)
    await page.click('button[type=submit]')
    await typeCode(page, code())
    assert.equal(await formOf(page).inputValue(), 'Ruth, half')
    await page.keyboard.press('Control+s')
    await page.locator('.notice', { hasText: 'Saved, version 2' }).waitFor()
    const { body } = await service.ask('GET', `/api/v1/editions/${id}`)
    assert.equal(body.title, 'Ruth, half')
    await page.close()
    consoles.checkComplaints()
  })

  test('another person sees neither answers nor drafts of the first, who finds the own draft again', async () => {
    const [first, second] = [await service.person('EDITOR'), await service.person('EDITOR')]
    const id = await makeEdition(first, 'Cranford')
    const page = await consoles.open({ at: `/editions/${id}`, as: { email: first.email, password: secret }, expected })
    await formOf(page).fill('Cranford, of the first')
    await endSessions(first)
    await page.keyboard.press('Control+s')
    await page.getByText('Your session has ended').waitFor()
    // Only answers to the second person may be shown: all others are held back.
    let asked = 0
    await page.route('**/api/v1/editions/**', (route) => {
      asked += 1
      return route.abort()
    })
    await typePassword(page, second)
    await isIn(page, second)
    await until(async () => asked > 0, 'the second person asks for the record')
    assert.equal(await page.getByText('Cranford').count(), 0)
    assert.equal(await formOf(page).count(), 0)
    await page.unroute('**/api/v1/editions/**')
    await page.reload()
    await formOf(page).waitFor()
    assert.equal(await formOf(page).inputValue(), 'Cranford')
    await logOut(page)
    await logInAt(page, { email: first.email, password: secret })
    await page.getByText('The text of before is here again').waitFor()
    assert.equal(await formOf(page).inputValue(), 'Cranford, of the first')
    await page.close()
  })

  test('the view of a user ends with the operator who had it', async () => {
    const [seen, second] = [await service.person('EDITOR'), await service.person('USER')]
    const page = await consoles.open({ at: `/members/${seen.id}`, expected: /status of 40[013]/ })
    await page.getByText(seen.email).first().waitFor()
    await page.keyboard.press('Control+k')
    await page
      .getByRole('menuitem', { name: /View as/ })
      .first()
      .click()
    await page.locator('.view-bar').waitFor()
    await logOut(page)
    const asked = page.waitForRequest(/\/_resources$/)
    await logInAt(page, { email: second.email, password: secret })
    const token = (await (await asked).headerValue('authorization'))?.split('.')[1] ?? ''
    assert.equal(JSON.parse(Buffer.from(token, 'base64url').toString()).userId, second.id)
    assert.equal(await page.locator('.view-bar').count(), 0)
    await page.goto(`${service.url.replace('127.0.0.1', 'localhost')}/console/editions/_new`)
    await page.getByText('You may not make editions here').waitFor()
    assert.equal(await page.locator('form.form').count(), 0, 'no form that the server refuses')
    await page.close()
  })

  test('a log-in of another person in another tab ends the page of the first', async () => {
    const [first, second] = [await service.person('EDITOR'), await service.person('EDITOR')]
    const id = await makeEdition(first, 'Sylvia')
    const page = await consoles.open({ at: `/editions/${id}`, as: { email: first.email, password: secret }, expected })
    await formOf(page).fill('Sylvia, of the first')
    const opened = page.waitForEvent('popup')
    await page.evaluate('window.open(location.href)')
    const tab = await opened
    await isIn(tab, first)
    await logOut(tab)
    await logInAt(tab, { email: second.email, password: secret })
    await tab.close()
    // Its session is over, and the cookie is that of the second person.
    await page.keyboard.press('Control+s')
    await page.getByText('Another person uses this browser now').waitFor()
    const { body } = await service.ask('GET', `/api/v1/editions/${id}`)
    assert.equal(body.title, 'Sylvia', 'nothing of the first was written by the second')
    await logInAt(page, { email: first.email, password: secret })
    assert.equal(await formOf(page).inputValue(), 'Sylvia, of the first')
    await page.close()
  })
})
