/**
 * Checks of a record: how a refusal is told, by every kind of response, and which changes are
 * refused. `every-write.test.ts` has the paths.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyOf,
  anyone,
  defineResource,
  field,
  id,
  integer,
  money,
  none,
  now,
  reference,
  text,
  textList,
  through,
  timestamp,
  where,
} from '../../src/index.ts'
import { type Ask, startService, type TestResponse, type TestService } from '../../src/testing/index.ts'

const open = {
  list: anyone,
  get: anyone,
  create: anyone,
  replace: anyone,
  update: anyone,
  delete: anyone,
  import: anyone,
}
/** Whether the check on the price has been declared yet. */
let isDeclared = true
/** By title: the verdict of the check `odd`. */
const odd: Record<string, () => unknown> = {
  throws: () => {
    throw new Error('it is odd')
  },
  'gives nothing': () => undefined,
  'gives a promise': () => Promise.resolve(true),
}

const halls = defineResource({
  name: 'hall',
  path: '/halls',
  fields: { id: id(), rows: integer(), doors: integer() },
  list: { style: 'page' },
  children: { shows: { resource: 'show', by: 'hallId' } },
  checks: {
    notInUse: { require: none('shows', where({ title: 'live' })), message: 'A hall stays as it is during a show' },
  },
  access: open,
})

const shows = defineResource({
  name: 'show',
  path: '/shows',
  description: 'A show in a hall.',
  fields: {
    id: id(),
    title: text({ required: true }),
    startsAt: timestamp(),
    endsAt: timestamp(),
    price: money({ default: 1 }),
    seats: integer({ default: 1 }),
    tags: textList(),
    hallId: reference('hall'),
    heldAt: timestamp(),
    secret: text({ hidden: true }),
  },
  checks: {
    endAfterStart: {
      require: { endsAt: { gt: field('startsAt') } },
      at: 'endsAt',
      message: 'The end must be after the start',
    },
    inTheFuture: {
      require: ({ startsAt }, { now }) => startsAt === null || startsAt > now,
      clock: true,
      at: 'startsAt',
      message: 'A show starts later than now',
    },
    worthIt: {
      require: ({ price, seats }) => !isDeclared || price * seats !== 1300,
      message: 'A show must not bring 13',
    },
    inABigHall: {
      require: anyOf([where({ seats: { lt: 5 } }), through('hallId', where({ rows: { gte: field('doors') } }))]),
      at: 'hallId',
      message: 'The hall is too small',
    },
    notTooOld: { require: { heldAt: { gte: now() } }, at: 'heldAt', message: 'It was held before' },
    odd: {
      require: ({ title, tags }) => {
        if (title === 'in place') (tags as string[]).push('x')
        return (title in odd ? odd[title]?.() : true) as boolean
      },
      at: 'title',
      message: 'The title is odd',
    },
  },
  list: { style: 'page', bulk: true },
  access: { ...open, create: where({ seats: 1 }) },
})

let service: TestService
let ask: Ask
before(async () => {
  service = await startService([halls, shows])
  ask = service.ask
})
after(() => service.stop())

const hourMs = 3_600_000
const inHours = (hours: number) => new Date(service.now() + hours * hourMs).toISOString()
const post = (body: object, headers = {}): Promise<TestResponse> => ask('POST', '/api/v1/shows', { body, headers })
const patch = (show: string, body: object): Promise<TestResponse> => ask('PATCH', `/api/v1/shows/${show}`, { body })
async function made(body: object = {}): Promise<string> {
  const reply = await post({ title: 'plain', ...body })
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}
async function hallOf(body: object): Promise<string> {
  return (await ask('POST', '/api/v1/halls', { body })).body.id
}
const wrongWay = () => ({ title: 'plain', startsAt: inHours(2), endsAt: inHours(1) })
const sentence = 'The end must be after the start'

