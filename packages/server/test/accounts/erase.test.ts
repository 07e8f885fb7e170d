/**
 * An erasure leaves no value of a person in any table of the database. A marker stands in every
 * place that keeps copies, and in none afterwards.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { eraseRecord } from '../../src/accounts/erasure/erase-record.ts'
import {
  accounts,
  changed,
  type DeclaredResource,
  defineResource,
  id,
  integerId,
  manyToMany,
  reference,
  text,
  user,
} from '../../src/index.ts'
import { equal } from '../../src/resource/condition.ts'
import {
  everythingStored,
  onPostgres,
  startService,
  type TestPerson,
  type TestService,
} from '../../src/testing/index.ts'

const marker = 'zanzibar-7731'
const open = { read: user, create: user, update: user, delete: user }
const list = { style: 'page' } as const
const people = accounts({ roles: ['USER', 'ADMIN'], operator: 'ADMIN' })
const tags = defineResource({
  name: 'tag',
  path: '/tags',
  fields: { id: id(), name: text(), about: manyToMany('letter', { fields: { why: text() } }) },
  history: { keep: 3 },
  list,
  access: open,
})
const letters = defineResource({
  name: 'letter',
  path: '/letters',
  fields: {
    id: integerId(),
    body: text({ maxLength: 200 }),
    writerId: reference('user', { setBy: 'principal', onDelete: 'delete' }),
    tags: manyToMany('tag'),
  },
  history: { keep: 9 },
  trash: { days: 30 },
  changes: true,
  effects: { post: { on: ['create', changed('body')], run: () => Promise.reject(new Error('no post today')) } },
  list,
  access: { ...open, restore: user },
})
/** It keeps the address of a person in a text of its own. */
const notes = defineResource({ name: 'note', path: '/notes', fields: { id: id(), of: text() }, list, access: open })

let service: TestService
let other: TestPerson
before(async () => {
  service = await startService([...people, tags, letters, notes] as readonly DeclaredResource[])
  other = await service.person()
})
after(() => service.stop())

const ask = (who: TestPerson, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.ask(method, `/api/v1${path}`, { token: who.token, body, headers })

async function person(): Promise<{ who: TestPerson; userId: string; email: string }> {
  const who = await service.person()
  const email = `${marker}-${who.id}@example.com`
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

/** All rows of all tables. The pages of a file keep deleted bytes until they are used again. */
async function stored(): Promise<string> {
  if (onPostgres) return everythingStored(service.folder)
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(join(service.folder, 'bindery.db'), { readOnly: true })
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .all()
  const rows = tables.map(({ name }) => JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all()))
  database.close()
  return rows.join('\n')
}
const hits = async () => ((await stored()).match(/zanzibar/g) ?? []).length
const author = { userId: null, role: null, credential: 'console' }
const erase = (resource: string, of: string | number, dry = false) => {
  const { engine } = service.service
  const target = engine.catalog.get(resource)
  return eraseRecord(engine, { resource: target, where: equal(target.idField, of), author, dry })
}

describe('an erasure', () => {
  it('counts first, and then leaves no value in any table', async () => {
    const { who, userId, email } = await person()
    await fill(who)
    const note = await ask(other, 'POST', '/notes', { of: email })
    const before = await hits()
    assert.ok(before > 5, String(before))

    const counted = await erase('user', userId, true)
    assert.equal(await hits(), before, 'a dry run changes nothing')
    const erased = await erase('user', userId)
    assert.deepEqual({ ...erased, log: 0 }, { ...counted, log: 0 })
    assert.deepEqual(erased.left, { note: 1 })
    assert.ok(
      erased.records.letter && erased.records.letterTrash && erased.records.letterVersion,
      JSON.stringify(erased),
    )
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
})
