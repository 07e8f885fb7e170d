/**
 * Mails of an application are left in transactions and outside of them, and sent after the commit
 * in the language of their reader. A server that refuses one for now gets it again.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import {
  accounts,
  anyone,
  date,
  defineMail,
  defineResource,
  id,
  integer,
  money,
  text,
  textList,
  timestamp,
  url,
} from '../../src/index.ts'
import { startService } from '../../src/testing/index.ts'

const shipped = defineMail({
  name: 'orderShipped',
  zone: 'Europe/Berlin',
  values: {
    name: text({ required: true, maxLength: 200 }),
    total: money({ required: true }),
    day: date({ required: true }),
    at: timestamp({ required: true }),
    count: integer({ default: 3 }),
    tags: textList(),
    note: text(),
    link: url({ required: true }),
  },
})
const plain = defineMail({ name: 'plain' })
const values = {
  total: 199_050,
  day: '2026-11-27',
  at: '2026-11-27T13:00:00.000Z',
  link: 'https://a.example/?a=1&b=2',
}

const order = defineResource({
  name: 'order',
  path: '/orders',
  fields: { id: id(), name: text({ required: true }), to: text({ required: true }), language: text() },
  access: { create: anyone, ship: anyone, get: anyone },
  hooks: {
    async beforeCreate({ record, mail, refuse }) {
      await mail(plain, { to: record.to })
      if (record.name === 'refused') refuse('Not this one')
      return undefined
    },
  },
  actions: {
    ship: {
      async run({ record: { to, language, name }, mail }) {
        await mail(shipped, { to, language, values: { ...values, name, tags: ['a', 'b'] } })
      },
    },
  },
  effects: {
    tell: {
      on: ['create'],
      async run({ record: { to }, mail, transaction }) {
        await mail(plain, { to: `effect-${to}` })
        await transaction(({ mail: inside }) => inside(plain, { to: `inside-${to}` }))
      },
    },
  },
})
const shop = [order, shipped, plain]

type Started = Awaited<ReturnType<typeof startService>>

async function made({ ask }: Started, body: object): Promise<string> {
  const { status, body: record } = await ask('POST', '/api/v1/orders', { body })
  assert.equal(status, 201)
  return record.id
}

async function ship({ ask, sweep }: Started, id: string): Promise<void> {
  const { status, text } = await ask('POST', `/api/v1/orders/${id}/ship`)
  assert.equal(status, 200, text)
  await sweep()
}

/** The mails in the folder, in the order of their recipients. */
function mailsIn({ folder }: Started): readonly string[] {
  const all = readdirSync(join(folder, 'mail')).map((name) => readFileSync(join(folder, 'mail', name), 'utf8'))
  const to = (mail: string) => /^To: (.*)$/m.exec(mail)?.[1] ?? ''
  return all.toSorted((a, b) => to(a).localeCompare(to(b))).map((mail) => mail.replaceAll('\r\n', '\n'))
}