describe('a refusal', () => {
  it('is one sentence, and in a problem it is at its field, with those of all other checks', async () => {
    const plain = await post(wrongWay())
    assert.deepEqual([plain.status, plain.body], [400, { error: sentence }])
    const both = { title: 'plain', startsAt: inHours(-1), endsAt: inHours(-2), price: 13 }
    const problem = await post(both, { accept: 'application/problem+json' })
    const { status, code, detail, errors } = problem.body
    assert.deepEqual([status, code, detail], [400, 'bad-request', sentence])
    assert.deepEqual(errors, [
      { pointer: '#/endsAt', detail: sentence },
      { pointer: '#/startsAt', detail: 'A show starts later than now' },
    ])
    const whole = await post({ title: 'plain', price: 13 }, { accept: 'application/problem+json' })
    assert.deepEqual([whole.body.detail, whole.body.errors ?? []], ['A show must not bring 13', []])
  })

  it('is the same by GraphQL, in a batch, for a line of an import, and in a dry run', async () => {
    const query = 'mutation ($input: CreateShowInput!) { createShow(input: $input) { id } }'
    const { errors } = (await ask('POST', '/graphql', { body: { query, variables: { input: wrongWay() } } })).body
    assert.deepEqual([errors[0].message, errors[0].extensions.code], [sentence, 'BAD_USER_INPUT'])
    const operations = [{ method: 'POST', path: '/shows', body: wrongWay() }]
    const batch = await ask('POST', '/api/v1/batch', {
      body: { operations },
      headers: { accept: 'application/problem+json' },
    })
    assert.equal(batch.body.detail, `operations[0]: ${sentence}; nothing was stored`)
    assert.equal(batch.body.errors[0].pointer, '#/operations/0/body/endsAt')
    const known = await made()
    const lines = [wrongWay(), { title: 'good' }, { id: known, ...wrongWay() }]
    const raw = lines.map((line) => JSON.stringify(line)).join('\n')
    const imported = await ask('POST', '/api/v1/shows/import', { raw, type: 'application/x-ndjson' })
    const told = imported.body.errors.map(({ line, error }: { line: number; error: string }) => [line, error])
    assert.deepEqual(
      [imported.body.created, told],
      [
        1,
        [
          [1, sentence],
          [3, sentence],
        ],
      ],
    )
    assert.deepEqual((await post(wrongWay(), { prefer: 'dry-run' })).body, { error: sentence })
    const bulk = await ask('PATCH', '/api/v1/shows?title=good&limit=1', { body: wrongWay() })
    assert.deepEqual([bulk.status, bulk.body], [400, { error: sentence }])
  })

  it('comes after those of the rule, of references and of fields', async () => {
    const nothing = '01a21881-325a-7000-85bd-000000000000'
    assert.equal((await post({ ...wrongWay(), seats: 2 })).status, 403)
    assert.equal((await post({ ...wrongWay(), hallId: nothing })).body.error, 'hallId refers to no hall that exists')
    assert.equal((await post({ ...wrongWay(), price: 1.234 })).body.error.includes('price'), true)
  })

  it('is a fault of the declaration where the check gives no verdict: the log names it', async () => {
    const show = await made()
    for (const [title, says] of [
      ['throws', 'must return true or false for every record, and threw Error: it is odd'],
      ['gives nothing', 'must return true or false, and returned undefined'],
      ['gives a promise', 'must return true or false, and returned an object'],
      ['in place', 'must return true or false for every record, and threw TypeError'],
    ] as const) {
      service.logged.length = 0
      for (const reply of [await post({ title, tags: [] }), await patch(show, { title, tags: [] })])
        assert.deepEqual([reply.status, reply.body], [500, { error: 'Internal server error' }])
      const log = service.logged.join('\n').replaceAll('\\"', '"')
      assert.equal(log.split(`checks.test.ts: show: checks.odd: require ${says}`).length > 2, true, log)
    }
  })
})

describe('a change', () => {
  it('is asked the checks that read what it changes', async () => {
    const show = await made({ startsAt: inHours(1), endsAt: inHours(2) })
    assert.deepEqual((await patch(show, { endsAt: inHours(0.5) })).body, { error: sentence })
    service.turn(3 * hourMs)
    assert.equal((await patch(show, { title: 'begun' })).status, 200)
    assert.equal((await patch(show, { endsAt: inHours(1) })).status, 200)
    assert.equal((await patch(show, { startsAt: inHours(-1) })).body.error, 'A show starts later than now')
  })

  it('may leave a record as it was before the check, and mend it, but not break it in another way', async () => {
    isDeclared = false
    const show = await made({ price: 13 })
    isDeclared = true
    const refusal = { error: 'A show must not bring 13' }
    assert.deepEqual((await post({ title: 'plain', price: 13 })).body, refusal)
    const { body } = await patch(show, { title: 'older', price: 13 })
    assert.deepEqual([body.title, body.price], ['older', 13])
    assert.equal((await ask('PUT', `/api/v1/shows/${show}`, { body })).status, 200)
    assert.deepEqual((await patch(show, { price: 6.5, seats: 2 })).body, refusal)
    assert.equal((await patch(show, { price: 12 })).status, 200)
    assert.deepEqual((await patch(show, { price: 13 })).body, refusal)
  })
})

describe('a condition', () => {
  it('leaves a record open where a value is null, of its own or of what it refers to', async () => {
    await made({ startsAt: inHours(2) })
    const show = await made()
    const [hall, open] = [await hallOf({ rows: 3, doors: 4 }), await hallOf({ rows: 3 })]
    assert.equal((await patch(show, { seats: 5 })).status, 200)
    assert.equal((await patch(show, { hallId: open })).status, 200)
    assert.deepEqual((await patch(show, { hallId: hall })).body, { error: 'The hall is too small' })
    assert.equal((await patch(show, { hallId: hall, seats: 4 })).status, 200)
    assert.deepEqual((await patch(show, { seats: 5 })).body, { error: 'The hall is too small' })
  })

  it('is asked at every change where it is about the records below', async () => {
    const hall = await hallOf({ rows: 3 })
    const change = () => ask('PATCH', `/api/v1/halls/${hall}`, { body: { doors: 1 + Math.floor(service.now() % 9) } })
    assert.equal((await change()).status, 200)
    const show = await made({ hallId: hall })
    await patch(show, { title: 'live' })
    assert.deepEqual((await change()).body, { error: 'A hall stays as it is during a show' })
    await patch(show, { title: 'plain' })
    assert.equal((await change()).status, 200)
  })

  it('compares with the second of the write', async () => {
    const show = await made({ heldAt: inHours(1) })
    assert.equal((await patch(show, { heldAt: inHours(0.001) })).status, 200)
    service.turn(hourMs)
    assert.equal((await patch(show, { title: 'later' })).status, 200)
    assert.deepEqual((await patch(show, { heldAt: inHours(-0.001) })).body, { error: 'It was held before' })
  })
})

it('the documents say what is checked', async () => {
  const { components } = (await ask('GET', '/openapi.json')).body
  const told =
    'A show in a hall. Every write is checked: The end must be after the start; A show starts later than now; A show must not bring 13; The hall is too small; It was held before; The title is odd.'
  assert.equal(components.schemas.Show.description, told)
  const query = '{ __type(name: "Show") { description } }'
  assert.equal((await ask('POST', '/graphql', { body: { query } })).body.data.__type.description, told)
})
