/**
 * Work in tests of an application. Effects, jobs and schedules run when the test says so. Mails and
 * requests are seen, and a failure is thrown where no test expects it.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  after,
  anyone,
  before,
  defineJob,
  defineMail,
  defineResource,
  defineSchedule,
  id,
  integer,
  text,
  timestamp,
} from '../../src/index.ts'
import { startService, type TestService } from '../../src/testing/index.ts'

const greeting = defineMail({ name: 'plain', folder: '../mail/mails' })
const double = defineJob({
  name: 'double',
  input: { number: integer({ required: true }) },
  output: { doubled: integer({ required: true }) },
  retries: { tries: 2 },
  async run({ input, refuse }) {
    if (input.number === 13) refuse('Not this number')
    return { doubled: input.number * 2 }
  },
})
const note = defineResource({
  name: 'note',
  path: '/notes',
  fields: {
    id: id(),
    title: text({ required: true }),
    startsAt: timestamp(),
    endsAt: timestamp(),
    tries: integer({ default: 0 }),
  },
  access: { create: anyone, get: anyone },
  effects: {
    greet: {
      on: ['create'],
      async run({ record, mail, jobs, records, fetch }) {
        if (record.title === 'away') throw new Error('The moon is away')
        await mail(greeting, { to: 'ann@example.com', language: 'de' })
        await jobs(double).add({ number: record.tries })
        if (!record.title.startsWith('ask')) return
        const answer = await fetch(`https://names.example/v1?of=${record.title}`, { method: 'POST', body: 'two words' })
        const { title } = (await answer.json()) as { title: string }
        await records(note).update(record.id, { title })
      },
    },
    remind: {
      at: before('startsAt', '24h'),
      async run({ record, records }) {
        await add(records(note), record.id, 1)
      },
    },
    thank: {
      at: after('endsAt', '1h'),
      async run({ record, records }) {
        await add(records(note), record.id, 10)
      },
    },
    flaky: {
      at: after('endsAt', '2h'),
      retries: { tries: 3, firstSeconds: 600 },
      async run({ record, records, tries }) {
        if (tries < 3) throw new Error(`not at try ${tries}`)
        await add(records(note), record.id, 100)
      },
    },
  },
})
const nightly = defineSchedule({
  name: 'nightly',
  cron: '0 3 * * *',
  async run() {
    throw new Error('no night')
  },
})
type Notes = {
  get(id: string): Promise<{ readonly tries: number | null }>
  update(id: string, values: { tries: number }): Promise<unknown>
}
async function add(notes: Notes, id: string, more: number): Promise<void> {
  await notes.update(id, { tries: ((await notes.get(id)).tries ?? 0) + more })
}

const clock = () => Date.parse('2026-11-27T12:00:00Z')
const application = [note, greeting, double]

/** Stops at the end of a test, also of one that fails. */
async function started(t: TestContext, ...[list, options]: Parameters<typeof startService>): Promise<TestService> {
  const service = await startService(list, options)
  t.after(() => service.stop())
  return service
}

async function made({ ask }: TestService, body: object): Promise<string> {
  const { status, body: record, text } = await ask('POST', '/api/v1/notes', { body })
  assert.equal(status, 201, text)
  return record.id
}

