/**
 * Real providers whose addresses are trusted (`OIDC_…_EMAIL_VERIFIED=always`). They create accounts
 * without a proof and join no existing one. Such an account loses its credentials when a mail
 * proves the address. A provider that is not trusted creates none.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { adminEmail, startService, type TestService } from '../../src/testing/index.ts'
import { type Issuer, makeBrowser, providerEnv, startIssuer } from '../helpers/oidc-issuer.ts'
import { withMails } from '../mail/people.ts'
import { links as accounts } from '../service/people.ts'

const next = 'a much longer horse'
const linked = { ...accounts, name: 'account', path: '/accounts' }
const strangerSays = 'The e-mail address is not verified by the provider'
let issuer: Issuer
let service: TestService
before(async () => {
  issuer = await startIssuer()
  const env = {
    OIDC_PROVIDERS: 'lax,strict',
    ...providerEnv('LAX', issuer.url, { OIDC_LAX_EMAIL_VERIFIED: 'always' }),
    ...providerEnv('STRICT', issuer.url),
  }
  service = await startService([...withMails, linked], { env })
})
after(async () => {
  await service?.stop()
  await issuer?.stop()
})

async function arrive(provider: string, as: string) {
  const browser = makeBrowser()
  const back = await browser.logIn(`${service.url}/auth/oidc/${provider}`, as)
  const { status, text } = await browser.go(back)
  return { status, body: JSON.parse(text) }
}
const ownerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** The token of the first mail to the address. */
async function tokenTo(email: string): Promise<string> {
  const folder = join(service.folder, 'mail')
  for (const end = Date.now() + 240_000; Date.now() < end; await sleep(20)) {
    const mails = readdirSync(folder).filter((name) => !name.startsWith('.'))
    const found = mails
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .find((one) => one.includes(`To: ${email}`))
    if (found) return /token=([\w-]+)/.exec(found)?.[1] ?? ''
  }
  throw new Error(`no mail to ${email}`)
}
async function reset(email: string) {
  assert.equal((await service.ask('POST', '/auth/forgot', { body: { email } })).status, 202)
  const body = { token: await tokenTo(email), password: next }
  assert.equal((await service.ask('POST', '/auth/reset', { body })).status, 204)
}

describe('a provider that is believed about addresses', () => {
  for (const [told, claims] of Object.entries({
    'says nothing of the address': {},
    'says that it is not verified': { email_verified: false },
  }))
    it(`makes an account where it ${told}, which a reset takes from whoever came by it`, async () => {
      const name = told.replaceAll(' ', '-')
      issuer.people[name] = { email: `${name}@club.example`, ...claims }
      const refused = await arrive('strict', name)
      assert.deepEqual([refused.status, refused.body.error], [403, strangerSays])
      const made = await arrive('lax', name)
      assert.equal(made.status, 200, JSON.stringify(made.body))
      assert.equal(ownerOf(made.body.accessToken).email, `${name}@club.example`)
      assert.equal((await arrive('lax', name)).status, 200)
      await reset(`${name}@club.example`)
      const token = (await service.logIn(`${name}@club.example`, next)).token
      assert.deepEqual((await service.ask('GET', '/api/v1/accounts', { token })).body.data, [])
      const later = await arrive('lax', name)
      assert.deepEqual([later.status, later.body.next], [401, 'link'], 'its owner would have to say yes')
    })

  it('proves an address where it says so, and then a reset leaves the log-in by it', async () => {
    issuer.people.ann = { email: 'ann@club.example', email_verified: true }
    const made = await arrive('lax', 'ann')
    await reset('ann@club.example')
    const again = await arrive('lax', 'ann')
    assert.equal(again.status, 200, JSON.stringify(again.body))
    assert.equal(ownerOf(again.body.accessToken).userId, ownerOf(made.body.accessToken).userId)
  })

  it('joins no account that exists, and makes none without an address', async () => {
    issuer.people.eve = { email: adminEmail.toUpperCase() }
    const other = await arrive('lax', 'eve')
    assert.deepEqual([other.status, other.body.next, other.body.accessToken], [401, 'link', undefined])
    issuer.people.nobody = {}
    assert.equal((await arrive('lax', 'nobody')).status, 403)
    issuer.people.odd = { email: 'no address' }
    assert.equal((await arrive('lax', 'odd')).status, 400)
  })
})
