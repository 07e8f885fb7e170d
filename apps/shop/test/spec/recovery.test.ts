/**
 * Recovery by mail: a forgotten password, the mails that are sent about it, and the scope of each
 * token.
 */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { type Mailbox, mailboxOf } from '../helpers/mails.ts'
import { everythingStored, password, startService, type TestService } from '../helpers/service.ts'

const next = 'a much longer horse'
const used = { error: 'token is used, expired or unknown; ask for a new mail' }
const minute = 60_000

let service: TestService
let box: Mailbox
before(async () => {
  service = await startService({ LOGIN_LINK: 'on', TRUST_PROXY: 'true' }, { mayFail: ['mail'] })
  box = mailboxOf(service)
})
after(() => service.stop())

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  service.ask('POST', path, { body, headers })
const reset = (token: string, secret = next) => post('/auth/reset', { token, password: secret })
async function tokenFor(email: string): Promise<string> {
  const count = box.to(email).length
  assert.equal((await post('/auth/forgot', { email })).status, 202)
  return (await box.wait(email, count + 1)).token
}

describe('a forgotten password', () => {
  it('is chosen anew by the owner of the mailbox, once, which ends all sessions', async () => {
    const ann = await service.person()
    const other = await service.logIn(ann.email)
    const asked = await post('/api/v1/auth/forgot', { email: ann.email.toUpperCase() })
    assert.deepEqual([asked.status, asked.text, asked.headers.get('content-type')], [202, '', null])
    const mail = await box.wait(ann.email)
    assert.equal(mail.subject, 'Choose a new password')
    assert.ok(mail.text.includes(`${service.url}/account/reset?token=${mail.token}`), mail.text)
    assert.equal(Buffer.from(mail.token, 'base64url').length, 32)
    assert.equal(statSync(mail.file).mode & 0o777, 0o600)
    assert.ok(service.logged.some((line) => line.includes('SMTP_URL is not set: mails are files in')))

    assert.deepEqual((await reset(mail.token, 'short')).body, { error: 'password must have 8 to 1024 bytes' })
    assert.match((await reset(mail.token, 'password1')).body.error, /commonest/)
    assert.match((await reset(mail.token, ann.email)).body.error, /own e-mail/)
    const done = await post('/api/v1/auth/reset', { token: mail.token, password: next })
    assert.deepEqual([done.status, done.text], [204, ''])
    assert.deepEqual((await reset(mail.token)).body, used, 'once')
    for (const { token, refreshToken } of [ann, other]) {
      assert.deepEqual((await service.ask('GET', `/api/v1/users/${ann.id}`, { token })).body, {
        error: 'Invalid token',
      })
      assert.equal((await service.ask('POST', '/auth/refresh', { cookie: `refreshToken=${refreshToken}` })).status, 401)
    }
    await assert.rejects(service.logIn(ann.email), /401/)
    await service.logIn(ann.email, next)
    assert.equal((await box.wait(ann.email, 2)).subject, 'Your password was changed')
  })

  it('leaves wrong codes of a second factor counted', async () => {
    const ann = await service.person()
    const ask = (path: string, body: object) => service.ask('POST', path, { body, token: ann.token })
    const begun = (await ask('/api/v1/factors', { type: 'totp', currentPassword: password })).body
    const totp = new TOTP({ secret: Secret.fromBase32(begun.secret) })
    const codeAt = (ms: number) => totp.generate({ timestamp: service.now() + ms })
    await ask('/api/v1/factors/finish', { ticket: begun.ticket, code: codeAt(0) })
    service.turn(30_000)
    const { ticket } = (await post('/auth/login', { email: ann.email, password })).body
    for (let i = 0; i < 10; i += 1)
      assert.equal((await post('/auth/factor', { ticket, code: codeAt(60 * minute) })).status, 401, `guess ${i}`)
    for (const secret of [next, 'the longest horse of all']) {
      assert.equal((await reset(await tokenFor(ann.email), secret)).status, 204)
      const entering = await post('/auth/login', { email: ann.email, password: secret })
      assert.deepEqual([entering.status, entering.body.next], [401, 'totp'])
      assert.equal((await post('/auth/factor', { ticket: entering.body.ticket, code: codeAt(0) })).status, 429)
      // The mail about the new password has come, and is not taken for the next one
      await box.settle()
    }
  })

  it('opens an account that failures have closed', async () => {
    const ann = await service.person()
    const guess = (secret: string, address: string) =>
      post('/auth/login', { email: ann.email, password: secret }, { 'x-forwarded-for': address })
    await Promise.all(Array.from({ length: 10 }, (_, i) => guess('wrong horse', `192.0.2.${i}`)))
    assert.equal((await guess(password, '192.0.2.99')).status, 429)
    assert.equal((await reset(await tokenFor(ann.email))).status, 204)
    assert.equal((await guess(next, '192.0.2.99')).status, 200)
  })

  it('is the same answer for everybody, and a mail for nobody but active users', async () => {
    const admin = await service.admin()
    const gone = await service.person()
    await service.ask('POST', `/api/v1/users/${gone.id}/suspend`, { token: admin.token })
    const ann = await service.person()
    const told = []
    for (const email of [ann.email, gone.email, 'nobody@example.com', 'no address', 'x'.repeat(1500)]) {
      const { status, text, headers } = await post('/auth/forgot', { email })
      told.push(
        JSON.stringify([status, text, [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))]),
      )
    }
    assert.equal(new Set(told).size, 1, told.join('\n'))
    await box.wait(ann.email)
    await box.settle()
    assert.deepEqual([box.to(gone.email), box.to('nobody@example.com')], [[], []])
  })

  it('dies with the password, the e-mail and the right to act', async () => {
    const admin = await service.admin()
    const change = async (id: string, path: string, body?: object) =>
      assert.ok(
        (await service.ask(body ? 'PATCH' : 'POST', `/api/v1/users/${id}${path}`, { body, token: admin.token }))
          .status < 300,
      )
    for (const end of [
      (id: string) => change(id, '', { password: 'another horse' }),
      (id: string) => change(id, '', { email: `new-${id}@example.com` }),
      async (id: string) => {
        await change(id, '/suspend')
        await change(id, '/activate')
      },
    ]) {
      const ann = await service.person()
      const token = await tokenFor(ann.email)
      await end(ann.id)
      const reply = await reset(token)
      assert.deepEqual([reply.status, reply.body], [401, used])
    }
  })

  it('is good for its own purpose alone', async () => {
    const ann = await service.person()
    const token = await tokenFor(ann.email)
    assert.deepEqual((await post('/auth/verify', { token })).body, used)
    assert.deepEqual((await post('/auth/login-link', { token })).body, { error: 'Invalid credentials' })
    assert.equal((await reset(token)).status, 204)
  })

  it('sends three mails at most, of which each is good while the others are not used', async () => {
    const ann = await service.person()
    const first = await tokenFor(ann.email)
    await tokenFor(ann.email)
    await tokenFor(ann.email)
    for (let i = 0; i < 3; i += 1) assert.equal((await post('/auth/forgot', { email: ann.email })).status, 202)
    await box.settle()
    assert.equal(box.to(ann.email).length, 3)
    const stored = await everythingStored(service.folder)
    for (const { token } of box.to(ann.email)) assert.ok(!stored.includes(token))
    assert.equal((await reset(first)).status, 204)
    for (const { token } of box.to(ann.email).slice(1, 3)) assert.deepEqual((await reset(token)).body, used)
  })

  it('is asked for ten times a quarter of an hour, whoever it is, and from an address a hundred times', async () => {
    const ann = await service.person()
    for (const email of [ann.email, 'unknown@example.com']) {
      const statuses = []
      for (let i = 0; i < 11; i += 1)
        statuses.push((await post('/auth/forgot', { email }, { 'x-forwarded-for': `198.51.100.${i}` })).status)
      assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 202), 429], email)
    }
    const from = { 'x-forwarded-for': '203.0.113.5' }
    const replies = await Promise.all(
      Array.from({ length: 101 }, (_, i) => post('/auth/forgot', { email: `some${i}@example.com` }, from)),
    )
    const refused = replies.filter(({ status }) => status === 429)
    assert.equal(refused.length, 1)
    assert.deepEqual(refused[0]?.body, { error: 'Too many mails were asked for, try again later' })
    assert.ok(Number(refused[0]?.headers.get('retry-after')) > 0)
    await box.settle()
  })
})

