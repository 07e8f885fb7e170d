/**
 * Jobs of an application: added in the transaction of a write and only with it, one for a key, one
 * after another in a queue. They are retried, refused and cancelled, and their callers read them.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startService } from '../../src/testing/index.ts'
import { until } from '../helpers/until.ts'
import { failures, hold, mailroom, ran, signals } from './mailroom.ts'

const service = await startService(mailroom, { mayFail: true })
after(() => service.stop())
const { ask } = service
const [ann, bob, admin] = [await service.person(), await service.person(), await service.admin()]
const { engine } = service.service
const made = await ask('POST', '/api/v1/letters', { body: { body: 'first' }, token: ann.token })
const act = (body: object, by = ann) =>
  ask('POST', `/api/v1/letters/${made.body.id}/add-many`, { body, token: by.token })

const stored = async () => engine.storage.jobs.list({ limit: 1000, nowMs: service.now() })
/** The jobs whose text begins so, in the order in which they were added. */
async function jobsOf(start: string) {
  const all = await stored()
  return all.filter(({ input }) => JSON.parse(input).text.startsWith(start))
}
const statesOf = async (start: string) => (await jobsOf(start)).map(({ state }) => state)
const ranOf = (start: string) => ran.filter((line) => line.split(' ').slice(1).join(' ').startsWith(start))
const read = (id: string | undefined, token?: string) =>
  ask('GET', `/api/v1/_jobs/${id}`, token === undefined ? {} : { token })