describe('mails of an application', () => {
  it('are sent from hooks, actions, effects and transactions, without accounts', async () => {
    const service = await startService(shop)
    const name = 'Änn <b>&\u202e'
    const id = await made(service, { name, to: 'ann@example.com', language: 'fr, de-CH;q=0.8' })
    const refused = await service.ask('POST', '/api/v1/orders', { body: { name: 'refused', to: 'no@example.com' } })
    assert.equal(refused.status, 409)
    await service.sweep()
    await service.sweep()
    const recipients = (all: readonly string[]) => all.map((mail) => /^To: (.*)$/m.exec(mail)?.[1])
    assert.deepEqual(recipients(mailsIn(service)), [
      'ann@example.com',
      'effect-ann@example.com',
      'inside-ann@example.com',
    ])
    assert.match(mailsIn(service)[0] as string, /\nSubject: Hello\n[\s\S]*\n\nNothing to fill in\.\n$/)
    await ship(service, id)
    const german = mailsIn(service).find((mail) => mail.includes('1.990'))
    assert.match(german ?? '', /\n1\.990,50\s\$ am 27\. November 2026 um 27\. November 2026 um 14:00 a, b 3 {2}https:/)
    assert.ok(!german?.includes('text/html'))
    const other = await made(service, { name, to: 'bob@example.com', language: 'fr' })
    await ship(service, other)
    const english = mailsIn(service).find((mail) => mail.includes('1,990')) ?? ''
    assert.match(english, /Dear Änn <b>&\\u\{202E\},\n\nit costs \$1,990\.50 and leaves on November 27, 2026 at/)
    assert.match(
      english,
      /<p title="Änn &lt;b&gt;&amp;\\u\{202E\}">Dear <b>Änn &lt;b&gt;&amp;\\u\{202E\}<\/b>, <a href="https:\/\/a\.example\/\?a=1&amp;b=2">/,
    )
    const [, boundary = ''] = /Content-Type: multipart\/alternative; boundary="(.*)"/.exec(english) ?? []
    assert.equal(english.split(`--${boundary}`).length, 4)
    assert.ok(english.trimEnd().endsWith(`--${boundary}--`))
    await service.stop()
  })

  it('with wrong values are refused where they are left', async () => {
    const wrong = defineResource({
      name: 'wrong',
      path: '/wrongs',
      fields: { id: id(), to: text(), name: text({ maxLength: 900 }) },
      access: { create: anyone },
      hooks: {
        async beforeCreate({ record: { to, name }, mail }) {
          if (name === 'odd') await mail(shipped, { to: 'a@b.example', lang: 'de', values: {} } as never)
          await mail(shipped, { to: to ?? '', values: { ...values, name } as never })
          return undefined
        },
      },
    })
    const { ask, stop, folder, sweep, logged } = await startService([...shop, wrong])
    const post = async (body: object) => (await ask('POST', '/api/v1/wrongs', { body })).body.error
    assert.equal(await post({ to: 'ann', name: 'A' }), 'to must be an email address')
    assert.equal(await post({ to: 'ann@example.com' }), 'name is required')
    assert.equal(await post({ to: 'ann@example.com', name: 'x'.repeat(201) }), 'name must be at most 200 characters')
    assert.equal(await post({ name: 'odd' }), 'Internal server error')
    assert.ok(
      logged.some((line) => line.includes('mail(orderShipped, …): no member "lang"; there are to, language, values')),
    )
    await sweep()
    assert.deepEqual(readdirSync(join(folder, 'mail')), [])
    await stop()
  })

  it('wait for their server, beside the mails of accounts, with one id at every try', async () => {
    const received: string[] = []
    const refusals: number[] = []
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo(_address, _session, done) {
        const code = refusals.shift()
        done(code === undefined ? null : Object.assign(new Error('not now'), { responseCode: code }))
      },
      onData(stream, _session, done) {
        const pieces: Buffer[] = []
        stream.on('data', (piece: Buffer) => pieces.push(piece))
        stream.on('end', () => {
          received.push(Buffer.concat(pieces).toString())
          done()
        })
      },
    })
    server.on('error', () => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    after(() => new Promise<void>((resolve) => server.close(() => resolve())))
    const { port } = server.server.address() as { port: number }
    const people = accounts({ roles: ['USER', 'ADMIN'] })
    const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Shop <shop@example.com>' }
    const service = await startService([...people, ...shop], { env, mayFail: ['mail:orderShipped'] })
    const { engine } = service.service
    const id = await made(service, { name: 'Ann', to: 'ann@example.com' })
    await service.sweep()
    await service.sweep()
    received.length = 0
    refusals.push(450)
    await ship(service, id)
    assert.deepEqual(received, [])
    const [waiting] = await engine.storage.effects.list({
      kind: 'mail:orderShipped',
      limit: 2,
      nowMs: engine.clock(),
    } as never)
    assert.equal(waiting?.tries, 1)
    service.turn(60_000)
    await service.sweep()
    assert.equal(received.length, 1)
    assert.match(received[0] ?? '', new RegExp(`Message-ID: <${waiting?.id}@example\\.com>`))
    assert.match(received[0] ?? '', /multipart\/alternative/)
    refusals.push(550)
    await ship(service, id)
    const kept = await engine.storage.effects.list({
      kind: 'mail:orderShipped',
      state: 'given-up',
      limit: 2,
      nowMs: engine.clock(),
    })
    assert.equal(kept.length, 1)
    assert.ok(service.logged.some((line) => line.includes('is given up') && line.includes('orderShipped')))
    assert.ok(!service.logged.some((line) => line.includes('ann@example.com')))
    await service.stop()
  })
})
