/**
 * Mails that an action leaves to be sent. A mail that could never be sent is refused at once, and
 * one from an earlier version delays no other.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { anyone, defineAction, defineResource, id, text, timestamp } from '../../src/index.ts'
import { always } from '../../src/resource/condition.ts'
import { engineMark } from '../../src/resource/define.ts'
import { removeFolder, startService, type TestService, temporaryFolder } from '../../src/testing/index.ts'
import { oneTimeTokens as links, outgoingMails as notices, people } from '../service/people.ts'
import { withMails } from './people.ts'

const invitation = {
  input: { letter: text(), recipient: text(), userId: text(), detail: text() },
  summary: 'Leaves a mail to be sent.',
} as const
const desks = defineResource({
  name: 'desk',
  path: '/desks',
  fields: { id: id(), at: timestamp({ setOn: 'create' }) },
  list: { style: 'page' },
  access: { create: anyone, list: anyone, get: anyone, leave: anyone, rewrite: anyone },
  actions: {
    leave: defineAction({
      ...invitation,
      async run({ input, records, now }) {
        const { letter, recipient, ...rest } = input
        const mail = { letter: letter ?? '', recipient: recipient ?? 'ann@example.com', ...rest }
        await records(notices).create({ ...mail, tries: 0, dueAt: now })
      },
    }),
    rewrite: defineAction({
      ...invitation,
      // In one transaction, since a mail that waits may be sent at any moment.
      async run({ input, records, now }) {
        const mail = { letter: 'address-proven', recipient: 'ann@example.com', tries: 0, dueAt: now }
        const { id } = await records(notices).create(mail)
        await records(notices).update(id, { letter: input.letter ?? '' })
      },
    }),
  },
})

const known =
  'reset, log-in, verify, new-address, own-address, address-asked, address-changed, password-changed, address-proven'
/** The engine alone sends invitations. */
const sent = known.replace('own-address', 'own-address, invite')
const waiting = ({ service: { engine } }: TestService) =>
  engine.storage.count(engine.catalog.get('outgoingMail'), always)
const sentBy = ({ folder }: TestService) => readdirSync(join(folder, 'mail')).length

async function office(declarations: Parameters<typeof startService>[0]) {
  const service = await startService(declarations)
  after(() => service.stop())
  const { body } = await service.ask('POST', '/api/v1/desks', { body: {} })
  const at = (action: string) => async (input: object) => {
    const { status, body: answer } = await service.ask('POST', `/api/v1/desks/${body.id}/${action}`, { body: input })
    return [status, answer.error]
  }
  return { service, write: at('leave'), rewrite: at('rewrite') }
}

it('a mail whose letter nobody wrote, or that lacks what its letter is about, is refused at once', async () => {
  const { service, write, rewrite } = await office([...withMails, desks])
  const ann = await service.person()
  const unknown = [400, `letter must be one of ${known}`]
  assert.deepEqual(await write({ letter: 'invite' }), unknown)
  assert.deepEqual(await write({ letter: 'toString' }), unknown)
  assert.deepEqual(await write({ letter: 'Reset' }), unknown)
  const lacks = (name: string, letter: string) => [400, `${name} is required: the letter ${letter} needs it`]
  const detail = 'new@example.com'
  assert.deepEqual(await write({ letter: 'new-address', detail }), lacks('userId', 'new-address'))
  assert.deepEqual(await write({ letter: 'new-address', userId: ann.id }), lacks('detail', 'new-address'))
  assert.deepEqual(await write({ letter: 'own-address' }), lacks('userId', 'own-address'))
  assert.deepEqual(await write({ letter: 'address-changed', detail: ' ' }), lacks('detail', 'address-changed'))
  assert.deepEqual(await write({ letter: 'address-asked' }), lacks('detail', 'address-asked'))
  assert.equal(await waiting(service), 0)
  for (const letter of ['reset', 'log-in', 'password-changed', 'address-proven'])
    assert.deepEqual(await write({ letter, recipient: ann.email }), [200, undefined])
  assert.deepEqual(await write({ letter: 'new-address', userId: ann.id, detail }), [200, undefined])
  await service.sweep()
  assert.deepEqual([await waiting(service), sentBy(service)], [0, 5])
  assert.deepEqual(await rewrite({ letter: 'password-changed' }), [200, undefined])
  assert.deepEqual(await rewrite({ letter: 'invite' }), unknown)
  assert.deepEqual(await rewrite({ letter: 'address-asked' }), lacks('detail', 'address-asked'))
})

it('without tokens there are no letters with a link', async () => {
  const { write } = await office([...people, notices, desks])
  const notes = 'address-asked, address-changed, password-changed, address-proven'
  assert.deepEqual(await write({ letter: 'reset' }), [400, `letter must be one of ${notes}`])
})

it('a mail to an address that no server takes is given up with its reason, and tells its asker nothing', async () => {
  const service = await startService(withMails, { mayFail: ['mail'] })
  after(() => service.stop())
  const { effects } = service.service.engine.storage
  const kept = () => effects.list({ kind: 'mail', state: 'given-up', limit: 10, nowMs: service.now() })
  const ann = { email: 'ann<b>@example.com', password: 'correct horse battery' }
  assert.equal((await service.ask('POST', '/api/v1/members', { body: ann })).status, 201)
  const forgot = (email: string) => service.ask('POST', '/auth/forgot', { body: { email } })
  const [known, unknown] = [await forgot(ann.email), await forgot('bob<b>@example.com')]
  assert.deepEqual([known.status, known.text], [202, ''])
  assert.deepEqual([unknown.status, unknown.text], [known.status, known.text])
  await service.sweep()
  const [mail, ...others] = await kept()
  assert.deepEqual([mail?.error, mail?.tries, others], ['No mail server takes its address', 1, []])
  assert.ok(service.logged.some((line) => line.includes('is given up') && line.includes('"letter":"reset"')))
  assert.ok(!service.logged.some((line) => line.includes('ann<b>')), 'no line has the address')
  assert.equal(await effects.retry([mail?.number ?? 0], service.now()), 1)
  await service.sweep()
  const again = (await kept()).map(({ id, tries }) => [id, tries])
  assert.deepEqual(again, [[mail?.id, 1]], 'by hand, once more')
  assert.equal(sentBy(service), 0)
})

it('a mail of an unknown letter that an earlier version stored is given up at once, and holds up no other', async () => {
  const folder = temporaryFolder()
  after(() => removeFolder(folder))
  const env = { DATA_DIR: folder }
  const { [engineMark]: _, ...unmarked } = notices
  const before = await startService([...people, unmarked], { env })
  const mail = { recipient: 'ann@example.com', tries: 0, dueAt: '2026-01-01T00:00:00.000Z' }
  await before.make('outgoingMail', { ...mail, letter: 'greeting' })
  await before.make('outgoingMail', { ...mail, letter: 'address-proven' })
  await before.stop()
  const service = await startService([...people, links, notices], { env, mayFail: ['mail'] })
  after(() => service.stop())
  await service.sweep()
  assert.deepEqual([await waiting(service), sentBy(service)], [0, 1])
  const said = service.logged.filter((line) => line.includes('A mail was not sent'))
  assert.equal(said.length, 1)
  assert.ok(
    said[0]?.includes(`is given up EffectRefused: Its letter is none of ${sent}, webhook-off\n`),
    String(said[0]),
  )
  assert.ok(said[0]?.includes('"letter":"greeting"'), String(said[0]))
})
