/**
 * Code of an application throws odd values, and returns values of other types than it declares.
 * Each is a fault of this code alone: its caller gets an answer, and other work goes on.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { anyone, defineAction, defineEndpoint, defineJob, defineResource, id, integer, text } from '../../src/index.ts'
import { startService, type TestService } from '../../src/testing/index.ts'

/** The text of each in the log. */
const odd: Readonly<Record<string, readonly [make: () => unknown, says: string]>> = {
  null: [() => null, 'null'],
  undefined: [() => undefined, 'undefined'],
  symbol: [() => Symbol('odd'), 'Symbol(odd)'],
  'without a prototype': [() => Object.create(null), 'null prototype'],
  'a message that is no text': [() => Object.assign(new Error('x'), { message: { a: 1 } }), 'Error'],
  'members that throw': [
    () => ({
      get message() {
        throw new Error('a getter')
      },
    }),
    'message: [Getter]',
  ],
  'a proxy that throws': [
    () =>
      new Proxy(
        {},
        {
          get: () => assert.fail('a trap'),
          getPrototypeOf: () => assert.fail('a trap'),
        },
      ),
    'Proxy',
  ],
}

let thrown: unknown
function misbehave(name: string | null | undefined): undefined {
  const case_ = name ? odd[name] : undefined
  if (!case_) return undefined
  thrown = case_[0]()
  throw thrown
}

const report = defineJob({
  name: 'report',
  input: { n: integer() },
  run({ input: { n }, progress, refuse }) {
    if (n === 2) progress({ done: 1, totl: 2 } as never)
    if (n === 3) refuse('')
  },
})
const fields = { id: id(), hook: text(), effect: text(), n: integer() }
const addReport = defineAction(fields, {
  input: { key: text({ maxLength: 1000 }), at: text(), more: text(), n: integer({ default: 1 }), says: text() },
  async run({ input: { key, at, more, n, says }, jobs, refuse }) {
    if (says !== null) refuse(says)
    const options = { ...(at && { at }), ...(key && { dedupe: { key, mode: 'keep' as const }, queue: key }) }
    await jobs(report).add({ n }, { ...options, ...JSON.parse(more ?? '{}') })
  },
})
const things = defineResource({
  name: 'thing',
  path: '/things',
  fields,
  list: { style: 'page' },
  access: { read: anyone, create: anyone, addReport: anyone },
  hooks: {
    prepareCreate: ({ sent, refuse }) => (sent.hook === 'prepares' ? refuse('') : undefined),
    beforeCreate: ({ record, refuse }) =>
      record.hook === 'says nothing' ? refuse(' ', 'hook') : misbehave(record.hook),
  },
  actions: { addReport },
  effects: {
    follow: { on: ['create'], retries: { firstSeconds: 3600 }, run: ({ record }) => misbehave(record.effect) },
  },
})
const count = defineEndpoint({
  name: 'count',
  method: 'GET',
  rule: anyone,
  query: { odd: text() },
  output: { count: integer({ required: true }) },
  errors: { conflict: 'Not now' },
  async run({ query, refuse, transaction }) {
    if (query.odd === 'says nothing') refuse('conflict', '')
    if (query.odd === 'transaction says nothing') await transaction(async (inside) => inside.refuse(''))
    if (query.odd === 'option') await transaction(async () => undefined, { limit: 5 } as never)
    misbehave(query.odd)
    return { count: Number.NaN }
  },
})
const hangs = defineEndpoint({
  name: 'hangs',
  method: 'POST',
  rule: anyone,
  input: {},
  run: ({ transaction }) => transaction(() => new Promise<undefined>(() => undefined), { limitMs: 5 }),
})
const waits = defineEndpoint({
  name: 'waits',
  method: 'POST',
  rule: anyone,
  body: 'raw',
  limits: { seconds: 1 },
  verify: () => new Promise<false>(() => undefined),
  run: () => undefined,
})

let service: TestService
before(async () => {
  service = await startService([things, report, count, waits, hangs], { mayFail: true })
})
after(() => service?.stop())

/** The latest fault in the log. */
const said = () => service.logged.findLast((line) => line.startsWith('error ')) ?? ''
const make = (body: object) => service.ask('POST', '/api/v1/things', { body })
const fault = { error: 'Internal server error' }

describe('code that throws', () => {
  for (const [name, [, says]] of Object.entries(odd)) {
    it(`a value that is odd is a fault: ${name}`, async () => {
      const logged = service.logged.length
      const [refused, other] = await Promise.all([make({ hook: name }), make({})])
      assert.deepEqual([refused.status, refused.body, other.status], [500, fault, 201])
      const answer = await service.ask('GET', `/api/v1/count?odd=${encodeURIComponent(name)}`)
      assert.deepEqual([answer.status, answer.body], [500, fault])
      const lines = service.logged.slice(logged).filter((line) => line.startsWith('error '))
      assert.ok(lines.length > 1 && lines.every((line) => line.includes(says)), lines.join('\n'))
    })
  }

  it('such values in effects holds up no other effect', async () => {
    await service.runEffects()
    for (const name of Object.keys(odd)) await make({ effect: name })
    const last = await make({})
    const ran = (await service.runEffects()).filter(({ kind }) => kind === 'thing.follow')
    const outcomes = ran.map(({ key, outcome }) => (key === last.body.id ? `last ${outcome}` : outcome))
    assert.deepEqual(outcomes.toSorted(), [...Object.keys(odd).map(() => 'failed'), 'last done'].toSorted())
  })
})

