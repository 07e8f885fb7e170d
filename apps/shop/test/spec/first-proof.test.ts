/**
 * An account that a stranger created with another person's address. The first proof of that address
 * ends all access from before it: the password, sessions, keys and log-ins by providers. Access
 * that is created later stays.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { type Mailbox, mailboxOf } from '../helpers/mails.ts'
import { password, startService, type TestService } from '../helpers/service.ts'

const next = 'a much longer horse'
let service: TestService
let box: Mailbox
let people = 0
before(async () => {
  service = await startService({ LOGIN_LINK: 'on' })
  box = mailboxOf(service)
})
after(() => service.stop())

const post = (path: string, body: object, token?: string) =>
  service.ask('POST', path, { body, ...(token !== undefined && { token }) })
const listOf = async (path: string, token: string) => (await service.ask('GET', path, { token })).body.data

/** The mail with this subject; mails of one round may come in any order. */
async function mailTo(email: string, subject: string, count = 1) {
  for (let mails = 1; ; mails += 1) {
    await box.wait(email, mails)
    const found = box.to(email).filter((mail) => mail.subject === subject)
    if (found.length >= count) return found.at(-1) as (typeof found)[number]
  }
}
async function reset(email: string, secret = next, count = 1) {
  assert.equal((await post('/auth/forgot', { email })).status, 202)
  const { token } = await mailTo(email, 'Choose a new password', count)
  const reply = await post('/auth/reset', { token, password: secret })
  assert.equal(reply.status, 204, reply.text)
}

async function signUp() {
  people += 1
  const email = `owner-${people}@example.com`
  assert.equal((await post('/api/v1/users', { email, password })).status, 201)
  return service.logIn(email)
}

/** Two keys, an app for codes, recovery codes, and a log-in by another issuer. */
async function furnish({ id, token }: { id: string; token: string }, currentPassword = password) {
  const key = (await post('/api/v1/api-keys', { name: 'all' }, token)).body
  const scoped = (await post('/api/v1/api-keys', { name: 'some', scopes: ['credentials:write'] }, token)).body
  const begun = await post('/api/v1/factors', { type: 'totp', currentPassword }, token)
  assert.equal(begun.status, 200, begun.text)
  const totp = new TOTP({ secret: Secret.fromBase32(begun.body.secret) })
  const code = () => totp.generate({ timestamp: service.now() })
  const ended = await post('/api/v1/factors/finish', { ticket: begun.body.ticket, code: code() }, token)
  assert.equal(ended.status, 201, ended.text)
  service.turn(30_000)
  const { engine } = service.service
  const { resource } = engine.catalog.linkedAccount as NonNullable<typeof engine.catalog.linkedAccount>
  await engine.records.transaction({ userId: null, role: null, credential: 'service' } as never, async (tx) => {
    const values = { userId: id, issuer: 'https://issuer.example', subject: `subject of ${id}` }
    await tx.insert(await tx.prepare(resource, values))
  })
  return {
    key: key.key as string,
    scoped: scoped.key as string,
    code,
    recoveryCode: ended.body.recoveryCodes[0] as string,
  }
}

const isGood = async (key: string) =>
  (await service.ask('GET', '/api/v1/orders?limit=1', { headers: { 'x-api-key': key } })).status !== 401