describe('what is sent', () => {
  it('refuses what is no request, before anything is counted', async () => {
    for (const [path, body, error] of [
      ['/auth/forgot', {}, 'email is required'],
      ['/auth/forgot', { email: 1 }, 'email must be a string'],
      ['/auth/reset', { password: next }, 'token is required'],
      ['/auth/reset', { token: 'x' }, 'password is required'],
      ['/auth/reset', { token: 'x', password: next }, used.error],
      ['/auth/verify', {}, 'token is required'],
      ['/auth/login-link', {}, 'email is required'],
    ] as const)
      assert.deepEqual((await post(path, body)).body, { error })
    assert.equal((await service.ask('GET', '/auth/reset?token=x')).status, 405)
  })

  it('is in the language of who asked', async () => {
    const ann = await service.person()
    await post('/auth/forgot', { email: ann.email }, { 'accept-language': 'fr;q=0.9, de-CH;q=0.8, en;q=0.1' })
    const mail = await box.wait(ann.email)
    assert.match(mail.text, /innerhalb von 30 Minuten/)
    const subject = /=\?UTF-8\?B\?(.*)\?=/.exec(mail.subject)?.[1] ?? Buffer.from(mail.subject).toString('base64')
    assert.equal(Buffer.from(subject, 'base64').toString(), 'Ein neues Passwort wählen')
  })

  it('tells the old address of a new one and of a new password, and shows what would not be seen', async () => {
    const ann = await service.person()
    const address = `ann<b>${ann.id.slice(-6)}@example.com`
    const patch = (body: object) =>
      service.ask('PATCH', `/api/v1/users/${ann.id}`, {
        body: { ...body, currentPassword: password },
        token: ann.token,
      })
    assert.equal((await patch({ email: address })).status, 200)
    const mail = await box.wait(ann.email)
    assert.equal(mail.subject, 'Your e-mail address was changed')
    assert.ok(mail.text.includes(address))
    assert.equal((await patch({ password: next })).status, 200)
    await box.settle()
    assert.equal(box.to(address).length, 0, 'no mail server takes such an address')
    assert.ok(service.logged.some((line) => line.includes('No mail server takes its address')))
  })
})

