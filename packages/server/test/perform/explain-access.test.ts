/**
 * `?_explain=access`: callers who may ask learn which rule lets them in or refuses, and nothing is
 * done. For others the parameter does not exist.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { type AskOptions, startService, type TestPerson, type TestService } from 'bindery-server/test'
import {
  allOf,
  anyOf,
  anyone,
  choice,
  defineResource,
  id,
  integer,
  owner,
  reference,
  role,
  text,
  through,
  user,
  where,
} from '../../src/index.ts'
import { resources } from '../application/resources/index.ts'

const state = choice(['DRAFT', 'OPEN', 'CLOSED'], { default: 'DRAFT' })
const boards = defineResource({
  name: 'board',
  path: '/boards',
  fields: { id: id(), ownerId: reference('member', { onDelete: 'clear' }), title: text() },
  list: { style: 'page' },
  access: { list: owner('ownerId'), get: anyOf([owner('ownerId'), role('ADMIN')]), create: user },
  explainAccess: user,
  children: { memos: { resource: 'memo', by: 'boardId' } },
})
const memos = defineResource({
  name: 'memo',
  path: '/memos',
  fields: {
    id: id(),
    authorId: reference('member', { onDelete: 'clear', setBy: 'principal' } as never),
    boardId: reference('board', { onDelete: 'clear' }),
    state,
    size: integer({ default: 1 }),
    mark: text({ write: role('EDITOR') }),
  },
  list: { style: 'page', filterable: ['state'] },
  access: {
    list: anyOf([where({ state: 'OPEN' }), owner('authorId')]),
    get: anyOf([where({ state: 'OPEN' }), owner('authorId'), role('EDITOR')]),
    create: where({ state: { in: ['DRAFT', 'OPEN'] } }),
    update: {
      before: anyOf([owner('authorId'), role('EDITOR')], { message: 'Only its author edits it' }),
      after: where({ size: { lte: 10 } }),
    },
    delete: allOf([user, through('boardId', owner('ownerId'))]),
  },
  explainAccess: user,
})
/** Its board may forbid writes. */
const pins = defineResource({
  name: 'pin',
  path: '/pins',
  fields: { id: id(), boardId: reference('board', { onDelete: 'clear' }), size: integer({ default: 1 }) },
  list: { style: 'page' },
  access: {
    list: anyone,
    get: anyone,
    create: user,
    update: user,
    forbid: { write: through('boardId', where({ title: 'locked' })) },
  },
  explainAccess: user,
})
/** The operator alone may ask about these. */
const plain = defineResource({
  name: 'sheet',
  path: '/sheets',
  fields: { id: id(), title: text() },
  list: { style: 'page', bulk: true },
  upsert: [],
  access: { list: anyone, get: anyone, create: anyone, update: user, delete: user },
})

