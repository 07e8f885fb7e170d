/**
 * The work of `transaction(…)` in effects, jobs, schedules and endpoints, and hooks that use the
 * records, the transactions or the server of others. Each misdeed fails with its sentence, stores
 * nothing, and holds up no one.
 */
import assert from 'node:assert/strict'
import { lookup } from 'node:dns'
import { connect, type Socket } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  anyone,
  type CallerRecords,
  defineEndpoint,
  defineJob,
  defineResource,
  defineSchedule,
  defineService,
  id,
  type OutsideCode,
  type SystemRecords,
  text,
} from '../../src/index.ts'
import { startService, type TestService } from '../../src/testing/index.ts'

type Outside = Pick<OutsideCode<SystemRecords>, 'transaction' | 'jobs' | 'records' | 'fetch' | 'log'> & {
  readonly as?: unknown
}
type Inside = Parameters<Parameters<OutsideCode<SystemRecords>['transaction']>[0]>[0]

let service: TestService
/** The next work of `transaction(…)`, and what came of it. */
let deed = ''
let outcome = ''
/** The code of an effect that is over, or still runs: a hook may have kept it. */
let kept: Outside | undefined
let keptInside: Inside | undefined
/** As a module copies it that is loaded before the server starts. */
const early = globalThis.fetch
let open: Socket
let answered: Promise<unknown> | undefined

const deeds: Readonly<Record<string, (outside: Outside, inside: Inside) => unknown>> = {
  fetch: () => fetch('http://127.0.0.1:1/'),
  'its own fetch': ({ fetch: own }) => own(`${service.url}/api/v1/logs`),
  'dns.lookup': () => lookup('localhost', () => undefined),
  setTimeout: () => new Promise((done) => setTimeout(done, 1)),
  'timers.promises.setTimeout': () => sleep(1),
  transaction: ({ transaction }) => transaction(async () => undefined),
  'a write': ({ records }) => records(logs).create({ title: 'another' }),
  'a read': ({ records }) => records(logs).list({}),
  'a job': ({ jobs }) => jobs(idle).add({}),
  caught: async () => await Promise.resolve(fetch).then((one) => one('http://127.0.0.1:1/').catch(() => undefined)),
  hang: () => new Promise(() => undefined),
  unawaited: (_, { records }) => void records(logs).create({ title: 'unawaited' }),
}
const says: Readonly<Record<string, string>> = {
  fetch: 'reaches the network (fetch): the code around it can',
  'its own fetch': 'reaches the network (',
  'a write': 'opens another transaction (transaction): its records(…) are in the one that runs',
  'a read': 'reads outside of its transaction (records): its records(…) are in the one that runs',
  'a job': 'opens another transaction (transaction): its records(…) are in the one that runs',
  transaction: 'opens another transaction (transaction): its records(…) are in the one that runs',
  caught: 'reaches the network (fetch): the code around it can',
  hang: 'waited for longer than its limit of 50 ms: the code around it may take longer',
  unawaited: 'ended before a call of records(…) that it made: await each call',
}

/** In effects, jobs, schedules and endpoints alike. */
async function misbehave(outside: Outside): Promise<void> {
  if (deed === '') return
  const work = deeds[deed]
  outcome = await outside
    .transaction(
      async (inside) => {
        const records = inside.records as SystemRecords & { readonly system?: SystemRecords }
        await (records.system ?? records)(logs).create({ title: `of ${deed}` })
        await work?.(outside, { ...inside, records: records.system ?? records })
      },
      { limitMs: 50 },
    )
    .then(
      () => 'done',
      (error) => error.message,
    )
}

const logs = defineResource({
  name: 'log',
  path: '/logs',
  fields: { id: id(), title: text({ required: true }) },
  list: { style: 'page' },
  access: { list: anyone, get: anyone, create: anyone, delete: anyone },
  hooks: {
    async beforeCreate({ record, records }) {
      await hookDeeds[record.title]?.(records)
    },
  },
})

const boxes = defineResource({
  name: 'box',
  path: '/boxes',
  fields: { id: id(), name: text({ required: true }) },
  list: { style: 'page' },
  access: { list: anyone, create: anyone },
  effects: {
    open: {
      on: ['create'],
      async run({ record, step, ...outside }) {
        kept = outside
        if (deed === 'step') {
          outcome = await outside
            .transaction(async () => void (await step('inside', () => 1)))
            .then(String, (error) => error.message)
          return
        }
        if (record.name === 'keeps its transaction')
          await outside.transaction(async (inside) => {
            keptInside = inside
            await inside.records(boxes).list({})
          })
        await misbehave(outside)
      },
    },
  },
})

const idle = defineJob({ name: 'idle', run: () => undefined })
const work = defineJob({
  name: 'work',
  async run({ progress, ...outside }) {
    const { transaction, records, jobs } = outside
    progress({ done: 1 })
    if (deed === 'progress')
      outcome = await transaction(async () => {
        progress({ done: 2 })
        return 'done'
      })
    else await misbehave({ ...outside, transaction: transaction as never, records: records.system as never, jobs })
  },
})
const nightly = defineSchedule({
  name: 'nightly',
  cron: '0 3 * * *',
  run: (outside) => misbehave(outside as never),
})
const door = defineEndpoint({
  name: 'door',
  method: 'POST',
  rule: anyone,
  async run(outside) {
    const { transaction, records } = outside as OutsideCode<CallerRecords>
    await misbehave({ ...outside, transaction: transaction as never, records: records.system as never })
  },
})
/** An object that keeps what it was given, as a module of an application may. */
const shelf = defineService({ name: 'shelf', make: () => ({ list: () => kept?.records(logs).list({}) }) })

