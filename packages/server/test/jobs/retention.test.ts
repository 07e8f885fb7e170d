/**
 * The settings of the operator say how long work stays that has ended: jobs, failed jobs, and other
 * effects that were given up. Of ended jobs the newest stay. Work that waits stays.
 */
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { boundJobs } from '../../src/record/jobs/add-job.ts'
import { serviceAuthor } from '../../src/storage/changes.ts'
import { startService } from '../../src/testing/index.ts'
import { file, mailroom, stamp } from './mailroom.ts'

const dayMs = 24 * 60 * 60_000

it('ended jobs are kept by age and number, failed ones apart', async (t: TestContext) => {
  const env = { JOBS_KEEP: '3d', JOBS_FAILED_KEEP: '240h', EFFECTS_FAILED_KEEP: '5d' }
  const service = await startService(mailroom, { mayFail: true, env })
  t.after(() => service.stop())
  const { engine } = service.service
  const { storage } = engine
  const add = (job: typeof stamp, input: { text: string }, at = 0) =>
    engine.records.transaction(serviceAuthor, (tx) =>
      boundJobs(tx)(job).add(input, { at: new Date(service.now() + at), dedupe: { key: input.text, mode: 'keep' } }),
    )
  const states = async () => (await storage.jobs.list({ limit: 100, nowMs: service.now() })).map(({ state }) => state)
  const effects = async (kind: string) =>
    (await storage.effects.list({ kind, limit: 100, nowMs: service.now() })).map(({ state }) => state)
  const later = async (days: number) => {
    service.turn(days * dayMs)
    await service.sweep()
  }

  await add(stamp, { text: 'refused' })
  for (const text of ['kept a', 'kept b', 'kept c']) await add(stamp, { text })
  await service.sweep()
  await add(stamp, { text: 'kept waits' }, 400 * dayMs)
  await add(stamp, { text: 'kept away' }, 400 * dayMs)
  await engine.records.transaction(serviceAuthor, (tx) => tx.cancelJobs({ name: 'stamp', key: 'kept away' }))
  await engine.records.transaction(serviceAuthor, (tx) => boundJobs(tx)(file).add({ drawer: 'now' }))
  await engine.records.transaction(serviceAuthor, (tx) =>
    tx.leave(...['given up', 'waits'].map((id) => ({ id, kind: 'letter.gone', payload: {} }))),
  )
  const [givenUp] = await storage.effects.findAll('given up', service.now())
  await storage.effects.giveUp([givenUp?.number as number], 'no', service.now())
  await service.sweep()
  const all = ['failed', 'done', 'done', 'done', 'waiting', 'cancelled', 'done']
  assert.deepEqual(await states(), all)

  await later(2)
  assert.deepEqual(await states(), all)
  while (await storage.jobs.sweep({ endedSinceMs: 0, endedMax: 2, failedSinceMs: 0 }));
  assert.deepEqual(await states(), ['failed', 'waiting', 'cancelled', 'done'], 'the newest two that have ended')
  await later(2)
  assert.deepEqual(await states(), ['failed', 'waiting'])
  assert.deepEqual(await effects('letter.gone'), ['given-up', 'waiting'])
  await later(2)
  assert.deepEqual(await effects('letter.gone'), ['waiting'])
  await later(3)
  assert.deepEqual(await states(), ['failed', 'waiting'], 'the effect of a job is kept as the job is')
  await later(2)
  await service.sweep()
  assert.deepEqual(await states(), ['waiting'], 'a failed one goes with its effect')
  assert.deepEqual(await effects('job.stamp'), ['waiting'])
})

it('unless it is set, jobs stay for a week, failed ones for 90 days, and effects until an operator decides', () => {
  assert.deepEqual(readConfig({}).work, {
    jobsKeptMs: 7 * dayMs,
    failedJobsKeptMs: 90 * dayMs,
    failedEffectsKeptMs: undefined,
    changesKept: { ms: 7 * dayMs, bytesMax: 1_000_000_000 },
  })
})