describe('_explain=access', () => {
  let service: TestService
  let ann: TestPerson
  let ben: TestPerson
  let admin: TestPerson
  let open: string
  let draft: string
  before(async () => {
    service = await startService([...resources, boards, memos, pins, plain])
    ann = await service.person()
    ben = await service.person()
    admin = await service.admin()
    const board = await service.make('board', { ownerId: ann.id })
    const memo = async (values: object) => String((await service.make('memo', { authorId: ann.id, ...values })).id)
    open = await memo({ state: 'OPEN', boardId: board.id })
    draft = await memo({ state: 'DRAFT', boardId: null })
  })
  after(() => service.stop())

  const explain = (method: string, path: string, by: AskOptions) =>
    service.ask(method, `/api/v1${path}?_explain=access`, by)
  const explained = async (method: string, path: string, by: AskOptions) => {
    const { status, body, text } = await explain(method, path, by)
    assert.equal(status, 200, text)
    return body.data
  }

  it('names the clauses that refused, with the values that they compared', async () => {
    const said = await explained('PATCH', `/memos/${open}`, { token: ben.token, body: { size: 2 } })
    assert.equal(said.allowed, false)
    assert.deepEqual(said.refusal, { code: 'forbidden', message: 'Only its author edits it' })
    assert.deepEqual(said.decidedBy, ['access.update.before.anyOf[0]', 'access.update.before.anyOf[1]'])
    assert.deepEqual([said.operation, said.resource, said.record], ['update', 'memos', open])
    assert.deepEqual(said.caller, { id: ben.id, role: 'USER' })
    assert.match(said.declaredIn, /explain-access\.test\.ts/)
    const before = said.rules.find(({ at }: { at: string }) => at === 'access.update.before')
    // The rule, and not the declaration, has this line.
    const written = readFileSync(import.meta.filename, 'utf8').split('\n')
    assert.match(written[Number(before.declaredIn.split(':')[1]) - 1] ?? '', /^ {6}before: anyOf/)
    assert.deepEqual(before.parts[0], {
      at: 'access.update.before.anyOf[0]',
      rule: 'owner (authorId)',
      verdict: 'fails',
      compared: [{ field: 'authorId', operator: 'eq', is: ann.id, with: ben.id }],
    })
    assert.deepEqual(
      said.rules.map(({ judges, verdict }: { judges: string; verdict: string }) => [judges, verdict]),
      [
        ['existence', 'holds'],
        ['record', 'fails'],
        ['result', 'holds'],
      ],
    )
  })

  it('judges the record that a write would make, and the fields that it would set', async () => {
    const large = await explained('PATCH', `/memos/${open}`, { token: ann.token, body: { size: 11 } })
    assert.deepEqual([large.allowed, large.decidedBy], [false, ['access.update.after']])
    assert.deepEqual(large.rules.at(-1).compared, [{ field: 'size', operator: 'lte', is: 11, with: 10 }])
    const marked = await explained('PATCH', `/memos/${open}`, { token: ann.token, body: { mark: 'x' } })
    assert.deepEqual([marked.allowed, marked.decidedBy], [false, ['fields.mark.write']])
    const unknown = await explained('PATCH', `/memos/${open}`, { token: ann.token })
    assert.deepEqual([unknown.allowed, unknown.decidedBy], [null, []])
    const made = await explained('POST', '/memos', { token: ann.token, body: {} })
    assert.deepEqual([made.allowed, made.decidedBy], [true, ['access.create']])
    const closed = await explained('POST', '/memos', { token: ann.token, body: { state: 'CLOSED' } })
    assert.deepEqual([closed.allowed, closed.refusal.code], [false, 'forbidden'])
    const wrong = await explain('PATCH', `/memos/${open}`, { token: ann.token, body: { height: 2 } })
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'Unknown field height'])
  })

  it('explains what is allowed, lists, and the scopes of a key', async () => {
    const own = await explained('DELETE', `/memos/${open}`, { token: ann.token })
    assert.deepEqual(
      [own.allowed, own.decidedBy],
      [true, ['access.delete.allOf[0]', 'access.delete.allOf[1].through(boardId)']],
    )
    const list = await explained('GET', '/memos', { token: ben.token })
    assert.deepEqual([list.allowed, list.rules[0].verdict], [true, 'depends'])
    const key = await service.key(ann, { scopes: ['memos:read'] })
    const narrow = await explained('DELETE', `/memos/${open}`, { key })
    assert.deepEqual([narrow.allowed, narrow.missingScope, narrow.decidedBy[0]], [false, 'memos:delete', 'scopes'])
  })

  it('tells nothing of a record that the caller may not read', async () => {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const hidden = await explain(method, `/memos/${draft}`, { token: ben.token })
      const absent = await explain(method, '/memos/0190f6a0-0000-7000-8000-000000000000', { token: ben.token })
      assert.deepEqual([hidden.status, hidden.text], [404, absent.text])
    }
    const refused = await explained('DELETE', `/memos/${open}`, { token: ben.token })
    assert.deepEqual(refused.decidedBy, ['access.delete.allOf[1].through(boardId)'])
    const clause = { at: 'access.delete.allOf[1].through(boardId)', rule: 'owner (ownerId)', verdict: 'hidden' }
    assert.deepEqual(refused.rules.at(-1).parts[1].parts, [clause])
  })

  it('answers as the write does where the body names no record, or one that the caller may not read', async () => {
    const [hidden, own] = await Promise.all([
      service.make('board', { ownerId: ben.id, title: 'open' }),
      service.make('board', { ownerId: ann.id, title: 'locked' }),
    ])
    const absent = { id: '0190f6a0-0000-7000-8000-000000000000' }
    const pin = await service.make('pin', {})
    for (const [method, path] of [
      ['POST', '/pins'],
      ['PATCH', `/pins/${pin.id}`],
    ] as const) {
      for (const board of [hidden, absent]) {
        const by = { token: ann.token, body: { boardId: board.id } }
        const [why, done] = [await explain(method, path, by), await service.ask(method, `/api/v1${path}`, by)]
        assert.deepEqual([why.status, why.body], [400, { error: 'boardId refers to no board that exists' }])
        assert.deepEqual([why.status, why.body], [done.status, done.body])
      }
      const refused = await explained(method, path, { token: ann.token, body: { boardId: own.id } })
      assert.equal(refused.allowed, false)
    }
    // A rule that refuses before the write looks at the board comes first.
    const early = await explained('PATCH', `/memos/${open}`, { token: ben.token, body: { boardId: absent.id } })
    assert.deepEqual([early.allowed, early.refusal.message], [false, 'Only its author edits it'])
  })

  it('does nothing', async () => {
    const sheet = await service.make('sheet', { title: 'first' })
    const path = `/sheets/${sheet.id}`
    for (const [method, at] of [
      ['PATCH', path],
      ['DELETE', path],
      ['POST', '/sheets'],
    ] as const)
      await explained(method, at, { token: admin.token, ...(method === 'DELETE' ? {} : { body: { title: 'second' } }) })
    const { body, headers } = await service.ask('GET', `/api/v1${path}`)
    assert.deepEqual([body.title, headers.get('etag')], ['first', '"1"'])
    assert.equal((await service.ask('GET', '/api/v1/sheets')).body.meta.total, 1)
  })

  it('is an unknown parameter for callers who may not ask, at every door', async () => {
    const { id: sheet } = await service.make('sheet', {})
    const doors = [
      ['GET', '/sheets', undefined],
      ['GET', `/sheets/${sheet}`, undefined],
      ['POST', '/sheets', { title: 'x' }],
      ['PATCH', `/sheets/${sheet}`, { title: 'x' }],
      ['DELETE', `/sheets/${sheet}`, undefined],
    ] as const
    const limited = await service.key(admin, { scopes: ['memos:read'] })
    for (const by of [{}, { token: ben.token }, { key: limited }])
      for (const [method, path, body] of doors) {
        const asked = (name: string) => service.ask(method, `/api/v1${path}?${name}=access`, { ...by, body })
        const [own, other] = [await asked('_explain'), await asked('_explaim')]
        assert.equal(own.status, other.status)
        assert.equal(own.text, other.text.replace('_explaim', '_explain'))
        assert.ok(own.status >= 400)
      }
  })

  it('refuses other parameters, other values, and requests about many records', async () => {
    const asked = async (method: string, path: string) =>
      (await service.ask(method, path, { token: admin.token })).body.error
    assert.equal(await asked('GET', '/api/v1/sheets?_explain=plan'), '_explain must be access')
    assert.equal(await asked('GET', '/api/v1/sheets?_explain=access&page=2'), 'Unknown query parameter page')
    assert.match(
      await asked('DELETE', '/api/v1/sheets?_explain=access'),
      /explains a list, or an operation on one record/,
    )
  })
})
