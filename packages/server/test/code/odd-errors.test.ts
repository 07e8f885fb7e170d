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
  run: () => undefined,
})
const fields = { id: id(), hook: text(), effect: text(), n: integer() }
const addReport = defineAction(fields, {
  input: { key: text({ maxLength: 1000 }), at: text(), mode: text({ default: 'keep' }) },
  async run({ input: { key, at, mode }, jobs }) {
    await jobs(report).add(
      { n: 1 },
      { ...(at && { at }), ...(key && { dedupe: { key, mode: mode as 'keep' }, queue: key }) },
    )
  },
})
const things = defineResource({
  name: 'thing',
  path: '/things',
  fields,
  list: { style: 'page' },
  access: { read: anyone, create: anyone, addReport: anyone },
  hooks: { beforeCreate: ({ record }) => misbehave(record.hook) },
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
  run({ query }) {
    misbehave(query.odd)
    return { count: Number.NaN }
  },
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
  service = await startService([things, report, count, waits], { mayFail: true })
})
after(() => service?.stop())

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
    assert.equal((await add({ key: 'a', mode: 'sometimes' })).status, 500)
    assert.ok(service.logged.some((line) => line.includes('dedupe.mode must be keep or replace')))
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
