/**
 * The client's functions for accounts: a forgotten password, a link in a mail, second factors,
 * sessions on several devices.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient, nextStepIn, nextStepOf, RequestError } from 'bindery-server/client'
import { Secret, TOTP } from 'otpauth'
import { type Mailbox, mailboxOf } from '../helpers/mails.ts'
import { password, startService, type TestService } from '../helpers/service.ts'

let service: TestService
let box: Mailbox
before(async () => {
  service = await startService({ LOGIN_LINK: 'on' })
  box = mailboxOf(service)
})
after(() => service.stop())

const connect = () => createClient({ url: service.url })
async function connectAs(email: string, secret = password) {
  const client = connect()
  await client.logIn({ email, password: secret })
  return client
}
async function refusalOf(work: Promise<unknown>): Promise<RequestError> {
  const error = await work.catch((reason: unknown) => reason)
  assert.ok(error instanceof RequestError, String(error))
  return error
}

test('a forgotten password is chosen anew, and the address is proven, by the tokens of mails', async () => {
  const { email } = await service.person()
  const client = await connectAs(email)
  assert.equal(await client.forgot(email), undefined)
  await client.forgot('nobody@example.com')
  const { token } = await box.wait(email)
  const short = await refusalOf(client.reset({ token, password: 'short' }))
  assert.deepEqual([short.status, short.message], [400, 'password must have 8 to 1024 bytes'])
  await client.reset({ token, password: 'a much longer horse' })
  assert.equal((await refusalOf(client.reset({ token, password: 'a much longer horse' }))).status, 401)
  assert.equal((await refusalOf(client.get('/api/v1/sessions'))).status, 401, 'all sessions have ended')
  await client.logIn({ email, password: 'a much longer horse' })
  await client.verify({ email })
  assert.equal((await refusalOf(client.verify({ token }))).status, 401)
})

test('a link in a mail logs in, once', async () => {
  const { email, id } = await service.person()
  const client = connect()
  await client.askForLink(email)
  const { token } = await box.wait(email)
  assert.deepEqual([(await client.logIn({ token }))?.userId, (await client.sessions()).length], [id, 2])
  assert.deepEqual((await refusalOf(client.logIn({ token }))).message, 'Invalid credentials')
})

test('a second step is due after a password and after a link, by a code or a recovery code', async () => {
  const { email } = await service.person()
  const client = await connectAs(email)
  const begun = (await client.post('/api/v1/factors', { body: { type: 'totp', currentPassword: password } })) as {
    secret: string
    ticket: string
  }
  const app = new TOTP({ secret: Secret.fromBase32(begun.secret) })
  const code = () => {
    service.turn(30_000)
    return app.generate({ timestamp: service.now() })
  }
  const body = { ticket: begun.ticket, code: code() }
  const { recoveryCodes } = (await client.post('/api/v1/factors/finish', { body })) as { recoveryCodes: string[] }
  const due = nextStepOf(await refusalOf(connect().logIn({ email, password })))
  assert.deepEqual([due?.next, due?.factors], ['totp', ['totp']])
  const other = connect()
  assert.equal((await other.logIn({ ticket: due?.ticket ?? '', code: code() }))?.email, email)
  await other.askForLink(email)
  const { token } = await box.wait(email)
  const afterLink = nextStepOf(await refusalOf(other.logIn({ token })))
  const shown = { ticket: afterLink?.ticket ?? '', recoveryCode: recoveryCodes[0] as string }
  assert.equal((await other.logIn(shown))?.email, email)
  assert.equal((await refusalOf(other.logIn(shown))).message, 'Invalid recovery code')
  await assert.rejects(other.logInByPasskey(), {
    message: 'Passkeys belong to a name: open http://localhost, or set PUBLIC_URL',
  })
})

test('the step that is due stands in the fragment of an address, too', () => {
  assert.deepEqual(nextStepIn('#next=totp&factors=passkey%2Ctotp&ticket=abc'), {
    next: 'totp',
    factors: ['passkey', 'totp'],
    ticket: 'abc',
  })
  assert.deepEqual(nextStepIn('#next=link&ticket=abc'), { next: 'link', factors: [], ticket: 'abc' })
  for (const none of ['', '#', '#top', '#next=totp']) assert.equal(nextStepIn(none), undefined)
})

test('the address of whoever is logged in is proven by the token of a mail', async () => {
  const { email } = await service.person()
  const client = await connectAs(email)
  await assert.rejects(connect().verifyOwn(), /No user is logged in/)
  const sent = box.to(email).length
  await client.verifyOwn()
  const { token } = await box.wait(email, sent + 1)
  await client.verifyOwn(token)
  const { status, message } = await refusalOf(client.verifyOwn(token))
  assert.deepEqual([status, message], [403, 'token is used, expired or unknown; ask for a new mail'])
})

test('sessions are listed, and ended one by one or all others at once', async () => {
  const { email } = await service.person('ADMIN')
  await service.person()
  const [here, there, elsewhere] = [await connectAs(email), await connectAs(email), await connectAs(email)]
  const listed = await here.sessions()
  assert.equal(listed.length, 4, 'and nobody else, of whom an ADMIN sees all')
  const current = listed.filter((one) => one.current)
  assert.deepEqual(
    current.map(({ id }) => id),
    [(await here.session())?.sessionId],
  )
  await here.endSession((await there.session())?.sessionId as string)
  assert.equal((await refusalOf(there.sessions())).status, 401)
  assert.equal((await elsewhere.sessions()).length, 3)
  await here.endOtherSessions()
  assert.equal((await refusalOf(elsewhere.sessions())).status, 401)
  assert.equal((await here.sessions()).length, 1)
  await assert.rejects(connect().sessions(), /No user is logged in/)
})