describe('the first proof of an address', () => {
  it('by a reset ends what a stranger had made in its name', async () => {
    const squatter = await signUp()
    const made = await furnish(squatter)
    await post('/auth/login', { email: squatter.email, password })
    await reset(squatter.email)
    assert.deepEqual([await isGood(made.key), await isGood(made.scoped)], [false, false])
    const owner = await service.logIn(squatter.email, next) // asks for no factor
    assert.deepEqual(await listOf('/api/v1/factors', owner.token), [])
    assert.deepEqual(await listOf('/api/v1/linked-accounts', owner.token), [])
    const keys = await listOf('/api/v1/api-keys', owner.token)
    assert.deepEqual(
      keys.map(({ active }: { active: boolean }) => active),
      [false, false],
      'switched off, for their owner to see',
    )
    const told = await mailTo(squatter.email, 'Your address was proven')
    assert.match(told.text, /API keys that were switched off: 2 \(bk_[\w-]{6}, bk_[\w-]{6}\)/)
    const events = (await listOf(`/api/v1/users/${squatter.id}/audit-events?limit=100`, owner.token)).map(
      ({ event }: { event: string }) => event,
    )
    for (const event of ['password-reset', 'key-changed', 'factor-removed', 'link-removed'])
      assert.ok(events.includes(event), `${event} in ${events}`)
  })

  it('by a link in a mail ends the password as well', async () => {
    const squatter = await signUp()
    const made = await furnish(squatter)
    await post('/auth/login-link', { email: squatter.email })
    const { token } = await mailTo(squatter.email, 'Your link to log in')
    const entered = await post('/auth/login-link', { token })
    assert.equal(entered.status, 200, entered.text)
    assert.equal((await service.ask('GET', '/api/v1/sessions', { token: squatter.token })).status, 401)
    assert.deepEqual(await listOf('/api/v1/factors', entered.body.accessToken), [])
    assert.equal(await isGood(made.key), false)
    assert.equal((await post('/auth/login', { email: squatter.email, password })).status, 401)
    await reset(squatter.email)
    await service.logIn(squatter.email, next)
  })

  it('leaves no key that is asked for in the same moment', async () => {
    for (let round = 0; round < 3; round += 1) {
      const squatter = await signUp()
      const ask = (name: string) => post('/api/v1/api-keys', { name }, squatter.token)
      await ask('first')
      assert.equal((await post('/auth/forgot', { email: squatter.email })).status, 202)
      const forgotten = (await mailTo(squatter.email, 'Choose a new password')).token
      assert.equal((await post('/auth/login-link', { email: squatter.email })).status, 202)
      const { token } = await mailTo(squatter.email, 'Your link to log in')
      const [chosen, entered, ...asked] = await Promise.all([
        post('/auth/reset', { token: forgotten, password: next }),
        post('/auth/login-link', { token }),
        ...Array.from({ length: 5 }, (_, i) => ask(`key ${i}`)),
      ])
      // Whichever proof comes first takes the other's token with it.
      assert.ok(chosen?.status === 204 || entered?.status === 200, `${chosen?.text} ${entered?.text}`)
      for (const { status, body } of asked)
        if (status === 201) assert.equal(await isGood(body.key), false)
        else assert.deepEqual([status, body], [401, { error: 'Invalid token' }])
    }
  })

  it('is made once: what its owner makes then outlives a reset and is told in the mail', async () => {
    const person = await signUp()
    await reset(person.email)
    const { token } = await service.logIn(person.email, next)
    const made = await furnish({ id: person.id, token }, next)
    await reset(person.email, 'a third horse here', 2)
    assert.equal(await isGood(made.key), true)
    const changed = await mailTo(person.email, 'Your password was changed', 2)
    assert.match(changed.text, /API keys that go on working: 2 \(bk_[\w-]{6}, bk_[\w-]{6}\)/)
    const entering = await post('/auth/login', { email: person.email, password: 'a third horse here' })
    assert.deepEqual([entering.status, entering.body.next], [401, 'totp'])
    const { ticket } = entering.body
    assert.equal((await post('/auth/factor', { ticket, recoveryCode: made.recoveryCode })).status, 200)
    assert.equal(box.to(person.email).filter(({ subject }) => subject === 'Your address was proven').length, 0)
  })

  it('counts for the address of that time', async () => {
    const thief = await signUp()
    await reset(thief.email)
    const { token } = await service.logIn(thief.email, next)
    const made = await furnish({ id: thief.id, token }, next)
    const email = `victim-of-${thief.email}`
    const moved = await service.ask('PATCH', `/api/v1/users/${thief.id}`, {
      token,
      body: { email, currentPassword: next },
    })
    assert.equal(moved.status, 200, moved.text)
    await reset(email, 'the horse of its owner')
    assert.equal(await isGood(made.key), false)
    const owner = await service.logIn(email, 'the horse of its owner')
    assert.deepEqual(await listOf('/api/v1/factors', owner.token), [])
  })

  it('is not asked of accounts that an ADMIN makes', async () => {
    const admin = await service.admin()
    const email = 'employee@example.com'
    const { id } = (await post('/api/v1/users', { email, password }, admin.token)).body
    const { token } = await service.logIn(email)
    const made = await furnish({ id, token })
    await reset(email)
    assert.equal(await isGood(made.key), true)
  })
})
