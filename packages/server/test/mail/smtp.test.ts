/**
 * Mails by SMTP: a real server accepts them, a broken one delays them, and no request waits for
 * either.
 */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { startEffects } from '../../src/effects/run-effects.ts'
import { limits } from '../../src/limits.ts'
import { always } from '../../src/resource/condition.ts'
import { makeDelivery, makeMailKind } from '../../src/service/mails/mail-kind.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { adminEmail, recordingLog, startService, type TestService } from '../../src/testing/index.ts'
import { withMails } from './people.ts'

type Received = { readonly from: string; readonly to: string[]; readonly source: string }

/**
 * Listens on a free port of this machine. `refusals`: its answers to the next recipients.
 * `passwords`: those that it knows.
 */
async function makeMailServer() {
  const received: Received[] = []
  const refusals: number[] = []
  const passwords = new Set<string>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (passwords.has(String(password))) done(null, { user: String(username) })
      else done(Object.assign(new Error('bad credentials'), { responseCode: 535 }))
    },
    onRcptTo(_address, _session, done) {
      const code = refusals.shift()
      done(code === undefined ? null : Object.assign(new Error('not now'), { responseCode: code }))
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom ? mailFrom.address : ''
        received.push({ from, to: rcptTo.map(({ address }) => address), source: Buffer.concat(pieces).toString() })
        done()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as { port: number }
  after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { url: `smtp://127.0.0.1:${port}`, received, refusals, passwords, port }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 240_000; !(await holds()); await new Promise((resolve) => setTimeout(resolve, 20)))
    assert.ok(Date.now() < end, 'in time')
}
const forgot = (service: TestService, email = adminEmail) =>
  service.ask('POST', '/auth/forgot', { body: { email }, headers: { 'accept-language': 'de' } })
const waiting = ({ service: { engine } }: TestService) => engine.storage.effects.count('mail', 100)
const givenUp = ({ service: { engine } }: TestService) =>
  engine.storage.effects.list({ kind: 'mail', state: 'given-up', limit: 10, nowMs: engine.clock() })