describe('work in tests', () => {
  it('runs with all that it causes, and shows mails, requests and results', async (t) => {
    const service = await started(t, application)
    service.answerFetch('https://names.example/*', Response.json({ title: 'Kim' }))
    const id = await made(service, { title: 'ask', tries: 4 })
    const ran = await service.runEffects()
    assert.deepEqual(ran.map(({ kind, outcome }) => `${kind} ${outcome}`).toSorted(), [
      'job.double done',
      'mail:plain done',
      'note.greet done',
    ])
    assert.equal(ran.find(({ kind }) => kind === 'note.greet')?.key, String(id))
    assert.deepEqual(await service.runEffects(), [])
    assert.deepEqual(
      (await service.runJobs()).map(({ name, outcome, result }) => ({ name, outcome, result })),
      [{ name: 'double', outcome: 'done', result: { doubled: 8 } }],
    )
    assert.equal((await service.ask('GET', `/api/v1/notes/${id}`)).body.title, 'Kim')
    assert.deepEqual(
      service.sentMails.map(({ name, to, language, subject }) => ({ name, to, language, subject })),
      [{ name: 'plain', to: 'ann@example.com', language: 'en', subject: 'Hello' }],
    )
    const [{ purpose, method, url, body } = {}] = service.requests
    const sent = ['effects', 'POST', 'https://names.example/v1?of=ask', 'two words']
    assert.deepEqual([purpose, method, url, body], sent)
    service.answerFetch(/of=ask2$/, ({ body }) => Response.json({ title: body }))
    const second = await made(service, { title: 'ask2' })
    await service.runEffects()
    assert.equal((await service.ask('GET', `/api/v1/notes/${second}`)).body.title, 'two words')
  })

  it('runs at the moments of its records and at those of further tries', async (t) => {
    const service = await started(t, application, { clock, mayFail: ['note.flaky'] })
    const id = await made(service, { title: 'a', startsAt: '2026-11-29T12:00:00Z', endsAt: '2026-11-29T14:00:00Z' })
    const tries = async () => (await service.ask('GET', `/api/v1/notes/${id}`)).body.tries
    const hourMs = 3_600_000
    await service.advance(23 * hourMs)
    assert.equal(await tries(), 0)
    await service.advance(hourMs)
    assert.equal(await tries(), 1)
    await service.advance(27 * hourMs)
    assert.equal(await tries(), 11)
    await service.advance(3 * hourMs)
    assert.equal(await tries(), 111)
    const flaky = (await service.runEffects()).filter(({ kind }) => kind === 'note.flaky')
    assert.deepEqual(
      flaky.map(({ tries, outcome }) => [tries, outcome]),
      [
        [1, 'failed'],
        [2, 'failed'],
        [3, 'done'],
      ],
    )
  })

  it('throws a failure that no test expects, with its record, once', async (t) => {
    const service = await started(t, application)
    const id = await made(service, { title: 'away' })
    const failure = { message: `note.greet (record ${id}) failed at try 1: The moon is away` }
    await assert.rejects(service.runEffects(), (error: Error) => {
      assert.equal(error.message, failure.message)
      assert.match(error.stack ?? '', /note\.greet[^\n]*\n\s+at [^\n]*work\.test\.ts/)
      return (error.cause as Error).message === 'The moon is away'
    })
    await service.runEffects()
    const second = await made(service, { title: 'away' })
    const [expected] = await service.expectFailure('note.greet')
    assert.deepEqual([expected?.key, expected?.outcome], [String(second), 'failed'])
    await service.runEffects()
    await made(service, { title: 'ask' })
    await assert.rejects(
      service.sweep(),
      /This test answers no POST https:\/\/names\.example\/v1\?of=ask: service\.answerFetch\('https:\/\/names\.example\/\*', Response\.json\(\{ … \}\)\) does, and the variable OUTGOING_ALLOW=names\.example lets it reach the network$/,
    )
    await assert.rejects(service.expectFailure('note.gret'), /^Error: No failure of note\.gret; the work of this/)
    await made(service, { title: 'away' })
    const both = async () => {
      await made(service, { title: 'b', tries: 13 })
      await service.runJobs()
    }
    await assert.rejects(service.expectFailure('job.double', both), /^Error: note\.greet /)
  })

  it('that failed unseen fails the stop', async () => {
    const service = await startService([...application, nightly], { clock })
    await service.expectFailure('schedule.nightly', () => service.advance(16 * 3_600_000))
    await made(service, { title: 'b', tries: 13 })
    await assert.rejects(service.stop(), /job\.double failed at try 1: Not this number/)
  })
})