describe('a refusal without a sentence', () => {
  const needs = "refuse('…') needs a sentence that tells the caller why, and was given an empty text"

  it('is a fault of its code, which the log names', async () => {
    for (const [hook, place] of [
      ['prepares', 'hooks.prepareCreate'],
      ['says nothing', 'hooks.beforeCreate'],
    ] as const) {
      const { status, body } = await make({ hook })
      assert.deepEqual([status, body], [500, fault])
      assert.ok(said().includes(`thing: ${place} threw ${needs}`), said())
    }
    const { id: thing } = (await make({})).body
    const action = await service.ask('POST', `/api/v1/things/${thing}/add-report`, { body: { says: ' ' } })
    assert.deepEqual([action.status, action.body], [500, fault])
    assert.ok(said().includes(`thing: actions.addReport threw ${needs}`), said())
    for (const odd of ['says nothing', 'transaction says nothing']) {
      const answer = await service.ask('GET', `/api/v1/count?odd=${encodeURIComponent(odd)}`)
      assert.deepEqual([answer.status, answer.body], [500, fault])
      assert.ok(said().includes('The endpoint count failed') || said().includes(needs), said())
    }
  })
})

describe('a transaction', () => {
  it('is given options that exist', async () => {
    assert.equal((await service.ask('GET', '/api/v1/count?odd=option')).status, 500)
    assert.ok(said().includes('transaction(…): no member "limit"; did you mean "limitMs"?'))
  })

  it('has its own time limit in an endpoint that is done once', async () => {
    const { status } = await service.ask('POST', '/api/v1/hangs', {
      body: {},
      headers: { 'idempotency-key': 'hangs-once' },
    })
    assert.equal(status, 500)
    assert.ok(said().includes('waited for longer than its limit of 5 ms'), said())
  })
})

describe('code that returns', () => {
  it('a value that is none of its field has failed, and not its caller', async () => {
    const { status, body } = await service.ask('GET', '/api/v1/count')
    assert.deepEqual([status, body], [500, fault])
    assert.ok(service.logged.some((line) => line.includes('count must be an integer')))
  })

  it('no verdict about a sender in its time lets the sender try again', async () => {
    const { status, body } = await service.ask('POST', '/api/v1/waits', { raw: 'x', type: 'text/plain' })
    assert.deepEqual([status, body], [503, { error: 'This took too long; try again later' }])
  })
})

describe('a job', () => {
  it('has keys of the same length in each database, and no other way to have them', async () => {
    const { id: thing } = (await make({})).body
    const add = (body: object) => service.ask('POST', `/api/v1/things/${thing}/add-report`, { body })
    assert.equal((await add({ key: 'ö'.repeat(500) })).status, 200)
    const long = await add({ key: 'x'.repeat(501) })
    assert.deepEqual([long.status, long.body], [400, { error: 'The queue of a job has at most 500 characters' }])
  })

  const options: readonly (readonly [more: object, says: string])[] = [
    [{ dedup: { key: 'a', mode: 'keep' } }, 'no member "dedup"; did you mean "dedupe"?'],
    [{ dedupe: { key: 'a', mode: 'sometimes' } }, 'dedupe.mode cannot be "sometimes"'],
    [{ dedupe: { key: 'a' } }, 'dedupe needs mode'],
    [{ dedupe: { key: 'a', mode: 'keep', within: 'day' } }, 'dedupe no member "within"'],
    [{ dedupe: 'a' }, 'dedupe must be an object, and is "a"'],
    [{ queue: 7 }, 'queue must be a text, and is 7'],
    [{ at: 7 }, 'at must be a time, RFC 3339 or a Date, and is 7'],
    [{ at: '2026-02-30T00:00:00Z' }, 'at must be a time, RFC 3339 or a Date, and is "2026-02-30T00:00:00Z"'],
    [{ at: 'Jan 5, 2026' }, 'at must be a time'],
  ]
  it('is added with options that exist, of their types', async () => {
    const { id: thing } = (await make({})).body
    for (const [more, says] of options) {
      const body = { more: JSON.stringify(more) }
      const { status } = await service.ask('POST', `/api/v1/things/${thing}/add-report`, { body })
      assert.equal(status, 500, says)
      assert.ok(said().includes(`actions.addReport threw jobs(report).add(…): ${says}`), `${says}: ${said()}`)
    }
  })

  it('tells how far it is in members that exist, and refuses with a sentence, or has failed', async () => {
    const { id: thing } = (await make({})).body
    for (const [n, outcome, says] of [
      [2, 'failed', 'progress(…): no member "totl"; did you mean "total"?'],
      [3, 'given-up', "refuse('…') needs a sentence that tells the caller why, and was given an empty text"],
    ] as const) {
      await service.ask('POST', `/api/v1/things/${thing}/add-report`, { body: { n } })
      const ran = await service.runEffects()
      const error = ran.find(({ kind, outcome: end }) => kind === 'job.report' && end === outcome)?.error
      assert.equal((error as Error | undefined)?.message, says)
    }
  })

  it('may wait for longer than a timer of Node', async (t) => {
    const warnings: string[] = []
    const note = ({ name }: Error) => void warnings.push(name)
    process.on('warning', note)
    t.after(() => process.off('warning', note))
    const { id: thing } = (await make({})).body
    const body = { at: '9999-12-31T23:59:59Z' }
    assert.equal((await service.ask('POST', `/api/v1/things/${thing}/add-report`, { body })).status, 200)
    await service.runEffects()
    assert.deepEqual(warnings, [])
  })
})