describe('a job', () => {
  it('is added with the write of a hook, and only with it', async () => {
    const refused = await ask('POST', '/api/v1/letters', { body: { body: 'undone' }, token: ann.token })
    assert.equal(refused.status, 409, refused.text)
    await service.sweep()
    assert.deepEqual(ranOf('hook first'), ['begin hook first', 'end hook first'])
    assert.deepEqual(await statesOf('hook'), ['done'])
    assert.equal((await act({ text: 'gone', count: 3, undone: 1 })).status, 409)
    await service.sweep()
    assert.deepEqual(await statesOf('gone'), [])
  })

  it('has its input checked by its fields', async () => {
    const bad = await ask('POST', `/api/v1/letters/${made.body.id}/add-bad`, { token: ann.token })
    assert.equal(bad.status, 400, bad.text)
    assert.match(bad.text, /copies must be/)
  })

  it('is read by the caller who added it, and by the operator', async () => {
    const release = hold('read')
    await act({ text: 'read' })
    await until(() => ranOf('read').length === 1, 'it runs')
    const [job] = await jobsOf('read')
    await until(async () => (await read(job?.id, ann.token)).body.progress !== null, 'its progress is stored')
    const running = await read(job?.id, ann.token)
    assert.equal(running.status, 200, running.text)
    assert.deepEqual(
      { ...running.body, addedAt: '', startedAt: '' },
      {
        ...{ id: job?.id, job: 'stamp', state: 'running', progress: { done: 1, total: 2, note: 'half' } },
        ...{ result: null, error: null, tries: 1, addedAt: '', dueAt: null, startedAt: '', endedAt: null },
      },
    )
    release()
    await service.sweep()
    const done = await read(job?.id, ann.token)
    assert.deepEqual([done.body.state, done.body.result], ['done', { stamped: `read by ${ann.id}`, price: 0.8 }])
    assert.equal((await read(job?.id, admin.token)).status, 200)
    assert.equal((await read(job?.id, bob.token)).status, 404)
    assert.equal((await read(job?.id)).status, 401)
    assert.equal((await read('nothing', ann.token)).status, 404)
    const key = await service.key(ann, { scopes: ['letters:list'] })
    assert.equal((await ask('GET', `/api/v1/_jobs/${job?.id}`, { key })).status, 200)
  })

  it('is tried again, and fails without a word of the server', async () => {
    failures.set('tried', 1)
    failures.set('given up', 9)
    await act({ text: 'tried' })
    await act({ text: 'given up' })
    await act({ text: 'refused' })
    for (let i = 0; i < 3; i++) {
      await service.sweep()
      service.turn(2_000)
    }
    assert.deepEqual([await statesOf('tried'), await statesOf('given up')], [['done'], ['failed']])
    const [[failed], [refused]] = [await jobsOf('given up'), await jobsOf('refused')]
    assert.deepEqual([failed?.tries, refused?.tries, failed?.error], [3, 1, 'secret of the server'])
    const [told, said] = [await read(failed?.id, ann.token), await read(refused?.id, ann.token)]
    assert.equal(told.body.error, 'The job failed: the log of the server says why')
    assert.deepEqual([said.body.state, said.body.error], ['failed', 'No stamp is left'])
    assert.ok(told.body.endedAt)
  })

  it('whose result is not as declared has failed, and its work is not done again', async () => {
    await act({ text: 'wrong' })
    await service.sweep()
    const [job] = await jobsOf('wrong')
    assert.deepEqual([job?.tries, ranOf('wrong').length], [1, 2])
    const { text, body } = await read(job?.id, ann.token)
    assert.deepEqual(
      [body.state, body.result, body.error],
      ['failed', null, 'The job has done its work, and its result is not as declared: the log of the server says why'],
    )
    assert.ok(!text.includes('secret'))
    assert.match(job?.error ?? '', /^Its result is not as output declares: price must be a number$/)
    assert.ok(service.logged.some((line) => line.includes('price must be a number') && line.includes('job.stamp')))
  })

  it('of a queue runs after the one before it', async () => {
    const release = hold('line0')
    await act({ text: 'line', count: 3, queue: 'front' })
    await until(() => ranOf('line').length > 0, 'the first one runs')
    await act({ text: 'other', queue: 'back' })
    await until(() => ranOf('other').length === 2, 'another queue')
    assert.deepEqual(ranOf('line'), ['begin line0'])
    release()
    await service.sweep()
    const inOrder = ['line0', 'line1', 'line2'].flatMap((name) => [`begin ${name}`, `end ${name}`])
    assert.deepEqual(ranOf('line'), inOrder)
  })

  it('with a key is kept while one waits or runs', async () => {
    const release = hold('kept0')
    await act({ text: 'kept', count: 2, key: 'feed' })
    await until(() => ranOf('kept').length === 1, 'it runs')
    await act({ text: 'kept again', key: 'feed' })
    assert.deepEqual(await statesOf('kept'), ['running'])
    release()
    await service.sweep()
    await act({ text: 'kept once more', key: 'feed' })
    await service.sweep()
    assert.deepEqual(await statesOf('kept'), ['done', 'done'])
  })

  it('with a key replaces the one that waits, and runs after the one that runs', async () => {
    await act({ text: 'new', key: 'sum', mode: 'replace', count: 2 })
    await service.sweep()
    assert.deepEqual(await statesOf('new'), ['cancelled', 'done'], 'the first one of the transaction')
    const releaseLater = hold('later')
    await act({ text: 'later', key: 'sum', mode: 'replace' })
    await until(() => ranOf('later').length === 1, 'it runs')
    for (const text of ['later a', 'later b']) await act({ text, key: 'sum', mode: 'replace' })
    assert.deepEqual(await statesOf('later'), ['running', 'cancelled', 'waiting'])
    releaseLater()
    await service.sweep()
    assert.deepEqual(ranOf('later'), ['begin later', 'end later', 'begin later b', 'end later b'])
  })

  it('has one waiting for a key, however many are added at once', async () => {
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        act({ text: `at once ${i}`, key: 'rush', mode: i % 2 ? 'replace' : 'keep', waitMs: 60_000 }),
      ),
    )
    assert.deepEqual([...new Set(all.map(({ status }) => status))], [200])
    const states = await statesOf('at once')
    assert.equal(states.filter((state) => state === 'waiting').length, 1, states.join())
    service.turn(61_000)
    await service.sweep()
    assert.equal(ranOf('at once').filter((line) => line.startsWith('end')).length, 1)
  })
})

describe('a cancellation', () => {
  const cancel = (key: string) =>
    engine.records.transaction({ userId: ann.id, role: null, credential: 'test' }, (tx) =>
      tx.cancelJobs({ name: 'stamp', key }),
    )

  it('takes one that waits out of its line', async () => {
    await act({ text: 'waits', key: 'w', waitMs: 60_000 })
    assert.equal(await cancel('w'), 1)
    assert.equal(await cancel('w'), 0)
    service.turn(61_000)
    await service.sweep()
    assert.deepEqual([await statesOf('waits'), ranOf('waits')], [['cancelled'], []])
  })

  it('tells one that runs by its signal, and its result is not taken', async () => {
    const release = hold('runs')
    await act({ text: 'runs', key: 'r' })
    await until(() => signals.has('runs'), 'it runs')
    assert.equal(await cancel('r'), 1)
    await until(() => signals.get('runs')?.aborted === true, 'it is told')
    release()
    await service.sweep()
    const [job] = await jobsOf('runs')
    assert.deepEqual([job?.state, job?.result], ['cancelled', null])
    assert.equal((await read(job?.id, ann.token)).body.state, 'cancelled')
    assert.ok(!service.logged.some((line) => line.includes('"runs"')), 'it has not failed')
  })
})