describe('a log-in by a link', () => {
  it('begins a session, once, and only while what it rests on is the same', async () => {
    const ann = await service.person()
    assert.equal((await post('/auth/login-link', { email: ann.email })).status, 202)
    const { text, token } = await box.wait(ann.email)
    assert.ok(text.includes(`${service.url}/account/log-in?token=${token}`))
    const reply = await post('/api/v1/auth/login-link', { token }, { 'sec-fetch-site': 'same-origin' })
    assert.equal(reply.status, 200)
    assert.deepEqual(Object.keys(reply.body), ['accessToken', 'refreshToken'])
    assert.match(
      reply.headers.getSetCookie().join('\n'),
      /^refreshToken=.*Path=\/api\/v1\/auth;[\s\S]*^device=.*Path=\/api\/v1\/auth;/m,
    )
    assert.equal((await service.ask('GET', `/api/v1/users/${ann.id}`, { token: reply.body.accessToken })).status, 200)
    const again = await post('/auth/login-link', { token })
    assert.deepEqual([again.status, again.body], [401, { error: 'Invalid credentials' }])
  })

  it('is there only where it is wanted', async () => {
    const plain = await startService()
    const reply = await plain.ask('POST', '/auth/login-link', { body: { email: 'a@b.c' } })
    const page = await plain.ask('GET', '/account/log-in')
    await plain.stop()
    assert.deepEqual([reply.status, page.status], [404, 404])
  })
})

it('a token ends after half an hour', async () => {
  const ann = await service.person()
  const token = await tokenFor(ann.email)
  service.turn(30 * minute + 1)
  assert.deepEqual((await reset(token)).body, used)
})
