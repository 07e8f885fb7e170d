/**
 * The history of records: each write leaves a version, the record as it is now decides who reads
 * it, and a revert is an update.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  accounts,
  anyone,
  autoNumber,
  type DeclaredResource,
  defineResource,
  id,
  integer,
  money,
  owner,
  reference,
  role,
  text,
  textList,
  timestamp,
  user,
} from '../../src/index.ts'
import { removeDatabase } from '../../src/testing/database.ts'
import { removeFolder, temporaryFolder } from '../../src/testing/folder.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'

const people = accounts({ roles: ['USER', 'EDITOR', 'ADMIN'] })
const plans = defineResource({
  name: 'plan',
  path: '/plans',
  fields: {
    id: id(),
    number: autoNumber({ prefix: 'P-' }),
    title: text({ required: true, maxLength: 40, unique: true }),
    price: money({ min: 0 }),
    tags: textList(),
    note: text({ hidden: true }),
    salary: integer({ read: role('EDITOR'), write: role('EDITOR') }),
    secretTo: text({ read: owner('ownerId') }),
    stage: text({ write: role('EDITOR') }),
    ownerId: reference('user', { setBy: 'principal', onDelete: 'clear' }),
    parentId: reference('plan', { onDelete: 'clear' }),
    updatedAt: timestamp({ setOn: 'write' }),
  },
  list: { style: 'page' },
  upsert: ['title'],
  history: { keep: 4, days: 30 },
  access: { read: user, create: user, update: user, replace: user, delete: user, import: role('ADMIN') },
})

let service: TestService
let ann: TestPerson
let ben: TestPerson
let editor: TestPerson
let nowMs = Date.parse('2026-11-27T08:00:00.000Z')

before(async () => {
  service = await startService([...people, plans] as readonly DeclaredResource[], {
    env: { RATE_LIMIT: '' },
    clock: () => nowMs++,
  })
  ;[ann, ben, editor] = [await service.person(), await service.person(), await service.person('EDITOR')]
})
after(() => service.stop())

const path = '/api/v1/plans'
const ask = (method: string, at: string, who: object | undefined, body?: unknown) =>
  service.ask(method, `${path}${at}`, { ...who, body })

async function made(values: object, who: object = ann): Promise<string> {
  const created = await ask('POST', '', who, values)
  assert.equal(created.status, 201, created.text)
  return created.body.id
}
async function versions(of: string, who: object = ann, query = ''): Promise<readonly Record<string, unknown>[]> {
  const listed = await ask('GET', `/${of}/history${query}`, who)
  assert.equal(listed.status, 200, listed.text)
  return listed.body.data
}
async function change(of: string, body: object, who: object = ann): Promise<void> {
  const done = await ask('PATCH', `/${of}`, who, body)
  assert.equal(done.status, 200, done.text)
}
const shown = (all: readonly Record<string, unknown>[], ...names: string[]) =>
  all.map((one) => names.map((name) => one[name]))

describe('each write leaves a version', () => {
  it('with the values as they are stored, who wrote them, and when', async () => {
    const of = await made({ title: 'First', price: 1.5, tags: ['a'] })
    await change(of, { price: 2 }, ben)
    const [newest, first] = await versions(of)
    const { historyId, ...rest } = newest as Record<string, unknown>
    assert.equal(typeof historyId, 'string')
    assert.deepEqual(rest, {
      historyOf: of,
      historyVersion: 2,
      historyKind: 'update',
      historyAt: rest.historyAt,
      historyBy: ben.id,
      historyCredential: rest.historyCredential,
      number: 'P-0001',
      title: 'First',
      price: 2,
      tags: ['a'],
      secretTo: null,
      stage: null,
      ownerId: ann.id,
      parentId: null,
      updatedAt: rest.historyAt,
    })
    assert.match(String(rest.historyCredential), /^session:/)
    assert.deepEqual([first?.historyKind, first?.historyVersion, first?.price], ['create', 1, 1.5])
    const one = await ask('GET', `/${of}/history/${historyId}`, ann)
    assert.deepEqual([one.status, one.body], [200, newest])
  })

  it('and a write that changes nothing leaves none', async () => {
    const of = await made({ title: 'Same' })
    await change(of, { title: 'Same' })
    assert.deepEqual(shown(await versions(of), 'historyVersion'), [[1]])
  })

  it('not more than declared: the oldest go', async () => {
    const of = await made({ title: 'Many' })
    for (const title of ['Many 2', 'Many 3', 'Many 4', 'Many 5', 'Many 6']) await change(of, { title })
    assert.deepEqual(
      shown(await versions(of), 'title'),
      ['Many 6', 'Many 5', 'Many 4', 'Many 3'].map((title) => [title]),
    )
  })

  it('by import, upsert, replace and batch as well', async () => {
    const type = 'application/x-ndjson'
    const admin = await service.admin()
    const imported = await service.ask('POST', `${path}/import`, { ...admin, type, raw: '{"title":"Imported"}' })
    assert.equal(imported.status, 200, imported.text)
    const [{ id: of }] = (await ask('GET', '?title=Imported', ann)).body.data
    assert.equal((await ask('PUT', '?on=title', ann, { title: 'Imported', price: 3 })).status, 200)
    assert.equal((await ask('PUT', `/${of}`, ann, { title: 'Imported', price: 4 })).status, 200)
    const operations = [{ method: 'PATCH', path: `/plans/${of}`, body: { price: 5 } }]
    assert.equal((await service.ask('POST', '/api/v1/batch', { ...ann, body: { operations } })).status, 200)
    assert.deepEqual(shown(await versions(of), 'historyKind', 'price'), [
      ['update', 5],
      ['update', 4],
      ['update', 3],
      ['create', null],
    ])
  })
})

describe('the record as it is now decides', () => {
  it('who reads its history, and which fields', async () => {
    const of = await made({ title: 'Fields', secretTo: 'mine' })
    await change(of, { salary: 7 }, editor)
    const byAnn = (await versions(of))[0] as object
    assert.ok(!('salary' in byAnn) && !('note' in byAnn) && 'secretTo' in byAnn)
    const byEditor = (await versions(of, editor))[0] as Record<string, unknown>
    assert.ok(byEditor.salary === 7 && !('secretTo' in byEditor))
    assert.equal((await service.ask('GET', `${path}/${of}/history`)).status, 401)
  })

  it('and nothing is written there', async () => {
    const of = await made({ title: 'Written' })
    const [{ historyId }] = (await versions(of)) as [{ historyId: string }]
    for (const method of ['PATCH', 'PUT', 'DELETE'])
      assert.equal((await ask(method, `/${of}/history/${historyId}`, ann, { title: 'x' })).status, 405, method)
    assert.equal((await ask('POST', `/${of}/history`, ann, { title: 'x' })).status, 405)
  })

  it('the history goes with its record', async () => {
    const of = await made({ title: 'Going' })
    await ask('DELETE', `/${of}`, ann)
    assert.equal((await ask('GET', `/${of}/history`, ann)).status, 404)
    const { catalog, storage } = service.service.engine
    const where = { kind: 'compare', field: 'historyOf', operator: 'eq', value: of } as const
    assert.equal(await storage.count(catalog.get('planVersion'), where), 0)
  })
})

describe('a revert', () => {
  it('writes the values of a version, and is a version itself', async () => {
    const of = await made({ title: 'Back', price: 1, tags: ['x'] })
    await change(of, { title: 'Forth', price: 2, tags: [] })
    const first = (await versions(of)).at(-1) as { historyVersion: number }
    const reverted = await ask('POST', `/${of}/revert`, ann, { historyVersion: first.historyVersion })
    assert.equal(reverted.status, 200, reverted.text)
    assert.deepEqual([reverted.body.title, reverted.body.price, reverted.body.tags], ['Back', 1, ['x']])
    assert.deepEqual(shown(await versions(of), 'historyVersion', 'title').slice(0, 1), [[3, 'Back']])
  })

  it('is an update by its rules: unique keys, rules of fields, versions of other records', async () => {
    const of = await made({ title: 'Key' })
    const other = await made({ title: 'Other' })
    await change(of, { title: 'Key 2' })
    await change(other, { title: 'Key' })
    const first = (await versions(of)).at(-1) as { historyVersion: number }
    assert.equal((await ask('POST', `/${of}/revert`, ann, { historyVersion: first.historyVersion })).status, 409)
    await change(of, { stage: 'late' }, editor)
    await change(other, { title: 'Free' })
    assert.equal((await ask('POST', `/${of}/revert`, ann, { historyVersion: first.historyVersion })).status, 403)
    assert.equal((await ask('POST', `/${of}/revert`, ann, { historyVersion: 99 })).status, 404)
    assert.equal((await ask('POST', `/${of}/revert`, ann, {})).status, 400)
    assert.equal((await ask('POST', `/${of}/revert`, editor, { historyVersion: first.historyVersion })).status, 200)
  })

  it('leaves the fields that the caller may not read', async () => {
    const of = await made({ title: 'Unread' })
    await change(of, { salary: 1 }, editor)
    await change(of, { title: 'Unread 2', salary: 2 }, editor)
    const second = (await versions(of))[1] as { historyVersion: number }
    const reverted = await ask('POST', `/${of}/revert`, ann, { historyVersion: second.historyVersion })
    assert.equal(reverted.status, 200, reverted.text)
    assert.deepEqual(shown(await versions(of, editor), 'title', 'salary')[0], ['Unread', 2])
  })

  it('leaves the fields that are newer than the version and never null', async (t) => {
    const sketches = (more: Record<string, ReturnType<typeof text>>) =>
      defineResource({
        name: 'sketch',
        path: '/sketches',
        plural: 'sketches',
        fields: { id: id(), title: text(), ...more },
        history: {},
        list: { style: 'page' },
        access: { read: anyone, write: anyone },
      })
    const folder = temporaryFolder()
    t.after(async () => {
      await removeDatabase(folder)
      removeFolder(folder)
    })
    const env = { DATA_DIR: folder }
    const first = await startService([sketches({})], { env })
    const path = `/api/v1/sketches/${(await first.ask('POST', '/api/v1/sketches', { body: { title: 'a' } })).body.id}`
    await first.ask('PATCH', path, { body: { title: 'b' } })
    await first.stop()
    const newer = { size: text({ default: 'A4' }), paper: text({ required: true, backfill: 'plain' }), ink: text() }
    const second = await startService([sketches(newer as never)], { env })
    await second.ask('PATCH', path, { body: { size: 'A3', ink: 'red' } })
    const reverted = await second.ask('POST', `${path}/revert`, { body: { historyVersion: 1 } })
    await second.stop()
    assert.equal(reverted.status, 200, reverted.text)
    const { id: _, ...values } = reverted.body
    assert.deepEqual(values, { title: 'a', size: 'A3', paper: 'plain', ink: null })
  })
})

describe('a declaration', () => {
  it('cannot use the names of versions', async () => {
    const wrong = defineResource({
      name: 'draft',
      path: '/drafts',
      fields: { id: id(), historyAt: text() },
      access: { list: user, create: user },
      list: { style: 'page' },
      children: { history: { resource: 'plan', by: 'parentId' } },
      history: { days: 3 },
    })
    await assert.rejects(startService([...people, plans, wrong] as readonly DeclaredResource[]), (error: Error) => {
      for (const line of [
        /draft: history: needs a rule for "get"/,
        /draft: children.history: is the path/,
        /draft: field "historyAt": versions have a field of this name/,
      ])
        assert.match(error.message, line)
      return true
    })
  })

  it('with rules that are none is refused in words', async () => {
    const wrong = defineResource({
      name: 'sketch',
      path: '/sketches',
      fields: { id: id() },
      access: { get: 'everyone' as never, update: user },
      history: { read: 'everyone' as never },
      trash: { days: 3 },
    })
    const lines = /sketch: access.get: must be one of the rules.*sketch: history.read: must be one of the rules/s
    await assert.rejects(startService([...people, wrong] as readonly DeclaredResource[]), lines)
  })

  it('is shown by GraphQL and in the OpenAPI document', async () => {
    const of = await made({ title: 'Shown' })
    const query = `{ plan(id: "${of}") { history { historyVersion historyKind title } } }`
    const asked = await service.ask('POST', '/graphql', { ...ann, body: { query } })
    const [only] = asked.body.data?.plan.history ?? []
    assert.deepEqual(only, { historyVersion: 1, historyKind: 'create', title: 'Shown' }, asked.text)
    const { paths } = (await service.ask('GET', '/openapi.json')).body
    assert.ok(paths['/api/v1/plans/{id}/history']?.get && paths['/api/v1/plans/{id}/revert']?.post)
  })

  it('and versions go after their days', async () => {
    const of = await made({ title: 'Old' })
    nowMs += 31 * 24 * 60 * 60_000
    const again = await service.admin()
    assert.ok(again)
    await service.sweep()
    const { catalog, storage } = service.service.engine
    const where = { kind: 'compare', field: 'historyOf', operator: 'eq', value: of } as const
    assert.equal(await storage.count(catalog.get('planVersion'), where), 0)
  })
})
