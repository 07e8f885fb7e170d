/**
 * An action that adds a job: the job is part of the action's transaction, and is the answer at each
 * door. The caller follows it.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { ActionDescription } from '../../src/client/resource-description.ts'
import { startService } from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'
import { hold, mailroom, ran } from './mailroom.ts'

const service = await startService(mailroom, { env: { MCP: 'write' } })
after(() => service.stop())
const { ask } = service
const [ann, bob] = [await service.person(), await service.person()]
const { engine } = service.service
const write = async (body: string) => (await ask('POST', '/api/v1/letters', { body: { body } })).body.id as string
const letter = await write('home')
await service.sweep()

const stored = async () => (await engine.storage.jobs.list({ limit: 1000, nowMs: service.now() })).length
type Given = { readonly by?: typeof ann; readonly headers?: Record<string, string>; readonly at?: string }
const stampOne = (body: object = {}, { by = ann, headers = {}, at = letter }: Given = {}) =>
  ask('POST', `/api/v1/letters/${at}/stamp-one`, { body, token: by.token, headers })
const read = (path: string, by = ann) => ask('GET', path, { token: by.token })

/** The job as it is added; the times differ. */
const added = {
  ...{ job: 'stamp', state: 'waiting', progress: null, result: null, error: null, tries: 0 },
  ...{ startedAt: null, endedAt: null },
}
function checkAdded(job: Record<string, unknown>): void {
  const { id, addedAt, dueAt, ...rest } = job
  assert.deepEqual(rest, added)
  assert.ok(typeof id === 'string' && typeof addedAt === 'string' && dueAt === addedAt)
}

describe('an action that adds a job', () => {
  it('answers 202 with the job, which its caller follows to its result', async () => {
    const answer = await stampOne({ copies: 2 })
    assert.equal(answer.status, 202, answer.text)
    checkAdded(answer.body)
    const place = answer.headers.get('location') as string
    assert.equal(place, `/api/v1/_jobs/${answer.body.id}`)
    await service.sweep()
    const done = await read(place)
    assert.deepEqual([done.body.state, done.body.result], ['done', { stamped: `one home by ${ann.id}`, price: 0.8 }])
    assert.equal((await read(place, bob)).status, 404)
  })

  it('adds none where it is refused, by its rule, its input, its code or the fields of the job', async () => {
    const before = await stored()
    const sealed = await write('sealed')
    await service.sweep()
    const refused = [
      await ask('POST', `/api/v1/letters/${letter}/stamp-one`, { body: {} }),
      await stampOne({}, { at: '00000000-0000-4000-8000-000000000000' }),
      await stampOne({ copies: 'two' }),
      await stampOne({ copies: 12 }),
      await stampOne({}, { at: sealed }),
    ]
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.error]),
      [
        [401, 'Token required'],
        [404, 'Letter not found'],
        [400, 'copies must be an integer'],
        [400, 'copies must be from 1 to 9'],
        [409, 'The letter is sealed'],
      ],
    )
    assert.equal(await stored(), before + 1, 'that of the hook')
  })

  it('adds one for an Idempotency-Key, and a repeat answers with it', async () => {
    const headers = { 'idempotency-key': 'once-only' }
    const [first, again] = [await stampOne({}, { headers }), await stampOne({}, { headers })]
    assert.deepEqual([first.status, again.status, again.body], [202, 202, first.body])
    assert.deepEqual(
      [again.headers.get('idempotency-replayed'), again.headers.get('location')],
      ['true', first.headers.get('location')],
    )
    const before = await stored()
    const tried = await stampOne({}, { headers: { prefer: 'dry-run' } })
    assert.deepEqual([tried.status, tried.headers.get('location'), await stored()], [202, null, before])
  })

  it('answers with the job that a key keeps: to the caller who added it, and to no other', async () => {
    const release = hold('desk kept')
    const first = await stampOne({ text: 'desk kept', key: 'k' })
    await until(() => ran.includes('begin desk kept'), 'it runs')
    const again = await stampOne({ text: 'desk kept too', key: 'k' })
    assert.deepEqual([again.status, again.body.id, again.body.state], [202, first.body.id, 'running'])
    const other = await stampOne({ text: 'desk kept too', key: 'k' }, { by: bob })
    assert.deepEqual(
      [other.status, other.body.error],
      [409, 'Another caller has added this work (stamp): wait until it has ended'],
    )
    release()
    await service.sweep()
    assert.equal((await stampOne({ text: 'desk free', key: 'k' }, { by: bob })).status, 202)
  })

  it('is part of the transaction of a batch', async () => {
    const before = await stored()
    const one = { method: 'POST', path: `/letters/${letter}/stamp-one`, body: { text: 'desk batch' } }
    const batch = (...more: object[]) =>
      ask('POST', '/api/v1/batch', { token: ann.token, body: { operations: [one, ...more] } })
    const done = await batch()
    const [entry] = done.body.data
    assert.deepEqual([entry.status, entry.headers.Location], [202, `/api/v1/_jobs/${entry.body.id}`])
    assert.equal((await batch({ method: 'POST', path: '/letters', body: {} })).status, 400)
    assert.equal(await stored(), before + 1)
  })

  it('has its types in GraphQL, and is an action of agents', async () => {
    const query = `mutation { stampOneLetter(id: "${letter}", input: { text: "desk graphql" }) { job state progress { done } result { stamped price } dueAt } }`
    const { body } = await ask('POST', '/graphql', { token: ann.token, body: { query } })
    const { dueAt, ...job } = body.data.stampOneLetter
    assert.deepEqual(job, { job: 'stamp', state: 'waiting', progress: null, result: null })
    assert.ok(Date.parse(dueAt) > 0)
    const tool = async (name: string, given: object) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
      const headers = { accept: 'application/json, text/event-stream' }
      const { text } = await ask('POST', '/mcp', { token: ann.token, headers, body: call })
      const [, message = text] = /^data: (.*)$/m.exec(text) ?? []
      return JSON.parse(JSON.parse(message).result.content[0].text)
    }
    checkAdded((await tool('act', { path: `letters/${letter}/stamp-one`, input: { text: 'desk agent' } })).output)
    const told = await tool('describe', { resource: 'letters' })
    assert.deepEqual(Object.keys(told.actions.stampOne.output.properties.result.properties), ['stamped', 'price'])
  })

  it('answers anonymous callers without a place, since none of them can read it', async () => {
    const answer = await ask('POST', `/api/v1/letters/${letter}/weigh-one`, {})
    assert.deepEqual([answer.status, answer.body.job, answer.headers.get('location')], [202, 'weigh', null])
    await service.sweep()
    assert.equal(ran.filter((line) => line === 'weigh').length, 1)
    const known = await ask('POST', `/api/v1/letters/${letter}/weigh-one`, { token: bob.token })
    await service.sweep()
    const done = await read(known.headers.get('location') as string, bob)
    assert.deepEqual([done.body.state, done.body.result], ['done', null])
  })

  it('is told to programs that make forms', async () => {
    const { actions } = (await ask('GET', '/api/v1/_resources/letters', { token: ann.token })).body
    const told = actions.map(({ name, job }: ActionDescription) => [
      name,
      job?.name,
      job?.result.map((one) => one.name),
    ])
    assert.deepEqual(told.slice(0, 3), [
      ['stampOne', 'stamp', ['stamped', 'price']],
      ['weighOne', 'weigh', []],
      ['addMany', undefined, undefined],
    ])
  })
})