it('a mail server gets each mail once; one that refuses for now gets it again, one that refuses for good does not', async () => {
  const mail = await makeMailServer()
  const env = {
    SMTP_URL: mail.url,
    MAIL_FROM: 'Bücherei, Haus 2 <no-reply@library.example>',
    MAIL_LINKS: 'https://app.example',
  }
  const service = await startService(withMails, { env, mayFail: ['mail'] })
  after(() => service.stop())
  assert.equal((await forgot(service)).status, 202)
  await until(() => mail.received.length === 1)
  const [first] = mail.received as [Received]
  assert.deepEqual([first.from, first.to], ['no-reply@library.example', [adminEmail]])
  const [head = '', ...parts] = first.source.split('\r\n\r\n')
  const text = parts.join('\r\n\r\n')
  assert.match(head, /^From: =\?UTF-8\?.*\?= <no-reply@library\.example>$/m)
  assert.match(head, /^Auto-Submitted: auto-generated$/m)
  assert.match(head, /^Message-ID: <[0-9a-f]{32}@library\.example>$/m)
  const plain = Buffer.from(
    text
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
  const [, token = ''] = /https:\/\/app\.example\/reset\?token=([\w-]{43})/.exec(plain) ?? []
  assert.ok(plain.includes('Wählen Sie es hier'), plain)
  await until(async () => (await waiting(service)) === 0)

  mail.refusals.push(451)
  await forgot(service)
  await until(() => service.logged.some((line) => line.includes('is tried again')))
  assert.equal(await waiting(service), 1)
  service.turn(60_000)
  await forgot(service, 'nobody@example.com') // another mail that is stored wakes the sender
  await until(() => mail.received.length === 2)
  assert.ok(!mail.received[1]?.source.includes(token.slice(0, 20)), 'with a token of its own')

  mail.refusals.push(550)
  await forgot(service)
  await until(() => service.logged.some((line) => line.includes('is given up')))
  await until(async () => (await waiting(service)) === 0)
  assert.equal(mail.received.length, 2)
  const { effects } = service.service.engine.storage
  const [kept, ...more] = await givenUp(service)
  assert.ok(kept && more.length === 0, 'it stays until an operator decides')
  assert.match(kept.error ?? '', /not now/)
  assert.equal(await effects.retry([kept.number], 0), 1)
  await service.service.doWhatIsDue()
  await until(() => mail.received.length === 3)
  assert.ok(!service.logged.join('\n').includes(token))
  const body = { token, password: 'a much longer horse' }
  assert.equal((await service.ask('POST', '/auth/reset', { body })).status, 204)
})

it('a refused log-in is no refusal of a mail, which goes once the log-in is right', async () => {
  const mail = await makeMailServer()
  const env = { SMTP_URL: `smtp://shop:secret@127.0.0.1:${mail.port}`, MAIL_LINKS: 'https://app.example' }
  const service = await startService(withMails, { env, mayFail: ['mail'] })
  await forgot(service)
  await until(() => service.logged.some((line) => line.includes('is tried again')))
  assert.ok(service.logged.some((line) => line.includes('bad credentials')))
  assert.deepEqual([(await givenUp(service)).length, await waiting(service)], [0, 1])
  mail.passwords.add('secret')
  service.turn(60_000)
  await service.sweep()
  assert.deepEqual([mail.received.length, await waiting(service)], [1, 0])
  await service.stop()
})

it('what waits outlives the process, and is sent once by whichever comes next', async () => {
  const mail = await makeMailServer()
  const broken = await startService(withMails, {
    env: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_LINKS: 'https://a.example' },
    mayFail: true,
  })
  after(() => broken.stop())
  assert.equal((await forgot(broken)).status, 202)
  await until(() => broken.logged.some((line) => line.includes('is tried again')))
  assert.equal(await waiting(broken), 1)
  const { engine } = broken.service
  const { makeSmtpTransport } = await import('../../src/mail/transport.ts')
  const { readMailTexts } = await import('../../src/mail/texts.ts')
  broken.turn(60_000)
  const facts = {
    blanks: ['link', 'minutes', 'days', 'address', 'tenant', 'keys', 'endpoint'] as const,
    needsLink: false,
  }
  const { mailNames } = await import('../../src/resource/accounts/mail-names.ts')
  const texts = readMailTexts(undefined, Object.fromEntries(mailNames.map((letter) => [letter, facts])))
  const { storage, clock, identity } = engine
  const log = recordingLog([])
  const transports = [1, 2, 3].map(() => makeSmtpTransport(mail.url))
  const others = transports.map((transport) => {
    const deliver = makeDelivery({ transport, from: 'a@b.example', clock })
    const parts = { recovery: identity.recovery, texts, host: 'b.example', links: '', log }
    const kinds = [makeMailKind({ ...parts, deliver })]
    return startEffects({ storage, kinds, clock, times: limits.effects, report: log.error })
  })
  await Promise.all(others.map((effects) => effects.runDue()))
  await Promise.all(others.map((effects) => effects.stop()))
  for (const transport of transports) transport.close()
  assert.equal(mail.received.length, 1)
  assert.equal(await waiting(broken), 0)
})

it('a mail that waits as a record, of an instance of an earlier version or of an action, is sent once', async () => {
  const mail = await makeMailServer()
  const env = { SMTP_URL: mail.url, MAIL_LINKS: 'https://a.example' }
  const service = await startService(withMails, { env })
  const { records, catalog, storage, clock } = service.service.engine
  const notices = catalog.get('outgoingMail')
  const leave = (recipient: string, dueMs: number) =>
    records.transaction(serviceAuthor, async (tx) => {
      const dueAt = new Date(dueMs).toISOString()
      const values = { letter: 'password-changed', recipient, detail: '2', tries: 1, dueAt }
      await tx.insert(await tx.prepare(notices, values))
    })
  await leave('due@example.com', clock())
  await leave('leased@example.com', clock() + 300_000)
  const to = () => mail.received.map((received) => received.to[0])
  await service.service.doWhatIsDue()
  await until(() => to().includes('due@example.com'))
  assert.deepEqual(
    to(),
    ['due@example.com'],
    'an instance of the version before sends the other one, or loses its lease',
  )
  assert.equal(await storage.count(notices, always), 1)
  service.turn(300_001)
  await service.service.doWhatIsDue()
  await until(() => mail.received.length === 2)
  assert.deepEqual(to(), ['due@example.com', 'leased@example.com'])
  assert.equal(await storage.count(notices, always), 0)
  assert.equal(await waiting(service), 0)
  await service.stop()
})