type HookRecords = (resource: typeof logs) => { create(values: { title: string }): Promise<unknown> }
const hookDeeds: Readonly<Record<string, (records: HookRecords) => unknown>> = {
  'reads by records that it kept': () => kept?.records(logs).list({}),
  'counts by records that it kept': () => kept?.records(logs).count(),
  'walks by records that it kept': async () => {
    for await (const one of kept?.records(logs).each() ?? []) void one
  },
  'gets by records that it kept': () => kept?.records(boxes).get('01890a5d-ac96-774b-bcce-b302099a8057'),
  'reads by a service': () => (service.service.engine.services(shelf) as { list(): unknown }).list(),
  'writes by records that it kept': () => kept?.records(logs).create({ title: 'kept' }),
  'opens a transaction that it kept': () => kept?.transaction(async () => undefined),
  'adds a job that it kept': () => kept?.jobs(idle).add({}),
  'reads by records of a transaction that is over': () => keptInside?.records(boxes).list({}),
  'asks its own server': () => early(`${service.url}/api/v1/logs`),
  'asks its own server by an open connection': () =>
    (answered = new Promise((resolve) => {
      open.once('data', resolve)
      const body = JSON.stringify({ title: 'from the hook' })
      open.write(
        `POST /api/v1/logs HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    })),
}
const hookSays: Readonly<Record<string, string>> = {
  'reads by records that it kept':
    'reads outside of its transaction (records): its records(…) are in the one that runs',
  'counts by records that it kept': 'reads outside of its transaction (records)',
  'walks by records that it kept': 'reads outside of its transaction (records)',
  'gets by records that it kept': 'reads outside of its transaction (records)',
  'reads by a service': 'reads outside of its transaction (records)',
  'writes by records that it kept': 'opens another transaction (transaction)',
  'opens a transaction that it kept': 'opens another transaction (transaction)',
  'adds a job that it kept': 'opens another transaction (transaction)',
  'reads by records of a transaction that is over':
    'works in the transaction of other code (records): its records(…) are in the one that runs',
  'asks its own server': 'log: hooks.beforeCreate ',
  'asks its own server by an open connection': 'reaches the network (a connection that was open)',
}

before(async () => {
  const env = { OUTGOING_ALLOW: '127.0.0.1' }
  service = await startService([logs, boxes, idle, work, nightly, door, shelf], { env })
  await post('boxes', { name: 'keeps its transaction' })
  await service.sweep()
})
after(async () => {
  open?.destroy()
  await service?.stop()
})
beforeEach(() => {
  deed = ''
  outcome = ''
})

const post = (path: string, body: object) => service.ask('POST', `/api/v1/${path}`, { body })
const countOf = async () => (await service.ask('GET', '/api/v1/logs?limit=1')).body.meta.total as number

/** How each kind of code comes to run. */
const kinds: Readonly<Record<string, { readonly place: string; run(): Promise<unknown> }>> = {
  'an effect': { place: 'box.open', run: () => post('boxes', { name: 'plain' }) },
  'a job': {
    place: 'job.work',
    async run() {
      await kept?.jobs(work).add({})
    },
  },
  'a schedule': { place: 'schedule.nightly', run: () => service.advance(24 * 60 * 60_000) },
  'an endpoint': { place: 'door', run: () => service.ask('POST', '/api/v1/door') },
}

describe('the work of transaction(…)', () => {
  for (const [kind, { place, run }] of Object.entries(kinds))
    it(`is guarded in ${kind}, and a misdeed stores nothing`, async () => {
      for (const one of Object.keys(deeds)) {
        deed = one
        outcome = ''
        const before = await countOf()
        await run()
        await service.sweep()
        const said = says[one] ?? `(${one}): the code around it can`
        assert.ok(outcome.startsWith(`transaction(…) of ${place} `) && outcome.includes(said), `${one}: ${outcome}`)
        assert.equal(await countOf(), before, one)
      }
    })

  it('keeps the result of no step, which would wait for the transaction', async () => {
    deed = 'step'
    await post('boxes', { name: 'plain' })
    await service.sweep()
    assert.equal(
      outcome,
      'transaction(…) of box.open keeps a result outside of its transaction (step): the code around it can',
    )
  })

  it('may tell the progress of its job, and passes on the errors of its own', async () => {
    deed = 'progress'
    await kept?.jobs(work).add({})
    await service.sweep()
    assert.equal(outcome, 'done')
    class Own extends Error {}
    const own = new Own('of its own')
    await assert.rejects(kept?.transaction(async () => Promise.reject(own)) as Promise<unknown>, own)
  })
})

describe('a hook', () => {
  for (const [title, said] of Object.entries(hookSays))
    it(`that ${title} fails with a sentence, and holds up nothing`, async () => {
      service.logged.length = 0
      const before = await countOf()
      open = connect(Number(new URL(service.url).port), '127.0.0.1')
      await new Promise((resolve) => open.once('connect', resolve))
      const { status, text } = await post('logs', { title })
      assert.deepEqual([status, text], [500, '{"error":"Internal server error"}'])
      const log = service.logged.join('\n')
      assert.ok(log.includes(said), log)
      await answered
      open.destroy()
      assert.equal(await countOf(), title.includes('open connection') ? before + 1 : before)
      assert.equal((await post('logs', { title: 'another' })).status, 201)
    })
})
