/**
 * An erasure leaves no value of a person in any table of the database. A marker stands in every
 * place that keeps copies, and in none afterwards.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eraseRecord } from '../../src/accounts/erasure/erase-record.ts'
import { equal } from '../../src/resource/condition.ts'
import { consolePrincipal } from '../../src/resource/principal.ts'
import { databaseOf, startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { erasedResources, marker } from './erased-resources.ts'
import { storedRows } from './stored-rows.ts'

/** No mail is accepted there, so mails wait. */
const away = {
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'no-reply@library.example',
  MAIL_LINKS: 'https://app.example',
}
let service: TestService
let other: TestPerson
before(async () => {
  service = await startService(erasedResources, { env: away, mayFail: true })
  other = await service.person()
})
after(() => service.stop())

const program = fileURLToPath(new URL('./erase-and-die.ts', import.meta.url))

const ask = (who: TestPerson, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.ask(method, `/api/v1${path}`, { token: who.token, body, headers })

async function person(): Promise<{ who: TestPerson; userId: string; email: string }> {
  const found = await service.person()
  const email = `${marker}-${found.id}@example.com`
  const who = { ...found, email }
  const { engine } = service.service
  const { resource, mark } = engine.catalog.login as NonNullable<typeof engine.catalog.login>
  await engine.records.transaction({ userId: null, role: null, credential: 'console' }, async (tx) => {
    const found = await tx.lock(resource, equal(resource.idField, who.id))
    if (found) await tx.change(resource, found.row, { [mark.login]: email })
  })
  return { who, userId: who.id, email }
}

/** Writes the marker into every place. */
async function fill(who: TestPerson): Promise<number> {
  const tag = await ask(other, 'POST', '/tags', { name: 'plain' })
  const body = { body: `${marker} one`, tags: [tag.body.id] }
  const made = await ask(who, 'POST', '/letters', body, { 'Idempotency-Key': `key-${marker}` })
  assert.equal(made.status, 201, made.text)
  const changedOne = await ask(who, 'PATCH', `/letters/${made.body.id}`, { body: `${marker} two` })
  assert.equal(changedOne.status, 200, changedOne.text)
  const gone = await ask(who, 'POST', '/letters', { body: `${marker} three` })
  assert.equal((await ask(who, 'DELETE', `/letters/${gone.body.id}`)).status, 204)
  return made.body.id
}

/** Writes the marker into what the account has: a key, a factor and a waiting mail. */
async function fillAccount(who: TestPerson): Promise<void> {
  await service.key(who, { name: `${marker} laptop` })
  await service.make('factor', { name: `${marker} phone` }, { owner: who })
  assert.equal((await service.ask('POST', '/auth/forgot', { body: { email: who.email } })).status, 202)
}

const stored = () => storedRows(service.folder)
const hits = async () => ((await stored()).match(/zanzibar/g) ?? []).length
const author = { userId: null, role: null, credential: 'console' }
const erase = (resource: string, of: string | number, dry = false) => {
  const { engine } = service.service
  const target = engine.catalog.get(resource)
  const principal = consolePrincipal(engine.catalog)
  return eraseRecord(engine, { resource: target, where: equal(target.idField, of), principal, dry })
}

/** The kinds of work that waits for the note to the person, which stays. */
async function waiting(): Promise<readonly string[]> {
  const { storage, clock } = service.service.engine
  const all = ['mail:plain', 'note.notify'].map((kind) => storage.effects.list({ kind, limit: 9, nowMs: clock() }))
  return (await Promise.all(all)).flat().map(({ kind }) => kind)
}

/** Where the process is killed, and whether the person is erased then. */
const killedAt = [
  ['before the copies', false],
  ['after the copies', false],
  ['after the end', true],
] as const

/** Returns the signal that ended it. */
async function eraseAndDie(step: string, userId: string): Promise<string | null> {
  const env = { ...process.env, DATA_DIR: service.folder, ...(await databaseOf(service.folder)) }
  const child = spawn(process.execPath, [program, step, userId], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  return signal
}

describe('an erasure', () => {
  it('counts first, and then leaves no value in any table', async () => {
    const { who, userId, email } = await person()
    await fill(who)
    await fillAccount(who)
    const note = await ask(other, 'POST', '/notes', { of: email })
    await service.runEffects()
    assert.deepEqual(await waiting(), ['mail:plain', 'note.notify'], 'a mail to the person, and a kept step')
    const before = await hits()
    assert.ok(before > 5, String(before))

    const counted = await erase('user', userId, true)
    assert.equal(await hits(), before, 'a dry run changes nothing')
    const erased = await erase('user', userId)
    // The service notes events of its own meanwhile, and tries of a mail make tokens.
    const steady = (one: typeof erased) => ({ ...one, log: 0, events: 0, records: { ...one.records, oneTimeToken: 0 } })
    assert.deepEqual(steady(erased), steady(counted))
    assert.ok(erased.events >= counted.events && counted.events > 0)
    assert.deepEqual(erased.left, { note: 1 })
    assert.deepEqual(await waiting(), [])
    assert.ok(
      erased.records.letter && erased.records.letterTrash && erased.records.letterVersion,
      JSON.stringify(erased),
    )
    assert.ok(erased.records.apiKey && erased.records.factor && erased.records.session, JSON.stringify(erased))
    assert.ok(erased.records.letterTagsLink && erased.log && erased.answers && erased.effects && erased.events)

    await erase('note', note.body.id)
    assert.equal(await hits(), 0)
    const events = await service.ask('GET', '/api/v1/audit-events?event=erased', {
      token: (await service.admin()).token,
    })
    assert.ok(events.body.data.some((one: { userId: string }) => one.userId === userId))
    await assert.rejects(erase('user', userId), /not found/)
  })

  it('of a record reaches its copies, and one in the trash', async () => {
    const made = await fill(other)
    const tag = await ask(other, 'POST', '/tags', { about: [{ id: made, why: `${marker} link` }] })
    assert.equal(tag.status, 201, tag.text)
    await erase('letter', made)
    assert.ok(!(await stored()).includes(`${marker} link`), 'links of versions')
    assert.ok((await hits()) > 0, 'the other letter is in the trash')
    const { engine } = service.service
    const trash = engine.catalog.get('letterTrash')
    const rows = await engine.storage.list(trash, { where: { kind: 'true' }, sort: [], limit: 9 })
    for (const row of rows) await erase('letter', row.id as number)
    assert.equal(await hits(), 0)
  })

  it('of a record with a counted id reaches an answer that ends with the id', async () => {
    const { engine } = service.service
    const answers = [`{"body":"${marker}","id":77}`, `{"body":"${marker}","id":778}`]
    await engine.records.transaction(author, async (tx) => {
      for (const [at, answer] of answers.entries())
        await tx.keepRequest({ key: `ends-${at}`, owner: other.id, print: 'x', answer, atMs: service.now() }, 0)
    })
    await service.make('letter', { id: 77, body: 'x' }, { owner: other })
    assert.equal(await hits(), 2)
    await erase('letter', 77)
    assert.equal(await hits(), 1)
    await service.make('letter', { id: 778, body: 'x' }, { owner: other })
    await erase('letter', 778)
    assert.equal(await hits(), 0)
  })

  for (const [step, isErased] of killedAt)
    it(`that is killed ${step} has ${isErased ? 'erased all' : 'changed nothing'}`, async () => {
      const { who, userId } = await person()
      await fill(who)
      await fillAccount(who)
      const before = await hits()
      assert.equal(await eraseAndDie(step, userId), 'SIGKILL')
      assert.equal(await hits(), isErased ? 0 : before)
      if (!isErased) await erase('user', userId)
      assert.equal(await hits(), 0)
    })
})
